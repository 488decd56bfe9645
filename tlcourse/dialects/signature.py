"""How a Tile IR module is launched: read from its attributes, stamped before the TIR phase.

A kernel function has one argument per parameter, symbols last. Each argument carries
`tl.name`, `tl.dtype`, `tl.kind` ("tensor", "scalar" or "symbol") and, for a tensor,
`tl.extents`, one text per dimension; `tl.loc` holds source id, line and column of its
declaration as texts, because xDSL drops the locations of function arguments when it reads
text. The module carries `tl.version`, `tl.mode`, `tl.target`, `tl.out_idx` and
`tl.pass_configs`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal, cast

from xdsl.dialects import arith, func
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    i32,
)
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue

from tlcourse.diagnostics import SourceMap, Span
from tlcourse.dialects import tl
from tlcourse.dialects.locations import span_of
from tlcourse.records import Mode, Parameter, Signature
from tlcourse.spans import span_at

VERSION = "1"

_TEXT: dict[type[Operation], Callable[[str, str], str]] = {
    arith.AddiOp: "({} + {})".format,
    arith.SubiOp: "({} - {})".format,
    arith.MuliOp: "({} * {})".format,
    arith.FloorDivSIOp: "({} // {})".format,
    tl.FloorModOp: "({} % {})".format,
    arith.MinSIOp: "min({}, {})".format,
    arith.MaxSIOp: "max({}, {})".format,
}


def stamp(
    module: ModuleOp,
    *,
    mode: Mode,
    target: str,
    out_idx: tuple[int, ...],
    pass_configs: Mapping[str, str],
) -> None:
    """Writes into the module what decides its compilation, so that its text is complete."""
    configs = {name: StringAttr(pass_configs[name]) for name in sorted(pass_configs)}
    module.attributes |= {
        "tl.version": StringAttr(VERSION),
        "tl.mode": StringAttr(mode),
        "tl.target": StringAttr(target),
        "tl.out_idx": ArrayAttr(IntegerAttr(index, i32) for index in out_idx),
        "tl.pass_configs": DictionaryAttr(configs),
    }


def mode_of(module: ModuleOp) -> Mode:
    """The mode that the module was stamped with."""
    return cast(Mode, _text(module.attributes["tl.mode"]))


def function_of(module: ModuleOp) -> func.FuncOp:
    """The kernel function of a Tile IR module."""
    return next(op for op in module.body.block.ops if isinstance(op, func.FuncOp))


def kernel_of(module: ModuleOp) -> tl.KernelOp:
    """The `tl.kernel` op of a Tile IR module."""
    return next(op for op in module.walk() if isinstance(op, tl.KernelOp))


def signature(module: ModuleOp, sources: SourceMap) -> Signature:
    """How the stamped module is launched; the grid is read from the operands of `tl.kernel`."""
    function, kernel = function_of(module), kernel_of(module)
    out_idx = cast(ArrayAttr[IntegerAttr], module.attributes["tl.out_idx"])
    return Signature(
        kernel=function.sym_name.data,
        mode=mode_of(module),
        target=_text(module.attributes["tl.target"]),
        parameters=parameters(module, sources),
        out_idx=tuple(index.value.data for index in out_idx),
        grid=tuple(extent_text(value) for value in kernel.grid),
        grid_span=span_of(kernel, sources),
    )


def parameters(module: ModuleOp, sources: SourceMap) -> tuple[Parameter, ...]:
    """The kernel's parameters in order, symbols last."""
    return tuple(_parameter(entry, sources) for entry in _entries(function_of(module)))


def extent_text(value: SSAValue) -> str:
    """An i32 value that depends on symbols and constants only, as an extent text.

    Raises:
        ValueError: the value depends on something else.
    """
    if isinstance(value, BlockArgument):
        return _argument_name(value)
    op = value.owner
    if isinstance(op, arith.ConstantOp) and isinstance(op.value, IntegerAttr):
        return str(op.value.value.data)
    if isinstance(op, tl.LetOp):
        return extent_text(op.value)
    assert isinstance(op, Operation)
    form = _TEXT.get(type(op))
    if form is None:
        raise ValueError(f"not known before the launch: {op}")
    return form(*(extent_text(operand) for operand in op.operands))


def _argument_name(value: BlockArgument) -> str:
    function = value.owner.parent_op()
    if not isinstance(function, func.FuncOp):
        raise ValueError("a loop or block variable is not known before the launch")
    return _text(_entries(function)[value.index]["tl.name"])


def _entries(function: func.FuncOp) -> list[Mapping[str, Attribute]]:
    entries = function.arg_attrs.data if function.arg_attrs else ()
    return [entry.data for entry in entries]


def _parameter(entry: Mapping[str, Attribute], sources: SourceMap) -> Parameter:
    return Parameter(
        name=_text(entry["tl.name"]),
        dtype=_text(entry["tl.dtype"]),
        kind=cast(Literal["tensor", "scalar", "symbol"], _text(entry["tl.kind"])),
        extents=_texts(entry.get("tl.extents")),
        span=_span(_texts(entry.get("tl.loc")), sources),
    )


def _span(place: tuple[str, ...], sources: SourceMap) -> Span | None:
    if not place or place[0] not in sources:
        return None
    source, line, column = place
    return span_at(sources[source], int(line), int(column))


def _texts(attribute: Attribute | None) -> tuple[str, ...]:
    if attribute is None:
        return ()
    return tuple(_text(item) for item in cast(ArrayAttr[StringAttr], attribute))


def _text(attribute: Attribute) -> str:
    assert isinstance(attribute, StringAttr)
    return attribute.data
