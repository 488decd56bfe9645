"""Extents of tensor parameters as values: `(M + 63) // 64` over symbols becomes arith."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import i32
from xdsl.ir import Operation, SSAValue

from tlcourse import extents
from tlcourse.codegen.writer import Index, Writer

_OPS: dict[type[ast.operator], Callable[[SSAValue, SSAValue], Operation]] = {
    ast.Add: arith.AddiOp,
    ast.Sub: arith.SubiOp,
    ast.Mult: arith.MuliOp,
    # Extents of tensors are not negative, so rounding down and towards zero are the same.
    ast.FloorDiv: arith.DivSIOp,
    ast.Mod: arith.RemSIOp,
}
_CALLS: dict[str, Callable[[SSAValue, SSAValue], Operation]] = {
    "min": arith.MinSIOp,
    "max": arith.MaxSIOp,
}


def shape_values(
    writer: Writer, texts: Sequence[str], symbols: Mapping[str, SSAValue]
) -> tuple[list[Index], list[Index]]:
    """Sizes and row-major strides of a tensor: numbers, or index values of the run time.

    Args:
        writer: the function under construction.
        texts: one extent per dimension.
        symbols: i32 values by name.
    """
    sizes = [_extent(writer, text, symbols) for text in texts]
    strides: list[Index] = []
    running: Index = 1
    for size in reversed(sizes):
        strides.insert(0, running)
        running = _product(writer, running, size)
    return [_index(writer, size) for size in sizes], [_index(writer, s) for s in strides]


def _extent(writer: Writer, text: str, symbols: Mapping[str, SSAValue]) -> Index:
    if not extents.symbols(text):
        return extents.evaluate(text, {})
    return _value(writer, extents.parse(text), symbols)


def _value(writer: Writer, node: ast.expr, symbols: Mapping[str, SSAValue]) -> SSAValue:
    match node:
        case ast.Constant(value=int(number)):
            return writer.constant(number, i32)
        case ast.Name(id=name):
            return symbols[name]
        case ast.UnaryOp(operand=operand):
            zero = writer.constant(0, i32)
            return writer.add(arith.SubiOp(zero, _value(writer, operand, symbols))).result
        case ast.BinOp(left=left, op=op, right=right):
            sides = _value(writer, left, symbols), _value(writer, right, symbols)
            return writer.add(_OPS[type(op)](*sides)).results[0]
        case ast.Call(func=ast.Name(id=name), args=[first, *rest]):
            value = _value(writer, first, symbols)
            for other in rest:
                op = _CALLS[name](value, _value(writer, other, symbols))
                value = writer.add(op).results[0]
            return value
        case _:
            raise AssertionError(f"extents.parse let {ast.dump(node)} through")


def _product(writer: Writer, left: Index, right: Index) -> Index:
    if isinstance(left, int) and isinstance(right, int):
        return left * right
    if left == 1:
        return right
    return writer.add(arith.MuliOp(_as_i32(writer, left), _as_i32(writer, right))).result


def _as_i32(writer: Writer, value: Index) -> SSAValue:
    return writer.constant(value, i32) if isinstance(value, int) else value


def _index(writer: Writer, value: Index) -> Index:
    return value if isinstance(value, int) else writer.as_index(value)
