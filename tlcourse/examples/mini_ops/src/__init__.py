"""The Python API: operators of a small model of DeepSeek-V4's shape, on the CPU or the npu."""

from __future__ import annotations

import torch

from . import registry

__version__ = "0.1.0"
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

_OPS = torch.ops.mini_ops

softmax = _OPS.softmax
rms_norm = _OPS.rms_norm
rope = _OPS.rope
flash_attention = _OPS.flash_attention
act_quant = _OPS.act_quant
int8_gemm = _OPS.int8_gemm
index_scores = _OPS.index_scores
sparse_attention = _OPS.sparse_attention
hc_split_sinkhorn = _OPS.hc_split_sinkhorn
