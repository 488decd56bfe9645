"""Ascend chips as data: one file a family, a source for every number."""

from __future__ import annotations

from tlcourse.chips import ascend910_93, ascend910b
from tlcourse.chips.ascend910b import ASCEND_910B1
from tlcourse.chips.chip import Chip, Timing
from tlcourse.chips.constants import Constant, constants, with_constants

CHIPS: dict[str, Chip] = {chip.name: chip for chip in (*ascend910b.CHIPS, *ascend910_93.CHIPS)}
DEFAULT_CHIP = ASCEND_910B1

__all__ = [
    "CHIPS",
    "DEFAULT_CHIP",
    "Chip",
    "Constant",
    "Timing",
    "constants",
    "with_constants",
]
