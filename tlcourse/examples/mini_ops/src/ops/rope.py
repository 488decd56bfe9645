"""The operator for rotary positions."""

from __future__ import annotations

import torch

from ..artefacts import KERNELS

SCHEMA = "(Tensor x, Tensor cosines, Tensor sines) -> Tensor"


def run(x: torch.Tensor, cosines: torch.Tensor, sines: torch.Tensor) -> torch.Tensor:
    """Turns the pairs (i, i + D/2) of x [S, H, D]; cosines and sines are [S, D/2] float32."""
    return KERNELS("rope")(x.contiguous(), cosines.contiguous(), sines.contiguous())


def fake(x: torch.Tensor, cosines: torch.Tensor, sines: torch.Tensor) -> torch.Tensor:
    """A tensor like x."""
    return torch.empty(x.shape, dtype=x.dtype, device=x.device)
