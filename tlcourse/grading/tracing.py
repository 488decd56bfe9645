"""The learner's side: calls the factory for each set of shapes and seals what it traces.

Nothing here knows the exercise's references or points. What a call gave is an `Attempt`, plain
data that crosses to the trusted side.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Literal, Protocol, runtime_checkable

from xdsl.dialects.builtin import ModuleOp

import tlcourse
from tlcourse.config import read_config
from tlcourse.diagnostics import Diagnostic, SourceFile, SourceMap, TLError, error
from tlcourse.dialects.signature import stamp
from tlcourse.dialects.text import to_text
from tlcourse.grading import given, handed
from tlcourse.grading.packages import packing
from tlcourse.grading.packages.asked import PackageOrder
from tlcourse.grading.packages.given import package_order
from tlcourse.grading.sealed import Sealed
from tlcourse.grading.spec import Case, Kind, Spec


@dataclass(frozen=True, kw_only=True)
class Order:
    """What is asked of the learner's side.

    Args:
        exercise: its id.
        spec_version: version of its spec.
        entry: name of the learner's function.
        names: of the shapes, in the function's order.
        bindings: shapes that the function is called with, one set per case.
        kind: of the exercise.
        given: for a pass, the module that it gets in each case, as text.
        package: for a package, what is asked of it.
        has_families: whether the function chooses among several tasks by its parameters.
    """

    exercise: str
    spec_version: int
    entry: str
    names: tuple[str, ...]
    bindings: tuple[dict[str, int], ...]
    kind: Kind = "kernel"
    given: tuple[str, ...] = ()
    package: PackageOrder | None = None
    has_families: bool = False


def order_of(spec: Spec, cases: Sequence[Case]) -> Order:
    """What an exercise asks of the learner's side for some of its cases."""
    return Order(
        exercise=spec.id,
        spec_version=spec.version,
        entry=spec.entry,
        names=tuple(cases[0].binding),
        bindings=tuple(case.binding for case in cases),
        kind=spec.kind,
        given=given.texts(spec, cases),
        package=package_order(spec, cases),
        has_families=bool(spec.families),
    )


@dataclass(frozen=True, kw_only=True)
class Attempt:
    """What calling the learner's function for one case gave.

    Args:
        state: a sealed kernel, the untouched stub, an error of the compiler or one of Python's, or
            a case of a task that the learner has not chosen.
        document: the sealed kernel.
        diagnostic: the compiler's error.
        sources: texts that the diagnostic points into.
        kind: class of Python's exception.
        what: its message.
        line: line of the learner's cell that it came from.
    """

    state: Literal["sealed", "untouched", "refused", "raised", "other"]
    document: str = ""
    diagnostic: Diagnostic | None = None
    sources: dict[str, SourceFile] = field(default_factory=lambda: dict[str, SourceFile]())
    kind: str = ""
    what: str = ""
    line: int | None = None


@runtime_checkable
class Traced(Protocol):
    """What a factory may return: a kernel object or a `T.prim_func`; both hold Tile IR."""

    module: ModuleOp
    sources: SourceMap


def attempt_all(order: Order, factory: object) -> tuple[Attempt, ...]:
    """Calls the factory for every case; a fault in one case leaves the others alone.

    A package is made once: what is given for each case is its texts.
    """
    if order.package is not None:
        return (_attempt(order, 0, factory),) * len(order.bindings)
    return tuple(_attempt(order, index, factory) for index in range(len(order.bindings)))


def _attempt(order: Order, index: int, factory: object) -> Attempt:
    if order.has_families and not _takes(factory, order.bindings[index]):
        return Attempt(state="other")
    try:
        sealed = _sealed(order, index, factory)
    except TLError as problem:
        # TL429 wraps what the learner's own function raised.
        own = problem.__cause__ if problem.code == "TL429" else None
        return _ended(own, _file_of(factory)) if own is not None else refused(problem)
    except Exception as problem:  # noqa: BLE001 - whatever a learner's code raises is reported
        return _ended(problem, _file_of(factory))
    return Attempt(state="sealed", document=sealed.to_text())


