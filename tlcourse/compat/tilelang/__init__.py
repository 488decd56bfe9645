"""`import tilelang`: the host API of ours under upstream's names, and the device it runs on.

Names of upstream that are not here are not served yet, and say so by an AttributeError.
"""

from __future__ import annotations

from tlcourse import __version__ as _ours
from tlcourse import device as _device
from tlcourse.jit import compile, jit, lower
from tlcourse.jit.cache import disable_cache, enable_cache, is_cache_enabled
from tlcourse.jit.host import cdiv, next_power_of_2, set_log_level
from tlcourse.jit.pass_config import PassConfigKey

from . import cache, engine, language, math, utils

# On hardware `import torch` alone loads torch_npu, so scripts call .npu() without importing it.
_device.install()

__version__ = f"0.1.2+tlcourse.{_ours}"  # upstream's version whose API this follows

__all__ = [
    "PassConfigKey",
    "__version__",
    "cache",
    "cdiv",
    "compile",
    "disable_cache",
    "enable_cache",
    "engine",
    "is_cache_enabled",
    "jit",
    "language",
    "lower",
    "math",
    "next_power_of_2",
    "set_log_level",
    "utils",
]
