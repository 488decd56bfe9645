"""Differences of index expressions: `bx + 64 - bx` is 64, whatever `bx` is.

Index values are compared by what they compute, not by which op computed them, so a slice
`A[i * b : i * b + b]` has a constant extent.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import BlockArgument, Operation, SSAValue

from tlcourse.dialects import tl
from tlcourse.language.builder import builder, is_pure
from tlcourse.language.dtype_rules import INDEX
from tlcourse.language.scalar import Expr

Index = int | Expr
Key = tuple[object, ...]


@dataclass(frozen=True, kw_only=True)
class Linear:
    """constant + sum of factor * atom; `values` holds one SSA value for each atom."""

    constant: int
    factors: dict[Key, int]
    values: dict[Key, SSAValue]


def difference(high: Index, low: Index) -> Index:
    """High - low: an integer where it is one, else an existing value or a new one."""
    a, b = linear(high), linear(low)
    factors = Counter(a.factors)
    factors.subtract(b.factors)
    left = {key: factor for key, factor in factors.items() if factor != 0}
    constant = a.constant - b.constant
    if not left:
        return constant
    if constant == 0 and list(left.values()) == [1]:
        key = next(iter(left))
        return Expr((a.values | b.values)[key], INDEX)
    return add(high, low, sign=-1)


def add(left: Index, right: Index, *, sign: int = 1) -> Index:
    """Left + sign * right, folded where both are integers or `right` is 0."""
    if isinstance(left, int) and isinstance(right, int):
        return left + sign * right
    if isinstance(right, int) and right == 0:
        return left
    if isinstance(left, int) and left == 0 and sign == 1:
        return right
    op = arith.AddiOp if sign == 1 else arith.SubiOp
    return Expr(builder().emit(op(ssa(left), ssa(right))).result, INDEX)


def ssa(index: Index) -> SSAValue:
    """An index as an i32 value."""
    return builder().constant(index, INDEX) if isinstance(index, int) else index.value


def linear(index: Index) -> Linear:
    """An index as a linear form over values that cannot be taken apart further."""
    if isinstance(index, int):
        return Linear(constant=index, factors={}, values={})
    return _linear(index.value)


def _linear(value: SSAValue) -> Linear:
    op = value.owner
    match op:
        case arith.ConstantOp(value=IntegerAttr() as number):
            return Linear(constant=number.value.data, factors={}, values={})
        case tl.LetOp():
            return _named(value, _linear(op.value))
        case arith.AddiOp():
            return _sum(_linear(op.lhs), _linear(op.rhs), 1)
        case arith.SubiOp():
            return _sum(_linear(op.lhs), _linear(op.rhs), -1)
        case arith.MuliOp():
            return _product(value, _linear(op.lhs), _linear(op.rhs))
        case _:
            return _atom(value)


def _named(value: SSAValue, form: Linear) -> Linear:
    """A value under a name stands for itself where it cannot be taken apart."""
    if form.constant != 0 or list(form.factors.values()) != [1]:
        return form
    return Linear(constant=0, factors=form.factors, values=dict.fromkeys(form.factors, value))


def _sum(left: Linear, right: Linear, sign: int) -> Linear:
    factors = dict(left.factors)
    for key, factor in right.factors.items():
        factors[key] = factors.get(key, 0) + sign * factor
    return Linear(
        constant=left.constant + sign * right.constant,
        factors={key: factor for key, factor in factors.items() if factor != 0},
        values=left.values | right.values,
    )


def _product(value: SSAValue, left: Linear, right: Linear) -> Linear:
    if right.factors:
        left, right = right, left
    if right.factors:
        return _atom(value)
    by = right.constant
    return Linear(
        constant=left.constant * by,
        factors={key: factor * by for key, factor in left.factors.items() if by != 0},
        values=left.values,
    )


def _atom(value: SSAValue) -> Linear:
    key = _key(value)
    return Linear(constant=0, factors={key: 1}, values={key: value})


def _key(value: SSAValue) -> Key:
    op = value.owner
    if isinstance(value, BlockArgument) or not isinstance(op, Operation) or not is_pure(op):
        return ("value", id(value))
    if isinstance(op, tl.LetOp):
        return _key(op.value)
    attributes = sorted((name, str(attribute)) for name, attribute in op.properties.items())
    return (op.name, tuple(attributes), tuple(_key(operand) for operand in op.operands))
