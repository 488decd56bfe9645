"""What is ordered already: following the chosen flags from one access to another."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice

from tlcourse.passes.npuir.sync.model import ALL, IN_ORDER_PIPES, Body, Loop, Sync
from tlcourse.passes.npuir.sync.trace import BodyRun, Instance, Trace

_SCALAR = "PIPE_S"


@dataclass(frozen=True, kw_only=True, order=True)
class Edge:
    """Work of `set_pipe` up to `set_time` is done before work of `wait_pipe` from `wait_time`.

    Args:
        guards: runs of bodies that may not happen; the edge counts for an access in them only.
    """

    set_time: int
    wait_time: int
    set_pipe: str
    wait_pipe: str
    guards: tuple[BodyRun, ...] = field(default=(), compare=False)


@dataclass(eq=False)
class Order:
    """The edges of all flags and barriers chosen so far, earliest set first."""

    trace: Trace
    edges: list[Edge] = field(default_factory=lambda: list[Edge]())

    def __post_init__(self) -> None:
        for time, pipe, path in self.trace.barriers:
            insort(self.edges, _edge(time, pipe, time, pipe, path))

    def add(self, sync: Sync) -> None:
        """Adds the edges of a chosen order, in every iteration of the trace."""
        for edge in _edges(self.trace, sync):
            insort(self.edges, edge)

    def holds(self, earlier: Instance, later: Instance) -> bool:
        """Whether the earlier access is done before the later one starts."""
        pipe, goal = earlier.access.pipe, later.access.pipe
        if pipe == goal and pipe in IN_ORDER_PIPES:
            return True
        inside = {*earlier.path, *later.path}
        # From `sets` on, a flag set on the pipe carries the news; from `starts` on, work on
        # the pipe begins after it.
        sets = _Times({pipe: earlier.time})
        starts = _Times({pipe: earlier.time} if pipe in IN_ORDER_PIPES else {})
        first = bisect_left(self.edges, earlier.time, key=lambda edge: edge.set_time)
        for edge in islice(self.edges, first, None):
            if edge.set_time > later.time:
                break
            if not inside.issuperset(edge.guards):
                continue
            if edge.set_pipe == ALL or sets.known(edge.set_pipe, edge.set_time):
                sets.tell(edge)
                starts.tell(edge)
        return starts.known(goal, later.time)


@dataclass(frozen=True)
class _Times:
    """The time from which on each pipe knows; `PIPE_ALL` stands for every pipe."""

    since: dict[str, int]

    def known(self, pipe: str, time: int) -> bool:
        return any(self.since.get(name, time + 1) <= time for name in (pipe, ALL))

    def tell(self, edge: Edge) -> None:
        # The scalar unit issues all instructions: what waits on it holds back every pipe.
        told = ALL if edge.wait_pipe == _SCALAR else edge.wait_pipe
        self.since[told] = min(self.since.get(told, edge.wait_time), edge.wait_time)


def _edges(trace: Trace, sync: Sync) -> Iterator[Edge]:
    for path in trace.runs[sync.body]:
        if sync.distance == 0:
            yield _within(trace, sync, path)
    if sync.distance == 0:
        return
    loop = sync.loop
    for outer in _runs_around(trace, loop):
        yield from _carried(trace, sync, loop, outer)


def _within(trace: Trace, sync: Sync, path: tuple[BodyRun, ...]) -> Edge:
    iterations = path[-1][1]
    set_time = trace.spans[sync.source, iterations][1] + 1
    wait_time = trace.spans[sync.target, iterations][0] - 1
    if sync.is_barrier:
        set_time = wait_time
    return _edge(set_time, sync.set_pipe, wait_time, sync.wait_pipe, path)


def _carried(trace: Trace, sync: Sync, loop: Loop, outer: tuple[BodyRun, ...]) -> Iterator[Edge]:
    iterations = outer[-1][1]
    before, after = trace.spans[loop, iterations]
    before, after = before - 2, after + 2
    count = loop.unroll
    ran = [n for n in range(count) if (sync.source, (*iterations, n)) in trace.spans]

    def run(number: int) -> tuple[BodyRun, ...]:
        return (*outer, (loop.body, (*iterations, number)))

    def set_time(number: int) -> int:
        return trace.spans[sync.source, (*iterations, number)][1] + 1

    def wait_time(number: int) -> int:
        return trace.spans[sync.target, (*iterations, number)][0] - 1

    pipes = sync.set_pipe, sync.wait_pipe
    if sync.is_barrier:
        for number in ran:
            time = wait_time(number)
            yield _edge(time, pipes[0], time, pipes[1], run(number))
        return
    yield _edge(before, pipes[0], after, pipes[1], outer)
    for number in ran:
        if number < sync.distance:
            yield _edge(before, pipes[0], wait_time(number), pipes[1], run(number))
        elif number - sync.distance in ran:
            first, second = run(number - sync.distance), run(number)
            yield _edge(
                set_time(number - sync.distance),
                pipes[0],
                wait_time(number),
                pipes[1],
                (*first, second[-1]),
            )
        if number >= count - sync.distance:
            yield _edge(set_time(number), pipes[0], after, pipes[1], run(number))


def _runs_around(trace: Trace, loop: Loop) -> list[tuple[BodyRun, ...]]:
    """The runs of the body that the loop stands in."""
    outer = {path[:-1]: None for path in trace.runs.get(loop.body, [])}
    return list(outer)


def _edge(
    set_time: int, set_pipe: str, wait_time: int, wait_pipe: str, path: tuple[BodyRun, ...]
) -> Edge:
    uncertain = tuple(run for run in path if not _is_certain(run[0]))
    return Edge(
        set_time=set_time,
        set_pipe=set_pipe,
        wait_time=wait_time,
        wait_pipe=wait_pipe,
        guards=uncertain,
    )


def _is_certain(body: Body) -> bool:
    return body.is_certain()
