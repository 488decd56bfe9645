"""Operators for int8: activations to int8, and the product of int8 matrices with scales."""

from __future__ import annotations

import torch
from torch.nn.functional import pad

from ..artefacts import KERNELS

ACT_QUANT = "(Tensor x) -> (Tensor, Tensor)"
INT8_GEMM = "(Tensor a, Tensor a_scale, Tensor b, Tensor b_scale, ScalarType dtype) -> Tensor"
STRETCH, BLOCK = 128, 64


def act_quant(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Turns x [M, N] into int8 and scales [M, N / 128]: about x = y * scale. 128 divides N."""
    return KERNELS("act_quant")(x.contiguous())


def act_quant_fake(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """The two results without numbers."""
    rows, width = x.shape
    scales = torch.empty((rows, width // STRETCH), dtype=torch.float32, device=x.device)
    return torch.empty(x.shape, dtype=torch.int8, device=x.device), scales


def int8_gemm(
    a: torch.Tensor,
    a_scale: torch.Tensor,
    b: torch.Tensor,
    b_scale: torch.Tensor,
    dtype: torch.dtype,
) -> torch.Tensor:
    """The product (a * a_scale) @ (b * b_scale).T in `dtype`, a [M, K] and b [N, K] int8.

    a_scale is [M, K / 128], b_scale [N]; M and N are padded to whole blocks.
    """
    rows, columns = a.shape[0], b.shape[0]
    scale = pad(b_scale, (0, -columns % BLOCK)).reshape(1, -1).contiguous()
    kernel = KERNELS("int8_gemm", dtype=str(dtype).removeprefix("torch."))
    c = kernel(_padded(a), _padded(a_scale), _padded(b), scale)
    return c[:rows, :columns].contiguous()


def int8_gemm_fake(
    a: torch.Tensor,
    a_scale: torch.Tensor,
    b: torch.Tensor,
    b_scale: torch.Tensor,
    dtype: torch.dtype,
) -> torch.Tensor:
    """The product without numbers."""
    return torch.empty((a.shape[0], b.shape[0]), dtype=dtype, device=a.device)


def _padded(x: torch.Tensor) -> torch.Tensor:
    return pad(x, (0, 0, 0, -x.shape[0] % BLOCK)).contiguous()
