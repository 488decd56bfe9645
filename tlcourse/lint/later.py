"""What happens to a buffer behind a statement, in the order of the kernel's text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

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
    """Whether what a loop or branch leaves in a buffer is used behind it, or in the next turn.

    Only the first statement that names the buffer counts: one that writes it makes it new.
    """
    behind = (other for other in _behind(frame) if not frame.is_ancestor(other))
    return _starts_with_read(frame.walk(), buffer) or _starts_with_read(behind, buffer)


def _starts_with_read(ops: Iterable[Operation], buffer: SSAValue) -> bool:
    for op in ops:
        if any(buffer_of(value) is buffer for value in reads(op)):
            return True
        if any(buffer_of(value) is buffer for value in writes(op)):
            return False
    return False


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
