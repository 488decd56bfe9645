"""What a loop costs in steps, as far as it can be told before it runs.

A step is one turn of a loop, or one element that scalar code loads or stores. Loops only
count up, so a whole loop is charged when it is entered: a loop that would never end is
reported at once. Loops with known bounds are charged with the loop around them.
"""

from __future__ import annotations

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Block, Operation, SSAValue

from tlcourse.dialects import tl


def turn_cost(loop: tl.ForOp) -> int:
    """Steps of one turn of a loop."""
    return 1 + _block_cost(loop.body.block)


def is_charged_outside(loop: tl.ForOp) -> bool:
    """Whether the loop around this one pays for it."""
    return isinstance(loop.parent_op(), tl.ForOp) and known_turns(loop) is not None


def known_turns(loop: tl.ForOp) -> int | None:
    """The number of turns where both bounds are constants."""
    lower, upper = _known(loop.lower), _known(loop.upper)
    return None if lower is None or upper is None else max(0, upper - lower)


def _block_cost(block: Block) -> int:
    return sum(_cost(op) for op in block.ops)


def _cost(op: Operation) -> int:
    match op:
        case tl.LoadOp() | tl.StoreOp():
            return 1
        case tl.ForOp() if is_charged_outside(op):
            return (known_turns(op) or 0) * turn_cost(op)
        case scf.IfOp():
            # Loops under a condition charge themselves, because they may not run at all.
            branches = [_elements(region.block) for region in op.regions if region.blocks]
            return max(branches, default=0)
        case _:
            return 0


def _elements(block: Block) -> int:
    return sum(isinstance(op, (tl.LoadOp, tl.StoreOp)) for op in block.ops)


def _known(value: SSAValue) -> int | None:
    owner = value.owner
    if isinstance(owner, arith.ConstantOp) and isinstance(owner.value, IntegerAttr):
        return owner.value.value.data
    return None
