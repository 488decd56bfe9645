"""MiniCV: C = A @ B on the cube core, D = exp(C) on the vector cores, in both modes.

A [M, K] and B [K, N] are f16, C and D [M, N] are f32. Scale the inputs by 1/sqrt(K), else
exp overflows. M, N and K are multiples of block_M, block_N and block_K.
"""

from __future__ import annotations

import tilelang.language as T


def minicv_developer(
    M=1024,
    N=1024,
    K=512,
    block_M=128,
    block_N=256,
    block_K=64,
    dtype="float16",
    accum_dtype="float32",
):
    """MiniCV in Developer form: the compiler splits it over the cores."""
    n_num = N // block_N

    @T.prim_func
    def minicv(
        A: T.Tensor((M, K), dtype),
        B: T.Tensor((K, N), dtype),
        C: T.Tensor((M, N), accum_dtype),
        D: T.Tensor((M, N), accum_dtype),
    ):
        with T.Kernel((M // block_M) * n_num, is_npu=True) as (cid, _):
            bx = cid // n_num * block_M
            by = cid % n_num * block_N
            A_sh = T.alloc_shared((block_M, block_K), dtype)
            B_sh = T.alloc_shared((block_K, block_N), dtype)
            C_fr = T.alloc_fragment((block_M, block_N), accum_dtype)
            D_fr = T.alloc_fragment((block_M, block_N), accum_dtype)
            for k in T.Pipelined(K // block_K, num_stages=2):
                T.copy(A[bx : bx + block_M, k * block_K : (k + 1) * block_K], A_sh)
                T.copy(B[k * block_K : (k + 1) * block_K, by : by + block_N], B_sh)
                T.gemm(A_sh, B_sh, C_fr, initC=(k == 0))
            T.copy(C_fr, C[bx : bx + block_M, by : by + block_N])
            T.vexp(C_fr, D_fr)
            T.copy(D_fr, D[bx : bx + block_M, by : by + block_N])

    return minicv


def minicv_expert(
    M=1024,
    N=1024,
    K=512,
    block_M=128,
    block_N=256,
    block_K=64,
    dtype="float16",
    accum_dtype="float32",
):
    """MiniCV in Expert form: C in GM is where the cube core hands over to the vector cores."""
    n_num = N // block_N
    half_M = block_M // 2

    @T.prim_func
    def minicv(
        A: T.Tensor((M, K), dtype),
        B: T.Tensor((K, N), dtype),
        C: T.Tensor((M, N), accum_dtype),
        D: T.Tensor((M, N), accum_dtype),
    ):
        with T.Kernel((M // block_M) * n_num, is_npu=True) as (cid, vid):
            bx = cid // n_num * block_M
            by = cid % n_num * block_N
            with T.Scope("Cube"):
                A_l1 = T.alloc_L1((block_M, block_K), dtype)
                B_l1 = T.alloc_L1((block_K, block_N), dtype)
                C_l0 = T.alloc_L0C((block_M, block_N), accum_dtype)
                for k in T.serial(K // block_K):
                    T.copy(A[bx : bx + block_M, k * block_K : (k + 1) * block_K], A_l1)
                    T.copy(B[k * block_K : (k + 1) * block_K, by : by + block_N], B_l1)
                    T.gemm(A_l1, B_l1, C_l0, initC=(k == 0))
                with T.rs("PIPE_FIX"):
                    T.copy(C_l0, C[bx : bx + block_M, by : by + block_N])
                    T.sync_block_set(0)
            with T.Scope("Vector"):
                C_ub = T.alloc_ub((half_M, block_N), accum_dtype)
                D_ub = T.alloc_ub((half_M, block_N), accum_dtype)
                row = bx + vid * half_M
                with T.rs("PIPE_MTE2"):
                    T.sync_block_wait(0)
                    T.copy(C[row : row + half_M, by : by + block_N], C_ub)
                T.vexp(C_ub, D_ub)
                T.copy(D_ub, D[row : row + half_M, by : by + block_N])

    return minicv


minicv = minicv_expert
