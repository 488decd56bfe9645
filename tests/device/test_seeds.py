"""Seeds and states of `torch.npu`."""

from __future__ import annotations

import pytest
import torch


def test_seed_is_kept() -> None:
    torch.npu.manual_seed_all(8)
    assert torch.npu.initial_seed() == 8
    torch.npu.seed_all()
    assert torch.npu.initial_seed() != 8


def test_states_of_every_npu() -> None:
    states = torch.npu.get_rng_state_all()
    first = torch.rand(3, device="npu").tolist()
    torch.npu.set_rng_state_all(states)
    assert torch.rand(3, device="npu").tolist() == first


def test_state_of_an_npu_that_is_not_there() -> None:
    with pytest.raises(RuntimeError, match="npu:1"):
        torch.npu.get_rng_state(1)
