"""The operator for attention: any length, causal or not, several query heads to a key head."""

from __future__ import annotations

import torch
from torch.nn.functional import pad

from ..artefacts import KERNELS

SCHEMA = "(Tensor q, Tensor k, Tensor v, bool causal) -> Tensor"
BLOCK = 64


def run(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool) -> torch.Tensor:
    """Attention of q [heads, S, 64] to k and v [heads / group, L, 64], group 1, 2 or 4.

    Lengths are padded to whole blocks; what is padded gets no weight.
    """
    group = q.shape[0] // max(k.shape[0], 1)
    kernel = KERNELS("flash_attention", group=group, causal=causal)
    out = kernel(_padded(q), _padded(k), _padded(v), k.shape[1])
    return out[:, : q.shape[1]].contiguous()


def fake(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool) -> torch.Tensor:
    """A tensor like q."""
    return torch.empty(q.shape, dtype=q.dtype, device=q.device)


def keep(
    ctx: torch.autograd.function.FunctionCtx,
    inputs: tuple[torch.Tensor, torch.Tensor, torch.Tensor, bool],
    output: torch.Tensor,
) -> None:
    """Keeps the inputs; weights are computed again in the backward pass."""
    *tensors, ctx.causal = inputs
    ctx.save_for_backward(*tensors, output)


def backward(
    ctx: torch.autograd.function.FunctionCtx, grad: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, None]:
    """Gradients of q, k and v, by torch in float32."""
    q, k, v, out = (tensor.float() for tensor in ctx.saved_tensors)
    grad = grad.float()
    group, scale = q.shape[0] // k.shape[0], q.shape[-1] ** -0.5
    wide_k, wide_v = k.repeat_interleave(group, 0), v.repeat_interleave(group, 0)
    scores = q @ wide_k.mT * scale
    if ctx.causal:
        beyond = torch.ones(scores.shape[1:], dtype=torch.bool, device=q.device).triu(1)
        scores = scores.masked_fill(beyond, float("-inf"))
    weights = torch.softmax(scores, -1)
    moved = (grad * out).sum(-1, keepdim=True)
    of_scores = weights * (grad @ wide_v.mT - moved) * scale
    of_q = of_scores @ wide_k
    of_k = (of_scores.mT @ q).unflatten(0, (-1, group)).sum(1)
    of_v = (weights.mT @ grad).unflatten(0, (-1, group)).sum(1)
    kept = ctx.saved_tensors[0].dtype
    return of_q.to(kept), of_k.to(kept), of_v.to(kept), None


def _padded(x: torch.Tensor) -> torch.Tensor:
    return pad(x, (0, 0, 0, -x.shape[1] % BLOCK)).contiguous()
