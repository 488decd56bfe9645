"""Flags that the code behind a custom_macro uses itself: their ids, and the other ends of them.

A slot says what the code does: it waits for a flag, so somebody has to set it before; it sets
one, so somebody has to wait for it afterwards; or it does both and only needs an id.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from xdsl.dialects import func
from xdsl.dialects.builtin import i64
from xdsl.ir import Operation, SSAValue

from tlcourse.dialects.hivm.attrs import EnumWord
from tlcourse.dialects.hivm.base import space_of
from tlcourse.dialects.hivm.custom import CustomMacroOp, CustomOp, SyncEventSlotAttr
from tlcourse.dialects.hivm.sync import SetFlagOp, WaitFlagOp
from tlcourse.dialects.rewriting import insert_after, insert_before
from tlcourse.passes.npuir.operands import set_operands
from tlcourse.passes.npuir.simplify import constant
from tlcourse.passes.npuir.sync.events import PipePair, written_ids
from tlcourse.passes.npuir.sync.model import Sync

_EVENT = "EVENT_ID"


def pipes_of(op: CustomOp | CustomMacroOp) -> tuple[str, ...]:
    """The pipes that an op with code of its own runs on, as far as it says."""
    names = ("hivm.pipe",) if isinstance(op, CustomOp) else ("hivm.pipe_in", "hivm.pipe_out")
    return tuple(word for word in dict.fromkeys(op.word(name) for name in names) if word)


def buffers_of(values: Sequence[SSAValue]) -> list[SSAValue]:
    """The operands that are buffers with a place."""
    return [value for value in values if space_of(value)]


def reserved_ids(function: func.FuncOp) -> dict[PipePair, frozenset[int]]:
    """Ids that solving leaves alone: of the author's flags, and those that slots ask for."""
    found: dict[PipePair, set[int]] = defaultdict(set)
    for pipes, ids in written_ids(function).items():
        found[pipes] |= ids
    for op, slot in _slots(function):
        if isinstance(slot.event, EnumWord):
            found[_pair(op, slot)].add(_number(slot.event))
    return {pipes: frozenset(ids) for pipes, ids in found.items()}


def fill_slots(function: func.FuncOp, ids: Mapping[Sync, int | None], count: int) -> None:
    """Gives each slot an id, and the flag its other end.

    Args:
        function: the function; none of the solved flags is written yet.
        ids: the first id of each solved flag.
        count: ids that the chip has for each pair of pipes.
    """
    taken = {pipes: set(found) for pipes, found in reserved_ids(function).items()}
    for sync, first in ids.items():
        if first is not None:
            width = max(1, sync.distance)
            pipes = sync.set_pipe, sync.wait_pipe
            taken.setdefault(pipes, set()).update(range(first, first + width))
    for op in [inner for inner in function.walk() if isinstance(inner, CustomMacroOp)]:
        if op.slots() and not op.sync_related_args:
            _fill(function, op, taken, count)


def _fill(
    function: func.FuncOp, op: CustomMacroOp, taken: dict[PipePair, set[int]], count: int
) -> None:
    arguments: list[SSAValue] = []
    joined: dict[tuple[PipePair, str], int] = {}
    for slot in op.slots():
        pipes, role = _pair(op, slot), slot.role.data
        known = joined.get((pipes, role)) if role != "internal" else None
        event = known if known is not None else _event(op, slot, pipes, taken, count)
        if known is None and role != "internal":
            _other_end(op, role, pipes, event)
            joined[pipes, role] = event
        taken.setdefault(pipes, set()).add(event)
        arguments.append(constant(function, event, i64))
    set_operands(op, "sync_related_args", arguments)


def _event(
    op: CustomMacroOp,
    slot: SyncEventSlotAttr,
    pipes: PipePair,
    taken: Mapping[PipePair, set[int]],
    count: int,
) -> int:
    if isinstance(slot.event, EnumWord):
        return _number(slot.event)
    ready = _ready(op, pipes) if slot.role.data == "wait" else None
    if ready is not None:
        return ready
    busy = taken.get(pipes, set())
    # Where all are in use the last one is shared, as flags count how often they are set.
    return next((one for one in range(count) if one not in busy), count - 1)


def _other_end(op: CustomMacroOp, role: str, pipes: PipePair, event: int) -> None:
    if role == "set":
        insert_after(op, [WaitFlagOp(*pipes, event)])
    elif _ready(op, pipes) != event:
        insert_before(op, [SetFlagOp(*pipes, event)])


def _ready(op: Operation, pipes: PipePair) -> int | None:
    """The id of a flag of the author's between two pipes that is set and not waited for yet."""
    earlier = op.prev_op
    while earlier is not None:
        if isinstance(earlier, SetFlagOp | WaitFlagOp):
            own = earlier.set_pipe.data, earlier.wait_pipe.data
            if own == pipes and isinstance(earlier.event, int):
                return earlier.event if isinstance(earlier, SetFlagOp) else None
        earlier = earlier.prev_op
    return None


def _slots(function: func.FuncOp) -> Iterator[tuple[CustomMacroOp, SyncEventSlotAttr]]:
    for op in function.walk():
        if isinstance(op, CustomMacroOp):
            yield from ((op, slot) for slot in op.slots())


def _pair(op: CustomMacroOp, slot: SyncEventSlotAttr) -> PipePair:
    """The two pipes of a slot; those of the op where it names none."""
    if isinstance(slot.set_pipe, EnumWord) and isinstance(slot.wait_pipe, EnumWord):
        return slot.set_pipe.data, slot.wait_pipe.data
    return op.word("hivm.pipe_in"), op.word("hivm.pipe_out")


def _number(event: EnumWord) -> int:
    return int(event.data.removeprefix(_EVENT))
