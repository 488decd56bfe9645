"""MiniCV for any M and N in both modes: short tiles at the right and lower edge."""

from __future__ import annotations

import tilelang.language as T


def minicv_tails_developer(
    M=200, N=160, K=128, block_M=64, block_N=64, block_K=64, dtype="float16"
):
    """C = A @ B, D = exp(C); K is a multiple of block_K. Only what is there is copied."""
    n_num = T.ceildiv(N, block_N)

    @T.prim_func
    def minicv(
        A: T.Tensor((M, K), dtype),
        B: T.Tensor((K, N), dtype),
        C: T.Tensor((M, N), "float32"),
        D: T.Tensor((M, N), "float32"),
    ):
        with T.Kernel(T.ceildiv(M, block_M) * n_num, is_npu=True) as (cid, _):
            bx = cid // n_num * block_M
            by = cid % n_num * block_N
            rows = T.min(block_M, M - bx)
            columns = T.min(block_N, N - by)
            C_fr = T.alloc_fragment((block_M, block_N), "float32")
            D_fr = T.alloc_fragment((block_M, block_N), "float32")
            for k in T.serial(K // block_K):
                ko = k * block_K
                A_sh = T.alloc_shared((block_M, block_K), dtype)
                B_sh = T.alloc_shared((block_K, block_N), dtype)
                T.copy(A[bx : bx + rows, ko : ko + block_K], A_sh[0:rows, :])
                T.copy(B[ko : ko + block_K, by : by + columns], B_sh[:, 0:columns])
                T.gemm(A_sh, B_sh, C_fr, initC=(k == 0))
            T.copy(C_fr[0:rows, 0:columns], C[bx : bx + rows, by : by + columns])
            T.vexp(C_fr, D_fr)
            T.copy(D_fr[0:rows, 0:columns], D[bx : bx + rows, by : by + columns])

    return minicv


def minicv_tails_expert(M=200, N=160, K=128, block_M=64, block_N=64, block_K=64, dtype="float16"):
    """The same by hand: each vector core takes the rows of its half that are there."""
    n_num = T.ceildiv(N, block_N)
    half_M = block_M // 2

    @T.prim_func
    def minicv(
        A: T.Tensor((M, K), dtype),
        B: T.Tensor((K, N), dtype),
        C: T.Tensor((M, N), "float32"),
        D: T.Tensor((M, N), "float32"),
    ):
        with T.Kernel(T.ceildiv(M, block_M) * n_num, is_npu=True) as (cid, vid):
            bx = cid // n_num * block_M
            by = cid % n_num * block_N
            columns = T.min(block_N, N - by)
            with T.Scope("Cube"):
                rows = T.min(block_M, M - bx)
                A_l1 = T.alloc_L1((block_M, block_K), dtype)
                B_l1 = T.alloc_L1((block_K, block_N), dtype)
                C_l0 = T.alloc_L0C((block_M, block_N), "float32")
                for k in T.serial(K // block_K):
                    ko = k * block_K
                    T.copy(A[bx : bx + rows, ko : ko + block_K], A_l1[0:rows, :])
                    T.copy(B[ko : ko + block_K, by : by + columns], B_l1[:, 0:columns])
                    T.gemm(A_l1, B_l1, C_l0, initC=(k == 0))
                with T.rs("PIPE_FIX"):
                    T.copy(C_l0[0:rows, 0:columns], C[bx : bx + rows, by : by + columns])
                    T.sync_block_set(0)
            with T.Scope("Vector"):
                C_ub = T.alloc_ub((half_M, block_N), "float32")
                D_ub = T.alloc_ub((half_M, block_N), "float32")
                row = T.min(bx + vid * half_M, M)
                rows = T.min(half_M, M - row)
                with T.rs("PIPE_MTE2"):
                    T.sync_block_wait(0)
                    T.copy(C[row : row + rows, by : by + columns], C_ub[0:rows, 0:columns])
                T.vexp(C_ub, D_ub)
                T.copy(D_ub[0:rows, 0:columns], D[row : row + rows, by : by + columns])

    return minicv
