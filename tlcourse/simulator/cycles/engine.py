"""Times a stream: pipes in order, bounded queues, flags, and transfers that share their ways.

Each time follows from others by maximum and sum, so that it is written down as soon as those
are known. Only transfers need a clock: how fast one moves depends on who moves beside it. The
clock therefore goes from one start or end of a transfer to the next, and in between all that
follows is worked out.

An instruction starts when all of these hold: the scalar unit has issued it, its pipe is free,
the flags it waits for are up. The scalar unit issues in order, one after another; it stands
while the queue of a pipe is full, and at what it does itself.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass

from tlcourse.chips import Chip, Timing
from tlcourse.simulator.cycles.costs import UNIT, Cost
from tlcourse.simulator.cycles.lanes import CoreState, PipeState
from tlcourse.simulator.cycles.pools import Pools
from tlcourse.simulator.cycles.stream import Stream, Work


class StandstillError(Exception):
    """No core of a stream can go on."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Timed:
    """The times of one work.

    Args:
        core: place of its core in the stream.
        place: its place among the works of the core.
        start: first cycle on its pipe.
        end: cycle after the last.
        cause: why its pipe stood in front of it: `flag`, `barrier`, `issue` or nothing.
        behind: the raise it waited for last, where the cause is `flag`.
    """

    core: int
    place: int
    start: int
    end: int
    cause: str
    behind: int = -1


@dataclass(frozen=True, kw_only=True)
class StreamTime:
    """The times of a stream.

    Args:
        ends: when each core has come to its end.
        timed: the works, flags left out, in the order of their starts; empty unless kept.
        busy: busy cycles by core and pipe.
        setters: for each raise, core and place of the last work in front of it.
    """

    ends: tuple[int, ...]
    timed: tuple[Timed, ...]
    busy: dict[tuple[int, str], int]
    setters: tuple[tuple[int, int], ...]


def time_stream(
    stream: Stream,
    costs: Sequence[Cost],
    chip: Chip,
    pools: Pools,
    *,
    starts: Sequence[int] = (),
    keep: bool = True,
) -> StreamTime:
    """Times a stream.

    Args:
        stream: what its cores issue.
        costs: the cost of each shape.
        chip: constants.
        pools: what the stream may use of what all cores share.
        starts: when each core begins; all at 0 where absent.
        keep: keep the times of each work.

    Raises:
        StandstillError: a wait has no raise that comes.
    """
    begins = starts or [0] * len(stream.cores)
    return _Engine(stream, costs, chip.timing, pools, begins, keep=keep).run()


class _Transfer:
    """A transfer in flight; `left` counts 1/1024 byte."""

    __slots__ = ("left", "pipe", "work")

    def __init__(self, pipe: PipeState, work: Work, size: int) -> None:
        self.pipe = pipe
        self.work = work
        self.left = size * UNIT


