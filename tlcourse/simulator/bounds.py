"""Tiles that leave their tensor or their memory, checked for every instruction."""

from __future__ import annotations

from typing import Protocol

from tlcourse.simulator.instruction import Instruction
from tlcourse.simulator.machine import Observer
from tlcourse.simulator.tile import Outside, Tile


class BoundsReport(Protocol):
    """Takes what this check finds."""

    def outside(self, instruction: Instruction, tile: Tile, how: Outside, access: str) -> None:
        """A tile reaches outside."""
        ...


class Bounds(Observer):
    """Compares each tile with what it was cut from and with its memory."""

    def __init__(self, report: BoundsReport) -> None:
        self._report = report

    def issued(self, instruction: Instruction) -> None:
        for tile in instruction.reads:
            self._check(instruction, tile, "reads")
        for tile in instruction.writes:
            self._check(instruction, tile, "writes")

    def _check(self, instruction: Instruction, tile: Tile, access: str) -> None:
        how = tile.leaves()
        if how is not None:
            self._report.outside(instruction, tile, how, access)
