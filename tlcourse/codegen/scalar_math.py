"""Scalar functions: T.exp and kin on one number, by the vector unit.

The scalar unit has no such instruction. The number goes into a tile of one element, the vector
unit computes it, and it comes back: a tensor in Developer mode, a tile in UB in Expert mode.
`exp2` and `log2` are `exp` and `log` with a factor, in the number's dtype.
"""

from __future__ import annotations

import math as numbers
from collections.abc import Callable
from typing import cast

from xdsl.dialects import arith, math, memref, tensor
from xdsl.dialects.builtin import (
    AnyFloat,
    BFloat16Type,
    Float16Type,
    Float32Type,
    FloatAttr,
    IndexType,
    IntegerType,
    MemRefType,
    StridedLayoutAttr,
    TensorType,
    f32,
)
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import isa

from tlcourse.codegen.writer import Writer
from tlcourse.dialects.hivm.attrs import AddressSpaceAttr
from tlcourse.dialects.hivm.vector import ELEMENTWISE

# Scalar op: the vector op that computes it, a factor before and a factor behind.
_BY_VECTOR: dict[type[Operation], tuple[str, float, float]] = {
    math.ExpOp: ("vexp", 1.0, 1.0),
    math.Exp2Op: ("vexp", numbers.log(2.0), 1.0),
    math.LogOp: ("vln", 1.0, 1.0),
    math.Log2Op: ("vln", 1.0, 1.0 / numbers.log(2.0)),
    math.SqrtOp: ("vsqrt", 1.0, 1.0),
    math.RsqrtOp: ("vrsqrt", 1.0, 1.0),
}
ByVector = Callable[[Writer, str, SSAValue], SSAValue]


def needs_vector_unit(op: Operation) -> bool:
    """Whether a scalar op is computed by the vector unit."""
    return type(op) in _BY_VECTOR


def lower_math(writer: Writer, op: Operation, by_vector: ByVector) -> bool:
    """Writes a scalar function; False where the op is something else, or has no code.

    Args:
        writer: the function under construction.
        op: a scalar op of Tile IR.
        by_vector: `in_tensor` or `in_ub`.
    """
    match op:
        case math.AbsFOp():
            writer.values[op.result] = _absolute(writer, writer.values[op.operand])
        case math.AbsIOp():
            writer.values[op.result] = _absolute_integer(writer, writer.values[op.operand])
        case _ if needs_vector_unit(op) and _has_code(writer, op, by_vector):
            source = writer.values[op.operands[0]]
            writer.values[op.results[0]] = _computed(writer, op, source, by_vector)
        case _:
            return False
    return True


def in_tensor(writer: Writer, mnemonic: str, number: SSAValue) -> SSAValue:
    """A vector op on one number, in a tensor (Developer mode)."""
    kind = TensorType(number.type, [1])
    zero = writer.constant(0, IndexType())
    room = writer.add(tensor.EmptyOp([], kind)).tensor
    filled = writer.add(tensor.InsertOp(number, room, [zero])).result
    result = writer.add(tensor.EmptyOp([], kind)).tensor
    made = writer.add(ELEMENTWISE[mnemonic]([filled], result)).results[0]
    return writer.add(tensor.ExtractOp(made, [zero], number.type)).result


def in_ub(writer: Writer, mnemonic: str, number: SSAValue) -> SSAValue:
    """A vector op on one number, in a tile in UB (Expert mode)."""
    kind = MemRefType(number.type, [1], StridedLayoutAttr([1]), AddressSpaceAttr("ub"))
    zero = writer.constant(0, IndexType())
    tile = writer.add(memref.AllocOp([], [], kind)).memref
    writer.add(memref.StoreOp.get(number, tile, [zero]))
    writer.add(ELEMENTWISE[mnemonic]([tile], tile))
    return writer.add(memref.LoadOp.get(tile, [zero])).res


def _has_code(writer: Writer, op: Operation, by_vector: ByVector) -> bool:
    kinds = (Float16Type, BFloat16Type, Float32Type)
    if not isinstance(op.results[0].type, kinds):
        return False
    return by_vector is in_tensor or writer.core == "AIV"


def _computed(writer: Writer, op: Operation, source: SSAValue, by_vector: ByVector) -> SSAValue:
    """The function's value; bfloat16 by way of float32, which the vector unit computes in."""
    mnemonic, before, behind = _BY_VECTOR[type(op)]
    narrow = source.type
    if isinstance(narrow, BFloat16Type):
        source = writer.add(arith.ExtFOp(source, f32)).result
    found = _times(writer, by_vector(writer, mnemonic, _times(writer, source, before)), behind)
    if isinstance(narrow, BFloat16Type):
        return writer.add(arith.TruncFOp(found, narrow)).result
    return found


def _times(writer: Writer, value: SSAValue, factor: float) -> SSAValue:
    if factor == 1.0:
        return value
    return writer.add(arith.MulfOp(value, _number(writer, value, factor))).result


def _absolute(writer: Writer, value: SSAValue) -> SSAValue:
    """max(x, 0 - x): NaN stays NaN, -0 turns to 0."""
    minus = writer.add(arith.SubfOp(_number(writer, value, 0.0), value)).result
    return writer.add(arith.MaximumfOp(value, minus)).result


def _absolute_integer(writer: Writer, value: SSAValue) -> SSAValue:
    kind = value.type
    assert isinstance(kind, IntegerType)
    zero = writer.constant(0, cast(IntegerType, kind))
    minus = writer.add(arith.SubiOp(zero, value)).result
    return writer.add(arith.MaxSIOp(value, minus)).result


def _number(writer: Writer, like: SSAValue, number: float) -> SSAValue:
    kind = like.type
    assert isa(kind, AnyFloat)
    return writer.add(arith.ConstantOp(FloatAttr(number, kind))).result
