"""`tilelang.math`."""

from __future__ import annotations

from tlcourse.jit.elsewhere import asker as _asker
from tlcourse.jit.host import cdiv, next_power_of_2

__all__ = ["cdiv", "next_power_of_2"]

__getattr__ = _asker("tilelang.math", __all__)
