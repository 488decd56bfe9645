"""Streams, which have nothing to wait for, and events, which take wall time."""

from __future__ import annotations

import threading

import pytest
import torch

from tlcourse.device.streams import Stream


def test_stream_in_use() -> None:
    first = torch.npu.current_stream("npu:0")
    assert first is torch.npu.current_stream() is torch.npu.default_stream()
    assert (first.npu_stream, str(first.device)) == (0, "npu:0")
    other = torch.npu.Stream(priority=-1)
    with torch.npu.stream(other):
        assert torch.npu.current_stream() is other
    assert torch.npu.current_stream() is first


def test_a_stream_can_be_chosen_for_good() -> None:
    other = torch.npu.Stream()
    torch.npu.set_stream(other)
    torch.npu.set_stream(None)
    assert torch.npu.current_stream() is other
    torch.npu.set_stream(torch.npu.default_stream())


def test_threads_choose_by_themselves() -> None:
    found: list[Stream] = []
    with torch.npu.stream(torch.npu.Stream()):
        thread = threading.Thread(target=lambda: found.append(torch.npu.current_stream()))
        thread.start()
        thread.join()
    assert found == [torch.npu.default_stream()]


def test_all_work_is_done_at_once() -> None:
    stream = torch.npu.current_stream()
    stream.wait_stream(torch.npu.default_stream())
    event = stream.record_event()
    stream.wait_event(event)
    stream.synchronize()
    torch.ones(1).npu().record_stream(stream)
    assert stream.query()
    assert event.query()


def test_stream_of_a_device_that_is_not_there() -> None:
    with pytest.raises(RuntimeError, match="npu:1") as caught:
        torch.npu.Stream("npu:1")
    assert caught.value.code == "TL442"


def test_event_measures_wall_time(monkeypatch: pytest.MonkeyPatch) -> None:
    seconds = iter([2.0, 2.5])
    monkeypatch.setattr("time.perf_counter", lambda: next(seconds))
    start, end = (torch.npu.Event(enable_timing=True) for _ in range(2))
    start.record()
    end.record(torch.npu.current_stream())
    end.wait()
    end.synchronize()
    assert start.elapsed_time(end) == 500.0


@pytest.mark.parametrize(
    ("enable_timing", "what"), [(True, "must be recorded"), (False, "without timing")]
)
def test_event_that_has_no_time(enable_timing: bool, what: str) -> None:
    start, end = (torch.npu.Event(enable_timing=enable_timing) for _ in range(2))
    start.record()
    with pytest.raises(RuntimeError, match=what) as caught:
        start.elapsed_time(end)
    assert caught.value.code == "TL446"
