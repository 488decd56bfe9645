"""Scalar code: Tile IR's i32 and float arithmetic as `arith`.

`//` and `%` follow Python: they round down. Where both sides are known to be at least 0 the
chip's own division, which rounds towards zero, gives the same and is used.
"""

from __future__ import annotations

from typing import cast

from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat, FloatAttr, IntegerAttr, IntegerType, i1
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import isa

from tlcourse.codegen.writer import Writer
from tlcourse.dialects import tl
from tlcourse.dialects.bounds import not_negative


def lower_scalar(writer: Writer, op: Operation) -> bool:
    """Writes a scalar op; False where the op is something else."""
    match op:
        case tl.LetOp():
            writer.values[op.result] = writer.values[op.value]
        case arith.FloorDivSIOp():
            writer.values[op.result] = _floor_div(writer, op.lhs, op.rhs)
        case tl.FloorModOp():
            writer.values[op.result] = _floor_mod(writer, op.lhs, op.rhs)
        case Operation() if op.name.startswith("arith."):
            writer.add(op.clone(writer.values))
        case _:
            return False
    return True


def cast_scalar(writer: Writer, value: SSAValue, kind: Attribute) -> SSAValue:
    """A scalar of Tile IR converted to an element type; floats lose their fraction to integers."""
    number = value.owner.value if isinstance(value.owner, arith.ConstantOp) else None
    if isinstance(number, (IntegerAttr, FloatAttr)):
        return writer.add(arith.ConstantOp(_constant(number.value.data, kind))).result
    here = writer.values[value]
    if here.type == kind:
        return here
    return writer.add(_conversion(here, kind)).results[0]


def _floor_div(writer: Writer, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
    a, b = writer.values[lhs], writer.values[rhs]
    quotient = writer.add(arith.DivSIOp(a, b)).result
    if not_negative(lhs) and not_negative(rhs):
        return quotient
    remainder = writer.add(arith.RemSIOp(a, b)).result
    one = writer.constant(1, _integer(b.type))
    less = writer.add(arith.SubiOp(quotient, one)).result
    return writer.add(arith.SelectOp(_went_up(writer, remainder, b), less, quotient)).result


def _floor_mod(writer: Writer, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
    a, b = writer.values[lhs], writer.values[rhs]
    remainder = writer.add(arith.RemSIOp(a, b)).result
    if not_negative(lhs) and not_negative(rhs):
        return remainder
    more = writer.add(arith.AddiOp(remainder, b)).result
    return writer.add(arith.SelectOp(_went_up(writer, remainder, b), more, remainder)).result


def _went_up(writer: Writer, remainder: SSAValue, divisor: SSAValue) -> SSAValue:
    """Whether rounding towards zero went up: a remainder whose sign is not the divisor's."""
    zero = writer.constant(0, _integer(divisor.type))
    inexact = writer.add(arith.CmpiOp(remainder, zero, "ne")).result
    signs = writer.add(arith.XOrIOp(remainder, divisor)).result
    differ = writer.add(arith.CmpiOp(signs, zero, "slt")).result
    return writer.add(arith.AndIOp(inexact, differ)).result


def _constant(number: float, kind: Attribute) -> IntegerAttr[IntegerType] | FloatAttr[AnyFloat]:
    if isa(kind, AnyFloat):
        return FloatAttr(float(number), kind)
    return IntegerAttr(int(number), _integer(kind))


def _conversion(value: SSAValue, kind: Attribute) -> Operation:
    source = value.type
    if isa(source, AnyFloat):
        if isa(kind, AnyFloat):
            wider = kind.bitwidth > source.bitwidth
            return arith.ExtFOp(value, kind) if wider else arith.TruncFOp(value, kind)
        return arith.FPToSIOp(value, _integer(kind))
    # A bool is 0 or 1, not 0 or -1.
    if isa(kind, AnyFloat):
        return arith.UIToFPOp(value, kind) if source == i1 else arith.SIToFPOp(value, kind)
    target = _integer(kind)
    if target.width.data < _integer(source).width.data:
        return arith.TruncIOp(value, target)
    return arith.ExtUIOp(value, target) if source == i1 else arith.ExtSIOp(value, target)


def _integer(kind: Attribute) -> IntegerType:
    assert isinstance(kind, IntegerType)
    return cast(IntegerType, kind)
