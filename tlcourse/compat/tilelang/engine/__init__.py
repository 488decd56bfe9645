"""`tilelang.engine`."""

from __future__ import annotations

from tlcourse.jit import lower

__all__ = ["lower"]
