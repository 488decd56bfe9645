"""Where a tensor is to lie: reads the `device` arguments that torch passes on."""

from __future__ import annotations

import torch

from tlcourse.device.errors import no_such_device

DEVICE_COUNT = 1
"""NPUs of the simulated machine: one, so that scripts that use every NPU run one process."""

DeviceLike = torch.device | str | int | None


def lies_on_npu(device: object) -> bool:
    """Whether a `device` argument names an npu; no device at all means to stay there.

    Raises:
        TL442: it names an npu that does not exist.
    """
    if device is None:
        return True
    place = torch.device(device) if isinstance(device, (str, int)) else device
    if not isinstance(place, torch.device) or place.type != "npu":
        return False
    checked_index(place)
    return True


def device_index(device: DeviceLike) -> int:
    """The index that a device argument names; without one it is the npu in use, 0."""
    if device is None or isinstance(device, int):
        return device or 0
    return torch.device(device).index or 0


def checked_index(device: DeviceLike) -> int:
    """The index that a device argument names.

    Raises:
        TL442: this machine has no npu of that index.
    """
    index = device_index(device)
    if not 0 <= index < DEVICE_COUNT:
        raise no_such_device(index, DEVICE_COUNT)
    return index
