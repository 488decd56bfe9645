"""All pairs of accesses that must not swap: the linear list of the older solver.

Every access is a place in one list, in program order. A pair is an earlier and a later place
that touch the same bytes, one of them writing. In a loop the list bends back: the end of one
iteration comes before the start of a later one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import lcm

from tlcourse.passes.npuir.sync.model import (
    IN_ORDER_PIPES,
    Access,
    Barrier,
    Body,
    Branch,
    Loop,
    Node,
    Place,
    Sync,
)

Range = tuple[int, int]
_PERIOD_LIMIT = 64


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One place in the list.

    Args:
        access: what happens there.
        way: the bodies around it from outside in, each with its statement that holds it.
    """

    access: Access
    way: tuple[tuple[Body, Node], ...]

    @property
    def loops(self) -> list[Loop]:
        """The loops around it from outside in."""
        owners = [body.owner for body, _ in self.way]
        return [owner for owner in owners if isinstance(owner, Loop)]


def linear_list(body: Body, way: tuple[tuple[Body, Node], ...] = ()) -> list[Entry]:
    """The accesses of a function in program order."""
    found: list[Entry] = []
    for node in body.nodes:
        here = (*way, (body, node))
        match node:
            case Access():
                found.append(Entry(access=node, way=here))
            case Loop():
                found += linear_list(node.body, here)
            case Branch():
                for side in node.bodies:
                    found += linear_list(side, here)
            case Barrier():
                pass
    return found


def pairs(body: Body) -> list[Sync]:
    """A flag, or a barrier, for each hazard; both ends hoisted into the body that holds both."""
    entries = linear_list(body)
    found: dict[Sync, None] = {}
    for index, later in enumerate(entries):
        for earlier in reversed(entries[:index]):
            found |= dict.fromkeys(_forward(earlier, later))
        for earlier in reversed(entries):
            found |= dict.fromkeys(_backward(earlier, later))
    return list(found)


def _forward(earlier: Entry, later: Entry) -> Iterator[Sync]:
    if earlier.access.op is later.access.op:
        return  # parts of one op, which orders them itself
    depth = _shared_depth(earlier, later)
    if earlier.way[depth][0] is not later.way[depth][0]:
        return  # the two sides of an if exclude each other
    first, second = earlier.way[depth], later.way[depth]
    shared = frozenset(_owners(earlier, depth + 1))
    if _needs_order(earlier, later) and _conflict(earlier, later, shared, None, 0):
        yield _sync(earlier, later, first, second[1], 0)


def _backward(earlier: Entry, later: Entry) -> Iterator[Sync]:
    """Over the end of an iteration: the shortest distance at which the two meet stands for all."""
    if not _needs_order(earlier, later):
        return
    for depth, (body, statement) in enumerate(earlier.way):
        if depth >= len(later.way) or later.way[depth][0] is not body:
            return
        loop = body.owner
        if not isinstance(loop, Loop) or loop.trips in (0, 1):
            continue
        shared = frozenset(_owners(earlier, depth))
        distance = _distance(earlier, later, shared, loop)
        if distance:
            yield _sync(earlier, later, (body, statement), later.way[depth][1], distance)


def _distance(earlier: Entry, later: Entry, shared: frozenset[Loop], loop: Loop) -> int:
    """Iterations from the one to the other where they meet first; 0 where they never do."""
    last = loop.copies if loop.trips is None else min(loop.copies, loop.trips - 1)
    for distance in range(1, last + 1):
        if _conflict(earlier, later, shared, loop, distance):
            return distance
    return 0


def _needs_order(earlier: Entry, later: Entry) -> bool:
    same = earlier.access.pipe == later.access.pipe
    return not (same and later.access.pipe in IN_ORDER_PIPES)


def _shared_depth(earlier: Entry, later: Entry) -> int:
    """How many statements from outside in hold both. The innermost one is an access alone."""
    depth = 0
    while earlier.way[depth] == later.way[depth]:
        depth += 1
    return depth


def _owners(entry: Entry, depth: int) -> Iterator[Loop]:
    for body, _ in entry.way[:depth]:
        if isinstance(body.owner, Loop):
            yield body.owner


def _conflict(
    earlier: Entry, later: Entry, shared: frozenset[Loop], carrier: Loop | None, distance: int
) -> bool:
    """Whether both touch the same bytes, one of them writing, `distance` iterations apart."""
    first, second = earlier.access, later.access
    met = [(a, b) for a in first.writes for b in (*second.reads, *second.writes)]
    met += [(a, b) for a in first.reads for b in second.writes]
    return any(
        _overlap(mine, theirs)
        for a, b in met
        if a.memory is b.memory or a.memory == b.memory
        for mine, theirs in _ranges(a, b, shared, carrier, distance)
    )


def _ranges(
    a: Place, b: Place, shared: frozenset[Loop], carrier: Loop | None, distance: int
) -> Iterator[tuple[Sequence[Range], Sequence[Range]]]:
    """The bytes that two places may touch at a time, copy by copy where one loop chooses both."""
    one_loop = a.loop is not None and a.loop is b.loop
    if not one_loop or not (a.loop in shared or a.loop is carrier):
        yield a.ranges, b.ranges
        return
    apart = distance if a.loop is carrier else 0
    for number in range(min(lcm(len(a.ranges), len(b.ranges)), _PERIOD_LIMIT)):
        yield [_copy(a, number)], [_copy(b, number + apart)]


def _copy(place: Place, number: int) -> Range:
    return place.ranges[number % len(place.ranges)]


def _overlap(first: Sequence[Range], second: Sequence[Range]) -> bool:
    return any(a < d and c < b for a, b in first for c, d in second)


def _sync(
    earlier: Entry, later: Entry, source: tuple[Body, Node], target: Node, distance: int
) -> Sync:
    return Sync(
        set_pipe=earlier.access.pipe,
        wait_pipe=later.access.pipe,
        source=source[1],
        target=target,
        body=source[0],
        distance=distance,
    )
