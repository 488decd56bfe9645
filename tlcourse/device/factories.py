"""Kernels of the npu that torch calls when no npu tensor is among the arguments yet."""

from __future__ import annotations

from functools import partial

import torch

from tlcourse.device import dispatch
from tlcourse.device.tensor import NpuTensor
from tlcourse.device.torch_internals import Op

_FACTORIES = (
    "empty.memory_format",
    "empty_strided",
    "tril_indices",
    "triu_indices",
    "_efficientzerotensor",
)


def register(library: torch.library.Library) -> None:
    """Registers every such kernel; all other operations of torch are built from these."""
    for name in _FACTORIES:
        base, _, overload = name.partition(".")
        op = getattr(getattr(torch.ops.aten, base), overload or "default")
        library.impl(name, partial(_make, op), "PrivateUse1")
    library.impl("_copy_from", _copy_from, "PrivateUse1")
    library.impl("_local_scalar_dense", _number, "PrivateUse1")
    library.impl("pin_memory", _pinned, "CPU")


def _make(op: Op, *args: object, **kwargs: object) -> object:
    return dispatch.run(op, args, kwargs, NpuTensor)


def _copy_from(
    source: torch.Tensor, target: torch.Tensor, non_blocking: bool = False
) -> torch.Tensor:
    """Copies between devices, where torch has switched tensor subclasses off."""
    source, target = (t.raw if isinstance(t, NpuTensor) else t for t in (source, target))
    return target.copy_(source)


def _number(tensor: torch.Tensor) -> object:
    """`tensor.item()`, where torch has switched tensor subclasses off."""
    return tensor.raw.item() if isinstance(tensor, NpuTensor) else tensor.item()


def _pinned(tensor: torch.Tensor, device: torch.device | None = None) -> torch.Tensor:
    """`tensor.pin_memory()`: a copy, since all memory of the simulated machine is the host's."""
    return tensor.clone()
