"""Streaming kernels: a lerp of three tensors, and the same traffic without its arithmetic.

One program runs on each vector core and takes every `cores`-th tile. 16-bit numbers are
computed in float32: three casts in, three operations, one cast out.
"""

from __future__ import annotations

import tilelang.language as T


@T.macro
def loads(a, b, w, at, tail, a_ub, b_ub, w_ub):
    """A tile of each operand."""
    T.copy(a[at : at + tail], a_ub[0:tail])
    T.copy(b[at : at + tail], b_ub[0:tail])
    T.copy(w[at : at + tail], w_ub[0:tail])


def lerp(N=2**20, block=4096, dtype="float16", cores=48, chunked=False, rounds=0):
    """out = a + w * (b - a), all [N].

    `chunked` gives each core tiles that lie behind each other. `rounds` above 0 does only so
    many tiles on each core, to see what one of them takes.
    """
    if dtype == "float32":
        return _plain(N, block, cores, rounds)
    return _widened(N, block, dtype, cores, chunked, rounds)


def _widened(N, block, dtype, cores, chunked, rounds):
    tiles = -(-N // block)
    programs = min(tiles, cores)
    each = -(-tiles // programs)
    turns = min(rounds or each, each)
    far, near = (each, 1) if chunked else (1, programs)

    @T.prim_func
    def lerp(
        a: T.Tensor((N,), dtype),
        b: T.Tensor((N,), dtype),
        w: T.Tensor((N,), dtype),
        out: T.Tensor((N,), dtype),
    ):
        with T.Kernel(programs, is_npu=True) as (cid, _):
            a_ub = T.alloc_ub((block,), dtype)
            b_ub = T.alloc_ub((block,), dtype)
            w_ub = T.alloc_ub((block,), dtype)
            o_ub = T.alloc_ub((block,), dtype)
            a_wide = T.alloc_ub((block,), "float32")
            b_wide = T.alloc_ub((block,), "float32")
            w_wide = T.alloc_ub((block,), "float32")
            for i in T.serial(turns):
                tile = cid * far + i * near
                if tile < tiles:
                    at = tile * block
                    tail = T.min(block, N - at)
                    loads(a, b, w, at, tail, a_ub, b_ub, w_ub)
                    T.vcast(a_ub, a_wide, round_mode="rint")
                    T.vcast(b_ub, b_wide, round_mode="rint")
                    T.vcast(w_ub, w_wide, round_mode="rint")
                    T.vsub(b_wide, a_wide, b_wide)
                    T.vmul(w_wide, b_wide, b_wide)
                    T.vadd(a_wide, b_wide, b_wide)
                    T.vcast(b_wide, o_ub, round_mode="rint")
                    T.copy(o_ub[0:tail], out[at : at + tail])

    return lerp


def _plain(N, block, cores, rounds):
    tiles = -(-N // block)
    programs = min(tiles, cores)
    each = -(-tiles // programs)
    turns = min(rounds or each, each)

    @T.prim_func
    def lerp(
        a: T.Tensor((N,), "float32"),
        b: T.Tensor((N,), "float32"),
        w: T.Tensor((N,), "float32"),
        out: T.Tensor((N,), "float32"),
    ):
        with T.Kernel(programs, is_npu=True) as (cid, _):
            a_ub = T.alloc_ub((block,), "float32")
            b_ub = T.alloc_ub((block,), "float32")
            w_ub = T.alloc_ub((block,), "float32")
            o_ub = T.alloc_ub((block,), "float32")
            for i in T.serial(turns):
                tile = cid + i * programs
                if tile < tiles:
                    at = tile * block
                    tail = T.min(block, N - at)
                    loads(a, b, w, at, tail, a_ub, b_ub, w_ub)
                    T.vsub(b_ub, a_ub, b_ub)
                    T.vmul(w_ub, b_ub, b_ub)
                    T.vadd(a_ub, b_ub, o_ub)
                    T.copy(o_ub[0:tail], out[at : at + tail])

    return lerp


def copy_probe(N=2**20, block=4096, dtype="float16", cores=48, rounds=0):
    """Three loads, two additions that keep them alive, one store: out = a + b + w."""
    tiles = -(-N // block)
    programs = min(tiles, cores)
    each = -(-tiles // programs)
    turns = min(rounds or each, each)

    @T.prim_func
    def copy_probe(
        a: T.Tensor((N,), dtype),
        b: T.Tensor((N,), dtype),
        w: T.Tensor((N,), dtype),
        out: T.Tensor((N,), dtype),
    ):
        with T.Kernel(programs, is_npu=True) as (cid, _):
            a_ub = T.alloc_ub((block,), dtype)
            b_ub = T.alloc_ub((block,), dtype)
            w_ub = T.alloc_ub((block,), dtype)
            o_ub = T.alloc_ub((block,), dtype)
            for i in T.serial(turns):
                tile = cid + i * programs
                if tile < tiles:
                    at = tile * block
                    tail = T.min(block, N - at)
                    loads(a, b, w, at, tail, a_ub, b_ub, w_ub)
                    T.vadd(a_ub, b_ub, o_ub)
                    T.vadd(o_ub, w_ub, o_ub)
                    T.copy(o_ub[0:tail], out[at : at + tail])

    return copy_probe
