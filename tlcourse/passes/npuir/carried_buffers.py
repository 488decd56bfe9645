"""Buffers that a loop carries from trip to trip: each stays at one address.

```
for .. iter_args(%it = %start) {        for .. iter_args(%it = %start) {
  %next = alloc                           %next = alloc
  use %it, fill %next             -->     use %it, fill %next
  yield %next                             copy %next -> %it
}                                         yield %it
                                        }
```

An allocation inside a loop is a new buffer in every trip, but it gets one address for all of
them. Yielded as it is, the next trip would fill it while it still reads it. Where a trip is
done with the carried buffer before it fills the next one, both share one address instead, and
nothing is copied.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.dialects import func, memref, scf
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Block, Operation, SSAValue

from tlcourse.diagnostics import error
from tlcourse.dialects.annotation import MarkOp
from tlcourse.dialects.hivm.base import space_of
from tlcourse.dialects.hivm.dma import CopyOp
from tlcourse.dialects.hivm.vector import ElementwiseOp
from tlcourse.dialects.memref import CastOp
from tlcourse.dialects.rewriting import insert_before
from tlcourse.passes.npuir.buffers import VIEWS, kind_of, memref_kind, name_of, roots, users
from tlcourse.passes.npuir.hivm_mark_multi_buffer import copies_of
from tlcourse.passes.npuir.labels import labels_of
from tlcourse.passes.npuir.lifetimes import overwrites_safely

_NAMES = {"cbuf": "L1", "cc": "L0C", "ca": "L0A", "cb": "L0B"}
_SILENT = (*VIEWS, MarkOp)

Pair = tuple[memref.AllocOp, memref.AllocOp]


def settle_carried_buffers(function: func.FuncOp) -> list[Pair]:
    """Makes every loop leave the buffer that it carries where it found it.

    Returns:
        pairs of allocations, a yielded one and the one that the loop starts with, that have
        to lie at one address.

    Raises:
        TL307: a copy is needed in a memory that cannot copy within itself.
    """
    loops = [op for op in function.walk() if isinstance(op, scf.ForOp)]
    return [pair for loop in reversed(loops) for pair in _settle(loop)]


def _settle(loop: scf.ForOp) -> list[Pair]:
    yielded = loop.body.block.last_op
    assert yielded is not None
    pairs: list[Pair] = []
    moves: list[_Move] = []
    for index, value in enumerate(yielded.operands):
        argument = loop.body.block.args[index + 1]
        if value is argument or not _is_on_chip(value) or not _is_renewed(value, loop):
            continue
        start = _own_start(loop, index)
        made = _made_by(value)
        if made is not None and _may_share(made, argument, start):
            pairs.append((made, start))
        else:
            moves.append(_Move(index=index, source=value, target=argument))
    _copy_all(moves, yielded)
    return pairs


def _is_on_chip(value: SSAValue) -> bool:
    return memref_kind(value) is not None and space_of(value) not in ("", "gm")


def _is_renewed(value: SSAValue, loop: scf.ForOp) -> bool:
    """Whether a buffer that every trip allocates may stand behind a value."""
    makers = [root.owner for root in roots(value)]
    return any(isinstance(maker, Operation) and loop.is_ancestor(maker) for maker in makers)


def _own_start(loop: scf.ForOp, index: int) -> memref.AllocOp:
    """The allocation that the loop starts with; a copy of it where others count on it."""
    start = loop.iter_args[index]
    if isinstance(start.owner, memref.AllocOp) and _is_alone(start.owner, loop, index):
        return start.owner
    fresh, typed = _like(start, loop)
    insert_before(loop, [_copy(start, typed)])
    loop.operands[index + 3] = typed
    return fresh


def _like(value: SSAValue, before: Operation) -> tuple[memref.AllocOp, SSAValue]:
    """A new buffer for what lies in a value, and the buffer as one of the value's type.

    Where only a run tells how far apart the elements of the value are, those of the buffer lie
    side by side.
    """
    kind = kind_of(value)
    if None not in (kind.get_strides() or ()) and kind.get_offset() is not None:
        fresh = memref.AllocOp([], [], kind)
        insert_before(before, [fresh])
        return fresh, fresh.memref
    packed = MemRefType(kind.element_type, kind.get_shape(), memory_space=kind.memory_space)
    fresh = memref.AllocOp([], [], packed)
    cast = CastOp(fresh.memref, kind)
    insert_before(before, [fresh, cast])
    return fresh, cast.dest


def _is_alone(start: memref.AllocOp, loop: scf.ForOp, index: int) -> bool:
    """Whether nobody but the loop's argument stands for a buffer once the loop has begun."""
    if start.parent is not loop.parent:
        return False
    for value, user, place in _direct_uses(start.memref):
        if user is loop and value is start.memref and place == index + 3:
            continue
        if isinstance(user, scf.ForOp | scf.YieldOp) or not _stands_before(user, loop):
            return False
    return True


