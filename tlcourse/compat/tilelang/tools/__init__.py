"""`tilelang.tools`: what looks into a compile."""

from __future__ import annotations

from tlcourse.jit.elsewhere import asker as _asker

__all__: list[str] = []

__getattr__ = _asker("tilelang.tools", __all__)
