"""Parameters of a kernel: their annotations, and the symbols that tensor shapes bring in."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from types import FunctionType
from typing import Literal, cast

from xdsl.dialects.builtin import DYNAMIC_INDEX, ArrayAttr, DictionaryAttr, StringAttr
from xdsl.ir import Attribute

from tlcourse import extents as extent_language
from tlcourse.diagnostics import Span
from tlcourse.dialects import tl
from tlcourse.dialects.dtypes import DTYPES
from tlcourse.language.annotations import TensorAnnotation
from tlcourse.language.buffers import describe
from tlcourse.language.builder import Builder
from tlcourse.language.constants import DType
from tlcourse.language.dtype_rules import short_name
from tlcourse.language.host import entries
from tlcourse.language.names import near_name
from tlcourse.language.source import Captured
from tlcourse.language.symbolic import Symbolic, text_of


@dataclass(frozen=True, kw_only=True)
class KernelParameter:
    """One argument of the kernel function; `extents` are texts."""

    name: str
    dtype: str
    kind: Literal["tensor", "scalar", "symbol"]
    extents: tuple[str, ...]
    span: Span

    def type(self) -> Attribute:
        """The argument's type in Tile IR."""
        element = DTYPES[self.dtype].mlir
        if self.kind != "tensor":
            return element
        shape = [int(text) if text.isdigit() else DYNAMIC_INDEX for text in self.extents]
        return tl.buffer_type(shape, element, "global")

    def attributes(self) -> DictionaryAttr:
        """What a launch needs to know about the argument."""
        place = (self.span.source, str(self.span.line), str(self.span.column))
        found: dict[str, Attribute] = {
            "tl.name": StringAttr(self.name),
            "tl.dtype": StringAttr(self.dtype),
            "tl.kind": StringAttr(self.kind),
            "tl.loc": ArrayAttr(StringAttr(part) for part in place),
        }
        if self.kind == "tensor":
            found["tl.extents"] = ArrayAttr(StringAttr(text) for text in self.extents)
        if self.kind == "symbol":
            found["tl.symbol"] = StringAttr(self.name)
        return DictionaryAttr(found)


def parameters(
    function: FunctionType, captured: Captured, scope: Mapping[str, object], build: Builder
) -> list[KernelParameter]:
    """The kernel's parameters in order, its symbols behind them.

    Raises:
        TL103: a default value, * or **.
        TL106: a parameter has no annotation.
        TL107: an annotation is neither a tensor nor a dtype.
        TL116: there is no such dtype.
        TL117: an extent of a shape is no positive number and no size.
    """
    arguments = captured.node.args
    _check_plain(arguments, captured, build)
    found: list[KernelParameter] = []
    for arg in (*arguments.posonlyargs, *arguments.args):
        with build.at(captured.span(arg)):
            annotation = _annotation(arg, function, scope, build)
            with build.at(captured.span(arg.annotation) if arg.annotation else build.span):
                found.append(_parameter(arg, annotation, captured.span(arg), build))
    return found + _symbols(found)


