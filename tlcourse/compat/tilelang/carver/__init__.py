"""`tilelang.carver`: tile sizes worth trying."""

from __future__ import annotations

from tlcourse.jit.carver import (
    ElementwiseTemplate,
    GEMVTemplate,
    GeneralReductionTemplate,
    Hint,
    MatmulTemplate,
)
from tlcourse.jit.elsewhere import asker as _asker

__all__ = [
    "ElementwiseTemplate",
    "GEMVTemplate",
    "GeneralReductionTemplate",
    "Hint",
    "MatmulTemplate",
]

__getattr__ = _asker("tilelang.carver", __all__)
