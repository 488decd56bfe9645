"""The entry points of torch that are not public, each behind one typed function.

torch promises nothing about these names. A new torch version is checked here first.
"""

# pyright: reportPrivateUsage=false

from __future__ import annotations

from collections import OrderedDict
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
    "claim_extra_device",
    "extra_device_name",
    "get_data",
    "reduce_on_device",
    "reduce_parameter",
    "schema_of",
    "set_data",
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


def reduce_on_device(data: torch.Tensor, place: str, requires_grad: bool) -> tuple[object, ...]:
    """A pickle recipe: a CPU tensor to be moved to `place` (or to `map_location`)."""
    rebuild = cast(object, _utils._rebuild_device_tensor_from_cpu_tensor)
    return rebuild, (data, data.dtype, place, requires_grad)


def reduce_parameter(data: torch.Tensor, requires_grad: bool) -> tuple[object, ...]:
    """A pickle recipe: a `torch.nn.Parameter` over another tensor."""
    rebuild = cast(object, _utils._rebuild_parameter)
    return rebuild, (data, requires_grad, OrderedDict[str, object]())
