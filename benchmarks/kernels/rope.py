"""Rotary position embedding on whole rows: halves of a row turn by an angle of their position.

out[:, : H] = lo * cos - hi * sin and out[:, H :] = hi * cos + lo * sin, with H = D / 2 and one
row of cos and sin for a position. A tile has `rows` positions and `group` heads. 16-bit numbers
are computed in float32. Where a tile has all heads of its rows, `merged` puts both halves
together on the chip and stores whole rows.
"""

from __future__ import annotations

import tilelang.language as T


def rope(
    batch=1,
    S=2048,
    heads=1,
    D=128,
    rows=64,
    group=1,
    dtype="float16",
    merged=False,
    cores=48,
    rounds=0,
):
    """x and out [batch * S, heads, D], cos and sin [S, D / 2].

    A tile lies in one sequence; `group` divides `heads`. `rounds` above 0 does only so many
    tiles on each core.
    """
    half = D // 2
    grain = 8 if dtype == "float32" else 16
    padded = -(-half // grain) * grain
    across = heads // group
    down = -(-S // rows)
    tiles = batch * across * down
    programs = min(tiles, cores)
    each = -(-tiles // programs)
    shape = Shape(batch, S, heads, D, half, padded, rows, group, down, across, dtype)
    turns = min(rounds or each, each)
    make = _plain if dtype == "float32" else _widened
    return make(shape, tiles, programs, turns, store_merged if merged else store_halves, merged)


class Shape:
    """Extents of a rotation."""

    def __init__(self, batch, S, heads, D, half, padded, rows, group, down, across, dtype):
        self.tokens, self.S, self.heads, self.D = batch * S, S, heads, D
        self.half, self.padded, self.rows, self.group = half, padded, rows, group
        self.down, self.across, self.dtype = down, across, dtype


@T.macro
def load_half(x, tile, top, tail, head, group, first, half):
    """Half of the rows of a tile."""
    T.copy(x[top : top + tail, head : head + group, first : first + half], tile[:tail, :, 0:half])


@T.macro
def store_halves(tile, whole, out, top, tail, head, group, first, half, D):
    """One half of the rows, as soon as it is there."""
    T.copy(tile[:tail, :, 0:half], out[top : top + tail, head : head + group, first : first + half])


@T.macro
def store_merged(tile, whole, out, top, tail, head, group, first, half, D):
    """One half into the whole rows; the second half sends them off."""
    T.copy(tile[:tail, :, 0:half], whole[:tail, :, first : first + half])
    if first > 0:
        T.copy(whole[:tail, :, 0:D], out[top : top + tail, head : head + group, 0:D])


def _widened(shape, tiles, programs, turns, store, merged):
    tokens, S, heads, D, half, padded = (
        shape.tokens,
        shape.S,
        shape.heads,
        shape.D,
        shape.half,
        shape.padded,
    )
    rows, group, down, across, dtype = (
        shape.rows,
        shape.group,
        shape.down,
        shape.across,
        shape.dtype,
    )
    width = D if merged else grain_of(dtype)

    @T.prim_func
    def rope(
        x: T.Tensor((tokens, heads, D), dtype),
        cos: T.Tensor((S, half), dtype),
        sin: T.Tensor((S, half), dtype),
        out: T.Tensor((tokens, heads, D), dtype),
    ):
        with T.Kernel(programs, is_npu=True) as (cid, _):
            lo_io = T.alloc_ub((rows, group, padded), dtype)
            hi_io = T.alloc_ub((rows, group, padded), dtype)
            low_out = T.alloc_ub((rows, group, padded), dtype)
            high_out = T.alloc_ub((rows, group, padded), dtype)
            whole = T.alloc_ub((rows, group, width), dtype)
            cos_io = T.alloc_ub((rows, 1, padded), dtype)
            sin_io = T.alloc_ub((rows, 1, padded), dtype)
            lo = T.alloc_ub((rows, group, padded), "float32")
            hi = T.alloc_ub((rows, group, padded), "float32")
            c = T.alloc_ub((rows, 1, padded), "float32")
            s = T.alloc_ub((rows, 1, padded), "float32")
            turned = T.alloc_ub((rows, group, padded), "float32")
            part = T.alloc_ub((rows, group, padded), "float32")
            for i in T.serial(turns):
                tile = cid + i * programs
                if tile < tiles:
                    at = tile % down * rows
                    head = tile // down % across * group
                    top = tile // down // across * S + at
                    tail = T.min(rows, S - at)
                    T.copy(cos[at : at + tail, 0:half], cos_io[:tail, 0, 0:half])
                    T.vcast(cos_io, c, round_mode="round")
                    load_half(x, lo_io, top, tail, head, group, 0, half)
                    T.vcast(lo_io, lo, round_mode="round")
                    T.vmul(lo, c, turned)
                    load_half(x, hi_io, top, tail, head, group, half, half)
                    T.vcast(hi_io, hi, round_mode="round")
                    T.copy(sin[at : at + tail, 0:half], sin_io[:tail, 0, 0:half])
                    T.vcast(sin_io, s, round_mode="round")
                    T.vmul(hi, s, part)
                    T.vsub(turned, part, turned)
                    T.vcast(turned, low_out, round_mode="rint")
                    store(low_out, whole, out, top, tail, head, group, 0, half, D)
                    T.vmul(lo, s, part)
                    T.vmul(hi, c, hi)
                    T.vadd(hi, part, hi)
                    T.vcast(hi, high_out, round_mode="rint")
                    store(high_out, whole, out, top, tail, head, group, half, half, D)

    return rope


def _plain(shape, tiles, programs, turns, store, merged):
    tokens, S, heads, D, half, padded = (
        shape.tokens,
        shape.S,
        shape.heads,
        shape.D,
        shape.half,
        shape.padded,
    )
    rows, group, down, across = shape.rows, shape.group, shape.down, shape.across
    width = D if merged else grain_of("float32")

    @T.prim_func
    def rope(
        x: T.Tensor((tokens, heads, D), "float32"),
        cos: T.Tensor((S, half), "float32"),
        sin: T.Tensor((S, half), "float32"),
        out: T.Tensor((tokens, heads, D), "float32"),
    ):
        with T.Kernel(programs, is_npu=True) as (cid, _):
            lo = T.alloc_ub((rows, group, padded), "float32")
            hi = T.alloc_ub((rows, group, padded), "float32")
            c = T.alloc_ub((rows, 1, padded), "float32")
            s = T.alloc_ub((rows, 1, padded), "float32")
            turned = T.alloc_ub((rows, group, padded), "float32")
            part = T.alloc_ub((rows, group, padded), "float32")
            whole = T.alloc_ub((rows, group, width), "float32")
            for i in T.serial(turns):
                tile = cid + i * programs
                if tile < tiles:
                    at = tile % down * rows
                    head = tile // down % across * group
                    top = tile // down // across * S + at
                    tail = T.min(rows, S - at)
                    T.copy(cos[at : at + tail, 0:half], c[:tail, 0, 0:half])
                    load_half(x, lo, top, tail, head, group, 0, half)
                    T.vmul(lo, c, turned)
                    load_half(x, hi, top, tail, head, group, half, half)
                    T.copy(sin[at : at + tail, 0:half], s[:tail, 0, 0:half])
                    T.vmul(hi, s, part)
                    T.vsub(turned, part, turned)
                    store(turned, whole, out, top, tail, head, group, 0, half, D)
                    T.vmul(hi, c, hi)
                    T.vmul(lo, s, part)
                    T.vadd(hi, part, part)
                    store(part, whole, out, top, tail, head, group, half, half, D)

    return rope


def grain_of(dtype):
    """Numbers in 32 bytes."""
    return 8 if dtype == "float32" else 16
