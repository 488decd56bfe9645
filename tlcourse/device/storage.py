"""The storage of an npu tensor: memory of this process that says it lies on the npu.

torch reads and writes checkpoint files by storages. With this class a file written here
names `npu:0` as the place of its tensors, and `map_location` works in every form.
"""

from __future__ import annotations

from functools import cache
from typing import cast

import torch

from tlcourse.device.place import lies_on_npu
from tlcourse.device.torch_internals import typed

_PLACE = "npu:0"


class NpuStorage(torch.UntypedStorage):
    """Bytes on the simulated npu."""

    @property
    def device(self) -> torch.device:  # pyright: ignore[reportIncompatibleVariableOverride]
        return torch.device(_PLACE)

    def __reduce__(  # pyright: ignore[reportIncompatibleMethodOverride]
        self,
    ) -> tuple[object, ...]:
        """For processes that share memory: the bytes travel as a CPU storage."""
        return on_npu, (self.cpu(),)


def on_npu(storage: torch.UntypedStorage) -> NpuStorage:
    """The same bytes, from now on said to lie on the npu."""
    storage.__class__ = NpuStorage
    return cast(NpuStorage, storage)


def typed_storage_of(raw: torch.Tensor) -> torch.TypedStorage:
    """The memory of a CPU tensor as the storage of the npu tensor over it."""
    return typed(on_npu(raw.untyped_storage()), raw.dtype)


@cache
def serve_storages() -> None:
    """Lets `torch.UntypedStorage(.., device="npu")` work: torch has no allocator for it."""
    make = torch.UntypedStorage.__new__

    def new(
        cls: type[torch.UntypedStorage], *args: object, device: object = None, **kwargs: object
    ) -> torch.UntypedStorage:
        if device is not None and lies_on_npu(device):
            return make(NpuStorage, *args, **kwargs)
        place = {} if device is None else {"device": device}
        return make(cls, *args, **place, **kwargs)

    torch.UntypedStorage.__new__ = staticmethod(new)
