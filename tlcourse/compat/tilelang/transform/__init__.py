"""`tilelang.transform`: the names of pass options."""

from __future__ import annotations

from tlcourse.jit.elsewhere import asker as _asker
from tlcourse.jit.pass_config import PassConfigKey

__all__ = ["PassConfigKey"]

__getattr__ = _asker("tilelang.transform", __all__)
