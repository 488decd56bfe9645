"""`torch.accelerator`, the names for whatever device there is, on the simulated npu.

torch hands these to its C++ part, which an extra device made in Python cannot answer.
"""

from __future__ import annotations

from functools import cache

import torch

from tlcourse.device import memory, npu

_SERVED = {
    "synchronize": npu.synchronize,
    "empty_cache": memory.empty_cache,
    "memory_allocated": memory.memory_allocated,
    "memory_reserved": memory.memory_reserved,
    "reset_peak_memory_stats": memory.reset_peak_memory_stats,
    "get_memory_info": memory.mem_get_info,
}


@cache
def serve_accelerator() -> None:
    """Puts functions of `torch.npu` at the names that would fail."""
    for name, function in _SERVED.items():
        setattr(torch.accelerator, name, function)
