"""`tilelang.utils.tensor`."""

from __future__ import annotations

from tlcourse.jit.elsewhere import asker as _asker
from tlcourse.jit.host import map_torch_type
from tlcourse.jit.supply import TensorSupplyType
from tlcourse.jit.testing import torch_assert_close

__all__ = ["TensorSupplyType", "map_torch_type", "torch_assert_close"]

__getattr__ = _asker("tilelang.utils.tensor", __all__)
