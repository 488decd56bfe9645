"""Autocast on the simulated npu: `with torch.autocast("npu", dtype=torch.float16):`.

Matrix products run in the type asked for, sums and exponentials in float32, all else in the
type that comes. The two lists are those that torch documents for its other devices.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import cast

import torch

from tlcourse.device.torch_internals import Op, without_autocast

LOWER = (
    "mm",
    "bmm",
    "matmul",
    "addmm",
    "addbmm",
    "baddbmm",
    "addmv",
    "mv",
    "linear",
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_transpose1d",
    "conv_transpose2d.input",
    "scaled_dot_product_attention",
)
"""Run in the type of the autocast."""

FULL = (
    "softmax.int",
    "log_softmax.int",
    "layer_norm",
    "group_norm",
    "exp",
    "log",
    "rsqrt",
    "reciprocal",
    "pow.Tensor_Scalar",
    "sum",
    "sum.dim_IntList",
    "prod",
    "cumsum",
    "mse_loss",
    "l1_loss",
    "cross_entropy_loss",
    "nll_loss",
)
"""Run in float32."""


def supported_dtypes() -> list[torch.dtype]:
    """The types that autocast can ask for."""
    return [torch.float16, torch.bfloat16]


def let_through(library: torch.library.Library) -> None:
    """Lets autocast pass over all operations that no list names."""
    library.fallback(torch.library.fallthrough_kernel, "AutocastPrivateUse1")


def register(library: torch.library.Library) -> None:
    """Registers the casts in front of the operations of both lists."""
    for names, wanted in ((LOWER, _asked_for), (FULL, _float32)):
        for name in names:
            base, _, overload = name.partition(".")
            op = getattr(getattr(torch.ops.aten, base), overload or "default")
            library.impl(name, partial(_run, op, wanted), "AutocastPrivateUse1")


def _asked_for() -> torch.dtype:
    return torch.get_autocast_dtype("npu")


def _float32() -> torch.dtype:
    return torch.float32


def _run(op: Op, wanted: Callable[[], torch.dtype], *args: object, **kwargs: object) -> object:
    dtype = wanted()
    cast_kwargs = {name: _cast(arg, dtype) for name, arg in kwargs.items()}
    with without_autocast():
        return op(*(_cast(arg, dtype) for arg in args), **cast_kwargs)


def _cast(arg: object, dtype: torch.dtype) -> object:
    if isinstance(arg, torch.Tensor):
        floats = arg.is_floating_point() and arg.dtype != torch.float64
        return arg.to(dtype) if floats and arg.device.type == "npu" else arg
    if isinstance(arg, (list, tuple)):
        return [_cast(item, dtype) for item in cast(Iterable[object], arg)]
    return arg
