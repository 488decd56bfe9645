"""Tiles that leave their tensor or their memory, or start inside a slot of UB."""

from __future__ import annotations

from typing import Protocol

from tlcourse.simulator.instruction import Instruction
from tlcourse.simulator.machine import Observer
from tlcourse.simulator.memory import GRANULE_BYTES
from tlcourse.simulator.tile import Outside, Tile


class BoundsReport(Protocol):
    """Takes what this check finds."""

    def outside(self, instruction: Instruction, tile: Tile, how: Outside, access: str) -> None:
        """A tile reaches outside."""
        ...

    def misaligned(self, instruction: Instruction, tile: Tile, start: int) -> None:
        """A transfer starts that many bytes behind the start of a slot of UB."""
        ...


class Bounds(Observer):
    """Compares each tile with what it was cut from, with its memory and with the slots of UB."""

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
        elif tile.memory.space == "ub" and _goes_by_slots(instruction):
            start = tile.span_bytes()[0] % GRANULE_BYTES
            if start and tile.elements:
                self._report.misaligned(instruction, tile, int(start))


def _goes_by_slots(instruction: Instruction) -> bool:
    """Whether it is a transfer between GM and UB; scalar code loads and stores elements."""
    return instruction.site.kind == "dma" and instruction.site.op in ("load", "store")
