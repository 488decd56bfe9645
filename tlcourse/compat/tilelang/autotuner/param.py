"""`tilelang.autotuner.param`."""

from __future__ import annotations

from tlcourse.jit.elsewhere import asker as _asker
from tlcourse.jit.tuning.arguments import AutotuneResult, CompileArgs, ProfileArgs

__all__ = ["AutotuneResult", "CompileArgs", "ProfileArgs"]

__getattr__ = _asker("tilelang.autotuner.param", __all__)
