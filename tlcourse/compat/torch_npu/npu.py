"""`import torch_npu.npu`: another name of `torch.npu`."""

from __future__ import annotations

import sys

from tlcourse.device import npu_module

sys.modules[__name__] = npu_module()
