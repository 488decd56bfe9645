"""Which buffers a loop or branch has to hand on as tensors.

A Developer kernel writes into buffers; tensor code makes a new value at each write. A loop
carries the newest value of a buffer from one turn to the next and out, and a branch hands
it out, if somebody may still read it. All statements that write count, so that none is
forgotten.
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Block, Operation, SSAValue

from tlcourse.codegen.regions import base_of
from tlcourse.dialects import tl


def carried(op: Operation) -> list[SSAValue]:
    """On-chip buffers from outside a loop or branch that it has to hand on, in program order."""
    written = dict.fromkeys(buffer for inner in op.walk() for buffer in _writes(inner))
    return [buffer for buffer in written if _is_outside(buffer, op) and _needed(buffer, op)]


def _needed(buffer: SSAValue, op: Operation) -> bool:
    """Whether the value after the op, or that of the turn before, may be read."""
    read_outside = any(
        buffer in _reads(other) and not op.is_ancestor(other) for other in _users(buffer)
    )
    blocks = [block for region in op.regions for block in region.blocks]
    return read_outside or any(_reads_first(buffer, block) for block in blocks)


def _reads_first(buffer: SSAValue, block: Block) -> bool:
    """Whether a block may read the value that a buffer had before the block."""
    for op in block.ops:
        if buffer in _reads(op):
            return True
        if any(_reads_first(buffer, inner) for region in op.regions for inner in region.blocks):
            return True
        if buffer in _writes(op):
            return False
    return False


def _reads(op: Operation) -> list[SSAValue]:
    """Buffers whose old value an op uses; writing a part of a buffer uses the rest."""
    match op:
        case tl.StoreOp():
            return [op.buffer]
        case tl.LoadOp():
            return [op.buffer]
        case tl.GemmOp():
            operands = [op.a, op.b, op.c]
        case tl.PrintOp():
            operands = [op.value]
        case tl.CopyOp():
            operands = [op.src, *_partial(op.dst)]
        case tl.ElementwiseOp():
            operands = [*op.sources, *_partial(op.destination)]
        case tl.BroadcastOp() | tl.CastOp():
            operands = [op.source, *_partial(op.destination)]
        case tl.TileOp():
            operands = [*op.sources, *(v for d in op.destinations for v in _partial(d))]
        case _:
            return []
    return [base_of(value) for value in operands if isinstance(value.type, MemRefType)]


def _writes(op: Operation) -> list[SSAValue]:
    match op:
        case tl.StoreOp():
            return [op.buffer]
        case tl.GemmOp():
            return [base_of(op.c)]
        case tl.CopyOp():
            return [base_of(op.dst)]
        case tl.ElementwiseOp() | tl.BroadcastOp() | tl.CastOp():
            return [base_of(op.destination)]
        case tl.TileOp():
            return [base_of(value) for value in op.destinations]
        case _:
            return []


def _partial(value: SSAValue) -> list[SSAValue]:
    return [value] if isinstance(value.owner, tl.RegionOp) else []


def _is_outside(buffer: SSAValue, op: Operation) -> bool:
    alloc = buffer.owner
    return isinstance(alloc, tl.AllocOp) and not op.is_ancestor(alloc)


def _users(buffer: SSAValue) -> Iterator[Operation]:
    for use in buffer.uses:
        if isinstance(use.operation, tl.RegionOp):
            yield from _users(use.operation.result)
        else:
            yield use.operation
