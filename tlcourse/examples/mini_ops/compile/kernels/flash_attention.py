"""FlashAttention for causal and whole attention, with several query heads to a key head."""

from __future__ import annotations

import tilelang.language as T

MASKED = -1.0e30


@T.macro
def nothing_yet(acc, l, m):  # noqa: E741
    """No weights and no sum so far."""
    T.vbrc(0.0, acc)
    T.vbrc(0.0, l)
    T.vbrc(-T.infinity("float32"), m)


@T.macro
def add(acc, shrink, pv):
    """Adds the values of a block to what was summed up, scaled to the new largest score."""
    T.vmul(acc, shrink, acc)
    T.vadd(acc, pv, acc)


@T.macro
def scores(q, k, s, scale):
    """The scaled products of queries and keys."""
    T.gemm(q, k, s, initC=True, b_transpose=True)
    T.vmul(s, scale, s)


@T.macro
def divided(acc, l, o):  # noqa: E741
    """The sum of weighted values by the sum of weights, rounded once."""
    T.vdiv(acc, l, acc)
    T.vcast(acc, o, round_mode="rint")


@T.macro
def hide(s, beyond, mask):
    """Scores of keys that lie `beyond` the last one seen, by 1 or more, become about -1e30."""
    T.vcast(beyond, mask, round_mode="rint")
    T.vrelu(mask, mask)
    T.vmul(mask, MASKED, mask)
    T.vadd(s, mask, s)


@T.macro
def online_softmax(s, m, l, shrink, m_now, l_now):  # noqa: E741
    """Turns scores into weights exp(s - m), with m and l brought up to date."""
    T.reduce_max(s, m_now, dim=1)
    T.vmax(m, m_now, m_now)
    T.vsub(m, m_now, shrink)
    T.vexp(shrink, shrink)
    T.copy(m_now, m)
    T.vsub(s, m, s)
    T.vexp(s, s)
    T.reduce_sum(s, l_now, dim=1)
    T.vmul(l, shrink, l)
    T.vadd(l, l_now, l)


def flash_attention(heads, S, L, D, group, causal, dtype, block_M=64, block_N=64):
    """Q and O [heads, S, D], K and V [heads / group, L, D] in `dtype`; blocks divide S and L.

    A query sees the keys before `length`, or with `causal` those up to its own position.
    """

    @T.prim_func
    def flash_attention(
        Q: T.Tensor((heads, S, D), dtype),
        K: T.Tensor((heads // group, L, D), dtype),
        V: T.Tensor((heads // group, L, D), dtype),
        length: T.int32,
        O: T.Tensor((heads, S, D), dtype),  # noqa: E741
    ):
        with T.Kernel(heads * (S // block_M), is_npu=True) as (cid, _):
            head = cid % heads
            row = cid // heads * block_M
            q = T.alloc_shared((block_M, D), dtype)
            k = T.alloc_shared((block_N, D), dtype)
            v = T.alloc_shared((block_N, D), dtype)
            p = T.alloc_shared((block_M, block_N), dtype)
            o = T.alloc_shared((block_M, D), dtype)
            s = T.alloc_fragment((block_M, block_N), "float32")
            beyond = T.alloc_fragment((block_M, block_N), "int32")
            mask = T.alloc_fragment((block_M, block_N), "float32")
            pv = T.alloc_fragment((block_M, D), "float32")
            acc = T.alloc_fragment((block_M, D), "float32")
            m = T.alloc_fragment((block_M, 1), "float32")
            m_now = T.alloc_fragment((block_M, 1), "float32")
            l = T.alloc_fragment((block_M, 1), "float32")  # noqa: E741
            l_now = T.alloc_fragment((block_M, 1), "float32")
            shrink = T.alloc_fragment((block_M, 1), "float32")
            T.copy(Q[head, row : row + block_M, :], q)
            nothing_yet(acc, l, m)
            turns = (row // block_N + block_M // block_N) if causal else L // block_N
            for j in T.Pipelined(turns, num_stages=2):
                col = j * block_N
                T.copy(K[head // group, col : col + block_N, :], k)
                scores(q, k, s, D**-0.5)
                T.arange(beyond, [-1 if causal else 0, 1], col - (row if causal else length - 1))
                hide(s, beyond, mask)
                online_softmax(s, m, l, shrink, m_now, l_now)
                T.vcast(s, p, round_mode="rint")
                T.copy(V[head // group, col : col + block_N, :], v)
                T.gemm(p, v, pv, initC=True)
                add(acc, shrink, pv)
            divided(acc, l, o)
            T.copy(o, O[head, row : row + block_M, :])

    return flash_attention
