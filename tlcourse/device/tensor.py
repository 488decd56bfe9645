"""The npu tensor: a tensor that says it lies on the npu and keeps its numbers in a CPU tensor.

torch makes it without memory of its own. Whatever would touch that memory behind the
dispatcher's back is answered here from the CPU tensor, or refused.
"""

from __future__ import annotations

import re
from copy import deepcopy
from typing import TYPE_CHECKING, NoReturn, cast

import torch

from tlcourse.device import dispatch
from tlcourse.device.errors import no_host_memory, unsupported
from tlcourse.device.storage import on_npu, typed_storage_of
from tlcourse.device.torch_internals import (
    NO_TORCH_FUNCTION,
    UNNAMED_DEVICE,
    Op,
    get_data,
    reduce_parameter,
    reduce_tensor,
    set_data,
)

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[tuple[int, ...], np.dtype[np.generic]]

_PLACE = "npu:0"
_DEVICE = torch.device(UNNAMED_DEVICE, 0)  # the name that torch knows before and after install
_SUFFIX = re.compile(r"(,\s+(?:size|dtype|layout)=.*)?\)$", re.DOTALL)


class NpuTensor(dispatch.HostBacked):
    """A tensor on the simulated npu. Make it with `.npu()`, `device="npu"` or `wrap`."""

    __torch_function__ = NO_TORCH_FUNCTION

    @staticmethod
    def __new__(cls: type[NpuTensor], raw: torch.Tensor) -> NpuTensor:
        """The npu tensor over the memory of `raw`, a CPU tensor that no other one holds."""
        try:
            tensor = torch.Tensor._make_wrapper_subclass(
                cls,
                raw.shape,
                strides=raw.stride(),
                storage_offset=raw.storage_offset(),
                dtype=raw.dtype,
                layout=raw.layout,
                device=_DEVICE,
            )
        except RuntimeError as problem:
            raise unsupported("nested or compressed tensors", str(problem)) from problem
        tensor.raw = raw
        return tensor

    @classmethod
    def __torch_dispatch__(
        cls,
        func: Op,
        types: object,
        args: tuple[object, ...] = (),
        kwargs: dict[str, object] | None = None,
    ) -> object:
        return dispatch.run(func, args, kwargs or {}, NpuTensor)

    def follow_raw(self) -> None:
        raw = self.raw
        here = (self.shape, self.stride(), self.storage_offset())
        if here != (raw.shape, raw.stride(), raw.storage_offset()):
            set_data(self, NpuTensor(raw))

    @property
    def data(self) -> torch.Tensor:
        """The same memory without history; assigning takes over another npu tensor's memory."""
        return get_data(self)

    @data.setter
    def data(self, other: torch.Tensor) -> None:
        set_data(self, other)
        if isinstance(other, NpuTensor):
            self.raw = other.raw

    def tolist(self) -> list[object]:
        return cast(list[object], self.raw.tolist())

    def numpy(self, *, force: bool = False) -> Array:
        """Refused unless forced, as for every tensor that is not on the CPU.

        Raises:
            TL441: `force` is not set.
        """
        if not force:
            raise no_host_memory("numpy")
        return self.raw.numpy(force=True)

    def __array__(self, dtype: object = None, copy: bool | None = None) -> Array:
        raise no_host_memory("numpy")

    def __dlpack__(self, **_: object) -> NoReturn:
        raise no_host_memory("DLPack")

    def data_ptr(self) -> int:
        return self.raw.data_ptr()

    def untyped_storage(self) -> torch.UntypedStorage:
        return on_npu(self.raw.untyped_storage())

    def storage(self) -> torch.TypedStorage:
        return typed_storage_of(self.raw)

    def _typed_storage(self) -> torch.TypedStorage:
        return typed_storage_of(self.raw)

    def record_stream(self, s: object) -> None:
        """Returns at once: work of a stream is done when it is put in."""

    def pin_memory(self, device: object = None) -> NoReturn:
        raise unsupported("pinned memory", "only host memory can be pinned")

    def __format__(self, spec: str) -> str:
        return format(self.item(), spec) if self.dim() == 0 else object.__format__(self, spec)

    def __repr__(self, *, tensor_contents: object = None) -> str:
        head = "Parameter containing:\n" if isinstance(self, torch.nn.Parameter) else ""
        history = f", grad_fn=<{self.grad_fn.name()}>" if self.grad_fn else ", requires_grad=True"
        tail = history if self.requires_grad else ""
        return head + _SUFFIX.sub(rf", device='{_PLACE}'\1{tail})", repr(self.raw))

    def __deepcopy__(self, memo: dict[int, object]) -> object:
        if id(self) in memo:
            return memo[id(self)]
        if not self.is_leaf:
            return cast(object, super().__deepcopy__(memo))  # torch's own refusal
        twin = NpuTensor(deepcopy(self.raw, memo)).requires_grad_(self.requires_grad)
        memo[id(self)] = twin
        rest = {name: value for name, value in vars(self).items() if name != "raw"}
        vars(twin).update(deepcopy(rest, memo))
        twin.grad = deepcopy(self.grad, memo)
        return twin

    def __reduce_ex__(self, protocol: object) -> tuple[object, ...]:
        if isinstance(self, torch.nn.Parameter):
            return reduce_parameter(self.detach(), self.requires_grad)
        storage = typed_storage_of(self.raw)
        return reduce_tensor(self.raw, storage, self.requires_grad)