def _takes(factory: object, binding: Mapping[str, int]) -> bool:
    """Whether a function has all names of a binding as parameters."""
    if not callable(factory):
        return True  # what is wrong with it is told when it is called
    try:
        names = inspect.signature(inspect.unwrap(factory)).parameters
    except (TypeError, ValueError):
        return True
    return binding.keys() <= names.keys()


def _ended(problem: BaseException, file: str) -> Attempt:
    # Only the stub's own line means that nobody has begun.
    if isinstance(problem, NotImplementedError) and _is_own(problem, file):
        return Attempt(state="untouched")
    return raised(problem, file)


def refused(problem: TLError) -> Attempt:
    """An attempt that ended with an error of ours."""
    return Attempt(state="refused", diagnostic=problem.diagnostic, sources=dict(problem.sources))


def raised(problem: BaseException, file: str) -> Attempt:
    """An attempt that ended with an exception of Python's.

    Args:
        problem: the exception.
        file: file name of the learner's cell; the innermost line in it is the one to show.
    """
    line = problem.lineno if isinstance(problem, SyntaxError) else None
    for name, found in _frames(problem.__traceback__):
        line = found if name == file else line
    what = problem.msg if isinstance(problem, SyntaxError) else str(problem)
    return Attempt(state="raised", kind=type(problem).__name__, what=what, line=line)


def _frames(trace: TracebackType | None) -> list[tuple[str, int]]:
    found: list[tuple[str, int]] = []
    while trace is not None:
        found.append((trace.tb_frame.f_code.co_filename, trace.tb_lineno))
        trace = trace.tb_next
    return found


def _is_own(problem: BaseException, file: str) -> bool:
    frames = _frames(problem.__traceback__)
    return bool(frames) and frames[-1][0] == file


def _file_of(factory: object) -> str:
    if isinstance(factory, type):
        # Decorators wrap a pattern's methods: the innermost function is the learner's.
        methods: list[object] = [m for m in vars(factory).values() if not isinstance(m, type)]
        return next((file for file in map(_file_of, methods) if file), "")
    code = getattr(inspect.unwrap(factory), "__code__", None) if callable(factory) else None
    return getattr(code, "co_filename", "")


def _sealed(order: Order, index: int, factory: object) -> Sealed:
    binding = order.bindings[index]
    if order.kind == "kernel":
        return _traced(order, binding, factory)
    if order.package is not None:
        text = packing.packed(order.package, order.entry, factory)
    elif order.kind == "pass":
        text = handed.rewritten(order.entry, factory, order.given[index])
    else:
        text = handed.text_of(order.kind, order.entry, factory)
    return Sealed(
        exercise=order.exercise,
        spec_version=order.spec_version,
        tlcourse_version=tlcourse.__version__,
        binding=dict(binding),
        sources={},
        text=text,
    )


def _traced(order: Order, binding: Mapping[str, int], factory: object) -> Sealed:
    if isinstance(factory, Traced) or not callable(factory):
        is_missing = factory is None
        what = f"is a {type(factory).__name__}" if not is_missing else "is not defined"
        raise _no_kernel(order, f"{order.entry} {what}")
    traced = factory(**binding)
    if traced is None:
        raise _no_kernel(order, f"{order.entry}(..) returns None")
    if not isinstance(traced, Traced):
        raise _no_kernel(order, f"{order.entry}(..) returns a {type(traced).__name__}")
    return seal(order, binding, traced.module, traced.sources)


def seal(order: Order, binding: Mapping[str, int], module: ModuleOp, sources: SourceMap) -> Sealed:
    """The sealed document of one traced kernel; the mode is written in if it is open yet."""
    copy = module.clone()
    if "tl.mode" not in copy.attributes:
        stamp(copy, mode=read_config().mode, target="npuir", out_idx=(), pass_configs={})
    return Sealed(
        exercise=order.exercise,
        spec_version=order.spec_version,
        tlcourse_version=tlcourse.__version__,
        binding=dict(binding),
        sources=dict(sources),
        text=to_text(copy, locations=True),
    )


def _no_kernel(order: Order, what: str) -> TLError:
    names = ", ".join(order.names)
    return error(
        "TL607",
        f"{what}; asked is a function that makes a kernel",
        why=f"{order.entry}({names}) is called for several shapes, and each kernel is judged",
        fix=f"write `def {order.entry}({names}):` and let it return its `@T.prim_func`",
    )
