"""`tilelang.utils.npu_utils`."""

from __future__ import annotations

from tlcourse.jit.elsewhere import asker as _asker
from tlcourse.jit.host import NPUUtils

__all__ = ["NPUUtils"]

__getattr__ = _asker("tilelang.utils.npu_utils", __all__)
