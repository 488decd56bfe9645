"""Tiles of one instruction that do not fit each other."""

from __future__ import annotations

from typing import Protocol

from tlcourse.simulator.instruction import Instruction
from tlcourse.simulator.machine import Observer
from tlcourse.simulator.tile import Tile


class AgreementReport(Protocol):
    """Takes what this check finds."""

    def disagree(self, instruction: Instruction, source: Tile, target: Tile) -> None:
        """Source and destination do not pair element with element."""
        ...


class Agreement(Observer):
    """Compares the extents of each source with those of the destination.

    A vector op may repeat a source along an extent of 1, and may reduce to one; a move may
    not. What does not fit is not computed.
    """

    def __init__(self, report: AgreementReport) -> None:
        self._report = report

    def issued(self, instruction: Instruction) -> None:
        kind = instruction.site.kind
        if kind not in ("vector", "dma") or instruction.site.arranges:
            return
        for target in instruction.writes:
            for source in instruction.reads:
                if not _fits(source.sizes, target.sizes, stretches=kind == "vector"):
                    self._report.disagree(instruction, source, target)
                    instruction.run = None
                    return


def _fits(source: tuple[int, ...], target: tuple[int, ...], *, stretches: bool) -> bool:
    if source == target:
        return True
    if len(source) != len(target) or not stretches:
        return False
    return all(s == t or s == 1 or t == 1 for s, t in zip(source, target, strict=True))
