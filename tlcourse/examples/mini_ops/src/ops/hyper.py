"""The operator for the weights of hyper-connections."""

from __future__ import annotations

import torch

from ..artefacts import KERNELS

SCHEMA = "(Tensor mixes, Tensor scales, Tensor bases) -> (Tensor, Tensor, Tensor)"
HC = 4


def run(
    mixes: torch.Tensor, scales: torch.Tensor, bases: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Gates before [T, 4] and after [T, 4] a layer, and the matrix [T, 4, 4], of mixes [T, 24]."""
    kernel = KERNELS("hc_split_sinkhorn")
    y = kernel(mixes.t().contiguous(), scales.reshape(1, 3), bases.reshape(1, -1)).t()
    before, after, matrix = y.split((HC, HC, HC * HC), dim=1)
    return before.contiguous(), after.contiguous(), matrix.reshape(-1, HC, HC).contiguous()


def fake(
    mixes: torch.Tensor, scales: torch.Tensor, bases: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """The three results without numbers."""
    tokens = mixes.shape[0]
    gate = mixes.new_empty((tokens, HC))
    return gate, torch.empty_like(gate), mixes.new_empty((tokens, HC, HC))
