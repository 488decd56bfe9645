"""`tilelang.carver.template`."""

from __future__ import annotations

from tlcourse.jit.carver import (
    ElementwiseTemplate,
    GEMVTemplate,
    GeneralReductionTemplate,
    MatmulTemplate,
)
from tlcourse.jit.elsewhere import asker as _asker

__all__ = ["ElementwiseTemplate", "GEMVTemplate", "GeneralReductionTemplate", "MatmulTemplate"]

__getattr__ = _asker("tilelang.carver.template", __all__)
