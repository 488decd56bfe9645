"""The model's operators in torch: what our own are compared with.

Each computes in float32, or in float64 where its inputs are, and rounds once at the end.
"""

from __future__ import annotations

import torch

EPS = 1e-6
STRETCH, LARGEST, SMALLEST = 128, 127.0, 1e-4
TURNS = 20


def softmax(x: torch.Tensor) -> torch.Tensor:
    """Softmax along the last dimension."""
    return torch.softmax(_wide(x), -1).to(x.dtype)


def rms_norm(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    """Computes x / sqrt(mean(x ** 2) + eps) * weight."""
    wide = _wide(x)
    shrink = torch.rsqrt(wide.square().mean(-1, keepdim=True) + EPS)
    return (wide * shrink * weight).to(x.dtype)


def rope(x: torch.Tensor, cosines: torch.Tensor, sines: torch.Tensor) -> torch.Tensor:
    """Turns the pairs (i, i + D/2) of x [S, H, D] by the angles of their positions."""
    left, right = _wide(x).chunk(2, -1)
    c, s = cosines[:, None], sines[:, None]
    return torch.cat([left * c - right * s, left * s + right * c], -1).to(x.dtype)


def flash_attention(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool
) -> torch.Tensor:
    """Attention of q [heads, S, D] to k and v [heads / group, L, D]."""
    group = q.shape[0] // k.shape[0]
    wide_k, wide_v = (_wide(one).repeat_interleave(group, 0) for one in (k, v))
    scores = _wide(q) @ wide_k.mT * q.shape[-1] ** -0.5
    if causal:
        beyond = torch.ones(scores.shape[1:], dtype=torch.bool).triu(1)
        scores = scores.masked_fill(beyond, float("-inf"))
    return (torch.softmax(scores, -1) @ wide_v).to(q.dtype)


def act_quant(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Turns x [M, N] into int8 and a scale for each 128 numbers of a row."""
    parts = _wide(x).unflatten(1, (-1, STRETCH))
    scale = parts.abs().amax(-1).clamp(min=SMALLEST) / LARGEST
    return (parts / scale[..., None]).round().flatten(1).to(torch.int8), scale


def int8_gemm(
    a: torch.Tensor,
    a_scale: torch.Tensor,
    b: torch.Tensor,
    b_scale: torch.Tensor,
    dtype: torch.dtype,
) -> torch.Tensor:
    """The product (a * a_scale) @ (b * b_scale).T."""
    left = (a.to(a_scale.dtype).unflatten(1, (-1, STRETCH)) * a_scale[..., None]).flatten(1)
    return (left @ b.to(a_scale.dtype).T * b_scale).to(dtype)


def index_scores(q: torch.Tensor, k: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
    """How much each query of q [S, H, D] wants each key of k [L, D]."""
    each = torch.relu(torch.einsum("shd,ld->shl", _wide(q), _wide(k)))
    return torch.einsum("shl,sh->sl", each, _wide(weights))


def sparse_attention(
    q: torch.Tensor, kv: torch.Tensor, indices: torch.Tensor, sink: torch.Tensor
) -> torch.Tensor:
    """Attention of q [S, H, D] to the rows `indices` of kv, with a sink for each head."""
    rows = _wide(kv)[indices.clamp(min=0).long()]
    scores = torch.einsum("shd,std->sht", _wide(q), rows) * q.shape[-1] ** -0.5
    scores = scores.masked_fill((indices < 0)[:, None], float("-inf"))
    sinks = _wide(sink)[None, :, None].expand(*scores.shape[:2], 1)
    weights = torch.softmax(torch.cat([scores, sinks], -1), -1)[..., :-1]
    return torch.einsum("sht,std->shd", weights, rows).to(q.dtype)


def hc_split_sinkhorn(
    mixes: torch.Tensor, scales: torch.Tensor, bases: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Gates before and after a layer, and the matrix between, of mixes [T, 24]."""
    before, after, matrix = mixes.split((4, 4, 16), 1)
    first, second, third = bases.split((4, 4, 16))
    gate = torch.sigmoid(before * scales[0] + first) + EPS
    matrix = torch.softmax((matrix * scales[2] + third).view(-1, 4, 4), -1) + EPS
    matrix = matrix / (matrix.sum(1, keepdim=True) + EPS)
    for _ in range(TURNS - 1):
        matrix = matrix / (matrix.sum(2, keepdim=True) + EPS)
        matrix = matrix / (matrix.sum(1, keepdim=True) + EPS)
    return gate, 2 * torch.sigmoid(after * scales[1] + second), matrix


def _wide(x: torch.Tensor) -> torch.Tensor:
    return x if x.dtype == torch.float64 else x.float()
