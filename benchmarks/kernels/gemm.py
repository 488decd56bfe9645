"""Matrix products on the cube cores; extents are multiples of the blocks.

`gemm` gives each tile of the result a block of its own. In `gemm_staying` each core group
stays and takes every `cores`-th tile, so that the operands of the next tile are on their way
while the last product of a tile is still made.
"""

from __future__ import annotations

import tilelang.language as T


def gemm(M=1024, N=1024, K=1024, block_M=128, block_N=256, block_K=64, dtype="float16", batch=1):
    """C = A @ B for each of `batch` products, summed in float32, all in `dtype`; Developer mode.

    A [batch * M, K], B [batch * K, N], C [batch * M, N].
    """
    across = N // block_N
    down = M // block_M

    @T.prim_func
    def gemm(
        A: T.Tensor((batch * M, K), dtype),
        B: T.Tensor((batch * K, N), dtype),
        C: T.Tensor((batch * M, N), dtype),
    ):
        with T.Kernel(batch * down * across, is_npu=True) as (cid, _):
            which = cid // (down * across)
            top = which * M + cid // across % down * block_M
            left = cid % across * block_N
            A_sh = T.alloc_shared((block_M, block_K), dtype)
            B_sh = T.alloc_shared((block_K, block_N), dtype)
            C_fr = T.alloc_fragment((block_M, block_N), "float32")
            for k in T.Pipelined(K // block_K, num_stages=2):
                T.copy(A[top, k * block_K], A_sh)
                T.copy(B[which * K + k * block_K, left], B_sh)
                T.gemm(A_sh, B_sh, C_fr, initC=(k == 0))
            T.copy(C_fr, C[top, left])

    return gemm


def gemm_staying(
    M=1024,
    N=1024,
    K=1024,
    block_M=128,
    block_N=256,
    block_K=64,
    dtype="float16",
    batch=1,
    cores=24,
    rounds=0,
):
    """The same by hand, in Expert mode; 2 * block_K divides K, or block_K is K.

    Operands have two places in L1 in turn. `rounds` above 0 does only so many tiles on each
    core.
    """
    across = N // block_N
    down = M // block_M
    tiles = batch * down * across
    programs = min(tiles, cores)
    each = -(-tiles // programs)
    turns = min(rounds or each, each)
    steps = K // block_K
    pairs = steps // 2
    single = steps == 1

    @T.macro
    def step(A, B, a, b, c, top, first, left, k):
        """One product of a block of A and a block of B."""
        at = k * block_K
        T.copy(A[top : top + block_M, at : at + block_K], a)
        T.copy(B[first + at : first + at + block_K, left : left + block_N], b)
        T.gemm(a, b, c, initC=(k == 0))

    @T.prim_func
    def gemm(
        A: T.Tensor((batch * M, K), dtype),
        B: T.Tensor((batch * K, N), dtype),
        C: T.Tensor((batch * M, N), dtype),
    ):
        with T.Kernel(programs, is_npu=True) as (cid, _):
            a0 = T.alloc_L1((block_M, block_K), dtype)
            b0 = T.alloc_L1((block_K, block_N), dtype)
            a1 = T.alloc_L1((block_M, block_K), dtype)
            b1 = T.alloc_L1((block_K, block_N), dtype)
            c = T.alloc_L0C((block_M, block_N), "float32")
            for i in T.serial(T.min(turns, T.ceildiv(tiles - cid, programs))):
                tile = cid + i * programs
                which = tile // (down * across)
                top = which * M + tile // across % down * block_M
                left = tile % across * block_N
                if single:
                    step(A, B, a0, b0, c, top, which * K, left, 0)
                for j in T.serial(pairs):
                    step(A, B, a0, b0, c, top, which * K, left, 2 * j)
                    step(A, B, a1, b1, c, top, which * K, left, 2 * j + 1)
                T.copy(c, C[top : top + block_M, left : left + block_N])

    return gemm
