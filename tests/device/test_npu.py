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


def test_streams() -> None:
    stream = torch.npu.current_stream("npu:0")
    assert stream.npu_stream == 0
    assert stream.query()
    with torch.npu.stream(torch.npu.Stream()), torch.npu.device(0):
        stream.wait_stream(torch.npu.default_stream())
        event = stream.record_event()
        stream.wait_event(event)
        stream.synchronize()
    assert event.query()


def test_event_measures_wall_time() -> None:
    start, end = (torch.npu.Event(enable_timing=True) for _ in range(2))
    start.record()
    end.record(torch.npu.current_stream())
    end.wait()
    end.synchronize()
    assert start.elapsed_time(end) >= 0


def test_event_without_a_record() -> None:
    with pytest.raises(RuntimeError, match="must be recorded"):
        torch.npu.Event().elapsed_time(torch.npu.Event())


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


def test_seeds() -> None:
    torch.npu.manual_seed_all(8)
    assert torch.npu.initial_seed() == 8
