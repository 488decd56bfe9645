"""`tilelang.carver`: tile sizes worth trying, from the sizes of a problem and of the chip.

A template lists tile sizes that fit the chip's memories and ranks them by a simple cost:
bytes moved by the busiest core. The hints are where autotuning starts; the simulator or the
hardware has the last word.
"""

from __future__ import annotations

from tlcourse.jit.carver.hints import Hint
from tlcourse.jit.carver.templates import (
    ElementwiseTemplate,
    GEMVTemplate,
    GeneralReductionTemplate,
    MatmulTemplate,
)

__all__ = [
    "ElementwiseTemplate",
    "GEMVTemplate",
    "GeneralReductionTemplate",
    "Hint",
    "MatmulTemplate",
]
