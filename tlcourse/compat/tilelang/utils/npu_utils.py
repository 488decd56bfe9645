"""`tilelang.utils.npu_utils`."""

from __future__ import annotations

from tlcourse.jit.host import NPUUtils

__all__ = ["NPUUtils"]
