"""`tilelang.autotuner`."""

from __future__ import annotations

from tlcourse.jit.elsewhere import asker as _asker
from tlcourse.jit.tuning.arguments import AutotuneResult
from tlcourse.jit.tuning.decorator import autotune
from tlcourse.jit.tuning.tuner import AutoTuner

__all__ = ["AutoTuner", "AutotuneResult", "autotune"]

__getattr__ = _asker("tilelang.autotuner", __all__)
