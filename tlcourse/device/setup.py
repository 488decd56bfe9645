"""Claims torch's extra device for the simulated npu, once a process."""

from __future__ import annotations

import threading
from functools import cache

import torch

from tlcourse.device import autocast, factories, npu, recurrent
from tlcourse.device.accelerator import serve_accelerator
from tlcourse.device.errors import device_taken
from tlcourse.device.generator import serve_torch_generator
from tlcourse.device.storage import serve_storages
from tlcourse.device.torch_internals import UNNAMED_DEVICE, claim_extra_device, extra_device_name

_LOCK = threading.Lock()


def install() -> None:
    """Makes "npu" a torch device; see `tlcourse.device.install`."""
    with _LOCK:
        if getattr(getattr(torch, "npu", None), "IS_SIMULATED", False):
            return
        if extra_device_name() != UNNAMED_DEVICE:
            raise device_taken(extra_device_name())
        claim_extra_device("npu", npu)
        autocast.let_through(_fallbacks())
        for part in (factories, autocast, recurrent):
            part.register(_kernels())
        serve_torch_generator()
        serve_storages()
        serve_accelerator()


@cache
def _kernels() -> torch.library.Library:
    """The registered kernels: torch forgets them when this object goes."""
    return torch.library.Library("aten", "IMPL")


@cache
def _fallbacks() -> torch.library.Library:
    """The same for what holds for all operations."""
    return torch.library.Library("_", "IMPL")
