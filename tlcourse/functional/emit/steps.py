"""What a loop costs in steps, as far as it can be told before it runs.

Loops only count up, so a whole loop is charged when it is entered: a loop that would never
end is reported at once. Loops with known bounds are charged with the loop around them.
"""

from __future__ import annotations

from math import prod

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import DYNAMIC_INDEX, IntegerAttr, MemRefType
from xdsl.ir import Block, Operation, SSAValue

from tlcourse import work
from tlcourse.dialects import tl

_ON_TILES = (
    tl.CopyOp,
    tl.BroadcastOp,
    tl.CastOp,
    tl.GemmOp,
    tl.ElementwiseOp,
    tl.PrintOp,
    tl.TileOp,
)
_ON_ELEMENTS = (tl.LoadOp, tl.StoreOp, tl.BlockFlagOp)


def block_cost(kernel: tl.KernelOp, core: tl.Core) -> int:
    """Steps of one block on a core; its loops charge themselves."""
    return work.INSTRUCTION_STEPS + _block_cost(kernel.body.block, core)


def turn_cost(loop: tl.ForOp, core: tl.Core) -> int:
    """Steps of one turn of a loop on a core."""
    return 1 + _block_cost(loop.body.block, core)


def is_charged_outside(loop: tl.ForOp) -> bool:
    """Whether the loop around this one pays for it."""
    return isinstance(loop.parent_op(), tl.ForOp) and known_turns(loop) is not None


def known_turns(loop: tl.ForOp) -> int | None:
    """The number of turns where both bounds are constants."""
    lower, upper = constant_of(loop.lower), constant_of(loop.upper)
    return None if lower is None or upper is None else max(0, upper - lower)


def _block_cost(block: Block, core: tl.Core) -> int:
    return sum(_cost(op, core) for op in block.ops)


def _cost(op: Operation, core: tl.Core) -> int:
    match op:
        case tl.ForOp() if is_charged_outside(op):
            return (known_turns(op) or 0) * turn_cost(op, core)
        case tl.ScopeOp() if op.core.data == core:
            return _block_cost(op.body.block, core)
        case scf.IfOp():
            # Loops under a condition charge themselves, because they may not run at all.
            branches = [region.block for region in op.regions if region.blocks]
            return max((sum(map(_own_cost, block.ops)) for block in branches), default=0)
        case _:
            return _own_cost(op)


def _own_cost(op: Operation) -> int:
    if isinstance(op, _ON_ELEMENTS):
        return work.ELEMENT_STEPS
    if isinstance(op, _ON_TILES):
        return work.instruction_steps(max(map(_elements, op.operands)))
    return 0


def _elements(value: SSAValue) -> int:
    """Elements of a tile; those of unknown extents are not counted."""
    if not isinstance(value.type, MemRefType):
        return 1
    return prod(extent for extent in value.type.get_shape() if extent != DYNAMIC_INDEX)


def constant_of(value: SSAValue) -> int | None:
    """The number of an integer constant."""
    owner = value.owner
    if isinstance(owner, arith.ConstantOp) and isinstance(owner.value, IntegerAttr):
        return owner.value.value.data
    return None
