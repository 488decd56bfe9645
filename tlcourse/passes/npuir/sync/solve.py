"""Choosing flags: for each pair of accesses that must not swap, unless it is ordered already."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tlcourse.passes.npuir.sync.model import Body, Loop, Place, Sync
from tlcourse.passes.npuir.sync.order import Order
from tlcourse.passes.npuir.sync.trace import Instance, unrolled

Range = tuple[int, int]


@dataclass(frozen=True, kw_only=True)
class Meeting:
    """Where the ways of two runs part.

    Args:
        depth: bodies around both, in the same run.
        distance: iterations between them, where a loop carries the pair; else 0.
        shared: loops around both, in one iteration of them, whichever it is.
        parting: the loop that carries the pair; its iterations are those of the trace. In all
            other loops any iteration may be meant.
    """

    depth: int
    distance: int
    shared: frozenset[Loop]
    parting: Loop | None


def solve(body: Body) -> list[Sync]:
    """The flags and barriers that a function needs, in the order of their waits."""
    trace = unrolled(body)
    order = Order(trace)
    chosen: list[Sync] = []
    earlier_ones = [run for run in trace.instances if _may_be_earlier(run)]
    times = [run.time for run in earlier_ones]
    for later in filter(_may_be_later, trace.instances):
        for earlier in reversed(earlier_ones[: bisect_left(times, later.time)]):
            meeting = _meeting(earlier, later)
            if meeting is None or _is_one_run(earlier, later, meeting):
                continue
            if not _conflict(earlier, later, meeting):
                continue
            if not order.holds(earlier, later):
                sync = _sync(earlier, later, meeting)
                order.add(sync)
                chosen.append(sync)
    return chosen


def _may_be_earlier(run: Instance) -> bool:
    """Whether the loops are in the first iteration, then one in any, then in the last."""
    places = list(run.iterations.items())
    first = next((i for i, (_, number) in enumerate(places) if number), len(places))
    return all(number == loop.unroll - 1 for loop, number in places[first + 1 :])


def _may_be_later(run: Instance) -> bool:
    """Whether at most one loop is beyond its first iteration."""
    return sum(number > 0 for number in run.iterations.values()) <= 1


def _meeting(earlier: Instance, later: Instance) -> Meeting | None:
    """How the two runs relate; None where another pair of runs stands for this one.

    Of a loop that holds only one of the two, the last iteration before `later`, or the first
    after `earlier`, stands for all; of a loop that holds both in one iteration, the first. The
    two sides of an if exclude each other.
    """
    depth = 0
    for a, b in zip(earlier.path, later.path, strict=False):
        if a != b:
            break
        depth += 1
    if any(earlier.path[depth - 1][1]) or _exclusive(earlier, later, depth):
        return None
    distance = _distance(earlier, later, depth)
    below = depth + 1 if distance else depth
    if not (_is_last(earlier, below) and _is_first(later, below)):
        return None
    owners = [body.owner for body, _ in earlier.path[:depth]]
    parting = earlier.path[depth][0].owner if distance else None
    return Meeting(
        depth=depth,
        distance=distance,
        shared=frozenset(owner for owner in owners if isinstance(owner, Loop)),
        parting=parting if isinstance(parting, Loop) else None,
    )


def _exclusive(earlier: Instance, later: Instance, depth: int) -> bool:
    if depth >= min(len(earlier.path), len(later.path)):
        return False
    (a, _), (b, _) = earlier.path[depth], later.path[depth]
    return a is not b and a.owner is not None and a.owner is b.owner


def _distance(earlier: Instance, later: Instance, depth: int) -> int:
    if depth >= min(len(earlier.path), len(later.path)):
        return 0
    (a, first), (b, second) = earlier.path[depth], later.path[depth]
    return second[-1] - first[-1] if a is b else 0


def _is_last(run: Instance, depth: int) -> bool:
    """Whether all loops below a depth are in their last iteration of the trace."""
    return all(
        iterations[-1] == body.owner.unroll - 1
        for body, iterations in run.path[depth:]
        if isinstance(body.owner, Loop)
    )


def _is_first(run: Instance, depth: int) -> bool:
    return all(
        iterations[-1] == 0 for body, iterations in run.path[depth:] if isinstance(body.owner, Loop)
    )


def _is_one_run(earlier: Instance, later: Instance, meeting: Meeting) -> bool:
    """Whether both are parts of one op in one iteration, which orders them itself."""
    return earlier.access.op is later.access.op and not meeting.distance


def _conflict(earlier: Instance, later: Instance, meeting: Meeting) -> bool:
    """Whether both touch the same bytes and one of them writes."""
    first, second = earlier.access, later.access
    pairs = _pairs(first.writes, second.reads + second.writes, first.reads, second.writes)
    return any(
        _overlap(mine, theirs)
        for a, b in pairs
        if a.memory is b.memory or a.memory == b.memory
        for mine, theirs in _ranges(a, earlier, b, later, meeting)
    )


def _ranges(
    a: Place, earlier: Instance, b: Place, later: Instance, meeting: Meeting
) -> Iterator[tuple[Sequence[Range], Sequence[Range]]]:
    """The bytes of two places that are touched together, for each copy that may be meant."""
    if a.loop is not None and a.loop is b.loop and a.loop in meeting.shared:
        for number in range(a.loop.unroll):
            yield [_copy(a, number)], [_copy(b, number)]
        return
    yield _touched(a, earlier, meeting), _touched(b, later, meeting)


def _touched(place: Place, run: Instance, meeting: Meeting) -> Sequence[Range]:
    """The bytes of one place; of all copies where the iteration is not known."""
    if place.loop is None:
        return place.ranges
    if place.loop is meeting.parting:
        return [_copy(place, run.iterations[place.loop])]
    if place.loop in meeting.shared:
        return [_copy(place, number) for number in range(place.loop.unroll)]
    return place.ranges


def _copy(place: Place, number: int) -> Range:
    return place.ranges[number % len(place.ranges)]


def _pairs(
    writes: Sequence[Place],
    after_write: Sequence[Place],
    reads: Sequence[Place],
    after_read: Sequence[Place],
) -> Iterator[tuple[Place, Place]]:
    yield from ((a, b) for a in writes for b in after_write)
    yield from ((a, b) for a in reads for b in after_read)


def _overlap(first: Sequence[Range], second: Sequence[Range]) -> bool:
    return any(a < d and c < b for a, b in first for c, d in second)


def _sync(earlier: Instance, later: Instance, meeting: Meeting) -> Sync:
    """The flag for a pair: both ends stand in one body, outside ifs and loops around one end."""
    index = meeting.depth if meeting.distance else meeting.depth - 1
    return Sync(
        set_pipe=earlier.access.pipe,
        wait_pipe=later.access.pipe,
        source=earlier.statements[index],
        target=later.statements[index],
        body=earlier.path[index][0],
        distance=meeting.distance,
    )
