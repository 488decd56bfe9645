"""`tilelang.jit` as a package; the name `tilelang.jit` itself is the decorator."""

from __future__ import annotations

from tlcourse.jit import compile, jit
from tlcourse.jit.elsewhere import asker as _asker

from .jit_npu import JitKernel_NPU

__all__ = ["JitKernel_NPU", "compile", "jit"]

__getattr__ = _asker("tilelang.jit", __all__)
