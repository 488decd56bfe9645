"""`tilelang.carver.anneal`."""

from __future__ import annotations

from tlcourse.jit.carver.anneal import Annealparam, AnnealTemplate, Config
from tlcourse.jit.elsewhere import asker as _asker

__all__ = ["AnnealTemplate", "Annealparam", "Config"]

__getattr__ = _asker("tilelang.carver.anneal", __all__)
