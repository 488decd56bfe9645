"""A product of int8 matrices with scales: exact sums of a stretch, weighed and added up."""

from __future__ import annotations

import tilelang.language as T


def int8_gemm(M, N, K, dtype, stretch=128, block_M=64, block_N=64):
    """C [M, N] in `dtype` = (A * SA) @ (B * SB)^T.

    A [M, K] and B [N, K] int8; SA [M, K / stretch] for each stretch of a row of A, and SB [1, N]
    for each row of B, float32. block_M divides M and block_N divides N.
    """

    @T.prim_func
    def int8_gemm(
        A: T.Tensor((M, K), "int8"),
        SA: T.Tensor((M, K // stretch), "float32"),
        B: T.Tensor((N, K), "int8"),
        SB: T.Tensor((1, N), "float32"),
        C: T.Tensor((M, N), dtype),
    ):
        with T.Kernel((M // block_M) * (N // block_N), is_npu=True) as (cid, _):
            row = cid // (N // block_N) * block_M
            col = cid % (N // block_N) * block_N
            a = T.alloc_shared((block_M, stretch), "int8")
            b = T.alloc_shared((block_N, stretch), "int8")
            sums = T.alloc_fragment((block_M, block_N), "int32")
            part = T.alloc_fragment((block_M, block_N), "float32")
            total = T.alloc_fragment((block_M, block_N), "float32")
            of_row = T.alloc_fragment((block_M, 1), "float32")
            of_col = T.alloc_fragment((1, block_N), "float32")
            c = T.alloc_shared((block_M, block_N), dtype)
            T.vbrc(0.0, total)
            T.copy(SB[0:1, col : col + block_N], of_col)
            for k in T.serial(K // stretch):
                T.copy(A[row : row + block_M, k * stretch : (k + 1) * stretch], a)
                T.copy(B[col : col + block_N, k * stretch : (k + 1) * stretch], b)
                T.gemm(a, b, sums, initC=True, b_transpose=True)
                T.vcast(sums, part, round_mode="rint")
                T.copy(SA[row : row + block_M, k : k + 1], of_row)
                T.vmul(part, of_row, part)
                T.vadd(total, part, total)
            T.vmul(total, of_col, total)
            T.vcast(total, c, round_mode="rint")
            T.copy(c, C[row : row + block_M, col : col + block_N])

    return int8_gemm
