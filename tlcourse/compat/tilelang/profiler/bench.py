"""`tilelang.profiler.bench`."""

from __future__ import annotations

from tlcourse.jit.bench import do_bench
from tlcourse.jit.elsewhere import asker as _asker

__all__ = ["do_bench"]

__getattr__ = _asker("tilelang.profiler.bench", __all__)
