"""Softmax of each row, in both modes."""

from __future__ import annotations

import tilelang.language as T


def softmax(M=4096, N=1024, block_M=8, dtype="float32"):
    """X and Y [M, N] in `dtype`: Y = exp(X - max) / sum along the rows; block_M divides M."""

    @T.prim_func
    def softmax(X: T.Tensor((M, N), dtype), Y: T.Tensor((M, N), dtype)):
        with T.Kernel(M // block_M, is_npu=True) as (cid, _):
            row = cid * block_M
            x = T.alloc_shared((block_M, N), dtype)
            largest = T.alloc_shared((block_M, 1), dtype)
            total = T.alloc_shared((block_M, 1), dtype)
            T.copy(X[row : row + block_M, :], x)
            T.reduce_max(x, largest, dim=1)
            T.vsub(x, largest, x)
            T.vexp(x, x)
            T.reduce_sum(x, total, dim=1)
            T.vdiv(x, total, x)
            T.copy(x, Y[row : row + block_M, :])

    return softmax


def softmax_expert(M=4096, N=1024, block_M=8, dtype="float32"):
    """The same by hand: tiles stand in UB, the compiler places the flags."""

    @T.prim_func
    def softmax(X: T.Tensor((M, N), dtype), Y: T.Tensor((M, N), dtype)):
        with T.Kernel(M // block_M, is_npu=True) as (cid, _):
            row = cid * block_M
            x = T.alloc_ub((block_M, N), dtype)
            largest = T.alloc_ub((block_M, 1), dtype)
            total = T.alloc_ub((block_M, 1), dtype)
            T.copy(X[row : row + block_M, :], x)
            T.reduce_max(x, largest, dim=1)
            T.vsub(x, largest, x)
            T.vexp(x, x)
            T.reduce_sum(x, total, dim=1)
            T.vdiv(x, total, x)
            T.copy(x, Y[row : row + block_M, :])

    return softmax
