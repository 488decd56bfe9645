"""Attention of all heads of a query to the keys that an indexer chose, one query a block."""

from __future__ import annotations

import tilelang.language as T

MASKED = -1.0e30


@T.macro
def hide(s, chosen, real):
    """Scores where -1 was chosen become about -1e30."""
    T.vcast(chosen, real, round_mode="rint")
    T.vmin(real, 0.0, real)
    T.vmul(real, -MASKED, real)
    T.vadd(s, real, s)


@T.macro
def weigh(s, sink, m, l):  # noqa: E741
    """Turns scores into weights exp(s - m), and l into their sum with the sink's weight."""
    T.reduce_max(s, m, dim=1)
    T.vmax(m, sink, m)
    T.vsub(s, m, s)
    T.vexp(s, s)
    T.vsub(sink, m, sink)
    T.vexp(sink, sink)
    T.reduce_sum(s, l, dim=1)
    T.vadd(l, sink, l)


def sparse_attention(S, H, D, top, dtype):
    """Q and O [S, H, D], G [S, top, D] in `dtype`; I [S, top] int32, -1 where there is no key.

    The rows of G are keys and values, shared by the heads. Each head has a sink, B [H, 1] float32:
    a score with no value, which takes its share of the weights.
    """

    @T.prim_func
    def sparse_attention(
        Q: T.Tensor((S, H, D), dtype),
        G: T.Tensor((S, top, D), dtype),
        I: T.Tensor((S, top), "int32"),  # noqa: E741
        B: T.Tensor((H, 1), "float32"),
        O: T.Tensor((S, H, D), dtype),  # noqa: E741
    ):
        with T.Kernel(S, is_npu=True) as (cid, _):
            q = T.alloc_shared((H, D), dtype)
            kv = T.alloc_shared((top, D), dtype)
            chosen = T.alloc_shared((1, top), "int32")
            real = T.alloc_fragment((1, top), "float32")
            s = T.alloc_fragment((H, top), "float32")
            p = T.alloc_shared((H, top), dtype)
            acc = T.alloc_fragment((H, D), "float32")
            o = T.alloc_shared((H, D), dtype)
            m = T.alloc_fragment((H, 1), "float32")
            l = T.alloc_fragment((H, 1), "float32")  # noqa: E741
            sink = T.alloc_fragment((H, 1), "float32")
            T.copy(Q[cid, :, :], q)
            T.copy(B[:, :], sink)
            T.copy(I[cid : cid + 1, :], chosen)
            T.copy(G[cid, :, :], kv)
            T.gemm(q, kv, s, initC=True, b_transpose=True)
            T.vmul(s, D**-0.5, s)
            hide(s, chosen, real)
            weigh(s, sink, m, l)
            T.vcast(s, p, round_mode="rint")
            T.gemm(p, kv, acc, initC=True)
            T.vdiv(acc, l, acc)
            T.vcast(acc, o, round_mode="rint")
            T.copy(o, O[cid, :, :])

    return sparse_attention
