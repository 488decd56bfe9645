"""A gated unit: the left half of each row, through its sigmoid, times the right half."""

from __future__ import annotations

import tilelang.language as T


def swiglu(M=256, N=128, rows=64, columns=64, dtype="float16", cores=48, rounds=0):
    """out[M, N / 2] = x[:, : N / 2] * sigmoid of itself * x[:, N / 2 :], in float32 inside.

    A tile has `rows` rows and `columns` columns, which divide M and N / 2; every core takes
    each `cores`-th one. `rounds` above 0 does only so many tiles on each core.
    """
    half = N // 2
    across = half // columns
    tiles = M // rows * across
    programs = min(tiles, cores)
    each = -(-tiles // programs)
    turns = min(rounds or each, each)

    @T.prim_func
    def swiglu(x: T.Tensor((M, N), dtype), out: T.Tensor((M, half), dtype)):
        with T.Kernel(programs, is_npu=True) as (cid, _):
            left_io = T.alloc_ub((rows, columns), dtype)
            right_io = T.alloc_ub((rows, columns), dtype)
            out_io = T.alloc_ub((rows, columns), dtype)
            left = T.alloc_ub((rows, columns), "float32")
            right = T.alloc_ub((rows, columns), "float32")
            gate = T.alloc_ub((rows, columns), "float32")
            for i in T.serial(T.min(turns, T.ceildiv(tiles - cid, programs))):
                tile = cid + i * programs
                top = tile // across * rows
                at = tile % across * columns
                T.copy(x[top : top + rows, at : at + columns], left_io)
                T.copy(x[top : top + rows, half + at : half + at + columns], right_io)
                T.vcast(left_io, left, round_mode="rint")
                T.vcast(right_io, right, round_mode="rint")
                T.vmul(left, -1.0, gate)
                T.vexp(gate, gate)
                T.vadd(gate, 1.0, gate)
                T.vdiv(left, gate, left)
                T.vmul(left, right, left)
                T.vcast(left, out_io, round_mode="rint")
                T.copy(out_io, out[top : top + rows, at : at + columns])

    return swiglu
