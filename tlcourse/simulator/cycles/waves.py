"""Blocks over cores: which slot runs which block, and when each slot comes to its end.

A slot is what runs one block at a time: a vector core for a vector kernel, else a core group.
Block i starts on slot i; each further one goes to the slot that is free first, a little after
the block before it. Blocks of one class that begin alike take equally long, so that each case
is timed once.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from tlcourse.chips import Chip
from tlcourse.simulator.cycles.costs import Cost, costs_of
from tlcourse.simulator.cycles.engine import StreamTime, time_stream
from tlcourse.simulator.cycles.pools import Pools, least_cycles, pools_of
from tlcourse.simulator.cycles.stream import Recording

# Trials for the parts that streams leave each other, and how near they come: 1 %.
_TRIES = 3
_NEAR = 100


@dataclass(frozen=True, kw_only=True, slots=True)
class Turn:
    """A block on a slot.

    Args:
        block: its number.
        starts: when each of its cores begins, counted from the end of the launch.
        ends: when each comes to its end.
        sharers: how many blocks run at the same time.
    """

    block: int
    starts: tuple[int, ...]
    ends: tuple[int, ...]
    sharers: int


def slots_of(chip: Chip, kind: str) -> int:
    """How many blocks run at a time: a vector kernel's block takes one vector core."""
    return chip.core_groups * (chip.vector_cores_per_group if kind == "vector" else 1)


