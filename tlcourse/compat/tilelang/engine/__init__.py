"""`tilelang.engine`."""

from __future__ import annotations

from tlcourse.jit.decorator import lower
from tlcourse.jit.elsewhere import asker as _asker

__all__ = ["lower"]

__getattr__ = _asker("tilelang.engine", __all__)
