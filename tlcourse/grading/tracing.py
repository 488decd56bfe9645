"""The learner's side: calls the factory for each set of shapes and seals what it traces."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol, runtime_checkable

from xdsl.dialects.builtin import ModuleOp

import tlcourse
from tlcourse.config import read_config
from tlcourse.diagnostics import SourceMap, error
from tlcourse.dialects.signature import stamp
from tlcourse.dialects.text import to_text
from tlcourse.grading.sealed import Sealed
from tlcourse.grading.spec import Case, Spec


@runtime_checkable
class Traced(Protocol):
    """What a factory may return: a kernel object or a `T.prim_func`; both hold Tile IR."""

    module: ModuleOp
    sources: SourceMap


def seal_all(spec: Spec, factory: object) -> list[Sealed]:
    """Traces the factory for every case of the exercise.

    Args:
        spec: the exercise.
        factory: the learner's function, called with the names of each binding.

    Raises:
        NotImplementedError: the exercise is untouched.
        TL607: the function is missing, cannot be called so, or returns no kernel.
        TLError: the kernel does not trace; any code of the front end.
    """
    return [_seal(spec, case, factory) for case in spec.cases]


def _seal(spec: Spec, case: Case, factory: object) -> Sealed:
    if isinstance(factory, Traced) or not callable(factory):
        raise _no_kernel(spec, f"{spec.entry} is a {type(factory).__name__}")
    traced = factory(**case.binding)
    if traced is None:
        raise _no_kernel(spec, f"{spec.entry}(..) returns None")
    if not isinstance(traced, Traced):
        raise _no_kernel(spec, f"{spec.entry}(..) returns a {type(traced).__name__}")
    return seal(spec, case.binding, traced.module, traced.sources)


def seal(spec: Spec, binding: Mapping[str, int], module: ModuleOp, sources: SourceMap) -> Sealed:
    """The sealed document of one traced kernel; the mode is written in if it is open yet."""
    copy = module.clone()
    if "tl.mode" not in copy.attributes:
        stamp(copy, mode=read_config().mode, target="npuir", out_idx=(), pass_configs={})
    return Sealed(
        exercise=spec.id,
        spec_version=spec.version,
        tlcourse_version=tlcourse.__version__,
        binding=dict(binding),
        sources=dict(sources),
        text=to_text(copy, locations=True),
    )


def _no_kernel(spec: Spec, what: str) -> Exception:
    names = ", ".join(spec.cases[0].binding)
    return error(
        "TL607",
        f"{what}; asked is a function that makes a kernel",
        why=f"{spec.entry}({names}) is called for several shapes, and each kernel is judged",
        fix=f"write `def {spec.entry}({names}):` and let it return its `@T.prim_func`",
    )
