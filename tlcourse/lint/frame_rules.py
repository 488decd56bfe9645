"""The rule on tiles that a loop or branch of Developer mode does not hand on."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects import scf
from xdsl.ir import Operation, SSAValue

from tlcourse.dialects import tl
from tlcourse.lint.later import outlives, writes
from tlcourse.lint.rule import Rule
from tlcourse.lint.statement import Statement, buffer_of, is_tile

# Upstream's Developer code hands on, out of a loop or branch, what these name inside.
_HANDED_ON = (tl.CopyOp, tl.GemmOp, tl.ReduceOp, tl.StoreOp)
_HANDED_ON_TILES = (
    *("vadd", "vsub", "vmul", "vdiv", "vpow", "vmax", "vmin", "vand", "vor", "vxor", "vshl"),
    *("vshr", "vcmp", "vexp", "vln", "vsqrt", "vrsqrt", "vrec", "vnot", "vabs", "vrelu"),
)


def _is_lost(statement: Statement) -> bool:
    op = statement.op
    if _hands_on(op):
        return False
    return any(
        not _is_handed_on(buffer, frame) and outlives(frame, buffer)
        for buffer in map(buffer_of, writes(op))
        for frame in _frames(op, buffer)
    )


def _hands_on(op: Operation) -> bool:
    by_table = isinstance(op, tl.ElementwiseOp) and op.row.mnemonic in _HANDED_ON_TILES
    return by_table or isinstance(op, _HANDED_ON)


def _is_handed_on(buffer: SSAValue, frame: Operation) -> bool:
    return any(
        buffer_of(value) is buffer
        for op in frame.walk()
        if _hands_on(op)
        for value in ([op.dst] if isinstance(op, tl.CopyOp) else op.operands)
        if is_tile(value)
    )


def _frames(op: Operation, buffer: SSAValue) -> Iterator[Operation]:
    """The loops and branches around an op that a tile on the chip lives outside of."""
    alloc, outer = buffer.owner, op.parent_op()
    while isinstance(alloc, tl.AllocOp) and outer is not None and not outer.is_ancestor(alloc):
        if isinstance(outer, (tl.ForOp, scf.IfOp)):
            yield outer
        outer = outer.parent_op()


FRAME_RULES = (
    Rule(
        id="not-carried",
        row="`T.clear`, `T.fill`, `T.vbrc`, `T.vcast`, `T.vselect` and others, alone on a tile in "
        "a loop or branch",
        finds=_is_lost,
        mode="Developer",
        lowered=True,
        what="writes a tile that is read behind the loop or branch, or in a later turn",
        why="upstream's Developer mode does not hand on a tile that no arithmetic, copy, reduction "
        "or product names there: its old contents come back; in tlcourse the new ones stay",
        fix="name the tile in arithmetic of the same loop or branch: T.vmul(tile, one, tile) with "
        "`one = T.float32(1)`",
    ),
)
