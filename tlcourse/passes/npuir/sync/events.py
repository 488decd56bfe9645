"""Ids for flags: two flags between the same pipes that are up at the same time need two."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from xdsl.dialects import func

from tlcourse.dialects.hivm.sync import SetFlagOp, WaitFlagOp
from tlcourse.passes.npuir.sync.model import Body, Branch, Loop, Node, Sync

Interval = tuple[int, int]
PipePair = tuple[str, str]


def event_ids(
    body: Body,
    syncs: Sequence[Sync],
    count: int,
    reserved: Mapping[PipePair, frozenset[int]],
) -> dict[Sync, int | None]:
    """The first id of each flag; None where all are in use.

    A flag inside one iteration is up from its set to its wait. One that a loop carries is up
    during the whole loop and takes `distance` ids in a row, one per iteration on its way.

    Args:
        body: the function.
        syncs: the flags; barriers need no id.
        count: ids that the chip has for each pair of pipes.
        reserved: ids that the kernel itself uses.
    """
    positions = _positions(body)
    taken: dict[PipePair, list[tuple[Interval, int]]] = {}
    found: dict[Sync, int | None] = {}
    flags = [sync for sync in syncs if not sync.is_barrier]
    for sync in sorted(flags, key=lambda sync: _interval(sync, positions)):
        interval = _interval(sync, positions)
        pipes = sync.set_pipe, sync.wait_pipe
        busy = {i for other, i in taken.get(pipes, []) if _meet(interval, other)}
        busy |= reserved.get(pipes, frozenset())
        width = max(1, sync.distance)
        first = _first_free(busy, width, count)
        found[sync] = first
        if first is not None:
            own = [(interval, first + offset) for offset in range(width)]
            taken.setdefault(pipes, []).extend(own)
    return found


def written_ids(function: func.FuncOp) -> dict[PipePair, frozenset[int]]:
    """Ids of the flags that the kernel's author wrote."""
    found: dict[PipePair, set[int]] = defaultdict(set)
    for op in function.walk():
        if isinstance(op, SetFlagOp | WaitFlagOp) and isinstance(op.event, int):
            found[op.set_pipe.data, op.wait_pipe.data].add(op.event)
    return {pipes: frozenset(ids) for pipes, ids in found.items()}


def _first_free(busy: set[int], width: int, count: int) -> int | None:
    for first in range(count - width + 1):
        if not busy.intersection(range(first, first + width)):
            return first
    return None


def _meet(a: Interval, b: Interval) -> bool:
    return a[0] < b[1] and b[0] < a[1]


def _interval(sync: Sync, positions: Mapping[Node, Interval]) -> Interval:
    if sync.distance:
        start, end = positions[sync.loop]
        return start - 1, end + 1
    # The set stands after its statement, the wait before its own.
    return positions[sync.source][1], positions[sync.target][0]


def _positions(body: Body) -> dict[Node, Interval]:
    """First and last position of each statement in the text of the function."""
    found: dict[Node, Interval] = {}
    _number(body, 0, found)
    return found


def _number(body: Body, clock: int, found: dict[Node, Interval]) -> int:
    for node in body.nodes:
        clock += 4
        start = clock
        for inner in _bodies(node):
            clock = _number(inner, clock, found)
        clock += 2 if _bodies(node) else 0
        found[node] = (start, clock)
    return clock


def _bodies(node: Node) -> Sequence[Body]:
    match node:
        case Loop():
            return (node.body,)
        case Branch():
            return node.bodies
        case _:
            return ()
