"""How far a result may lie from torch's, by dtype: the only place where tolerances stand."""

from __future__ import annotations

from types import MappingProxyType

TOLERANCE = MappingProxyType({"float16": 1e-3, "bfloat16": 2e-2, "float32": 1e-4, "float64": 1e-10})
"""Absolute and relative tolerance of each float dtype."""


def tolerance(dtype: str) -> float:
    """The tolerance of a TileLang dtype; integers and bool must be exact."""
    return TOLERANCE.get(dtype, 0.0)
