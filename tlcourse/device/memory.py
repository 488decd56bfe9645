"""How much memory of the npu is in use. It is memory of this process, counted when asked.

Nothing is recorded while tensors come and go, so there is no peak and no history.
"""

from __future__ import annotations

import gc

from tlcourse.chips import CHIPS, DEFAULT_CHIP
from tlcourse.config import read_config
from tlcourse.device.place import DeviceLike, checked_index
from tlcourse.device.tensor import NpuTensor


def memory_allocated(device: DeviceLike = None) -> int:
    """Bytes of HBM that living npu tensors hold; views of one memory count once."""
    checked_index(device)
    tensors = (thing for thing in gc.get_objects() if type(thing) is NpuTensor)
    sizes = {
        memory.data_ptr(): memory.nbytes() for memory in map(NpuTensor.untyped_storage, tensors)
    }
    return sum(sizes.values())


def memory_reserved(device: DeviceLike = None) -> int:
    """The same as `memory_allocated`: nothing is held back for later."""
    return memory_allocated(device)


def mem_get_info(device: DeviceLike = None) -> tuple[int, int]:
    """Bytes of HBM that are free, and all there are on the chip."""
    total = hbm_bytes()
    return total - memory_allocated(device), total


def hbm_bytes() -> int:
    """Bytes of HBM of the chip set by TILELANG_ASCEND_DEVICE_NAME."""
    return CHIPS.get(read_config().device_name, DEFAULT_CHIP).hbm_bytes


def empty_cache() -> None:
    """Returns at once: nothing is held back."""


def reset_peak_memory_stats(device: DeviceLike = None) -> None:
    """Returns at once: no peak is recorded."""
    checked_index(device)
