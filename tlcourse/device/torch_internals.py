"""The entry points of torch that are not public, each behind one typed function.

torch promises nothing about these names. A new torch version is checked here first.
"""

# pyright: reportPrivateUsage=false

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import cache
from types import ModuleType
from typing import Any, Protocol, cast

import torch
from torch import _utils
from torch._opaque_base import OpaqueBaseMeta as GeneratorMeta
from torch.utils import backend_registration

__all__ = [
    "NO_TORCH_FUNCTION",
    "UNNAMED_DEVICE",
    "GeneratorMeta",
    "Op",
    "address_of",
    "call_own_kernel",
    "claim_extra_device",
    "extra_device_name",
    "get_data",
    "has_own_kernel",
    "recurrent_layers",
    "reduce_parameter",
    "reduce_tensor",
    "schema_of",
    "set_data",
    "typed",
    "without_autocast",
]

UNNAMED_DEVICE = "privateuseone"
"""What torch calls its extra device before somebody names it."""

NO_TORCH_FUNCTION = cast(Any, torch._C._disabled_torch_function_impl)
"""As `__torch_function__` of a tensor class: Python code of torch treats it as a tensor."""


class Op(Protocol):
    """One overload of a torch operation, as torch's dispatcher hands it over."""

    @property
    def tags(self) -> list[torch.Tag]: ...

    def __call__(self, *args: object, **kwargs: object) -> object: ...


def schema_of(op: Op) -> torch.FunctionSchema:
    """Names, arguments and results of an operation."""
    return cast(Any, op)._schema


def has_own_kernel(op: Op) -> bool:
    """Whether a package registered a kernel of the extra device for an operation of its own."""
    name: str = cast(Any, op).name()
    is_torchs = name.startswith(("aten::", "prims::"))
    key = "PrivateUse1"
    return not is_torchs and torch._C._dispatch_has_computed_kernel_for_dispatch_key(name, key)


def call_own_kernel(op: Op, args: Sequence[object], kwargs: Mapping[str, object]) -> object:
    """Calls that kernel, with the tensors as they are."""
    keys = torch._C.DispatchKeySet(torch._C.DispatchKey.PrivateUse1)
    return cast(Any, op).redispatch(keys, *args, **kwargs)


def without_autocast() -> AbstractContextManager[object]:
    """Runs operations behind the autocast of the extra device."""
    keys = cast(Any, torch._C).DispatchKeySet(cast(Any, torch._C).DispatchKey.AutocastPrivateUse1)
    return cast(Any, torch._C)._ExcludeDispatchKeyGuard(keys)


@cache
def recurrent_layers() -> dict[str, Callable[..., object]]:
    """LSTM and GRU in terms of simpler operations, by operation."""
    from torch._decomp import decompositions  # slow to load, wanted by few

    return {
        "lstm.input": decompositions.lstm_impl,
        "lstm.data": decompositions.lstm_data_impl,
        "gru.input": decompositions.gru_impl,
        "gru.data": decompositions.gru_impl_data,
    }


def address_of(generator: torch.Generator) -> int:
    """What stays the same when torch hands a generator on as another Python object."""
    return cast(Any, generator)._cdata


def extra_device_name() -> str:
    """The name of torch's extra device, `UNNAMED_DEVICE` while nobody has claimed it."""
    return torch._C._get_privateuse1_backend_name()


def claim_extra_device(name: str, module: ModuleType) -> None:
    """Names torch's extra device and serves `module` as `torch.<name>`."""
    backend_registration._setup_privateuseone_for_python_backend(name, backend_module=module)


def get_data(tensor: torch.Tensor) -> torch.Tensor:
    """`tensor.data`, below whatever a subclass makes of it: it counts its writes by itself."""
    return cast(Any, torch.Tensor.data).__get__(tensor)


def set_data(tensor: torch.Tensor, data: torch.Tensor) -> None:
    """`tensor.data = data`, below whatever a subclass makes of it."""
    cast(Any, torch.Tensor.data).__set__(tensor, data)


def typed(storage: torch.UntypedStorage, dtype: torch.dtype) -> torch.TypedStorage:
    """A storage and the dtype of its numbers, without torch's warning about the class."""
    return torch.TypedStorage(wrap_storage=storage, dtype=dtype, _internal=True)


def reduce_tensor(
    raw: torch.Tensor, storage: torch.TypedStorage, requires_grad: bool
) -> tuple[object, ...]:
    """A pickle recipe as torch's own: a tensor of `raw`'s shape over a storage."""
    rebuild = cast(object, _utils._rebuild_tensor_v2)
    place = (raw.storage_offset(), tuple(raw.shape), raw.stride())
    hooks: OrderedDict[str, object] = OrderedDict()
    return rebuild, (storage, *place, requires_grad, hooks)


def reduce_parameter(data: torch.Tensor, requires_grad: bool) -> tuple[object, ...]:
    """A pickle recipe: a `torch.nn.Parameter` over another tensor."""
    rebuild = cast(object, _utils._rebuild_parameter)
    hooks: OrderedDict[str, object] = OrderedDict()
    return rebuild, (data, requires_grad, hooks)
