"""`import tilelang`: the host API of ours under upstream's names, and the device it runs on.

Names of upstream that are not here are refused with what to use instead.
"""

from __future__ import annotations

from tlcourse import device as _device
from tlcourse import jit as _ours
from tlcourse.jit.cache import disable_cache, enable_cache, is_cache_enabled
from tlcourse.jit.elsewhere import asker as _asker
from tlcourse.jit.host import cdiv, next_power_of_2, set_log_level
from tlcourse.jit.pass_config import PassConfigKey
from tlcourse.jit.profiler import Profiler
from tlcourse.jit.supply import TensorSupplyType
from tlcourse.jit.tuning.decorator import autotune

from . import (
    autotuner,
    cache,
    carver,
    engine,
    intrinsics,
    language,
    layout,
    math,
    primitives,
    profiler,
    testing,
    transform,
    tvm,
    utils,
    version,
)
from . import env as _env
from . import jit as _package
from .version import __version__

# On hardware `import torch` alone loads torch_npu, so scripts call .npu() without importing it.
_device.install()

# These stand behind their packages of the same name, as upstream has it.
jit, compile, lower = _ours.jit, _ours.compile, _ours.lower
env = _env.env
JitKernel_NPU = _package.JitKernel_NPU

__all__ = [
    "JitKernel_NPU",
    "PassConfigKey",
    "Profiler",
    "TensorSupplyType",
    "__version__",
    "autotune",
    "autotuner",
    "cache",
    "carver",
    "cdiv",
    "compile",
    "disable_cache",
    "enable_cache",
    "engine",
    "env",
    "intrinsics",
    "is_cache_enabled",
    "jit",
    "language",
    "layout",
    "lower",
    "math",
    "next_power_of_2",
    "primitives",
    "profiler",
    "set_log_level",
    "testing",
    "transform",
    "tvm",
    "utils",
    "version",
]

__getattr__ = _asker("tilelang", __all__)
