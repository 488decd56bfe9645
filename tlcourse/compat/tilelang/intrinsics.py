"""`tilelang.intrinsics`: nothing of it is here; each name says what to use instead."""

from __future__ import annotations

from tlcourse.jit.elsewhere import asker as _asker

__getattr__ = _asker("tilelang.intrinsics")
