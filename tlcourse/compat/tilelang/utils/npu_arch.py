"""`tilelang.utils.npu_arch`."""

from __future__ import annotations

from tlcourse.jit.arch import (
    AscendArch,
    get_arch,
    get_arch_obj,
    get_ascend_device_name,
    is_ascend_arch,
    is_cube_supported_precision,
    is_tensorcore_supported_precision,
    supports_native_bf16,
)
from tlcourse.jit.elsewhere import asker as _asker

__all__ = [
    "AscendArch",
    "get_arch",
    "get_arch_obj",
    "get_ascend_device_name",
    "is_ascend_arch",
    "is_cube_supported_precision",
    "is_tensorcore_supported_precision",
    "supports_native_bf16",
]

__getattr__ = _asker("tilelang.utils.npu_arch", __all__)
