"""The indexer's scores: how much each query wants each key, by a few small heads."""

from __future__ import annotations

import tilelang.language as T


def index_scores(S, L, H, D, dtype, block_N=64):
    """R [S, L] float32 = sum over heads of W * relu(Q K^T).

    Q [S, H, D] and K [L, D] in `dtype`, W [S, H, 1] float32; block_N divides L.
    """

    @T.prim_func
    def index_scores(
        Q: T.Tensor((S, H, D), dtype),
        K: T.Tensor((L, D), dtype),
        W: T.Tensor((S, H, 1), "float32"),
        R: T.Tensor((S, L), "float32"),
    ):
        with T.Kernel(S, is_npu=True) as (cid, _):
            q = T.alloc_shared((H, D), dtype)
            k = T.alloc_shared((block_N, D), dtype)
            s = T.alloc_fragment((H, block_N), "float32")
            w = T.alloc_fragment((H, 1), "float32")
            r = T.alloc_fragment((1, block_N), "float32")
            T.copy(Q[cid, :, :], q)
            T.copy(W[cid, :, :], w)
            for j in T.serial(L // block_N):
                T.copy(K[j * block_N : (j + 1) * block_N, :], k)
                T.gemm(q, k, s, initC=True, b_transpose=True)
                T.vrelu(s, s)
                T.vmul(s, w, s)
                T.reduce_sum(s, r, dim=0)
                T.copy(r, R[cid : cid + 1, j * block_N : (j + 1) * block_N])

    return index_scores
