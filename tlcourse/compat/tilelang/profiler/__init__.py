"""`tilelang.profiler`."""

from __future__ import annotations

from tlcourse.jit.bench import do_bench
from tlcourse.jit.elsewhere import asker as _asker
from tlcourse.jit.profiler import Profiler
from tlcourse.jit.supply import TensorSupplyType

__all__ = ["Profiler", "TensorSupplyType", "do_bench"]

__getattr__ = _asker("tilelang.profiler", __all__)
