"""PlanAndUpdateBufferAllocationLocation: allocations move to where they are used."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from tlcourse.dialects import tl
from tlcourse.passes.npuir.folding import constant_of


@dataclass(frozen=True)
class PlanAndUpdateBufferAllocationLocationPass(ModulePass):
    """Moves each `tl.alloc` into the smallest block that holds all its uses.

    ```mlir
    %a = tl.alloc "a" : ..
    tl.for "serial" %c0 to %n { ^bb0(%i: i32): tl.copy %t, %a : .. }
    -->
    tl.for "serial" %c0 to %n { ^bb0(%i: i32): %a = tl.alloc "a" : ..  tl.copy %t, %a : .. }
    ```

    A buffer inside a loop can be doubled by the back half, so that iterations overlap.

    Differs from upstream: a buffer that an iteration may read before writing it stays outside
    the loop, because a value may come from the iteration before.
    """

    name = "PlanAndUpdateBufferAllocationLocation"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for alloc in [found for found in op.walk() if isinstance(found, tl.AllocOp)]:
            _sink(alloc)


def _sink(alloc: tl.AllocOp) -> None:
    block = alloc.parent_block()
    assert block is not None
    while (holder := _only_holder(alloc, block)) is not None:
        inner = _block_inside(alloc, holder)
        if inner is None or (isinstance(holder, tl.ForOp) and _may_carry(alloc.result, inner)):
            break
        block = inner
    if block is alloc.parent_block():
        return
    first = next(op for op in block.ops if _uses(op, alloc.result))
    alloc.detach()
    Rewriter.insert_op(alloc, InsertPoint.before(first))


def _only_holder(alloc: tl.AllocOp, block: Block) -> Operation | None:
    """The one op with regions in `block` that holds all uses."""
    users = [op for op in block.ops if _uses(op, alloc.result)]
    return users[0] if len(users) == 1 and users[0].regions else None


def _block_inside(alloc: tl.AllocOp, holder: Operation) -> Block | None:
    if any(operand is alloc.result for operand in holder.operands):
        return None
    blocks = [block for region in holder.regions for block in region.blocks]
    using = [block for block in blocks if any(_uses(op, alloc.result) for op in block.ops)]
    return using[0] if len(using) == 1 else None


def _uses(op: Operation, value: SSAValue) -> bool:
    return any(operand is value for inner in op.walk() for operand in inner.operands)


def _may_carry(buffer: SSAValue, body: Block) -> bool:
    """Whether an iteration may read what an earlier one left in the buffer."""
    users = [op for op in body.ops if _uses(op, buffer)]
    if len(users) == 1 and users[0].regions:
        inside = [block for region in users[0].regions for block in region.blocks]
        using = [block for block in inside if any(_uses(op, buffer) for op in block.ops)]
        return any(_may_carry(buffer, block) for block in using)
    return not _overwrites(users[0], buffer)


def _overwrites(op: Operation, buffer: SSAValue) -> bool:
    """Whether an op writes all of the buffer and reads none of it."""
    match op:
        case tl.CopyOp():
            return op.dst is buffer and op.src is not buffer
        case tl.ElementwiseOp():
            return op.destination is buffer and buffer not in op.sources
        case tl.BroadcastOp() | tl.CastOp():
            return op.destination is buffer and op.source is not buffer
        case tl.TileOp():
            return (
                buffer in op.destinations
                and buffer not in op.sources
                and not op.reads_destination()
            )
        case tl.GemmOp():
            return op.c is buffer and constant_of(op.init) == 1
        case _:
            return False