def _check_plain(arguments: ast.arguments, captured: Captured, build: Builder) -> None:
    extras = [*arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
    odd = next((extra for extra in extras if extra is not None), None)
    place = captured.span(odd) if odd else build.span
    if odd is None and not arguments.defaults:
        return
    with build.at(captured.span(arguments.defaults[0]) if odd is None else place):
        raise build.fail(
            "TL103",
            "a kernel's parameters are plain: no defaults, *args, **kwargs or keyword-only ones",
            why="each parameter is one argument of the launch",
            fix="write the parameters one by one, without defaults",
        )


def _annotation(
    arg: ast.arg, function: FunctionType, scope: Mapping[str, object], build: Builder
) -> object:
    if arg.annotation is None:
        raise build.fail(
            "TL106",
            f"the parameter `{arg.arg}` has no annotation",
            why="the kernel must know whether it is a tensor, of which shape and dtype, or a "
            "scalar",
            fix=f'write {arg.arg}: T.Tensor((M, N), "float16"), or {arg.arg}: T.int32',
        )
    value = function.__annotations__[arg.arg]
    if not isinstance(value, str) or isinstance(value, DType):
        return value
    return _from_text(value, function, scope, build)


def _from_text(
    text: str, function: FunctionType, scope: Mapping[str, object], build: Builder
) -> object:
    names = dict(function.__globals__) | dict(scope) | closure(function)
    try:
        return eval(text, names)  # what `from __future__ import annotations` left unevaluated
    except Exception as problem:
        raise build.fail(
            "TL107",
            f"the annotation cannot be evaluated: {type(problem).__name__}: {problem}",
            why="`from __future__ import annotations` keeps annotations as text, and a name in "
            "it cannot be found",
            fix="remove that import from the file, or make the name a global",
        ) from problem


def closure(function: FunctionType) -> dict[str, object]:
    """The variables of enclosing functions that a function uses, as far as they have values."""
    cells = function.__closure__ or ()
    found: dict[str, object] = {}
    for name, cell in zip(function.__code__.co_freevars, cells, strict=True):
        try:
            found[name] = cell.cell_contents
        except ValueError:
            continue
    return found


def _parameter(arg: ast.arg, annotation: object, span: Span, build: Builder) -> KernelParameter:
    if callable(annotation) and not isinstance(annotation, (str, TensorAnnotation)):
        annotation = _called(annotation, build)
    if isinstance(annotation, TensorAnnotation):
        return KernelParameter(
            name=arg.arg,
            dtype=_dtype(annotation.dtype, build),
            kind="tensor",
            extents=_extents(annotation.shape, arg.arg, build),
            span=span,
        )
    if isinstance(annotation, str):
        dtype = _dtype(annotation, build)
        return KernelParameter(name=arg.arg, dtype=dtype, kind="scalar", extents=(), span=span)
    raise build.fail(
        "TL107",
        f"`{arg.arg}` is annotated with {describe(annotation)}",
        why="a parameter is a tensor or a scalar",
        fix=f'write {arg.arg}: T.Tensor((M, N), "float16"), or {arg.arg}: T.int32',
    )


def _called(annotation: object, build: Builder) -> object:
    if getattr(annotation, "__name__", "") == "T.Tensor" or isinstance(annotation, type):
        return annotation
    try:
        return cast("type[object]", annotation)()
    except Exception as problem:
        raise build.fail(
            "TL107",
            f"the annotation cannot be called: {problem}",
            why="an annotation that is a function is called to get the parameter's type",
            fix='write T.Tensor((M, N), "float16") or T.int32',
        ) from problem


def _dtype(dtype: object, build: Builder) -> str:
    name = short_name(dtype) if isinstance(dtype, str) else ""
    if name in DTYPES:
        return name
    shown = str(dtype) if isinstance(dtype, str) else describe(dtype)
    raise build.fail(
        "TL116",
        f"there is no dtype {shown}",
        why=f"the dtypes are {', '.join(DTYPES)}",
        fix=f"{near_name(shown, DTYPES)}write the dtype as a text, for example 'float16'",
    )


def _extents(shape: object, name: str, build: Builder) -> tuple[str, ...]:
    found = entries(shape)
    if not found:
        raise build.fail(
            "TL117",
            f"the tensor `{name}` has no dimension",
            why="a kernel's tensors have at least one",
            fix=f'write {name}: T.Tensor((1,), "float32") for one number',
        )
    return tuple(_extent(entry, name, build) for entry in found)


def _extent(entry: object, name: str, build: Builder) -> str:
    if isinstance(entry, Symbolic):
        return text_of(entry)
    if isinstance(entry, int) and not isinstance(entry, bool) and entry >= 0:
        return str(int(entry))
    raise build.fail(
        "TL117",
        f"an extent of the tensor `{name}` is {describe(entry)}",
        why="extents count elements",
        fix='use integers, or sizes made with T.symbolic("M")',
    )


def _symbols(found: list[KernelParameter]) -> list[KernelParameter]:
    taken = {parameter.name for parameter in found}
    symbols: dict[str, KernelParameter] = {}
    for parameter in found:
        for text in parameter.extents:
            for name in extent_language.symbols(text):
                if name not in taken and name not in symbols:
                    symbols[name] = KernelParameter(
                        name=name, dtype="int32", kind="symbol", extents=(), span=parameter.span
                    )
    return list(symbols.values())
