"""What a statement reads and writes."""

from __future__ import annotations

from xdsl.ir import Operation, SSAValue

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
        case _:
            return None
