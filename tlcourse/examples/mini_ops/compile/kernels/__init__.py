"""What is compiled: each kernel with its dtypes; sizes stay open where a call may choose them."""

from __future__ import annotations

from itertools import product

import tilelang.language as T

from tlcourse.ops import KernelRecipe

from .act_quant import act_quant
from .flash_attention import flash_attention
from .gather_rows import gather_rows
from .hc_split_sinkhorn import hc_split_sinkhorn
from .indexer import index_scores
from .int8_gemm import int8_gemm
from .rms_norm import rms_norm
from .rope import rope
from .softmax import softmax
from .sparse_attention import sparse_attention

DTYPES = ("float16", "bfloat16")
_OPEN = {name: T.symbolic(name) for name in ("M", "N", "K", "S", "L", "H", "heads")}


def _variants(opened: str, **fixed: tuple[object, ...]) -> tuple[dict[str, object], ...]:
    """Every choice of the fixed constants and of the dtype, with some sizes left open."""
    sizes = {name: _OPEN[name] for name in opened.split()}
    choices = {**fixed, "dtype": DTYPES}
    return tuple(
        sizes | dict(zip(choices, values, strict=True)) for values in product(*choices.values())
    )


KERNELS = (
    KernelRecipe(operator="softmax", make=softmax, mode="Expert", variants=_variants("M N")),
    KernelRecipe(operator="rms_norm", make=rms_norm, mode="Expert", variants=_variants("M N")),
    KernelRecipe(operator="rope", make=rope, mode="Expert", variants=_variants("S H", D=(32, 64))),
    KernelRecipe(
        operator="flash_attention",
        make=flash_attention,
        mode="Developer",
        variants=_variants("heads S L", D=(64,), group=(1, 2, 4), causal=(True, False)),
    ),
    KernelRecipe(
        operator="act_quant",
        make=act_quant,
        mode="Expert",
        variants=_variants("M N"),
        out_idx=(1, 2),
    ),
    KernelRecipe(
        operator="int8_gemm", make=int8_gemm, mode="Developer", variants=_variants("M N K")
    ),
    KernelRecipe(
        operator="index_scores",
        make=index_scores,
        mode="Developer",
        variants=_variants("S L", H=(16,), D=(32,)),
    ),
    KernelRecipe(
        operator="gather_rows",
        make=gather_rows,
        mode="Expert",
        variants=_variants("S L", D=(64,), top=(32,)),
    ),
    KernelRecipe(
        operator="sparse_attention",
        make=sparse_attention,
        mode="Developer",
        variants=_variants("S", H=(16,), D=(64,), top=(32,)),
    ),
    KernelRecipe(
        operator="hc_split_sinkhorn",
        make=hc_split_sinkhorn,
        mode="Expert",
        variants=({"M": _OPEN["M"], "hc": 4, "turns": 20},),
    ),
)
