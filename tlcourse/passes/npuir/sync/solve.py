"""Choosing flags: for each pair of accesses that must not swap, unless it is ordered already."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tlcourse.passes.npuir.sync.model import Body, Loop, Place, Sync
from tlcourse.passes.npuir.sync.order import Order
from tlcourse.passes.npuir.sync.trace import Instance, ranges_at, unrolled


@dataclass(frozen=True, kw_only=True)
class Meeting:
    """Where the ways of two runs part.

    Args:
        depth: bodies around both, in the same run.
        distance: iterations between them, where a loop carries the pair; else 0.
        exact: loops whose iteration is that of the trace. In others any iteration may be meant.
    """

    depth: int
    distance: int
    exact: frozenset[Loop]


def solve(body: Body) -> list[Sync]:
    """The flags and barriers that a function needs, in the order of their waits."""
    trace = unrolled(body)
    order = Order(trace)
    chosen: list[Sync] = []
    for later_index, later in enumerate(trace.instances):
        for earlier in reversed(trace.instances[:later_index]):
            meeting = _meeting(earlier, later)
            if meeting is None or not _conflict(earlier, later, meeting):
                continue
            if not order.holds(earlier, later):
                sync = _sync(earlier, later, meeting)
                order.add(sync)
                chosen.append(sync)
    return chosen


def _meeting(earlier: Instance, later: Instance) -> Meeting | None:
    """How the two runs relate; None where another pair of runs stands for this one.

    Of a loop that holds only one of the two, the last iteration before `later`, or the first
    after `earlier`, stands for all. The two sides of an if exclude each other.
    """
    depth = 0
    for a, b in zip(earlier.path, later.path, strict=False):
        if a != b:
            break
        depth += 1
    if _exclusive(earlier, later, depth):
        return None
    distance = _distance(earlier, later, depth)
    below = depth + 1 if distance else depth
    if not (_is_last(earlier, below) and _is_first(later, below)):
        return None
    shared = [body.owner for body, _ in earlier.path[:below]]
    exact = frozenset(owner for owner in shared if isinstance(owner, Loop))
    return Meeting(depth=depth, distance=distance, exact=exact)


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


def _conflict(earlier: Instance, later: Instance, meeting: Meeting) -> bool:
    """Whether both touch the same bytes and one of them writes."""
    first, second = earlier.access, later.access
    pairs = _pairs(first.writes, second.reads + second.writes, first.reads, second.writes)
    return any(
        _overlap(
            ranges_at(a, earlier, a.loop in meeting.exact),
            ranges_at(b, later, b.loop in meeting.exact),
        )
        for a, b in pairs
        if a.memory is b.memory or a.memory == b.memory
    )


def _pairs(
    writes: Sequence[Place],
    after_write: Sequence[Place],
    reads: Sequence[Place],
    after_read: Sequence[Place],
) -> Iterator[tuple[Place, Place]]:
    yield from ((a, b) for a in writes for b in after_write)
    yield from ((a, b) for a in reads for b in after_read)


def _overlap(first: Sequence[tuple[int, int]], second: Sequence[tuple[int, int]]) -> bool:
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
