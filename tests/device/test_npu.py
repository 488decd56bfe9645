"""The names of `torch.npu`."""

from __future__ import annotations

import sys

import pytest
import torch

from tlcourse import device
from tlcourse.chips import DEFAULT_CHIP


def test_module_is_served() -> None:
    assert torch.npu is device.npu_module() is sys.modules["torch.npu"]


def test_what_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TILELANG_ASCEND_DEVICE_NAME", raising=False)
    assert torch.npu.is_available()
    assert torch.npu.is_initialized()
    assert (torch.npu.device_count(), torch.npu.current_device()) == (1, 0)
    assert torch.npu.get_device_name() == DEFAULT_CHIP.name
    assert torch.npu.get_device_properties(0).total_memory == DEFAULT_CHIP.hbm_bytes
    assert torch.accelerator.current_accelerator() == torch.device("npu")


def test_waiting_returns() -> None:
    torch.npu.init()
    torch.npu.synchronize()
    torch.npu.synchronize("npu:0")
    torch.npu.empty_cache()
    torch.npu.set_compile_mode(jit_compile=False)
    with torch.npu.device(0), torch.npu.device_of(torch.ones(1)):
        torch.npu.utils.synchronize()


@pytest.mark.parametrize("place", [0, "npu:0", "npu", torch.device("privateuseone", 0)])
def test_set_device(place: str | int | torch.device) -> None:
    torch.npu.set_device(place)
    assert torch.npu.current_device() == 0


def test_set_device_of_a_bigger_machine_says_what_is_used() -> None:
    with pytest.warns(UserWarning, match="npu:15 is not there"):
        torch.npu.set_device(15)
    assert torch.npu.current_device() == 0


def test_questions_about_a_device_that_is_not_there() -> None:
    with pytest.raises(RuntimeError, match="npu:2") as caught:
        torch.npu.synchronize(2)
    assert caught.value.code == "TL442"


def test_properties_are_those_of_the_chip(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TILELANG_ASCEND_DEVICE_NAME", raising=False)
    found = torch.npu.get_device_properties()
    assert (found.cube_core_num, found.vector_core_num) == (24, 48)
    assert found.L2_cache_size == DEFAULT_CHIP.l2_bytes
    assert torch.npu.is_bf16_supported()
    assert not torch.npu.can_device_access_peer(0, 0)


@pytest.mark.parametrize("part", ["utils", "streams", "memory", "random"])
def test_parts_are_the_module(part: str) -> None:
    assert getattr(torch.npu, part) is torch.npu
    assert part in dir(torch.npu)


def test_every_name_it_lists_is_there() -> None:
    assert all(hasattr(torch.npu, name) for name in dir(torch.npu))
