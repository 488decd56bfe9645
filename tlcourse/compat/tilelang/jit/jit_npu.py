"""`tilelang.jit.jit_npu`: the class of kernel objects."""

from __future__ import annotations

from tlcourse.jit.elsewhere import asker as _asker
from tlcourse.jit.kernel import Kernel as JitKernel_NPU

__all__ = ["JitKernel_NPU"]

__getattr__ = _asker("tilelang.jit.jit_npu", __all__)
