"""Streams and events of the simulated npu. Work is done when it is put into a stream.

An event measures wall time of this process, not cycles of the chip: those are in the
timeline of a launch.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Generator
from contextlib import contextmanager

import torch

from tlcourse.device.errors import event_without_time
from tlcourse.device.place import DeviceLike, checked_index
from tlcourse.device.torch_internals import UNNAMED_DEVICE


class Stream:
    """A queue of work. Work is done when it is put in, so there is nothing in it.

    Args:
        device: the npu.
        priority: kept, and without effect.
    """

    npu_stream = 0
    stream_id = 0
    device_index = 0

    def __init__(self, device: DeviceLike = None, priority: int = 0) -> None:
        self.device = torch.device(UNNAMED_DEVICE, checked_index(device))
        self.priority = priority

    def synchronize(self) -> None:
        """Returns at once."""

    def query(self) -> bool:
        """Whether all work is done: yes."""
        return True

    def record_event(self, event: Event | None = None) -> Event:
        """Records `event`, or a new one, now."""
        event = event or Event()
        event.record(self)
        return event

    def wait_event(self, event: Event) -> None:
        """Returns at once."""

    def wait_stream(self, stream: Stream) -> None:
        """Returns at once."""


class Event:
    """A point in time. `elapsed_time` is wall time of this process in milliseconds.

    Args:
        enable_timing: whether the event takes the time.
        blocking: kept, and without effect.
        interprocess: kept, and without effect.
    """

    def __init__(
        self, enable_timing: bool = False, blocking: bool = False, interprocess: bool = False
    ) -> None:
        self.enable_timing = enable_timing
        self.blocking = blocking
        self.interprocess = interprocess
        self._seconds: float | None = None

    def record(self, stream: Stream | None = None) -> None:
        """Notes the time now."""
        self._seconds = time.perf_counter()

    def elapsed_time(self, end_event: Event) -> float:
        """Wall time of this process from this event to `end_event`, in milliseconds.

        Raises:
            TL446: one of the two takes no time, or was not recorded.
        """
        return (end_event._time() - self._time()) * 1e3

    def _time(self) -> float:
        if not self.enable_timing or self._seconds is None:
            raise event_without_time(is_timed=self.enable_timing)
        return self._seconds

    def synchronize(self) -> None:
        """Returns at once."""

    def wait(self, stream: Stream | None = None) -> None:
        """Returns at once."""

    def query(self) -> bool:
        """Whether all work before the event is done: yes."""
        return True


class _InUse(threading.local):
    """The stream that each thread puts its work into."""

    def __init__(self) -> None:
        self.stream = _DEFAULT


_DEFAULT = Stream()
_IN_USE = _InUse()


def current_stream(device: DeviceLike = None) -> Stream:
    """The stream that this thread uses."""
    checked_index(device)
    return _IN_USE.stream


def default_stream(device: DeviceLike = None) -> Stream:
    """The stream in use when no other was chosen."""
    checked_index(device)
    return _DEFAULT


def set_stream(stream: Stream | None) -> None:
    """Chooses the stream of this thread; None changes nothing."""
    _IN_USE.stream = stream or _IN_USE.stream


@contextmanager
def use_stream(stream: Stream | None) -> Generator[None]:
    """`with torch.npu.stream(s):` makes `s` the stream in use; its work is done at once."""
    before = _IN_USE.stream
    set_stream(stream)
    try:
        yield
    finally:
        set_stream(before)
