"""The elementwise T functions, made from the table: `T.vadd(A, B, C)` and `T.npuir_add`.

A row of the table gives both spellings, their docstring and their checks.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence

from xdsl.ir import Operation, SSAValue

from tlcourse.dialects import tl
from tlcourse.dialects.vector_ops import COMPOSITE_OPS, VECTOR_OPS, VectorOp
from tlcourse.language.buffers import Buffer, Region, describe
from tlcourse.language.builder import builder
from tlcourse.language.calls import statement
from tlcourse.language.regions import tile
from tlcourse.language.scalar import is_operand, to_expr
from tlcourse.language.tile_checks import check_broadcast, check_dtypes

TileFunction = Callable[..., None]
Maker = Callable[[Sequence[SSAValue], SSAValue], Operation]
_PARAMETERS = ("A", "B", "C")


def named(functions: Sequence[TileFunction]) -> dict[str, TileFunction]:
    """T functions that work inside a kernel, by their names."""
    return {function.__name__: statement(function) for function in functions}


def elementwise_functions() -> dict[str, TileFunction]:
    """Every elementwise T function by its name, new and old spelling."""
    functions: dict[str, TileFunction] = {}
    for row in (*VECTOR_OPS.values(), *COMPOSITE_OPS.values()):
        for name in (row.mnemonic, row.alias):
            functions[name] = _function(row, name)
    return functions


def _function(row: VectorOp, name: str) -> TileFunction:
    parameters = _PARAMETERS[: row.arity + 1]

    def function(*operands: object, **named: object) -> None:
        given = dict(zip(parameters, operands, strict=False)) | named
        emit(row, name, {parameter: given[parameter] for parameter in parameters})

    function.__name__ = function.__qualname__ = name
    function.__doc__ = _document(row, name)
    function.__dict__["__signature__"] = inspect.Signature(
        [inspect.Parameter(p, inspect.Parameter.POSITIONAL_OR_KEYWORD) for p in parameters]
    )
    return statement(function)


def _document(row: VectorOp, name: str) -> str:
    *sources, destination = _PARAMETERS[: row.arity + 1]
    lines = [
        f"{row.doc} Elementwise: `T.{name}({', '.join((*sources, destination))})`.",
        "",
        "Args:",
    ]
    for source in sources:
        is_scalar = row.scalar_source and source == sources[-1]
        kind = "tile or scalar" if is_scalar else "tile"
        lines.append(f"    {source}: {kind}; extents equal the destination's or are 1.")
    lines += [
        f"    {destination}: tile to write; it may be one of the sources.",
        "",
        f"Dtypes: {', '.join(row.dtypes)}; bfloat16 through float32 where float32 is listed.",
        "",
        "Raises:",
        "    TL121: an operand is no tile.",
        "    TL123: the extents do not agree.",
        "    TL124: the dtypes do not agree, or the op does not take them.",
    ]
    return "\n".join(lines)


def emit(row: VectorOp, name: str, operands: dict[str, object], make: Maker | None = None) -> None:
    """Checks the operands of an elementwise op and emits it.

    Args:
        row: the op.
        name: how the learner called it.
        operands: the sources, then the destination, by parameter.
        make: builds the op of Tile IR; the table's class if left out.

    Raises:
        TL121: an operand is no tile.
        TL123: the extents do not agree.
        TL124: the dtypes do not agree, or the op does not take them.
    """
    *sources, destination = operands
    dst = tile(operands[destination], destination)
    tiles: dict[str, Region] = {}
    values: dict[str, object] = {}
    for parameter in sources:
        value = operands[parameter]
        if parameter == sources[-1] and _is_scalar(row, value):
            values[parameter] = value
        else:
            _refuse_scalar(row, name, parameter, value)
            tiles[parameter] = tile(value, parameter)
    dtype = check_dtypes(row, name, {**tiles, destination: dst})
    check_broadcast(name, tiles, destination, dst)
    operand_values = [
        tiles[p].tile() if p in tiles else to_expr(values[p], dtype).value for p in sources
    ]
    builder().emit((make or tl.ELEMENTWISE[row.mnemonic])(operand_values, dst.tile()))


def _is_scalar(row: VectorOp, value: object) -> bool:
    # An element beside a tile is a scalar: only one number is read.
    return row.scalar_source and is_operand(value)


def _refuse_scalar(row: VectorOp, name: str, parameter: str, value: object) -> None:
    if isinstance(value, (Buffer, Region)) or not is_operand(value):
        return
    if not isinstance(value, (int, float)) and hasattr(value, "buffer"):
        return
    raise builder().fail(
        "TL121",
        f"`{parameter}` of T.{name} is {describe(value)}, not a tile",
        why="the vector unit takes a scalar as the last source only"
        if row.scalar_source
        else "the operation works on tiles",
        fix=f"fill a tile with the scalar first: T.vbrc(value, tile); then T.{name}(tile, ..)",
        at={parameter: describe(value)},
    )