class Waves:
    """Times the blocks of a launch; what is alike is timed once.

    Args:
        recording: the launch.
        chip: constants.
        cold: L2 is empty at the start.
    """

    def __init__(self, recording: Recording, chip: Chip, *, cold: bool) -> None:
        self._recording = recording
        self._chip = chip
        self._costs: list[Cost] = costs_of(recording, chip, cold=cold)
        self._written = _written_part(recording, cold=cold)
        self._pools: dict[tuple[int, int], Pools] = {}
        self._known: dict[tuple[int, int, tuple[int, ...]], StreamTime] = {}
        self.slots = min(slots_of(chip, recording.kind), max(recording.blocks, 1))

    def last(self) -> list[Turn]:
        """The blocks of the slot that ends last, the first one where several do."""
        return max(self._slots, key=_end) if self._slots else []

    def cycles(self) -> int:
        """When the last slot comes to its end, counted from the end of the launch."""
        return max(map(_end, self._slots), default=0)

    @cached_property
    def _slots(self) -> list[list[Turn]]:
        """The blocks of each slot in order; of slots that are alike only the first."""
        if not self._recording.streams:
            return []
        if self._is_together():
            return [[self._turn(0, (), 1)]]
        if len(self._recording.streams) == 1:
            return [self._chain(0)]
        return self._dealt()

    def limits(self) -> tuple[int, int]:
        """The largest of the two bounds of any block; see `timing.limits`."""
        places = range(len(self._recording.streams))
        pairs = [self._limits(place, self.slots) for place in places]
        return max(fast for fast, _ in pairs), max(least for _, least in pairs)

    def slot_of(self, block: int) -> list[Turn]:
        """The blocks of the slot that runs a block."""
        if self._is_together():
            return self._slots[0]
        if len(self._recording.streams) == 1:
            return self._chain(block % self.slots)
        return next(turns for turns in self._slots if block in {t.block for t in turns})

    def time(self, turn: Turn, *, keep: bool) -> StreamTime:
        """The times of a turn, counted from the first of its starts."""
        first = min(turn.starts)
        shifts = tuple(start - first for start in turn.starts)
        return self._time(turn.block, shifts, turn.sharers, keep=keep)

    def _is_together(self) -> bool:
        return self._recording.streams[0].slots > 1

    def _chain(self, slot: int) -> list[Turn]:
        """The blocks of a slot where all are alike; slot 0 has as many as any other."""
        found: list[Turn] = []
        starts: tuple[int, ...] = ()
        for block in range(slot, self._recording.blocks, self.slots):
            found.append(self._turn(block, starts, self._sharers(block)))
            starts = self._next_starts(found[-1].ends)
        return found

    def _dealt(self) -> list[list[Turn]]:
        """Every block on the slot that is free first."""
        found: list[list[Turn]] = [[] for _ in range(self.slots)]
        free = [(0, slot) for slot in range(self.slots)]
        for block in range(self._recording.blocks):
            _, slot = heapq.heappop(free)
            before = found[slot]
            starts = self._next_starts(before[-1].ends) if before else ()
            turn = self._turn(block, starts, self._sharers(block))
            before.append(turn)
            heapq.heappush(free, (max(turn.ends), slot))
        return found

    def _sharers(self, block: int) -> int:
        """Blocks at work beside a block: the last wave may be a small one."""
        return min(self.slots, self._recording.blocks - block // self.slots * self.slots)

    def _next_starts(self, ends: Sequence[int]) -> tuple[int, ...]:
        timing = self._chip.timing
        if timing.blocks_wait_for_group:
            return (max(ends) + timing.block_cycles,) * len(ends)
        return tuple(end + timing.block_cycles for end in ends)

    def _turn(self, block: int, starts: tuple[int, ...], sharers: int) -> Turn:
        cores = len(self._recording.streams[self._recording.class_of[block]].cores)
        begins = starts or (0,) * cores
        first = min(begins)
        shifts = tuple(start - first for start in begins)
        time = self._time(block, shifts, sharers, keep=False)
        ends = tuple(first + end for end in time.ends)
        return Turn(block=block, starts=begins, ends=ends, sharers=sharers)

    def _time(self, block: int, shifts: tuple[int, ...], sharers: int, *, keep: bool) -> StreamTime:
        place = self._recording.class_of[block]
        key = (place, sharers, shifts)
        found = self._known.get(key)
        if found is None or (keep and not found.timed):
            found = self._known[key] = time_stream(
                self._recording.streams[place],
                self._costs,
                self._chip,
                self._pools_of(place, sharers),
                starts=shifts,
                keep=keep,
            )
        return found

    def _pools_of(self, place: int, sharers: int) -> Pools:
        found = self._pools.get((place, sharers))
        if found is None:
            found = self._pools[place, sharers] = self._crowded(place, sharers)
        return found

    def _crowded(self, place: int, sharers: int) -> Pools:
        """The parts of one of `sharers` equal streams.

        They do not move in step: while one computes, others have its part. Their parts are
        the largest with which all together move no more than the chip carries.
        """
        even = self._parts(sharers, 1.0)
        low, high = 1.0 / sharers, 1.0
        fast, least = self._limits(place, sharers)
        if fast >= least:
            return self._parts(sharers, low)
        slow = self._cycles(place, even)
        for _ in range(_TRIES):
            if slow - least <= least // _NEAR or slow == fast:
                break
            crowd = low + (high - low) * (least - fast) / (slow - fast)
            now = self._cycles(place, self._parts(sharers, crowd))
            if abs(now - least) <= least // _NEAR:
                return self._parts(sharers, crowd)
            if now >= least:
                high, slow = crowd, now
            else:
                low, fast = crowd, now
        return self._parts(sharers, high)

    def _limits(self, place: int, sharers: int) -> tuple[int, int]:
        """Cycles with all of the chip, and the least with an even part of it."""
        stream = self._recording.streams[place]
        fast = self._cycles(place, self._parts(sharers, 1.0 / sharers))
        return fast, least_cycles(stream, self._costs, self._parts(sharers, 1.0))

    def _parts(self, sharers: int, crowd: float) -> Pools:
        return pools_of(self._chip, sharers, written=self._written, crowd=crowd)

    def _cycles(self, place: int, pools: Pools) -> int:
        stream = self._recording.streams[place]
        return max(time_stream(stream, self._costs, self._chip, pools, keep=False).ends)


def _end(turns: Sequence[Turn]) -> int:
    return max(turns[-1].ends) if turns else 0


def _written_part(recording: Recording, *, cold: bool) -> float:
    """Of what goes over HBM, the part that is written."""
    missing = [use.missing_cold if cold else use.missing_warm for use in recording.tensors]
    written = sum(
        miss * use.written_bytes / use.moved_bytes
        for miss, use in zip(missing, recording.tensors, strict=True)
        if miss
    )
    return written / max(sum(missing), 1)
