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

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from tlcourse.simulator.instruction import Instruction
from tlcourse.simulator.machine import PIPES, Machine, Observer
from tlcourse.simulator.marks import Marks
from tlcourse.simulator.memory import Memory
from tlcourse.simulator.order import NoOrderError, Waits, program_order
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


@dataclass(frozen=True, kw_only=True, slots=True)
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


class _Accesses:
    """The last reads and writes of one memory, one row of marks per pipe."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.reads: dict[int, Marks] = {}
        self.writes: dict[int, Marks] = {}
        self.atomics: dict[int, Marks] = {}

    def rows(self, access: str) -> dict[int, Marks]:
        """The rows that an access leaves its mark in."""
        return {"read": self.reads, "write": self.writes, "atomic": self.atomics}[access]

    def against(self, access: str) -> list[tuple[dict[int, Marks], str]]:
        """The rows that an access must come after, and the hazard where it does not."""
        if access == "read":
            return [(self.writes, "RAW"), (self.atomics, "RAW")]
        plain = [(self.writes, "WAW"), (self.reads, "WAR")]
        return plain if access == "atomic" else [*plain, (self.atomics, "WAW")]

    def put(self, rows: dict[int, Marks], thread: int, tile: Tile, epoch: int) -> None:
        """Leaves a mark."""
        marks = rows.get(thread)
        if marks is None:
            marks = rows[thread] = Marks(self.memory)
        marks.fill(tile, epoch)


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
        self._accesses: dict[int, _Accesses] = {}
        self._count: Clock = []
        self._base: Clock = []
        self._start: list[Clock] = []
        self._history: list[list[_Past]] = []
        self._taken: dict[int, int] = {}
        self._issued: list[Instruction] = []
        self._number = 0
        self._waits: Waits = {}
        self._found = _Found(races=[], overflows=[])

    def issued(self, instruction: Instruction) -> None:
        self._issued.append(instruction)

    def finished(self, machine: Machine) -> None:
        """Goes through the block once more, in the order of the program text."""
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
        self._start = [self._base] * threads
        self._history = [[] for _ in range(threads)]
        self._taken = {}
        self._waits = waits
        self._found = _Found(races=[], overflows=[])
        for instruction in program_order(self._issued, waits):
            self._add(instruction)
        return self._found

    def _add(self, instruction: Instruction) -> None:
        pipe = instruction.pipe
        thread, scalar = pipe.thread, instruction.core.scalar.thread
        clock = self._start[thread]
        if self._start[scalar] is not clock:
            clock = join(clock, self._start[scalar])
        for token in self._waits.get(id(instruction), instruction.waits):
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
        touched = [
            *((tile, "read") for tile in instruction.reads),
            *((tile, "write") for tile in (*instruction.writes, *instruction.clobbers)),
        ]
        puts: list[tuple[_Accesses, str, Tile]] = []
        races: list[_Conflict] = []
        for tile, access in touched:
            accesses = self._of(tile)
            if accesses is None:
                continue
            if instruction.site.atomic and tile.memory.space == "gm":
                access = "atomic"
            for rows, hazard in accesses.against(access):
                races += self._races(rows, tile, clock, hazard)
            puts.append((accesses, access, tile))
        for accesses, access, tile in puts:
            rows = accesses.rows(access)
            accesses.put(rows, instruction.pipe.thread, tile, instruction.epoch)
        return self._report_races(instruction, races, clock) if races else clock

    def _races(
        self, rows: dict[int, Marks], tile: Tile, clock: Clock, hazard: str
    ) -> Iterator[_Conflict]:
        for thread, marks in rows.items():
            if marks.highest <= clock[thread]:
                continue
            last = int(marks.of(tile).max())
            if last > clock[thread]:
                past = self._history[thread][last - self._base[thread] - 1]
                yield _Conflict(past=past, tile=tile, hazard=hazard)

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

    def _of(self, tile: Tile) -> _Accesses | None:
        memory = tile.memory
        if tile.elements == 0 or not tile.is_in_memory():
            return None
        if memory.space == "gm" and id(memory) not in self._shared:
            return None
        found = self._accesses.get(id(memory))
        if found is None:
            found = self._accesses[id(memory)] = _Accesses(memory)
        return found
