"""What the examples share: one call of an operator beside torch in float64."""

from __future__ import annotations

import torch

from tlcourse.examples import mini_ops
from tlcourse.examples.deepseek_v4_mini.inference import torch_ops


def draw(*shape: int, seed: int = 0) -> torch.Tensor:
    """Normal numbers in float32, the same for the same seed."""
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def show(name: str, *arguments: object) -> float:
    """Calls an operator, prints its results' shapes and its error, and returns the error.

    The error is the largest difference from torch in float64, as a part of the largest number.
    """
    got = _tensors(getattr(mini_ops, name)(*arguments))
    wanted = _tensors(getattr(torch_ops, name)(*map(_exact, arguments)))
    error = max(
        float((one.double() - other.double()).abs().max() / other.double().abs().max())
        for one, other in zip(got, wanted, strict=True)
    )
    shapes = ", ".join(f"{str(one.dtype)[6:]} {list(one.shape)}" for one in got)
    print(f"{name}: {shapes}, error {error:.1e}")
    return error


def _exact(argument: object) -> object:
    is_float = isinstance(argument, torch.Tensor) and argument.is_floating_point()
    return argument.double() if is_float else argument


def _tensors(result: object) -> tuple[torch.Tensor, ...]:
    return tuple(result) if isinstance(result, (tuple, list)) else (result,)
