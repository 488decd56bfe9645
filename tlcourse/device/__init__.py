"""The simulated torch device "npu": tensors that live on an NPU that is not there.

`install()` gives torch a device of that name, so that `.npu()`, `device="npu"` and
`torch.npu.synchronize()` work on a laptop as they do on hardware. Every npu tensor holds
one CPU tensor; `unwrap` returns it, sharing memory, and `wrap` goes the other way.
torch is imported when one of these functions is called, not before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import ModuleType

    import torch


def install() -> None:
    """Makes "npu" a torch device. Calling it again does nothing.

    Raises:
        TL740: the real torch_npu, or another package, already owns torch's extra device.
    """
    from tlcourse.device import setup

    setup.install()


def wrap(tensor: torch.Tensor) -> torch.Tensor:
    """The npu tensor over a CPU tensor's memory; an npu tensor is returned as it is.

    Raises:
        TL740: see `install`, which this calls.
    """
    from tlcourse.device import setup
    from tlcourse.device.tensor import NpuTensor

    setup.install()
    return tensor if isinstance(tensor, NpuTensor) else NpuTensor(tensor.detach())


def unwrap(tensor: torch.Tensor) -> torch.Tensor:
    """The CPU tensor that shares memory with an npu tensor; others are returned as they are."""
    from tlcourse.device.dispatch import HostBacked

    return tensor.raw if isinstance(tensor, HostBacked) else tensor


def npu_module() -> ModuleType:
    """The module that serves as `torch.npu`.

    Raises:
        TL740: see `install`, which this calls.
    """
    from tlcourse.device import npu, setup

    setup.install()
    return npu


__all__ = ["install", "npu_module", "unwrap", "wrap"]
