"""Statements that share one loop over rows, so that a row is in the cache for all of them.

Statements follow each other row by row where each of them treats a row of its tiles by itself:
pointwise ops and reductions along the rows, on whole buffers of the same number of rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import BlockArgument, Operation, SSAValue

from tlcourse.codegen.native.names import is_name
from tlcourse.codegen.native.poison import needs_poison, root_of, uses_of
from tlcourse.dialects import tl


@dataclass(frozen=True, kw_only=True)
class Group:
    """Statements in order; with `rows`, one loop over so many rows holds all of them."""

    ops: tuple[Operation, ...]
    rows: int = 0


def groups_of(ops: Sequence[Operation]) -> Iterator[Group]:
    """The statements of a block, those that can share a loop together.

    Scalars, new buffers and parts of buffers do not separate a group; they come before it.
    """
    waiting: list[Operation] = []
    rows = 0
    for op in ops:
        if _comes_before(op):
            yield Group(ops=(op,))
            continue
        found = _rows_of(op)
        if waiting and (found != rows or _meets(op, waiting)):
            yield _group(waiting, rows)
            waiting = []
        rows = found
        if found:
            waiting.append(op)
        else:
            yield Group(ops=(op,))
    if waiting:
        yield _group(waiting, rows)


def _group(ops: list[Operation], rows: int) -> Group:
    return Group(ops=tuple(ops), rows=rows if len(ops) > 1 else 0)


def _comes_before(op: Operation) -> bool:
    """Whether an op gives scalars, places or new buffers only, from nothing that a tile holds."""
    if isinstance(op, (tl.AllocOp, tl.RegionOp)):
        return True
    has_tiles = any(isinstance(one.type, MemRefType) for one in (*op.operands, *op.results))
    return bool(op.results) and not has_tiles and not op.regions


def _meets(op: Operation, group: Sequence[Operation]) -> bool:
    """Whether a tensor in GM is used by a statement and by the group: places may differ."""
    return any(_tensors(op) & _tensors(other) for other in group)


def _tensors(op: Operation) -> set[SSAValue]:
    return {root for one in op.operands if isinstance(root := root_of(one), BlockArgument)}


def _rows_of(op: Operation) -> int:
    """The rows that a statement treats one by one; 0 where it does something else."""
    match op:
        case tl.ReduceOp():
            if op.dimensions() != (1,) or len(op.destinations) != 1:
                return 0
        case tl.CastOp() | tl.ElementwiseOp() | tl.BroadcastOp() | tl.CopyOp():
            pass
        case _:
            return 0
    tiles = [one for one in op.operands if isinstance(one.type, MemRefType)]
    counts = {_rows(tile) for tile in tiles}
    if isinstance(op, tl.CopyOp):
        shapes = {tl.memref_of(tile).get_shape() for tile in tiles}
        if len(shapes) > 1 or is_name(op):
            return 0
    return counts.pop() if len(counts) == 1 else 0


def _rows(tile: SSAValue) -> int:
    shape = tl.memref_of(tile).get_shape()
    is_whole = isinstance(tile.owner, tl.AllocOp) or isinstance(root_of(tile), BlockArgument)
    return shape[0] if is_whole and len(shape) == 2 and shape[0] > 1 else 0


def is_late(op: Operation, group: Sequence[Operation]) -> bool:
    """Whether a copy need not be made: its row is read in the tensor until the row is replaced.

    Somebody in the group must write the whole row of the buffer, so that it holds everything
    behind the loop.
    """
    if (
        not isinstance(op, tl.CopyOp)
        or op.relu is not None
        or not isinstance(op.dst.owner, tl.AllocOp)
    ):
        return False
    source, target = tl.memref_of(op.src), tl.memref_of(op.dst)
    if source.element_type != target.element_type or not isinstance(root_of(op.src), BlockArgument):
        return False
    behind = group[group.index(op) + 1 :]
    return any(written_by(other) is op.dst for other in behind)


def is_home(op: Operation, group: Sequence[Operation]) -> bool:
    """Whether a copy need not be made: its buffer can stand in the tensor from the start.

    The buffer belongs to the group, which fills it first and does not touch it behind the copy.
    No other statement of a group uses the tensor.
    """
    if (
        not isinstance(op, tl.CopyOp)
        or op.relu is not None
        or not isinstance(alloc := op.src.owner, tl.AllocOp)
    ):
        return False
    source, target = tl.memref_of(op.src), tl.memref_of(op.dst)
    if source.element_type != target.element_type or not isinstance(root_of(op.dst), BlockArgument):
        return False
    behind = group[group.index(op) + 1 :]
    is_last = not any(one is op.src for other in behind for one in other.operands)
    return is_last and uses_of(op.src) <= set(group) and not needs_poison(alloc)


def written_by(op: Operation) -> SSAValue | None:
    """The buffer whose row a statement writes from end to end."""
    return op.destination if isinstance(op, (tl.CastOp, tl.ElementwiseOp)) else None
