"""`tilelang.utils`."""

from __future__ import annotations

from tlcourse.jit.arch import (
    AscendArch,
    get_arch_obj,
    get_ascend_device_name,
    is_ascend_arch,
    is_cube_supported_precision,
    supports_native_bf16,
)
from tlcourse.jit.elsewhere import asker as _asker
from tlcourse.jit.host import NPUUtils, map_torch_type
from tlcourse.jit.supply import TensorSupplyType
from tlcourse.jit.testing import torch_assert_close

__all__ = [
    "AscendArch",
    "NPUUtils",
    "TensorSupplyType",
    "get_arch_obj",
    "get_ascend_device_name",
    "is_ascend_arch",
    "is_cube_supported_precision",
    "map_torch_type",
    "supports_native_bf16",
    "torch_assert_close",
]

__getattr__ = _asker("tilelang.utils", __all__)
