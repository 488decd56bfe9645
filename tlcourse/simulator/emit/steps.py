"""What a loop or a block costs in steps, as far as it can be told before it runs.

A loop is charged when it is entered; one with known bounds with the loop around it.
"""

from __future__ import annotations

from math import prod

from xdsl.dialects import arith, func, memref, scf
from xdsl.dialects.builtin import DYNAMIC_INDEX, IntegerAttr, MemRefType
from xdsl.ir import Block, Operation, SSAValue

from tlcourse import work
from tlcourse.dialects.hivm.base import PipeOp
from tlcourse.dialects.hivm.core import DebugOp
from tlcourse.dialects.hivm.sync import BlockFlagOp, PipeBarrierOp, SetFlagOp, WaitFlagOp

_SMALL = (
    memref.LoadOp,
    memref.StoreOp,
    DebugOp,
    SetFlagOp,
    WaitFlagOp,
    PipeBarrierOp,
    BlockFlagOp,
)


def block_cost(function: func.FuncOp) -> int:
    """Steps of one block on a core; its loops charge themselves."""
    return work.INSTRUCTION_STEPS + _block_cost(function.body.block)


def turn_cost(loop: scf.ForOp) -> int:
    """Steps of one turn of a loop."""
    return 1 + _block_cost(loop.body.block)


def is_charged_outside(loop: scf.ForOp) -> bool:
    """Whether the loop around this one pays for it."""
    return isinstance(loop.parent_op(), scf.ForOp) and _known_turns(loop) is not None


def _block_cost(block: Block) -> int:
    return sum(map(_cost, block.ops))


def _cost(op: Operation) -> int:
    if isinstance(op, scf.ForOp):
        turns = _known_turns(op) if is_charged_outside(op) else None
        return (turns or 0) * turn_cost(op)
    if isinstance(op, scf.IfOp):
        # Loops under a condition charge themselves, because they may not run at all.
        branches = [region.block for region in op.regions if region.blocks]
        return max((sum(map(_own_cost, block.ops)) for block in branches), default=0)
    return _own_cost(op)


def _own_cost(op: Operation) -> int:
    if isinstance(op, PipeOp):
        tiles = [*op.sources(), *op.destinations()]
        return work.instruction_steps(max(map(_elements, tiles), default=0))
    return work.ELEMENT_STEPS if isinstance(op, _SMALL) else 0


def _elements(value: SSAValue) -> int:
    """Elements of a tile; those of unknown extents are not counted."""
    if not isinstance(value.type, MemRefType):
        return 1
    return prod(extent for extent in value.type.get_shape() if extent != DYNAMIC_INDEX)


def _known_turns(loop: scf.ForOp) -> int | None:
    lower, upper, step = (_known(value) for value in (loop.lb, loop.ub, loop.step))
    if lower is None or upper is None or not step:
        return None
    return len(range(lower, upper, step))


def _known(value: SSAValue) -> int | None:
    owner = value.owner
    if isinstance(owner, arith.ConstantOp) and isinstance(owner.value, IntegerAttr):
        return owner.value.value.data
    return None
