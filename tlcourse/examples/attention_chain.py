"""Attention as a chain of three kernels, each a launch of its own, in Developer mode.

What one kernel hands to the next goes through global memory: scores in float32 and weights in
float16, each [S, S]. FlashAttention computes the same without them.
"""

from __future__ import annotations

import tilelang.language as T


def scores(S=256, D=64, block=64):
    """C [S, S] f32 = Q K^T / sqrt(D) for Q and K [S, D] f16; block divides S."""

    @T.prim_func
    def scores(
        Q: T.Tensor((S, D), "float16"),
        K: T.Tensor((S, D), "float16"),
        C: T.Tensor((S, S), "float32"),
    ):
        with T.Kernel((S // block) * (S // block), is_npu=True) as (cid, _):
            bx = cid // (S // block) * block
            by = cid % (S // block) * block
            q = T.alloc_shared((block, D), "float16")
            k = T.alloc_shared((block, D), "float16")
            c = T.alloc_fragment((block, block), "float32")
            s = T.alloc_fragment((block, block), "float32")
            T.copy(Q[bx : bx + block, :], q)
            T.copy(K[by : by + block, :], k)
            T.gemm(q, k, c, initC=True, b_transpose=True)
            T.vmul(c, D**-0.5, s)
            T.copy(s, C[bx : bx + block, by : by + block])

    return scores


def row_softmax(S=256, rows=16):
    """C [S, S] f16 = softmax of each row of A [S, S] f32; rows divides S."""

    @T.prim_func
    def softmax(A: T.Tensor((S, S), "float32"), C: T.Tensor((S, S), "float16")):
        with T.Kernel(S // rows, is_npu=True) as (cid, _):
            a = T.alloc_shared((rows, S), "float32")
            m = T.alloc_shared((rows, 1), "float32")
            T.copy(A[cid * rows : (cid + 1) * rows, :], a)
            T.reduce_max(a, m, dim=1)
            for i, j in T.Parallel(rows, S):
                a[i, j] = T.exp(a[i, j] - m[i, 0])
            T.reduce_sum(a, m, dim=1)
            for i, j in T.Parallel(rows, S):
                a[i, j] = a[i, j] / m[i, 0]
            T.copy(a, C[cid * rows : (cid + 1) * rows, :])

    return softmax


def values(S=256, D=64, block=64):
    """O [S, D] f16 = P V for P [S, S] and V [S, D] f16; block divides S."""

    @T.prim_func
    def values(
        P: T.Tensor((S, S), "float16"),
        V: T.Tensor((S, D), "float16"),
        O: T.Tensor((S, D), "float16"),  # noqa: E741
    ):
        with T.Kernel(S // block, is_npu=True) as (cid, _):
            p = T.alloc_shared((block, block), "float16")
            v = T.alloc_shared((block, D), "float16")
            o = T.alloc_fragment((block, D), "float32")
            for k in T.serial(S // block):
                T.copy(P[cid * block : (cid + 1) * block, k * block : (k + 1) * block], p)
                T.copy(V[k * block : (k + 1) * block, :], v)
                T.gemm(p, v, o, initC=(k == 0))
            T.copy(o, O[cid * block : (cid + 1) * block, :])

    return values
