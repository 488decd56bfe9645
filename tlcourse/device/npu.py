"""The module `torch.npu` on the simulated device. Everything is synchronous.

Simulated launches return when they are done, so streams, events and `synchronize` have
nothing to wait for. The real module keeps its names in parts, `torch.npu.utils` and others;
here every part is the whole module.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Generator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass

import torch

from tlcourse.chips import CHIPS, DEFAULT_CHIP
from tlcourse.config import read_config
from tlcourse.device.autocast import supported_dtypes
from tlcourse.device.generator import default_generator
from tlcourse.device.memory import (
    empty_cache,
    hbm_bytes,
    mem_get_info,
    memory_allocated,
    memory_reserved,
    reset_peak_memory_stats,
)
from tlcourse.device.missing import missing
from tlcourse.device.place import DEVICE_COUNT, DeviceLike, checked_index, device_index
from tlcourse.device.seeds import (
    get_rng_state,
    get_rng_state_all,
    initial_seed,
    manual_seed,
    manual_seed_all,
    seed,
    seed_all,
    set_rng_state,
    set_rng_state_all,
)
from tlcourse.device.streams import (
    Event,
    Stream,
    current_stream,
    default_stream,
    set_stream,
    use_stream,
)

__all__ = [
    "DeviceProperties",
    "Event",
    "Stream",
    "can_device_access_peer",
    "current_device",
    "current_stream",
    "default_stream",
    "device",
    "device_count",
    "device_of",
    "empty_cache",
    "get_amp_supported_dtype",
    "get_device_name",
    "get_device_properties",
    "get_rng_state",
    "get_rng_state_all",
    "init",
    "initial_seed",
    "is_available",
    "is_bf16_supported",
    "is_initialized",
    "manual_seed",
    "manual_seed_all",
    "mem_get_info",
    "memory_allocated",
    "memory_reserved",
    "reset_peak_memory_stats",
    "seed",
    "seed_all",
    "set_compile_mode",
    "set_device",
    "set_rng_state",
    "set_rng_state_all",
    "set_stream",
    "stream",
    "synchronize",
]

IS_SIMULATED = True
"""Tells this module from the one of the real torch_npu."""

_PARTS = ("memory", "random", "streams", "utils")


def __getattr__(name: str) -> object:
    """Parts of the module, and an error for what is not here.

    Raises:
        TL443: the simulated device has no such name.
    """
    if name == "default_generators":
        return (default_generator(),)
    if name in _PARTS:
        return sys.modules[__name__]
    raise missing("torch.npu", name, __all__)


def __dir__() -> list[str]:
    return sorted([*__all__, *_PARTS, "default_generators"])


@dataclass(frozen=True, kw_only=True)
class DeviceProperties:
    """What `get_device_properties` tells.

    Args:
        name: the chip.
        total_memory: bytes of HBM.
        cube_core_num: cube cores, one a group.
        vector_core_num: vector cores.
        L2_cache_size: bytes of L2 cache.
    """

    name: str
    total_memory: int
    cube_core_num: int
    vector_core_num: int
    L2_cache_size: int


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


def set_device(device: DeviceLike) -> None:
    """Chooses the npu. There is one; a higher index of a bigger machine means that one too."""
    index = device_index(device)
    if index >= DEVICE_COUNT:
        warnings.warn(
            f"npu:{index} is not there: the simulated machine has {DEVICE_COUNT} NPU, "
            "npu:0, and it is used instead",
            stacklevel=2,
        )


def set_compile_mode(jit_compile: bool = False) -> None:
    """Returns at once: torch operations are not compiled here."""


def get_device_name(device: DeviceLike = None) -> str:
    """The chip, as set by TILELANG_ASCEND_DEVICE_NAME."""
    checked_index(device)
    return read_config().device_name


def get_device_properties(device: DeviceLike = None) -> DeviceProperties:
    """Name, memories and cores of the chip."""
    name = get_device_name(device)
    chip = CHIPS.get(name, DEFAULT_CHIP)
    return DeviceProperties(
        name=name,
        total_memory=hbm_bytes(),
        cube_core_num=chip.core_groups,
        vector_core_num=chip.core_groups * chip.vector_cores_per_group,
        L2_cache_size=chip.l2_bytes,
    )


def can_device_access_peer(device: DeviceLike, peer_device: DeviceLike) -> bool:
    """Whether one npu reads memory of another: there is no other."""
    checked_index(device)
    checked_index(peer_device)
    return False


def is_bf16_supported() -> bool:
    """Whether the npu computes with bfloat16: yes."""
    return True


def get_amp_supported_dtype() -> list[torch.dtype]:
    """The types that `torch.autocast("npu", dtype=..)` takes."""
    return supported_dtypes()


def synchronize(device: DeviceLike = None) -> None:
    """Waits until the npu is idle, which it is."""
    checked_index(device)


def stream(stream: Stream | None) -> AbstractContextManager[None]:
    """`with torch.npu.stream(s):` runs its work at once, like everything else."""
    return use_stream(stream)


@contextmanager
def device(device: DeviceLike) -> Generator[None]:
    """`with torch.npu.device(0):` uses that npu."""
    checked_index(device)
    yield


def device_of(obj: torch.Tensor) -> AbstractContextManager[None]:
    """`with torch.npu.device_of(x):` uses the npu of a tensor; other tensors change nothing."""
    return device(obj.device if obj.device.type == "npu" else None)


def _is_in_bad_fork() -> bool:  # pyright: ignore[reportUnusedFunction]
    """Whether a forked process must not use the device; torch asks. It may."""
    return False
