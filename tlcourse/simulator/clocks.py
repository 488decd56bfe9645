"""Races, by vector clocks: did an earlier access certainly end before a later one starts?

Each pipe counts its instructions. A clock says, for every pipe of the machine, up to which
instruction all work is complete. A flag carries the setter's clock to the waiter, an issued
instruction starts after what the scalar unit has waited for, and S, M, FIX and MTE1 complete
in order. The answer does not depend on the order in which the simulator ran the pipes.

A race is reported once and then treated as if its flag were there, so that one missing flag
does not drag along everything that it would have ordered. Where a wait is missing for which the
flag is raised, all later waits take the wrong raise; `repair` puts the wait back and looks
again, and what is not there any more was a consequence.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from tlcourse.simulator.instruction import Instruction
from tlcourse.simulator.machine import PIPES, Machine, Observer
from tlcourse.simulator.order import NoOrderError, Waits, program_order
from tlcourse.simulator.places import Last, Places, Touched
from tlcourse.simulator.repair import Race, Repair, repairs
from tlcourse.simulator.sync import Token
from tlcourse.simulator.tile import Tile

Clock = list[int]


class RaceReport(Protocol):
    """Takes what the clocks find."""

    def race(self, earlier: Instruction, later: Instruction, tile: Tile, hazard: str) -> None:
        """Two accesses are not ordered; `hazard` is RAW, WAR or WAW."""
        ...

    def overflow(self, instruction: Instruction, pending: int) -> None:
        """A cross-core flag may hold more raises than its counter can."""
        ...


def join(clock: Clock, other: Clock) -> Clock:
    """The clock that knows what both know."""
    return [a if a > b else b for a, b in zip(clock, other, strict=True)]


@dataclass(kw_only=True, slots=True)
class _Past:
    """An instruction that was checked: its place in the check, and what is known behind it."""

    number: int
    instruction: Instruction
    done: Clock


@dataclass(frozen=True, kw_only=True, slots=True)
class _Conflict:
    """An access that nothing orders behind a past one."""

    past: _Past
    tile: Tile
    hazard: str


@dataclass(kw_only=True, slots=True)
class _Found:
    """What one look at a block gave: races, and raises that a counter may be too small for."""

    races: list[Race]
    overflows: list[tuple[Instruction, int]]


_NOTHING: Last = {}
# What an access must come after, and the hazard where it does not.
_AGAINST: dict[str, tuple[tuple[str, str], ...]] = {
    "read": (("write", "RAW"), ("atomic", "RAW")),
    "write": (("write", "WAW"), ("read", "WAR"), ("atomic", "WAW")),
    "atomic": (("write", "WAW"), ("read", "WAR")),
}


class Races(Observer):
    """Checks each instruction of a finished block against all earlier ones on the same bytes.

    Args:
        report: told of every race.
        shared: ids of GM memories that the kernel writes; others cannot race.
        flag_limit: pending raises that a cross-core counter holds.
    """

    def __init__(self, report: RaceReport, *, shared: frozenset[int], flag_limit: int) -> None:
        self._report = report
        self._shared = shared
        self._flag_limit = flag_limit
        self._places: dict[int, Places] = {}
        self._count: Clock = []
        self._base: Clock = []
        self._start: list[Clock] = []
        self._joined: list[Clock] = []
        self._history: list[list[_Past]] = []
        self._taken: dict[int, int] = {}
        self._issued: list[Instruction] = []
        self._number = 0
        self._waits: Waits = {}
        self._found = _Found(races=[], overflows=[])
        # Of the block that was checked last, in the order of the program text.
        self.order: list[Instruction] = []

    def issued(self, instruction: Instruction) -> None:
        self._issued.append(instruction)

    def finished(self, machine: Machine) -> None:
        """Goes through the block once more, in the order of the program text."""
        self.order = []
        found = self._look(machine, {})
        waits: Waits = {}
        while (mended := self._without_one_cause(machine, found, waits)) is not None:
            root, waits, found = mended
            self._tell(root)
        self._tell(found.races)
        for instruction, pending in found.overflows:
            self._report.overflow(instruction, pending)
        self._issued = []

    def _tell(self, races: Sequence[Race]) -> None:
        for race in races:
            self._report.race(race.earlier, race.later, race.tile, race.hazard)

    def _without_one_cause(
        self, machine: Machine, found: _Found, waits: Waits
    ) -> tuple[list[Race], Waits, _Found] | None:
        """The races of one missing wait, and what is found with that wait in its place."""
        best: tuple[int, Repair, _Found] | None = None
        for repair in repairs(found.races, machine, self._issued, waits):
            try:
                left = self._look(machine, repair.waits)
            except NoOrderError:
                continue
            count = len({race.places for race in left.races})
            if best is None or count < best[0]:
                best = count, repair, left
        if best is None or best[0] >= len({race.places for race in found.races}):
            return None
        _, repair, left = best
        return [race for race in found.races if repair.mends(race)], repair.waits, left

    def _look(self, machine: Machine, waits: Waits) -> _Found:
        """Goes through the block, with other waits than its own where there are any."""
        threads = len(machine.cores) * len(PIPES)
        self._count += [0] * (threads - len(self._count))
        self._base = list(self._count)
        # Each block has its own places in GM.
        self._places = {m: p for m, p in self._places.items() if m not in self._shared}
        self._start = [self._base] * threads
        # By pipe: what the scalar unit knew when it issued last.
        self._joined = [self._base] * threads
        self._history = [[] for _ in range(threads)]
        self._taken = {}
        self._waits = waits
        self._found = _Found(races=[], overflows=[])
        for instruction in program_order(self._issued, waits):
            self._add(instruction)
            if not waits:
                self.order.append(instruction)
        return self._found

    def _add(self, instruction: Instruction) -> None:
        pipe = instruction.pipe
        thread, scalar = pipe.thread, instruction.core.scalar.thread
        clock = self._start[thread]
        issued = self._start[scalar]
        if issued is not clock and issued is not self._joined[thread]:
            clock = join(clock, issued)
            self._joined[thread] = issued
        for token in self._waits.get(id(instruction), instruction.waits):
            setter = token.setter
            # Who knows an instruction of a pipe knows what was known there.
            if setter is None or clock[setter.pipe.thread] < setter.epoch:
                clock = join(clock, token.clock)
        if (pipe.in_order or instruction.barrier) and clock[thread] != self._count[thread]:
            clock = list(clock)
            clock[thread] = self._count[thread]
        self._count[thread] += 1
        instruction.epoch = self._count[thread]
        if instruction.reads or instruction.writes:
            clock = self._check(instruction, clock)
        self._start[thread] = clock
        done = list(clock)
        done[thread] = instruction.epoch
        self._number += 1
        past = _Past(number=self._number, instruction=instruction, done=done)
        self._history[thread].append(past)
        if thread == scalar:
            self._start[thread] = done
        for token in instruction.sets:
            token.clock = done
            self._count_raises(instruction, token)

    def _count_raises(self, instruction: Instruction, token: Token) -> None:
        """Compares the raises of a cross-core flag with the waits that are certainly over."""
        flag = token.flag
        if flag is None or not flag.key.is_between_cores:
            return
        taken = self._taken.get(id(flag), 0)
        while taken < token.index and self._is_past(flag.tokens[taken].waiter, token.clock):
            taken += 1
        self._taken[id(flag)] = taken
        if token.index + 1 - taken > self._flag_limit:
            self._found.overflows.append((instruction, token.index + 1 - taken))

    def _is_past(self, waiter: Instruction | None, clock: Clock) -> bool:
        return waiter is not None and 0 < waiter.epoch <= clock[waiter.pipe.thread]

    def _check(self, instruction: Instruction, clock: Clock) -> Clock:
        """Compares all tiles, then leaves the marks: an instruction has no race with itself.

        Gives back the clock that the missing flags would have given.
        """
        puts: list[Last] = []
        races: list[_Conflict] = []
        for tile in instruction.reads:
            self._touch(instruction, tile, "read", clock, puts, races)
        for tile in (*instruction.writes, *instruction.clobbers):
            self._touch(instruction, tile, "write", clock, puts, races)
        thread, epoch = instruction.pipe.thread, instruction.epoch
        for last in puts:
            last[thread] = epoch
        return self._report_races(instruction, races, clock) if races else clock

    def _touch(
        self,
        instruction: Instruction,
        tile: Tile,
        access: str,
        clock: Clock,
        puts: list[Last],
        races: list[_Conflict],
    ) -> None:
        """Compares one tile with what was touched before, and says where its mark belongs."""
        place = self._place_of(tile)
        if place is None:
            return
        if instruction.site.atomic and tile.memory.space == "gm":
            access = "atomic"
        for kind, hazard in _AGAINST[access]:
            for thread, last in _unordered(place, kind, clock).items():
                past = self._history[thread][last - self._base[thread] - 1]
                races.append(_Conflict(past=past, tile=tile, hazard=hazard))
        puts.append(getattr(place, access))

    def _report_races(
        self, instruction: Instruction, races: list[_Conflict], clock: Clock
    ) -> Clock:
        """Latest first: the flag that is missing there would order the others as well."""
        for race in sorted(races, key=lambda race: -race.past.number):
            earlier = race.past.instruction
            if earlier.epoch > clock[earlier.pipe.thread]:
                self._found.races.append(
                    Race(earlier=earlier, later=instruction, tile=race.tile, hazard=race.hazard)
                )
                clock = join(clock, race.past.done)
        return clock

    def _place_of(self, tile: Tile) -> Touched | None:
        memory = tile.memory
        places = self._places.get(id(memory))
        if places is None:
            if memory.space == "gm" and id(memory) not in self._shared:
                return None
            places = self._places[id(memory)] = Places(memory)
        return places.of(tile) if tile.elements and tile.is_in_memory() else None


def _unordered(place: Touched, kind: str, clock: Clock) -> Last:
    """By pipe: the last access of a kind to what a place has, where nothing orders it."""
    found = _NOTHING
    for near in place.near:
        last: Last = getattr(near, kind)
        for thread, epoch in last.items():
            if epoch > clock[thread] and epoch > found.get(thread, 0):
                found = {**found, thread: epoch}
    return found
