"""How small a scalar of a kernel can be, as far as its text tells."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import BlockArgument, SSAValue

from tlcourse.dialects import tl


def lower_bound(value: SSAValue) -> int | None:
    """The least number that an i32 of Tile IR can be, where that is known.

    Block ids start at 0, loop variables at their loop's lower end, and symbols, being
    extents, are not negative. Overflow is not considered.
    """
    if isinstance(value, BlockArgument):
        return _of_argument(value)
    op = value.owner
    match op:
        case arith.ConstantOp():
            return _constant(value)
        case tl.LetOp():
            return lower_bound(op.value)
        case arith.AddiOp():
            return _sum(lower_bound(op.lhs), lower_bound(op.rhs))
        case arith.SubiOp():
            right = _constant(op.rhs)
            return _sum(lower_bound(op.lhs), None if right is None else -right)
        case arith.MuliOp() | arith.FloorDivSIOp() | arith.DivSIOp() | arith.RemSIOp():
            return 0 if not_negative(op.lhs) and not_negative(op.rhs) else None
        case tl.FloorModOp():
            return 0 if not_negative(op.rhs) else None
        case arith.MinSIOp():
            sides = [lower_bound(op.lhs), lower_bound(op.rhs)]
            return None if None in sides else min(side for side in sides if side is not None)
        case arith.MaxSIOp():
            sides = [lower_bound(op.lhs), lower_bound(op.rhs)]
            return max((side for side in sides if side is not None), default=None)
        case _:
            return None


def not_negative(value: SSAValue) -> bool:
    """Whether an i32 of Tile IR is known to be at least 0."""
    bound = lower_bound(value)
    return bound is not None and bound >= 0


def _sum(left: int | None, right: int | None) -> int | None:
    return None if left is None or right is None else left + right


def _of_argument(value: BlockArgument) -> int | None:
    parent = value.owner.parent_op()
    match parent:
        case tl.KernelOp():
            return 0
        case tl.ForOp():
            return lower_bound(parent.lower)
        case FuncOp():
            entries = parent.arg_attrs.data if parent.arg_attrs else ()
            entry = entries[value.index] if entries else DictionaryAttr({})
            return 0 if entry.data.get("tl.kind") == StringAttr("symbol") else None
        case _:
            return None


def _constant(value: SSAValue) -> int | None:
    op = value.owner
    if isinstance(op, arith.ConstantOp) and isinstance(op.value, IntegerAttr):
        return op.value.value.data
    return None
