"""Operators for sparse attention: scores of the indexer, and attention to the chosen keys."""

from __future__ import annotations

import torch
from torch.nn.functional import pad

from ..artefacts import KERNELS

INDEX_SCORES = "(Tensor q, Tensor k, Tensor weights) -> Tensor"
SPARSE_ATTENTION = "(Tensor q, Tensor kv, Tensor indices, Tensor sink) -> Tensor"
BLOCK = 64


def index_scores(q: torch.Tensor, k: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
    """Sum over heads of weights [S, 16] * relu(q [S, 16, 32] . k [L, 32]), as [S, L] float32."""
    keys = pad(k, (0, 0, 0, -k.shape[0] % BLOCK)).contiguous()
    scores = KERNELS("index_scores")(q.contiguous(), keys, weights.float()[..., None].contiguous())
    return scores[:, : k.shape[0]].contiguous()


def index_scores_fake(q: torch.Tensor, k: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
    """The scores without numbers."""
    return torch.empty((q.shape[0], k.shape[0]), dtype=torch.float32, device=q.device)


def sparse_attention(
    q: torch.Tensor, kv: torch.Tensor, indices: torch.Tensor, sink: torch.Tensor
) -> torch.Tensor:
    """Attention of q [S, 16, 64] to the rows `indices` [S, 32] of kv [L, 64]; -1 is no row.

    Each head has a sink [16]: a score without a value.
    """
    chosen = indices.int().contiguous()
    rows = KERNELS("gather_rows")(kv.contiguous(), chosen)
    sinks = sink.float().reshape(-1, 1).contiguous()
    return KERNELS("sparse_attention")(q.contiguous(), rows, chosen, sinks)


def sparse_attention_fake(
    q: torch.Tensor, kv: torch.Tensor, indices: torch.Tensor, sink: torch.Tensor
) -> torch.Tensor:
    """A tensor like q."""
    return torch.empty(q.shape, dtype=q.dtype, device=q.device)
