"""Rotary position embedding: pairs (i, i + D/2) of a head turn by an angle of their position."""

from __future__ import annotations

import tilelang.language as T


def rope(S, H, D, dtype, block_S=32):
    """X and Y [S, H, D] in `dtype`, C and N [S, D/2] in float32, the cosines and sines."""
    half = D // 2

    @T.prim_func
    def rope(
        X: T.Tensor((S, H, D), dtype),
        C: T.Tensor((S, half), "float32"),
        N: T.Tensor((S, half), "float32"),
        Y: T.Tensor((S, H, D), dtype),
    ):
        with T.Kernel(T.ceildiv(S, block_S) * H, is_npu=True) as (cid, _):
            head = cid % H
            row = cid // H * block_S
            rows = T.min(block_S, S - row)
            x = T.alloc_ub((block_S, half), dtype)
            left = T.alloc_ub((block_S, half), "float32")
            right = T.alloc_ub((block_S, half), "float32")
            cosine = T.alloc_ub((block_S, half), "float32")
            sine = T.alloc_ub((block_S, half), "float32")
            turned = T.alloc_ub((block_S, half), "float32")
            part = T.alloc_ub((block_S, half), "float32")
            T.vbrc(0.0, x)
            T.vbrc(0.0, cosine)
            T.vbrc(0.0, sine)
            T.copy(C[row : row + rows, :], cosine[0:rows, :])
            T.copy(N[row : row + rows, :], sine[0:rows, :])
            T.copy(X[row : row + rows, head, 0:half], x[0:rows, :])
            T.vcast(x, left, round_mode="rint")
            T.copy(X[row : row + rows, head, half:D], x[0:rows, :])
            T.vcast(x, right, round_mode="rint")
            T.vmul(left, cosine, turned)
            T.vmul(right, sine, part)
            T.vsub(turned, part, turned)
            T.vcast(turned, x, round_mode="rint")
            T.copy(x[0:rows, :], Y[row : row + rows, head, 0:half])
            T.vmul(left, sine, turned)
            T.vmul(right, cosine, part)
            T.vadd(turned, part, turned)
            T.vcast(turned, x, round_mode="rint")
            T.copy(x[0:rows, :], Y[row : row + rows, head, half:D])

    return rope