def _direct_uses(value: SSAValue) -> Iterator[tuple[SSAValue, Operation, int]]:
    """Uses of a buffer and of its views: the value, the op and the operand."""
    for use in value.uses:
        if isinstance(use.operation, VIEWS):
            yield from _direct_uses(use.operation.results[0])
            if use.operation.results[0].uses:
                continue
        yield value, use.operation, use.index


def _stands_before(op: Operation, loop: scf.ForOp) -> bool:
    block = loop.parent_block()
    assert block is not None
    inside = block.find_ancestor_op_in_block(op)
    return inside is not None and inside is not loop and inside.is_before_in_block(loop)


def _made_by(value: SSAValue) -> memref.AllocOp | None:
    return value.owner if isinstance(value.owner, memref.AllocOp) else None


def _may_share(made: memref.AllocOp, argument: SSAValue, start: memref.AllocOp) -> bool:
    """Whether a trip has done with the carried buffer before it fills the next one."""
    body = argument.owner
    assert isinstance(body, Block)
    yielded, kinds = body.last_op, (made.memref.type, start.memref.type)
    assert yielded is not None
    if made.parent is not body or kinds[0] != kinds[1] or _is_multiple(made, start):
        return False
    fills, reads = (list(users(value, stop=yielded)) for value in (made.memref, argument))
    if fills.count(yielded) > 1 or yielded in reads:
        return False
    order = {op: place for place, op in enumerate(body.ops)}
    first = min(_steps(fills, body), key=order.__getitem__, default=None)
    last = max(_steps(reads, body), key=order.__getitem__, default=None)
    if first is None or last is None or order[last] < order[first]:
        return True
    return first is last and _works_in_place(first, argument, made.memref)


def _is_multiple(*buffers: memref.AllocOp) -> bool:
    return any(copies_of(buffer.memref) > 1 for buffer in buffers)


def _steps(touching: Sequence[Operation], body: Block) -> list[Operation]:
    """The ops of a block that touch a buffer, themselves or inside; its yield is none."""
    found = [body.find_ancestor_op_in_block(op) for op in touching if not isinstance(op, _SILENT)]
    return [op for op in found if op is not None and op is not body.last_op]


def _works_in_place(op: Operation, source: SSAValue, destination: SSAValue) -> bool:
    """Whether an elementwise op reads each element of one buffer before it fills the other."""
    if not isinstance(op, ElementwiseOp) or destination not in _chain(op.dst[0]):
        return False
    places = [op.dst[0], *(read for read in op.src if source in _chain(read))]
    return all(
        kind_of(place).get_offset() == 0 and overwrites_safely(place, op.dst[0]) for place in places
    )


def _chain(value: SSAValue) -> list[SSAValue]:
    """A value and what it is a view of."""
    found = [value]
    while isinstance(found[-1].owner, VIEWS):
        found.append(found[-1].owner.operands[0])
    return found


@dataclass(frozen=True, kw_only=True)
class _Move:
    """What is to be copied at the end of a trip.

    Args:
        index: position among the carried values.
        source: what the loop yielded.
        target: the carried buffer.
    """

    index: int
    source: SSAValue
    target: SSAValue


def _copy_all(moves: Sequence[_Move], yielded: Operation) -> None:
    """Copies as if all at once: what may hold a carried buffer is put aside first."""
    aside: dict[int, SSAValue] = {}
    for move in moves:
        if len(moves) > 1 and _made_by(move.source) is None:
            _, typed = _like(move.source, yielded)
            insert_before(yielded, [_copy(move.source, typed)])
            aside[move.index] = typed
    for move in moves:
        source = aside.get(move.index, move.source)
        insert_before(yielded, [_copy(source, move.target)])
        yielded.operands[move.index] = move.target


def _copy(source: SSAValue, target: SSAValue) -> CopyOp:
    if space_of(source) == "ub":
        return CopyOp(source, target)
    raise error(
        "TL307",
        f"{name_of(source)} would have to be copied within {_NAMES[space_of(source)]}",
        why="a loop fills the tile of its next trip while it still reads the one before",
        fix="read the tile of the trip before for the last time before filling the next one",
        labels=labels_of(source.owner) if isinstance(source.owner, Operation) else (),
    )
