"""Rows of a matrix, brought together in the order of an index; -1 takes the first row."""

from __future__ import annotations

import tilelang.language as T


def gather_rows(S, L, D, top, dtype):
    """G [S, top, D] = KV[I], for KV [L, D] in `dtype` and I [S, top] int32."""

    @T.prim_func
    def gather_rows(
        KV: T.Tensor((L, D), dtype),
        I: T.Tensor((S, top), "int32"),  # noqa: E741
        G: T.Tensor((S, top, D), dtype),
    ):
        with T.Kernel(S, is_npu=True) as (cid, _):
            rows = T.alloc_ub((top, D), dtype)
            for i in T.serial(top):
                at = T.max(I[cid, i], 0)
                T.copy(KV[at : at + 1, :], rows[i : i + 1, :])
            T.copy(rows, G[cid, :, :])

    return gather_rows
