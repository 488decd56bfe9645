"""The operators of the small model: what an installed `mini_ops` gives, from its source folder."""

from __future__ import annotations

from tlcourse.examples.mini_ops.src import (
    act_quant,
    flash_attention,
    hc_split_sinkhorn,
    index_scores,
    int8_gemm,
    registry,
    rms_norm,
    rope,
    softmax,
    sparse_attention,
)

__all__ = [
    "act_quant",
    "flash_attention",
    "hc_split_sinkhorn",
    "index_scores",
    "int8_gemm",
    "registry",
    "rms_norm",
    "rope",
    "softmax",
    "sparse_attention",
]
