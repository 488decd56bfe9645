"""Activations to int8: each stretch of a row has a scale of its own."""

from __future__ import annotations

import tilelang.language as T

LARGEST = 127.0
SMALLEST = 1e-4  # a stretch of zeros has a scale too


def act_quant(M, N, dtype, stretch=128, block_M=32):
    """X [M, N] in `dtype` to Y [M, N] int8 and S [M, N / stretch] float32, X = Y * S about."""

    @T.prim_func
    def act_quant(
        X: T.Tensor((M, N), dtype),
        Y: T.Tensor((M, N), "int8"),
        S: T.Tensor((M, T.ceildiv(N, stretch)), "float32"),
    ):
        with T.Kernel(T.ceildiv(M, block_M) * (N // stretch), is_npu=True) as (cid, _):
            part = cid % (N // stretch)
            row = cid // (N // stretch) * block_M
            rows = T.min(block_M, M - row)
            x = T.alloc_ub((block_M, stretch), dtype)
            wide = T.alloc_ub((block_M, stretch), "float32")
            size = T.alloc_ub((block_M, stretch), "float32")
            scale = T.alloc_ub((block_M, 1), "float32")
            whole = T.alloc_ub((block_M, stretch), "int32")
            half = T.alloc_ub((block_M, stretch), "float16")
            y = T.alloc_ub((block_M, stretch), "int8")
            T.vbrc(0.0, x)
            T.copy(X[row : row + rows, part * stretch : (part + 1) * stretch], x[0:rows, :])
            T.vcast(x, wide, round_mode="rint")
            T.vabs(wide, size)
            T.reduce_max(size, scale, dim=1)
            T.vmax(scale, SMALLEST, scale)
            T.vmul(scale, 1.0 / LARGEST, scale)
            T.vdiv(wide, scale, wide)
            # Rounded once: whole numbers of this size are exact in float16.
            T.vcast(wide, whole, round_mode="rint")
            T.vcast(whole, wide, round_mode="rint")
            T.vcast(wide, half, round_mode="rint")
            T.vcast(half, y, round_mode="rint")
            T.copy(y[0:rows, :], Y[row : row + rows, part * stretch : (part + 1) * stretch])
            T.copy(scale[0:rows, :], S[row : row + rows, part : part + 1])

    return act_quant
