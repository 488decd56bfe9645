"""Races, by vector clocks: did an earlier access certainly end before a later one starts?

Each pipe counts its instructions. A clock says, for every pipe of the machine, up to which
instruction all work is complete. A flag carries the setter's clock to the waiter, an issued
instruction starts after what the scalar unit has waited for, and S, M, FIX and MTE1 complete
in order. The answer does not depend on the order in which the simulator ran the pipes.
"""

from __future__ import annotations

from typing import Protocol

from tlcourse.simulator.instruction import Instruction
from tlcourse.simulator.machine import PIPES, Machine, Observer
from tlcourse.simulator.marks import Marks
from tlcourse.simulator.memory import Memory
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
        marks = rows.get(thread)
        if marks is None:
            marks = rows[thread] = Marks(self.memory)
        marks.fill(tile, epoch)


class Races(Observer):
    """Checks each executed instruction against all earlier ones on the same bytes.

    Args:
        report: told of every race.
        shared: GM memories that the kernel writes; others cannot race.
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
        self._history: list[list[Instruction]] = []
        self._taken: dict[int, int] = {}

    def begin(self, machine: Machine) -> None:
        """Starts a machine; whatever earlier machines did is complete."""
        threads = len(machine.cores) * len(PIPES)
        self._count += [0] * (threads - len(self._count))
        self._base = list(self._count)
        self._start = [self._base] * threads
        self._history = [[] for _ in range(threads)]
        self._taken = {}

    def issued(self, instruction: Instruction) -> None:
        instruction.issue_clock = self._start[instruction.core.scalar.thread]

    def executed(self, instruction: Instruction) -> None:
        pipe = instruction.pipe
        thread = pipe.thread
        clock = self._start[thread]
        if instruction.issue_clock is not clock:
            clock = join(clock, instruction.issue_clock)
        for token in instruction.waits:
            clock = join(clock, token.clock)
        if (pipe.in_order or instruction.barrier) and clock[thread] != self._count[thread]:
            clock = list(clock)
            clock[thread] = self._count[thread]
        self._start[thread] = clock
        self._count[thread] += 1
        instruction.epoch = self._count[thread]
        self._history[thread].append(instruction)
        if instruction.reads or instruction.writes:
            self._check(instruction, clock)
        if thread == instruction.core.scalar.thread or instruction.sets:
            done = list(clock)
            done[thread] = instruction.epoch
            if thread == instruction.core.scalar.thread:
                self._start[thread] = done
            self._hand_over(instruction, done)

    def _hand_over(self, instruction: Instruction, clock: Clock) -> None:
        for token in instruction.sets:
            token.clock = clock
            flag = token.flag
            if flag is None or not flag.key.is_between_cores:
                continue
            taken = self._taken.get(id(flag), 0)
            while taken < token.index and self._is_past(flag.tokens[taken].waiter, clock):
                taken += 1
            self._taken[id(flag)] = taken
            if token.index + 1 - taken > self._flag_limit:
                self._report.overflow(instruction, token.index + 1 - taken)

    def _is_past(self, waiter: Instruction | None, clock: Clock) -> bool:
        return waiter is not None and waiter.done and waiter.epoch <= clock[waiter.pipe.thread]

    def _check(self, instruction: Instruction, clock: Clock) -> None:
        """Compares all tiles first: what an instruction does to itself is no race."""
        touched = [
            *((tile, "read") for tile in instruction.reads),
            *((tile, "write") for tile in (*instruction.writes, *instruction.clobbers)),
        ]
        puts: list[tuple[dict[int, Marks], _Accesses, Tile]] = []
        for tile, access in touched:
            accesses = self._of(tile)
            if accesses is None:
                continue
            if instruction.site.atomic and tile.memory.space == "gm":
                access = "atomic"
            for rows, hazard in accesses.against(access):
                self._compare(rows, instruction, tile, clock, hazard)
            puts.append((accesses.rows(access), accesses, tile))
        for rows, accesses, tile in puts:
            accesses.put(rows, instruction.pipe.thread, tile, instruction.epoch)

    def _compare(
        self,
        rows: dict[int, Marks],
        instruction: Instruction,
        tile: Tile,
        clock: Clock,
        hazard: str,
    ) -> None:
        for thread, marks in rows.items():
            last = int(marks.of(tile).max())
            if last > clock[thread]:
                earlier = self._history[thread][last - self._base[thread] - 1]
                self._report.race(earlier, instruction, tile, hazard)

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
