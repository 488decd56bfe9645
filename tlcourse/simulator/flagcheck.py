"""Flags used against their nature: raised twice, never waited for, with an id that is not there.

A flag inside a core is one bit, so in the order of issue a raise must be taken down before
the next one. At the end of a block every flag must be down, or the next block on the core
does not wait when it should.
"""

from __future__ import annotations

from typing import Protocol

from tlcourse.chips import Chip
from tlcourse.simulator.instruction import Instruction
from tlcourse.simulator.machine import Machine, Observer
from tlcourse.simulator.sync import Flag, FlagKey


class FlagReport(Protocol):
    """Takes what this check finds."""

    def raised_twice(self, instruction: Instruction, first: Instruction, key: FlagKey) -> None:
        """A flag is raised while it is up."""
        ...

    def left_up(self, instruction: Instruction, key: FlagKey, count: int) -> None:
        """A flag is up at the end of a block; `instruction` raised it."""
        ...

    def bad_flag_id(self, instruction: Instruction, key: FlagKey) -> None:
        """A flag id is outside what the chip has."""
        ...


class FlagCheck(Observer):
    """Checks every set and wait when it is issued, and all flags at the end of a block."""

    def __init__(self, report: FlagReport, *, chip: Chip) -> None:
        self._report = report
        self._chip = chip

    def issued(self, instruction: Instruction) -> None:
        for token in (*instruction.sets, *instruction.waits):
            flag = token.flag
            if flag is not None and not 0 <= flag.key.flag < self._ids(flag.key):
                self._report.bad_flag_id(instruction, flag.key)
        for token in instruction.sets:
            if token.flag is not None and not token.flag.key.is_between_cores:
                self._check_bit(instruction, token.flag)

    def finished(self, machine: Machine) -> None:
        for flag in machine.flags.all.values():
            if flag.sets > flag.waits:
                setter = flag.tokens[flag.waits].setter
                assert setter is not None
                self._report.left_up(setter, flag.key, flag.sets - flag.waits)

    def _check_bit(self, instruction: Instruction, flag: Flag) -> None:
        if flag.sets - flag.waits < 2:
            return
        first = flag.tokens[flag.waits].setter
        assert first is not None
        self._report.raised_twice(instruction, first, flag.key)

    def _ids(self, key: FlagKey) -> int:
        return self._chip.cross_core_flag_ids if key.is_between_cores else self._chip.event_ids
