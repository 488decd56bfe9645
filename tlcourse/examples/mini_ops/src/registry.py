"""The registry: what stands here becomes an operator of torch."""

from __future__ import annotations

from tlcourse.ops import Operator, register

from .ops import attention, hyper, quantised, rope, rows, sparse

OPERATORS = (
    Operator(name="softmax", schema=rows.SOFTMAX, run=rows.softmax, fake=rows.softmax_fake),
    Operator(name="rms_norm", schema=rows.RMS_NORM, run=rows.rms_norm, fake=rows.rms_norm_fake),
    Operator(name="rope", schema=rope.SCHEMA, run=rope.run, fake=rope.fake),
    Operator(
        name="flash_attention",
        schema=attention.SCHEMA,
        run=attention.run,
        fake=attention.fake,
        backward=attention.backward,
        setup=attention.keep,
    ),
    Operator(
        name="act_quant",
        schema=quantised.ACT_QUANT,
        run=quantised.act_quant,
        fake=quantised.act_quant_fake,
    ),
    Operator(
        name="int8_gemm",
        schema=quantised.INT8_GEMM,
        run=quantised.int8_gemm,
        fake=quantised.int8_gemm_fake,
    ),
    Operator(
        name="index_scores",
        schema=sparse.INDEX_SCORES,
        run=sparse.index_scores,
        fake=sparse.index_scores_fake,
    ),
    Operator(
        name="sparse_attention",
        schema=sparse.SPARSE_ATTENTION,
        run=sparse.sparse_attention,
        fake=sparse.sparse_attention_fake,
    ),
    Operator(name="hc_split_sinkhorn", schema=hyper.SCHEMA, run=hyper.run, fake=hyper.fake),
)

register("mini_ops", OPERATORS)
