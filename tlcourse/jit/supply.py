"""Tensors for a kernel that nobody gives any: what a profiler fills in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

import torch

from tlcourse import device
from tlcourse.diagnostics import TLError, error
from tlcourse.jit.dtypes import TORCH_DTYPES
from tlcourse.records import Parameter


class TensorSupplyType(Enum):
    """How tensors are filled. Auto takes -1 .. 1 for floats and small numbers for integers."""

    Integer = 1
    Uniform = 2
    Normal = 3
    Randn = 4
    Zero = 5
    One = 6
    Auto = 7


@dataclass(frozen=True, kw_only=True)
class KernelParam:
    """A parameter as `supply_prog` sees it.

    Args:
        name: the learner's name.
        dtype: its torch dtype.
        shape: its extents; one that depends on a symbol is a text. Empty for scalars.
        is_output: whether out_idx names it.
    """

    name: str
    dtype: torch.dtype
    shape: tuple[int | str, ...]
    is_output: bool = False


Fill = Callable[[tuple[int, ...]], torch.Tensor]

_FLOATS: dict[TensorSupplyType, Fill] = {
    TensorSupplyType.Auto: lambda shape: torch.rand(shape) * 2 - 1,
    TensorSupplyType.Integer: lambda shape: torch.randint(-2, 3, shape).float(),
    TensorSupplyType.Uniform: lambda shape: torch.rand(shape) * 2 - 1,
    TensorSupplyType.Normal: lambda shape: torch.randn(shape) - 1,
    TensorSupplyType.Randn: torch.randn,
    TensorSupplyType.Zero: torch.zeros,
    TensorSupplyType.One: torch.ones,
}


def parameter_view(parameter: Parameter, *, is_output: bool) -> KernelParam:
    """A parameter as `supply_prog` sees it."""
    return KernelParam(
        name=parameter.name,
        dtype=TORCH_DTYPES[parameter.dtype],
        shape=tuple(int(e) if e.isdecimal() else e for e in parameter.extents),
        is_output=is_output,
    )


def supply(parameter: KernelParam, kind: TensorSupplyType) -> torch.Tensor:
    """A new npu tensor for a parameter, from torch's random numbers.

    Raises:
        TL434: the parameter is a scalar, or its shape is known at the launch only.
    """
    shape = tuple(extent for extent in parameter.shape if isinstance(extent, int))
    if not shape or len(shape) < len(parameter.shape):
        raise _cannot_supply(parameter)
    if parameter.dtype.is_floating_point:
        filled = _FLOATS[kind](shape)
    else:
        filled = _integers(parameter.dtype, shape, kind)
    return device.wrap(filled.to(parameter.dtype))


def _integers(dtype: torch.dtype, shape: tuple[int, ...], kind: TensorSupplyType) -> torch.Tensor:
    if kind is TensorSupplyType.Zero:
        return torch.zeros(shape)
    if kind is TensorSupplyType.One:
        return torch.ones(shape)
    if dtype is torch.bool:
        return torch.randint(0, 2, shape)
    return torch.randint(0 if not dtype.is_signed else -2, 3, shape)


def _cannot_supply(parameter: KernelParam) -> TLError:
    what = f"a tensor of shape ({', '.join(map(str, parameter.shape))})"
    return error(
        "TL434",
        f"no argument can be made up for {parameter.name}, "
        f"{what if parameter.shape else 'a scalar'}",
        why="only tensors of a known shape are filled in; symbols get values at the launch",
        fix="give the arguments: input_tensors=[..], supply_prog=.. to autotune, or --arg SHAPE "
        "for each on the command line",
    )
