"""Dropping the flags that others imply: the last step of the older solver.

A flag between two statements of a body is not needed if other flags of the same body, one
after the other, lead from the first statement to the second. For a flag that a loop carries
the body is laid out once per iteration on its way, and the flags with it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tlcourse.passes.npuir.sync.model import ALL, Barrier, Body, Node, Sync

_STEP = 4  # room for a wait before a statement and a set after it


@dataclass(frozen=True, kw_only=True, order=True)
class _Edge:
    """Work of `set_pipe` up to `set_time` is done before work of `wait_pipe` from `wait_time`."""

    set_time: int
    wait_time: int
    set_pipe: str
    wait_pipe: str


def needed(syncs: Sequence[Sync]) -> list[Sync]:
    """The flags and barriers that remain, in the given order."""
    by_body: dict[Body, list[Sync]] = {}
    for sync in syncs:
        by_body.setdefault(sync.body, []).append(sync)
    kept = {sync for body, own in by_body.items() for sync in _needed_in(body, own)}
    return [sync for sync in syncs if sync in kept]


def _needed_in(body: Body, syncs: Sequence[Sync]) -> list[Sync]:
    """Tries the widest first: a flag over a long way is the likeliest to be implied."""
    times = {node: _STEP * (index + 1) for index, node in enumerate(body.nodes)}
    length = _STEP * (len(body.nodes) + 1)
    kept, dropped = list(syncs), list[Sync]()
    for sync in sorted(syncs, key=lambda sync: -_width(sync, times, length)):
        others = [other for other in kept if other is not sync]
        if _is_implied(sync, others, times, length):
            kept = others
            dropped.append(sync)
    # A barrier orders more than its own pair. One that went may have been what made an earlier
    # pair needless, so each dropped pair is held against those that remain.
    for sync in dropped:
        if not _is_implied(sync, kept, times, length):
            kept.append(sync)
    return kept


def _width(sync: Sync, times: Mapping[Node, int], length: int) -> int:
    return times[sync.target] + length * sync.distance - times[sync.source]


def _is_implied(sync: Sync, others: Sequence[Sync], times: Mapping[Node, int], length: int) -> bool:
    start = times[sync.source] + 1
    goal = times[sync.target] + length * sync.distance - 1
    edges = sorted(_edges(sync, others, times, length))
    # The time from which on a flag set on each pipe carries the news.
    since = {sync.set_pipe: start}
    starts: dict[str, int] = {}
    for edge in edges:
        if edge.set_time < start or edge.wait_time > goal:
            continue
        heard = edge.set_pipe == ALL or since.get(edge.set_pipe, goal + 1) <= edge.set_time
        if not heard and since.get(ALL, goal + 1) > edge.set_time:
            continue
        for known in (since, starts):
            known[edge.wait_pipe] = min(known.get(edge.wait_pipe, goal), edge.wait_time)
    return any(starts.get(pipe, goal + 1) <= goal for pipe in (sync.wait_pipe, ALL))


def _edges(
    sync: Sync, others: Sequence[Sync], times: Mapping[Node, int], length: int
) -> Iterator[_Edge]:
    for start in range(0, length * (sync.distance + 1), length):
        for node, time in times.items():
            if isinstance(node, Barrier):
                yield _edge(node.pipe, start + time, node.pipe, start + time)
        for other in others:
            wait = start + times[other.target] - 1
            if other.is_barrier:
                yield _edge(other.set_pipe, wait, other.wait_pipe, wait)
                continue
            wait += length * other.distance
            yield _edge(other.set_pipe, start + times[other.source] + 1, other.wait_pipe, wait)


def _edge(set_pipe: str, set_time: int, wait_pipe: str, wait_time: int) -> _Edge:
    return _Edge(set_time=set_time, wait_time=wait_time, set_pipe=set_pipe, wait_pipe=wait_pipe)
