"""Arithmetic on constants: what an `arith` op is worth when its operands are known."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType
from xdsl.ir import Attribute, Operation, SSAValue

Folded = IntegerAttr | SSAValue | None


def _truncated(a: int, b: int) -> int | None:
    if b == 0:
        return None
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def _remainder(a: int, b: int) -> int | None:
    quotient = _truncated(a, b)
    return None if quotient is None else a - quotient * b


_BINARY: dict[type[Operation], Callable[[int, int], int | None]] = {
    arith.AddiOp: lambda a, b: a + b,
    arith.SubiOp: lambda a, b: a - b,
    arith.MuliOp: lambda a, b: a * b,
    arith.DivSIOp: _truncated,
    arith.RemSIOp: _remainder,
    arith.FloorDivSIOp: lambda a, b: a // b if b else None,
    arith.CeilDivSIOp: lambda a, b: -(-a // b) if b else None,
    arith.MinSIOp: min,
    arith.MaxSIOp: max,
    arith.AndIOp: lambda a, b: a & b,
    arith.OrIOp: lambda a, b: a | b,
    arith.XOrIOp: lambda a, b: a ^ b,
}

# By the number that an `arith.cmpi` holds; unsigned comparisons are left alone.
_COMPARISONS: dict[int, Callable[[int, int], bool]] = {
    0: lambda a, b: a == b,
    1: lambda a, b: a != b,
    2: lambda a, b: a < b,
    3: lambda a, b: a <= b,
    4: lambda a, b: a > b,
    5: lambda a, b: a >= b,
}

_CASTS = (arith.IndexCastOp, arith.ExtSIOp, arith.TruncIOp)

# A right operand that leaves the left one as it is: x + 0, x - 0, x * 1, x / 1.
_NEUTRAL: dict[type[Operation], int] = {
    arith.AddiOp: 0,
    arith.SubiOp: 0,
    arith.MuliOp: 1,
    arith.DivSIOp: 1,
    arith.FloorDivSIOp: 1,
    arith.CeilDivSIOp: 1,
}
_COMMUTATIVE = (arith.AddiOp, arith.MuliOp)


def constant_of(value: SSAValue) -> int | None:
    """The integer that a value is known to be; i1 counts as 0 or 1."""
    op = value.owner
    if not isinstance(op, arith.ConstantOp) or not isinstance(op.value, IntegerAttr):
        return None
    number = op.value.value.data
    return abs(number) if op.result.type == IntegerType(1) else number


def fold(op: Operation) -> Folded:
    """What the op's result is: a constant, a value that is there already, or not known."""
    if isinstance(op, arith.CmpiOp):
        return _fold_comparison(op)
    if isinstance(op, arith.SelectOp):
        return _fold_select(op)
    if isinstance(op, _CASTS):
        number = constant_of(op.operands[0])
        return None if number is None else _integer(number, op.results[0].type)
    if type(op) in _BINARY:
        return _fold_binary(op)
    return None


def _fold_binary(op: Operation) -> Folded:
    left, right = op.operands
    a, b = constant_of(left), constant_of(right)
    if a is not None and b is not None:
        number = _BINARY[type(op)](a, b)
        return None if number is None else _integer(number, op.results[0].type)
    neutral = _NEUTRAL.get(type(op))
    if b is not None and b == neutral:
        return left
    if a is not None and a == neutral and isinstance(op, _COMMUTATIVE):
        return right
    is_zero = isinstance(op, arith.MuliOp) and 0 in (a, b)
    is_zero = is_zero or (isinstance(op, arith.RemSIOp) and b == 1)
    return _integer(0, op.results[0].type) if is_zero else None


def _fold_comparison(op: arith.CmpiOp) -> Folded:
    a, b = constant_of(op.lhs), constant_of(op.rhs)
    compare = _COMPARISONS.get(op.predicate.value.data)
    if a is None or b is None or compare is None:
        return None
    return _integer(int(compare(a, b)), op.result.type)


def _fold_select(op: arith.SelectOp) -> Folded:
    if op.lhs is op.rhs:
        return op.lhs
    condition = constant_of(op.cond)
    if condition is None:
        return None
    return op.lhs if condition else op.rhs


def _integer(number: int, kind: Attribute) -> IntegerAttr:
    if isinstance(kind, IndexType):
        return IntegerAttr(number, kind)
    return IntegerAttr(number, cast(IntegerType, kind), truncate_bits=True)