class _Engine:
    def __init__(
        self,
        stream: Stream,
        costs: Sequence[Cost],
        timing: Timing,
        pools: Pools,
        starts: Sequence[int],
        *,
        keep: bool,
    ) -> None:
        self._kinds = stream.raises
        self._costs = costs
        self._timing = timing
        self._pools = pools
        self._keep = keep
        delays = {
            "flag": timing.flag_cycles,
            "cross": timing.cross_core_flag_cycles,
            "drain": timing.barrier_cycles,
            "link": 0,
        }
        self._delay = [delays[kind] for kind in stream.raises]
        self._up: list[int | None] = [None] * len(stream.raises)
        self._setters = [(-1, -1)] * len(stream.raises)
        self._waiting: list[list[PipeState]] = [[] for _ in stream.raises]
        self._cores = [
            CoreState(place, core.works, timing.queue_instructions, start)
            for place, (core, start) in enumerate(zip(stream.cores, starts, strict=True))
        ]
        self._ready: list[PipeState] = []
        self._joins: list[tuple[int, int, _Transfer]] = []
        self._active: list[_Transfer] = []
        self._now = 0
        self._count = 0
        self._timed: list[Timed] = []

    def run(self) -> StreamTime:
        for core in self._cores:
            self._issue(core)
        self._settle()
        while self._joins or self._active:
            self._step()
        if not all(core.is_done for core in self._cores):
            raise StandstillError
        self._timed.sort(key=lambda t: (t.start, t.core, t.place))
        return StreamTime(
            ends=tuple(core.end for core in self._cores),
            timed=tuple(self._timed),
            busy={
                (core.place, name): pipe.busy
                for core in self._cores
                for name, pipe in core.pipes.items()
                if pipe.worked >= 0
            },
            setters=tuple(self._setters),
        )

    def _step(self) -> None:
        """Goes on to the next start or end of a transfer."""
        active = self._active
        rates = self._pools.rates([(t.pipe.core, t.work.shape) for t in active], self._costs)
        times = [
            self._now - (-transfer.left // rate)
            for transfer, rate in zip(active, rates, strict=True)
        ]
        if self._joins:
            times.append(self._joins[0][0])
        then = min(times)
        for transfer, rate in zip(active, rates, strict=True):
            transfer.left -= rate * (then - self._now)
        self._now = then
        self._active = [transfer for transfer in active if transfer.left > 0]
        while self._joins and self._joins[0][0] <= then:
            self._active.append(heapq.heappop(self._joins)[2])
        for transfer in active:
            if transfer.left <= 0:
                transfer.pipe.moving = False
                self._ready.append(transfer.pipe)
                self._finish(transfer.pipe, transfer.work, then)
        self._settle()

    def _settle(self) -> None:
        """Works out all that is known now."""
        while self._ready:
            self._advance(self._ready.pop())

    def _issue(self, core: CoreState) -> None:
        """Lets the scalar unit issue until it stands or has come to its end."""
        each = self._timing.scalar_issue_cycles
        while core.next < len(core.works):
            work = core.works[core.next]
            pipe = core.pipe(work.pipe)
            instructions = self._costs[work.shape].instructions
            room = pipe.room(instructions)
            if room is None:
                pipe.blocks = True
                return
            first = max(core.time, room) + (each if instructions else 0)
            core.time = first + max(0, instructions - 1) * each
            pipe.push(core.next, first, instructions)
            self._ready.append(pipe)
            core.next += 1
            if work.pipe == "S" or self._holds_issue(work):
                core.stands = pipe
                return

    def _holds_issue(self, work: Work) -> bool:
        """Whether the scalar unit waits for a work of another pipe."""
        blocks = self._timing.cross_core_wait_blocks_issue
        return blocks and any(self._kinds[wait] == "cross" for wait in work.waits)

    def _advance(self, pipe: PipeState) -> None:
        """Starts what stands at the head of a queue, as far as its start is known."""
        works = self._cores[pipe.core].works
        while pipe.queue and not pipe.moving:
            place, arrival, number = pipe.queue[0]
            work = works[place]
            for wait in work.waits:
                if self._up[wait] is None:
                    self._waiting[wait].append(pipe)
                    return
            pipe.queue.popleft()
            self._hold_back(pipe, work, arrival)
            pipe.begin(place, number)
            self._start(pipe, work, arrival)

    def _hold_back(self, pipe: PipeState, work: Work, arrival: int) -> None:
        """Lets a pipe wait for the issue, the flags and the barrier of a work."""
        pipe.blame(arrival, "issue", -1)
        for wait in work.waits:
            up = self._up[wait]
            assert up is not None, "the work was held back until it was known"
            cause = "barrier" if self._kinds[wait] == "drain" else "flag"
            pipe.blame(up + self._delay[wait], cause, wait)
        if work.barrier:
            pipe.blame(pipe.drained + self._timing.barrier_cycles, "barrier", -1)

    def _start(self, pipe: PipeState, work: Work, arrival: int) -> None:
        cost = self._costs[work.shape]
        if cost.bytes:
            pipe.moving = True
            self._count += 1
            transfer = _Transfer(pipe, work, cost.bytes)
            heapq.heappush(self._joins, (pipe.free + cost.fixed, self._count, transfer))
        else:
            # The last of several instructions starts no earlier than it is issued.
            later = max(0, cost.instructions - 1)
            last = arrival + later * self._timing.scalar_issue_cycles
            each = cost.fixed // max(cost.instructions, 1)
            self._finish(pipe, work, max(pipe.free + cost.fixed, last + each))
        if pipe.blocks:
            pipe.blocks = False
            self._issue(self._cores[pipe.core])

    def _finish(self, pipe: PipeState, work: Work, end: int) -> None:
        """Writes down when a work ends, and tells who waited for it."""
        core = self._cores[pipe.core]
        cost = self._costs[work.shape]
        if cost.fixed or cost.bytes:
            self._note(pipe, end)
        pipe.end_work(end, end + cost.latency)
        core.end = max(core.end, pipe.drained)
        for raised in work.sets:
            self._up[raised] = pipe.drained
            self._setters[raised] = (pipe.core, pipe.worked)
            self._ready += self._waiting[raised]
        if core.stands is pipe and pipe.place == core.next - 1:
            core.stands = None
            core.time = max(core.time, end)
            self._issue(core)

    def _note(self, pipe: PipeState, end: int) -> None:
        if self._keep:
            self._timed.append(
                Timed(
                    core=pipe.core,
                    place=pipe.place,
                    start=pipe.free,
                    end=end,
                    cause=pipe.cause,
                    behind=pipe.behind,
                )
            )
        pipe.worked = pipe.place
        pipe.cause, pipe.behind = "", -1
