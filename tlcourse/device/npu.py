"""The module `torch.npu` on the simulated device. Everything is synchronous.

Simulated launches return when they are done, so streams, events and `synchronize` have
nothing to wait for. An event measures wall time of this process, not cycles of the chip:
those are in the timeline of a launch.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Generator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass

import torch

from tlcourse.chips import CHIPS, DEFAULT_CHIP
from tlcourse.config import read_config
from tlcourse.device.errors import no_such_device
from tlcourse.device.generator import default_generator
from tlcourse.device.place import DEVICE_COUNT, device_index

Device = torch.device | str | int | None

IS_SIMULATED = True
"""Tells this module from the one of the real torch_npu."""


@dataclass(frozen=True, kw_only=True)
class DeviceProperties:
    """What `get_device_properties` tells.

    Args:
        name: the chip.
        total_memory: bytes of HBM.
    """

    name: str
    total_memory: int


class Stream:
    """A queue of work. Work is done when it is put in, so there is nothing in it."""

    npu_stream = 0

    def __init__(self, device: Device = None, priority: int = 0) -> None:
        self.device = torch.device("npu", 0)
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
    """A point in time. `elapsed_time` is wall time of this process in milliseconds."""

    def __init__(self, enable_timing: bool = False) -> None:
        self.enable_timing = enable_timing
        self._seconds: float | None = None

    def record(self, stream: Stream | None = None) -> None:
        """Notes the time now."""
        self._seconds = time.perf_counter()

    def elapsed_time(self, end_event: Event) -> float:
        """Milliseconds from this event to `end_event`."""
        if self._seconds is None or end_event._seconds is None:
            raise RuntimeError("Both events must be recorded before calculating elapsed time.")
        return (end_event._seconds - self._seconds) * 1e3

    def synchronize(self) -> None:
        """Returns at once."""

    def wait(self, stream: Stream | None = None) -> None:
        """Returns at once."""

    def query(self) -> bool:
        """Whether all work before the event is done: yes."""
        return True


def is_available() -> bool:
    """Whether an npu can be used: yes, the simulated one."""
    return True


def is_initialized() -> bool:
    """Whether the device is ready: always."""
    return True


def init() -> None:
    """Returns at once."""


def device_count() -> int:
    """One: scripts that start a process per NPU start one."""
    return DEVICE_COUNT


def current_device() -> int:
    """The index of the npu in use."""
    return 0


def set_device(device: Device) -> None:
    """Chooses the npu. There is one; a higher index of a bigger machine means that one too."""
    index = device_index(device)
    if index >= DEVICE_COUNT:
        warnings.warn(
            f"npu:{index} is not there: the simulated machine has {DEVICE_COUNT} NPU, "
            "npu:0, and it is used instead",
            stacklevel=2,
        )


def get_device_name(device: Device = None) -> str:
    """The chip, as set by TILELANG_ASCEND_DEVICE_NAME."""
    _check(device)
    return read_config().device_name


def get_device_properties(device: Device = None) -> DeviceProperties:
    """Name and memory of the chip."""
    name = get_device_name(device)
    return DeviceProperties(name=name, total_memory=CHIPS.get(name, DEFAULT_CHIP).hbm_bytes)


def synchronize(device: Device = None) -> None:
    """Waits until the npu is idle, which it is."""
    _check(device)


def empty_cache() -> None:
    """Returns at once: the npu's memory is this process's memory."""


def current_stream(device: Device = None) -> Stream:
    """The stream in use."""
    _check(device)
    return Stream()


def default_stream(device: Device = None) -> Stream:
    """The same as the stream in use."""
    return current_stream(device)


def stream(stream: Stream | None) -> nullcontext[None]:
    """`with torch.npu.stream(s):` runs its work at once, like everything else."""
    return nullcontext()


@contextmanager
def device(device: Device) -> Generator[None]:
    """`with torch.npu.device(0):` uses that npu."""
    _check(device)
    yield


def manual_seed(seed: int) -> None:
    """Seeds the npu's random numbers."""
    default_generator().manual_seed(int(seed))


def manual_seed_all(seed: int) -> None:
    """Seeds the random numbers of every npu. `torch.manual_seed` calls it."""
    manual_seed(seed)


def initial_seed() -> int:
    """The seed that the npu's random numbers started from."""
    return default_generator().initial_seed()


def get_rng_state(device: Device = "npu") -> torch.Tensor:
    """The state of the npu's random numbers, a CPU tensor of bytes."""
    _check(device)
    return default_generator().get_state()


def set_rng_state(new_state: torch.Tensor, device: Device = "npu") -> None:
    """Puts the npu's random numbers back into a state."""
    _check(device)
    default_generator().set_state(new_state)


def _is_in_bad_fork() -> bool:  # pyright: ignore[reportUnusedFunction]
    """Whether a forked process must not use the device; torch asks. It may."""
    return False


def _check(device: Device) -> None:
    if device_index(device) >= DEVICE_COUNT:
        raise no_such_device(device_index(device), DEVICE_COUNT)
