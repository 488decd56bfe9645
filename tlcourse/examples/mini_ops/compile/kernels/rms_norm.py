"""Root mean square norm of each row, for rows of up to `width` numbers."""

from __future__ import annotations

import tilelang.language as T


def rms_norm(M, N, dtype, eps=1e-6, width=1024, block_M=8):
    """X and Y [M, N], W [1, N] in `dtype`: Y = X / sqrt(mean(X ** 2) + eps) * W.

    Numbers behind the end of a row stand for 0, which adds nothing to the sum.
    """

    @T.prim_func
    def rms_norm(
        X: T.Tensor((M, N), dtype),
        W: T.Tensor((1, N), dtype),
        scale: T.float32,
        Y: T.Tensor((M, N), dtype),
    ):
        with T.Kernel(T.ceildiv(M, block_M), is_npu=True) as (cid, _):
            row = cid * block_M
            rows = T.min(block_M, M - row)
            x = T.alloc_ub((block_M, width), dtype)
            w = T.alloc_ub((1, width), dtype)
            wide = T.alloc_ub((block_M, width), "float32")
            weight = T.alloc_ub((1, width), "float32")
            square = T.alloc_ub((block_M, width), "float32")
            mean = T.alloc_ub((block_M, 1), "float32")
            T.vbrc(0.0, x)
            T.vbrc(0.0, w)
            T.copy(X[row : row + rows, 0:N], x[0:rows, 0:N])
            T.copy(W[0:1, 0:N], w[0:1, 0:N])
            T.vcast(x, wide, round_mode="rint")
            T.vcast(w, weight, round_mode="rint")
            T.vmul(wide, wide, square)
            T.reduce_sum(square, mean, dim=1)
            T.vmul(mean, scale, mean)
            T.vadd(mean, eps, mean)
            T.vrsqrt(mean, mean)
            T.vmul(wide, mean, wide)
            T.vmul(wide, weight, wide)
            T.vcast(wide, x, round_mode="rint")
            T.copy(x[0:rows, 0:N], Y[row : row + rows, 0:N])

    return rms_norm
