"""Softmax of each row, for rows of up to `width` numbers."""

from __future__ import annotations

import tilelang.language as T


def softmax(M, N, dtype, width=1024, block_M=8):
    """X and Y [M, N] in `dtype`: Y = exp(X - max) / sum along the rows, in float32 between.

    Numbers behind the end of a row stand for -inf, which weighs nothing.
    """

    @T.prim_func
    def softmax(X: T.Tensor((M, N), dtype), Y: T.Tensor((M, N), dtype)):
        with T.Kernel(T.ceildiv(M, block_M), is_npu=True) as (cid, _):
            row = cid * block_M
            rows = T.min(block_M, M - row)
            x = T.alloc_ub((block_M, width), dtype)
            wide = T.alloc_ub((block_M, width), "float32")
            largest = T.alloc_ub((block_M, 1), "float32")
            total = T.alloc_ub((block_M, 1), "float32")
            T.vbrc(-T.infinity(dtype), x)
            T.copy(X[row : row + rows, 0:N], x[0:rows, 0:N])
            T.vcast(x, wide, round_mode="rint")
            T.reduce_max(wide, largest, dim=1)
            T.vsub(wide, largest, wide)
            T.vexp(wide, wide)
            T.reduce_sum(wide, total, dim=1)
            T.vdiv(wide, total, wide)
            T.vcast(wide, x, round_mode="rint")
            T.copy(x[0:rows, 0:N], Y[row : row + rows, 0:N])

    return softmax
