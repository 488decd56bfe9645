"""`tilelang.engine.param`."""

from __future__ import annotations

from tlcourse.jit.elsewhere import asker as _asker
from tlcourse.jit.supply import KernelParam

__all__ = ["KernelParam"]

__getattr__ = _asker("tilelang.engine.param", __all__)
