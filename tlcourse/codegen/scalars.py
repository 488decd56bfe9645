"""Scalar code: Tile IR's i32 and float arithmetic as `arith`.

`//` and `%` follow Python: they round down. Where both sides are known to be at least 0 the
chip's own division, which rounds towards zero, gives the same and is used.
"""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    AnyFloat,
    DictionaryAttr,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    StringAttr,
    i1,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue
from xdsl.irdl import isa

from tlcourse.codegen.writer import Writer, constant_of
from tlcourse.dialects import tl

_NE, _SLT = "ne", "slt"


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
    """A scalar of Tile IR converted to an element type; floats round towards zero to integers."""
    number = value.owner.value if isinstance(value.owner, arith.ConstantOp) else None
    if isinstance(number, (IntegerAttr, FloatAttr)):
        return writer.add(arith.ConstantOp(_constant(number.value.data, kind))).result
    here = writer.values[value]
    if here.type == kind:
        return here
    return writer.add(_conversion(here, kind)).results[0]


def lower_bound(value: SSAValue) -> int | None:
    """The least number that an i32 of Tile IR can be, where that is known.

    Block ids, loop variables and symbols start at 0 or their loop's lower end; overflow is
    not considered.
    """
    if isinstance(value, BlockArgument):
        return _bound_of_argument(value)
    op = value.owner
    match op:
        case arith.ConstantOp():
            return constant_of(value)
        case tl.LetOp():
            return lower_bound(op.value)
        case arith.AddiOp():
            left, right = lower_bound(op.lhs), lower_bound(op.rhs)
            return None if left is None or right is None else left + right
        case arith.SubiOp():
            left, right = lower_bound(op.lhs), constant_of(op.rhs)
            return None if left is None or right is None else left - right
        case arith.MuliOp() | arith.FloorDivSIOp() | arith.DivSIOp() | arith.RemSIOp():
            return 0 if _not_negative(op.lhs) and _not_negative(op.rhs) else None
        case tl.FloorModOp():
            return 0 if _not_negative(op.rhs) else None
        case arith.MinSIOp():
            left, right = lower_bound(op.lhs), lower_bound(op.rhs)
            return None if left is None or right is None else min(left, right)
        case arith.MaxSIOp():
            known = [b for b in (lower_bound(op.lhs), lower_bound(op.rhs)) if b is not None]
            return max(known, default=None)
        case _:
            return None


def _not_negative(value: SSAValue) -> bool:
    bound = lower_bound(value)
    return bound is not None and bound >= 0


def _bound_of_argument(value: BlockArgument) -> int | None:
    parent = value.owner.parent_op()
    match parent:
        case tl.KernelOp():
            return 0
        case tl.ForOp():
            return lower_bound(parent.lower)
        case FuncOp():
            entry = parent.arg_attrs.data[value.index] if parent.arg_attrs else DictionaryAttr({})
            assert isinstance(entry, DictionaryAttr)
            return 0 if entry.data.get("tl.kind") == StringAttr("symbol") else None
        case _:
            return None


def _floor_div(writer: Writer, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
    a, b = writer.values[lhs], writer.values[rhs]
    quotient = writer.add(arith.DivSIOp(a, b)).result
    if _not_negative(lhs) and _not_negative(rhs):
        return quotient
    remainder = writer.add(arith.RemSIOp(a, b)).result
    one = writer.constant(1, quotient.type)
    less = writer.add(arith.SubiOp(quotient, one)).result
    return writer.add(arith.SelectOp(_rounds_up(writer, remainder, b), less, quotient)).result


def _floor_mod(writer: Writer, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
    a, b = writer.values[lhs], writer.values[rhs]
    remainder = writer.add(arith.RemSIOp(a, b)).result
    if _not_negative(lhs) and _not_negative(rhs):
        return remainder
    more = writer.add(arith.AddiOp(remainder, b)).result
    return writer.add(arith.SelectOp(_rounds_up(writer, remainder, b), more, remainder)).result


def _rounds_up(writer: Writer, remainder: SSAValue, divisor: SSAValue) -> SSAValue:
    """Whether rounding towards zero went up: a remainder whose sign is not the divisor's."""
    zero = writer.constant(0, divisor.type)
    inexact = writer.add(arith.CmpiOp(remainder, zero, _NE)).result
    signs = writer.add(arith.XOrIOp(remainder, divisor)).result
    differ = writer.add(arith.CmpiOp(signs, zero, _SLT)).result
    return writer.add(arith.AndIOp(inexact, differ)).result


def _constant(number: float, kind: Attribute) -> IntegerAttr | FloatAttr:
    if isa(kind, AnyFloat):
        return FloatAttr(float(number), kind)
    assert isinstance(kind, (IntegerType, IndexType))
    return IntegerAttr(int(number), kind)


def _conversion(value: SSAValue, kind: Attribute) -> Operation:
    source = value.type
    if isa(source, AnyFloat):
        if isa(kind, AnyFloat):
            wider = kind.bitwidth > source.bitwidth
            return arith.ExtFOp(value, kind) if wider else arith.TruncFOp(value, kind)
        assert isinstance(kind, IntegerType)
        return arith.FPToSIOp(value, kind)
    assert isinstance(source, IntegerType)
    # A bool is 0 or 1, not 0 or -1.
    if isa(kind, AnyFloat):
        return arith.UIToFPOp(value, kind) if source == i1 else arith.SIToFPOp(value, kind)
    assert isinstance(kind, IntegerType)
    if kind.width.data < source.width.data:
        return arith.TruncIOp(value, kind)
    return arith.ExtUIOp(value, kind) if source == i1 else arith.ExtSIOp(value, kind)
