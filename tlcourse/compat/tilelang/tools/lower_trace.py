"""`tilelang.tools.lower_trace`, as later versions of upstream have it."""

from __future__ import annotations

from tlcourse.jit.elsewhere import asker as _asker
from tlcourse.jit.lower_trace import disable, enable, lower_trace, reset

__all__ = ["disable", "enable", "lower_trace", "reset"]

__getattr__ = _asker("tilelang.tools.lower_trace", __all__)
