"""What a statement reads and writes."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation, SSAValue, Use

from tlcourse.dialects import tl


def written(op: Operation) -> SSAValue | None:
    """The buffer or region that a tile statement writes; None where it writes none."""
    match op:
        case tl.CopyOp():
            return op.dst
        case tl.GemmOp():
            return op.c
        case tl.BroadcastOp() | tl.CastOp() | tl.ElementwiseOp():
            return op.destination
        case tl.TileOp():
            return op.destinations[0]
        case _:
            return None


def all_written(op: Operation) -> Sequence[SSAValue]:
    """All buffers and regions that a tile statement writes; a few ops write two."""
    if isinstance(op, tl.TileOp):
        return tuple(op.destinations)
    first = written(op)
    return () if first is None else (first,)


def is_read(use: Use) -> bool:
    """Whether an op may read a tensor that is its operand; a region asks those behind it."""
    op = use.operation
    if isinstance(op, tl.RegionOp):
        return any(map(is_read, op.result.uses))
    if isinstance(op, tl.StoreOp):
        return False
    only_written = op.operands[use.index] in all_written(op)
    return not only_written or (isinstance(op, tl.TileOp) and op.reads_destination())
