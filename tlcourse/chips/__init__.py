"""Ascend chips as data: one file a chip, a source for every number."""

from __future__ import annotations

from tlcourse.chips.ascend910b1 import ASCEND_910B1
from tlcourse.chips.chip import Chip, Timing

CHIPS: dict[str, Chip] = {chip.name: chip for chip in (ASCEND_910B1,)}
DEFAULT_CHIP = ASCEND_910B1

__all__ = ["CHIPS", "DEFAULT_CHIP", "Chip", "Timing"]
