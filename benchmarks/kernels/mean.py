"""A mean over all numbers: a stream that is only read."""

from __future__ import annotations

import tilelang.language as T


def mean(N=2**20, rows=16, columns=1024, cores=48, rounds=0):
    """out[1] += the mean of x[N / columns, columns], float32; out begins as 0.

    A tile has `rows` rows, which divide those of x; every core adds up each `cores`-th one
    and gives its part to `out`.
    `rounds` above 0 does only so many tiles on each core.
    """
    lines = N // columns
    tiles = lines // rows
    programs = min(tiles, cores)
    each = -(-tiles // programs)
    turns = min(rounds or each, each)

    @T.prim_func
    def mean(x: T.Tensor((lines, columns), "float32"), out: T.Tensor((1, 1), "float32")):
        with T.Kernel(programs, is_npu=True) as (cid, _):
            tile_ub = T.alloc_ub((rows, columns), "float32")
            total = T.alloc_ub((rows, columns), "float32")
            of_rows = T.alloc_ub((rows, 1), "float32")
            all_ub = T.alloc_ub((1, 1), "float32")
            T.vbrc(0.0, total)
            for i in T.serial(T.min(turns, T.ceildiv(tiles - cid, programs))):
                tile = cid + i * programs
                top = tile * rows
                T.copy(x[top : top + rows, :], tile_ub)
                T.vadd(total, tile_ub, total)
            T.reduce(total, of_rows, dims=[1], reduce_mode="sum")
            T.reduce(of_rows, all_ub, dims=[0], reduce_mode="sum")
            T.vmul(all_ub, 1.0 / N, all_ub)
            T.atomic_add(out, all_ub)

    return mean
