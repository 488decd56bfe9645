"""What happens to a buffer behind a statement, in the order of the kernel's text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from xdsl.dialects import scf
from xdsl.ir import Operation, SSAValue

from tlcourse.dialects import tl
from tlcourse.lint.statement import buffer_of, is_part, is_tile

_WRITE_NOTHING = (tl.RegionOp, tl.LoadOp, tl.PrintOp)


def read_later(op: Operation, buffer: SSAValue) -> bool:
    """Whether a buffer is read behind an op, before the op's block fills it anew."""
    for other in _behind(op):
        if any(buffer_of(value) is buffer for value in reads(other)):
            return True
        filled = [value for value in writes(other) if not is_part(value)]
        if buffer in filled and other.parent is op.parent:
            return False
    return False


def falls_behind(op: Operation, pair: tuple[SSAValue, SSAValue]) -> bool:
    """Whether one of two buffers is written behind an op, and the other one read after that."""
    for other in _behind(op):
        targets = [buffer_of(value) for value in writes(other)]
        for changed, kept in (pair, pair[::-1]):
            if changed in targets and read_later(other, kept):
                return True
    return False


def outlives(frame: Operation, buffer: SSAValue) -> bool:
    """Whether what a loop or branch leaves in a buffer is read behind it, or in a later turn."""
    op: Operation = frame
    if isinstance(op, tl.ForOp) and _old_is_read(op.body.block.ops, buffer):
        return True
    while (parent := op.parent_op()) is not None:
        found = _old_is_read(_siblings_behind(op), buffer)
        if found is not None:
            return found
        if isinstance(parent, tl.ForOp) and _old_is_read(parent.body.block.ops, buffer):
            return True
        op = parent
    return False


def _old_is_read(ops: Iterable[Operation], buffer: SSAValue) -> bool | None:
    """Whether statements read what was in a buffer before them; None if it is there still.

    A write of the whole buffer makes it new. One in a branch does so only where each way has
    one; a loop is taken to run.
    """
    for op in ops:
        if any(buffer_of(value) is buffer for value in reads(op)):
            return True
        if _makes_new(op, buffer):
            return False
        ways = [_old_is_read(block.ops, buffer) for region in op.regions for block in region.blocks]
        if any(ways):
            return True
        is_one_sided = isinstance(op, scf.IfOp) and not op.false_region.blocks
        if ways and None not in ways and not is_one_sided:
            return False
    return None


def _makes_new(op: Operation, buffer: SSAValue) -> bool:
    is_whole = not isinstance(op, tl.StoreOp) and buffer in writes(op)
    return is_whole or buffer in op.results


def _siblings_behind(op: Operation) -> Iterator[Operation]:
    behind = op.next_op
    while behind is not None:
        yield behind
        behind = behind.next_op


def _behind(op: Operation) -> Iterator[Operation]:
    top, found = op, False
    while (parent := top.parent_op()) is not None:
        top = parent
    for other in top.walk():
        if found:
            yield other
        found = found or other is op


def writes(op: Operation) -> list[SSAValue]:
    """The buffers and parts of buffers that an op writes; Tile IR names them last."""
    if isinstance(op, tl.TileOp):
        return list(op.destinations)
    if isinstance(op, _WRITE_NOTHING):
        return []
    return [value for value in op.operands if is_tile(value)][-1:]


def reads(op: Operation) -> list[SSAValue]:
    """The buffers and parts of buffers that an op reads."""
    if isinstance(op, tl.TileOp):
        return list(op.sources)
    if isinstance(op, tl.RegionOp):
        return []
    tiles = [value for value in op.operands if is_tile(value)]
    return tiles if isinstance(op, _WRITE_NOTHING) else tiles[:-1]
