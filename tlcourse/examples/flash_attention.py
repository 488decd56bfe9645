"""FlashAttention with an online softmax, in Developer mode.

For each block of query rows the keys pass by in blocks; `m` is the largest score so far, `l`
the sum of exp(score - m), and `acc` the weighted sum of values, rescaled when `m` grows.
"""

from __future__ import annotations

import tilelang.language as T


@T.macro
def online_softmax(s, m, l, shrink, m_now, l_now):  # noqa: E741
    """Turns scores into weights exp(s - m), with m and l brought up to date.

    `shrink` becomes exp(m before - m after): what was summed up so far is scaled by it.
    """
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


def flash_attention(heads=8, S=1024, D=64, block_M=64, block_N=64, dtype="float16"):
    """Q, K, V and O [heads, S, D] in `dtype`: O = softmax(Q K^T / sqrt(D)) V for each head.

    block_M and block_N divide S.
    """
    blocks = S // block_M

    @T.prim_func
    def flash_attention(
        Q: T.Tensor((heads, S, D), dtype),
        K: T.Tensor((heads, S, D), dtype),
        V: T.Tensor((heads, S, D), dtype),
        O: T.Tensor((heads, S, D), dtype),  # noqa: E741
    ):
        with T.Kernel(heads * blocks, is_npu=True) as (cid, _):
            head = cid // blocks
            row = cid % blocks * block_M
            q = T.alloc_shared((block_M, D), dtype)
            k = T.alloc_shared((block_N, D), dtype)
            v = T.alloc_shared((block_N, D), dtype)
            p = T.alloc_shared((block_M, block_N), dtype)
            o = T.alloc_shared((block_M, D), dtype)
            s = T.alloc_fragment((block_M, block_N), "float32")
            pv = T.alloc_fragment((block_M, D), "float32")
            acc = T.alloc_fragment((block_M, D), "float32")
            m = T.alloc_fragment((block_M, 1), "float32")
            m_now = T.alloc_fragment((block_M, 1), "float32")
            l = T.alloc_fragment((block_M, 1), "float32")  # noqa: E741
            l_now = T.alloc_fragment((block_M, 1), "float32")
            shrink = T.alloc_fragment((block_M, 1), "float32")

            T.copy(Q[head, row : row + block_M, :], q)
            T.vbrc(0.0, acc)
            T.vbrc(0.0, l)
            T.vbrc(-T.infinity("float32"), m)
            for j in T.Pipelined(S // block_N, num_stages=2):
                T.copy(K[head, j * block_N : (j + 1) * block_N, :], k)
                T.gemm(q, k, s, initC=True, b_transpose=True)
                T.vmul(s, D**-0.5, s)
                online_softmax(s, m, l, shrink, m_now, l_now)
                T.vcast(s, p, round_mode="rint")
                T.copy(V[head, j * block_N : (j + 1) * block_N, :], v)
                T.gemm(p, v, pv, initC=True)
                T.vmul(acc, shrink, acc)
                T.vadd(acc, pv, acc)
            T.vdiv(acc, l, acc)
            T.vcast(acc, o, round_mode="rint")
            T.copy(o, O[head, row : row + block_M, :])

    return flash_attention
