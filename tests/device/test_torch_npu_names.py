"""The names of `torch_npu`."""

from __future__ import annotations

import torch

from tlcourse.device import torch_npu_names


def test_names() -> None:
    assert torch_npu_names.npu is torch.npu
    assert "simulated" in torch_npu_names.__version__
    assert not hasattr(torch_npu_names, "profiler")
