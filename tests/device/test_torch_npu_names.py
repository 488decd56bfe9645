"""The names of `torch_npu`."""

from __future__ import annotations

import pytest
import torch

from tlcourse.device import torch_npu_names
from tlcourse.device.errors import NoSuchNameError


def test_names() -> None:
    assert torch_npu_names.npu is torch.npu
    assert "simulated" in torch_npu_names.__version__


def test_profiler_names_what_measures_here() -> None:
    assert not hasattr(torch_npu_names, "profiler")
    with pytest.raises(NoSuchNameError, match="get_profiler") as caught:
        _ = torch_npu_names.profiler
    assert caught.value.code == "TL443"
