"""C = A @ B with f32 accumulation, in Developer mode."""

from __future__ import annotations

import tilelang.language as T


def gemm(M=1024, N=1024, K=1024, block_M=128, block_N=256, block_K=64, dtype="float16"):
    """A [M, K] and B [K, N] in `dtype`, C [M, N] in f32; extents are multiples of the blocks."""
    n_num = N // block_N

    @T.prim_func
    def gemm(
        A: T.Tensor((M, K), dtype),
        B: T.Tensor((K, N), dtype),
        C: T.Tensor((M, N), "float32"),
    ):
        with T.Kernel((M // block_M) * n_num, is_npu=True) as (cid, _):
            bx = cid // n_num * block_M
            by = cid % n_num * block_N
            A_sh = T.alloc_shared((block_M, block_K), dtype)
            B_sh = T.alloc_shared((block_K, block_N), dtype)
            C_fr = T.alloc_fragment((block_M, block_N), "float32")
            for k in T.Pipelined(K // block_K, num_stages=2):
                T.copy(A[bx : bx + block_M, k * block_K : (k + 1) * block_K], A_sh)
                T.copy(B[k * block_K : (k + 1) * block_K, by : by + block_N], B_sh)
                T.gemm(A_sh, B_sh, C_fr, initC=(k == 0))
            T.copy(C_fr, C[bx : bx + block_M, by : by + block_N])

    return gemm


def gemm_expert(M=1024, N=1024, K=1024, block_M=128, block_N=256, block_K=64, dtype="float16"):
    """The same by hand: tiles stand in L1 and L0C, the compiler places the flags."""
    n_num = N // block_N

    @T.prim_func
    def gemm(
        A: T.Tensor((M, K), dtype),
        B: T.Tensor((K, N), dtype),
        C: T.Tensor((M, N), "float32"),
    ):
        with T.Kernel((M // block_M) * n_num, is_npu=True) as (cid, _):
            bx = cid // n_num * block_M
            by = cid % n_num * block_N
            A_l1 = T.alloc_L1((block_M, block_K), dtype)
            B_l1 = T.alloc_L1((block_K, block_N), dtype)
            C_l0 = T.alloc_L0C((block_M, block_N), "float32")
            for k in T.serial(K // block_K):
                T.copy(A[bx : bx + block_M, k * block_K : (k + 1) * block_K], A_l1)
                T.copy(B[k * block_K : (k + 1) * block_K, by : by + block_N], B_l1)
                T.gemm(A_l1, B_l1, C_l0, initC=(k == 0))
            T.copy(C_l0, C[bx : bx + block_M, by : by + block_N])

    return gemm
