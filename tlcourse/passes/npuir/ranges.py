"""How small and how large an integer of the IR can get: bounds that hold on every run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import AffineMapAttr
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineSymExpr,
)

from tlcourse.dialects.hivm.core import GetSubBlockIdxOp
from tlcourse.passes.npuir.folding import constant_of


@dataclass(frozen=True)
class Range:
    """The least and the greatest value; None where no bound is known."""

    low: int | None = None
    high: int | None = None


_ANY = Range()
_CASTS = (arith.IndexCastOp, arith.ExtSIOp, arith.ExtUIOp, arith.TruncIOp)


def range_of(value: SSAValue) -> Range:
    """The bounds of an integer, from the ops that make it."""
    known = constant_of(value)
    if known is not None:
        return Range(known, known)
    owner = value.owner
    if isinstance(owner, Block):
        return _loop_index(owner.parent_op(), value)
    if isinstance(owner, _CASTS):
        return range_of(owner.operands[0])
    if isinstance(owner, GetSubBlockIdxOp):
        return Range(0, 1)
    if isinstance(owner, arith.SelectOp):
        return _join(range_of(owner.lhs), range_of(owner.rhs))
    if owner.name in _AFFINE:
        return _of_map(owner)
    rule = _RULES.get(type(owner))
    if rule is None:
        return _ANY
    return rule(*(range_of(operand) for operand in owner.operands))


def _of_map(op: Operation) -> Range:
    """What an affine map gives: its result, or the least or greatest of its results."""
    fold = _AFFINE[op.name]
    kind = op.properties.get("map")
    assert isinstance(kind, AffineMapAttr)
    inputs = [range_of(operand) for operand in op.operands]
    dims, symbols = inputs[: kind.data.num_dims], inputs[kind.data.num_dims :]
    return reduce(fold, (_of_expression(e, dims, symbols) for e in kind.data.results))


def _of_expression(e: AffineExpr, dims: Sequence[Range], symbols: Sequence[Range]) -> Range:
    if isinstance(e, AffineConstantExpr):
        return Range(e.value, e.value)
    if isinstance(e, AffineDimExpr):
        return dims[e.position]
    if isinstance(e, AffineSymExpr):
        return symbols[e.position]
    assert isinstance(e, AffineBinaryOpExpr)
    left, right = (_of_expression(side, dims, symbols) for side in (e.lhs, e.rhs))
    return _OF_KIND[e.kind](left, right)


def _loop_index(parent: Operation | None, value: SSAValue) -> Range:
    if not isinstance(parent, scf.ForOp) or not isinstance(value, BlockArgument) or value.index:
        return _ANY
    last = range_of(parent.ub).high
    return Range(range_of(parent.lb).low, None if last is None else last - 1)


def _join(left: Range, right: Range) -> Range:
    low = None if left.low is None or right.low is None else min(left.low, right.low)
    high = None if left.high is None or right.high is None else max(left.high, right.high)
    return Range(low, high)


def _add(left: Range, right: Range) -> Range:
    return Range(_sum(left.low, right.low), _sum(left.high, right.high))


def _subtract(left: Range, right: Range) -> Range:
    return _add(left, Range(_minus(right.high), _minus(right.low)))


def _multiply(left: Range, right: Range) -> Range:
    corners = [_product(a, b) for a in (left.low, left.high) for b in (right.low, right.high)]
    known = [corner for corner in corners if corner is not None]
    if len(known) == len(corners):
        return Range(min(known), max(known))
    positive = all(one.low is not None and one.low >= 0 for one in (left, right))
    return Range(corners[0], None) if positive else _ANY


def _divide(left: Range, right: Range) -> Range:
    """Division that rounds towards zero, by a positive constant."""
    if right.low is None or right.low != right.high or right.low <= 0:
        return _ANY
    low, high = (None if end is None else int(end / right.low) for end in (left.low, left.high))
    return Range(low, high)


def _divide_down(left: Range, right: Range) -> Range:
    """Division that rounds down, by a positive constant."""
    if right.low is None or right.low != right.high or right.low <= 0:
        return _ANY
    low, high = (None if end is None else end // right.low for end in (left.low, left.high))
    return Range(low, high)


def _divide_up(left: Range, right: Range) -> Range:
    below = _divide_down(Range(_minus(left.high), _minus(left.low)), right)
    return Range(_minus(below.high), _minus(below.low))


def _modulo(left: Range, right: Range) -> Range:
    if right.low is None or right.low != right.high or right.low <= 0:
        return _ANY
    return Range(0, right.low - 1)


def _remainder(left: Range, right: Range) -> Range:
    if right.low is None or right.low != right.high or right.low <= 0:
        return _ANY
    least = 0 if left.low is not None and left.low >= 0 else 1 - right.low
    return Range(least, right.low - 1)


def _least(left: Range, right: Range) -> Range:
    highs = [end for end in (left.high, right.high) if end is not None]
    return Range(_join(left, right).low, min(highs, default=None))


def _greatest(left: Range, right: Range) -> Range:
    lows = [end for end in (left.low, right.low) if end is not None]
    return Range(max(lows, default=None), _join(left, right).high)


def _sum(left: int | None, right: int | None) -> int | None:
    return None if left is None or right is None else left + right


def _product(left: int | None, right: int | None) -> int | None:
    return None if left is None or right is None else left * right


def _minus(end: int | None) -> int | None:
    return None if end is None else -end


# How the results of a map are put together.
_AFFINE: dict[str, Callable[[Range, Range], Range]] = {
    "affine.apply": lambda left, right: left,
    "affine.min": _least,
    "affine.max": _greatest,
}
_OF_KIND: dict[AffineBinaryOpKind, Callable[[Range, Range], Range]] = {
    AffineBinaryOpKind.Add: _add,
    AffineBinaryOpKind.Mul: _multiply,
    AffineBinaryOpKind.FloorDiv: _divide_down,
    AffineBinaryOpKind.CeilDiv: _divide_up,
    AffineBinaryOpKind.Mod: _modulo,
}
_RULES: dict[type[Operation], Callable[[Range, Range], Range]] = {
    arith.AddiOp: _add,
    arith.SubiOp: _subtract,
    arith.MuliOp: _multiply,
    arith.DivSIOp: _divide,
    arith.RemSIOp: _remainder,
    arith.MinSIOp: _least,
    arith.MaxSIOp: _greatest,
}
