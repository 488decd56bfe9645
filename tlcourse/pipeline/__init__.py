"""The compiler from end to end: which passes run, in which order, and what each of them left.

`order.py` is the order of passes on one screen. `compile_module` runs them; when traced, it
keeps the text of the module after each one.
"""

from __future__ import annotations

from tlcourse.pipeline.compiling import (
    Compilation,
    compile_module,
    lower_tile,
    lower_to_mlir,
)
from tlcourse.pipeline.failure import PassFailure
from tlcourse.pipeline.options import PassOptions
from tlcourse.pipeline.order import NPUIR_PASSES, TIR_PASSES, Setting, Step

__all__ = [
    "NPUIR_PASSES",
    "TIR_PASSES",
    "Compilation",
    "PassFailure",
    "PassOptions",
    "Setting",
    "Step",
    "compile_module",
    "lower_tile",
    "lower_to_mlir",
]
