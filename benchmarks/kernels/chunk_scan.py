"""The scan over chunks of a state space model (SSD), on cube and vector cores together.

A chunk has Q positions. With a = cumulative decay, C = read-out, P = state before the chunk:

    out[l] = exp(a[l]) * C[l] @ P + sum over s <= l of cb[l, s] * exp(a[l] - a[s]) * dt[s] * x[s]

The vector cores make both left factors and hand them over in GM; the cube multiplies and adds
both products up in L0C. One task is one chunk of one head; a core group takes each 24th one.
Two slots of workspace let the vector cores work one task ahead.

Variants of the cube's half: `hoisted` loads the state once for a task instead of once for each
tile of rows; `two_sums` lets neighbouring tiles of rows use two places in L0C in turn. Of the
vector cores' half: `early` spreads a[l] over the columns once for a tile of rows instead of
once for each block; `split` shares the tiles of rows between the two vector cores, which else
both do all of them.
"""

from __future__ import annotations

import tilelang.language as T

GROUPS = 24
FAR = 1e30  # what keeps a weight above the diagonal at exp(-FAR) = 0


def chunk_scan(
    B=1,
    chunks=2,
    Q=64,
    H=4,
    P=64,
    N=32,
    dtype="float16",
    block=64,
    hoisted=True,
    two_sums=True,
    early=True,
    split=True,
    rounds=0,
):
    """x [B, S, H, P], cb [B, chunks, Q, Q], decay [B, H, chunks, Q], C [B, S, N], state
    [B, chunks, H, P, N], dt [B, H, chunks, Q], two workspaces, out [B, S, H, P]; S = chunks * Q.

    decay and out are float32. `block` divides Q and P. `rounds` above 0 does only so many
    tasks on each core group.
    """
    S = chunks * Q
    tasks = B * chunks * H
    most = rounds or tasks
    downs = Q // block
    slices = P // block
    pairs = downs // 2 if two_sums else 0
    one_sum = not two_sums
    odd = two_sums and downs % 2 == 1
    in_loop = not hoisted
    late = not early
    mine = (downs + 1) // 2 if split else downs
    c_shape = (GROUPS, 2, slices, downs, block, N)
    w_shape = (GROUPS, 2, slices, downs, downs, block, block)

    @T.macro
    def rows_of_task(x, state, ws_c, ws_w, out, c, p, w, v, acc, core, slot, pp, lt, b, k, h):
        """Both products of a tile of rows, and the way out."""
        first = k * Q + lt * block
        T.copy(ws_c[core, slot, pp, lt, 0:block, 0:N], c)
        if in_loop:
            T.copy(state[b, k, h, pp * block : (pp + 1) * block, 0:N], p)
        T.gemm(c, p, acc, initC=True, b_transpose=True)
        for s in T.serial(lt + 1):
            T.copy(
                ws_w[core, slot, pp, lt, s, 0:block, 0:block],
                w[0:block, s * block : (s + 1) * block],
            )
        T.gemm(w, v, acc, initC=False, size=[block, (lt + 1) * block, block])
        T.copy(acc, out[b, first : first + block, h, pp * block : (pp + 1) * block])

    @T.macro
    def cube(x, state, ws_c, ws_w, out, core, count):
        """The products of all tasks of a core group."""
        c = T.alloc_L1((block, N), dtype)
        p = T.alloc_L1((block, N), dtype)
        v = T.alloc_L1((Q, block), dtype)
        w = T.alloc_L1((block, Q), dtype)
        acc_a = T.alloc_L0C((block, block), "float32")
        acc_b = T.alloc_L0C((block, block), "float32")
        with T.rs("PIPE_FIX"):
            T.sync_block_set(1)
            T.sync_block_set(3)
        for turn in T.serial(count):
            slot = turn % 2
            task = T.min(turn * GROUPS + core, tasks - 1)
            b = task // (chunks * H)
            k = task // H % chunks
            h = task % H
            with T.rs("PIPE_MTE2"):
                T.sync_block_wait(2 * slot)
            for pp in T.serial(slices):
                T.copy(x[b, k * Q : k * Q + Q, h, pp * block : (pp + 1) * block], v)
                if hoisted:
                    T.copy(state[b, k, h, pp * block : (pp + 1) * block, 0:N], p)
                if one_sum:
                    for lt in T.serial(downs):
                        rows_of_task(
                            x,
                            state,
                            ws_c,
                            ws_w,
                            out,
                            c,
                            p,
                            w,
                            v,
                            acc_a,
                            core,
                            slot,
                            pp,
                            lt,
                            b,
                            k,
                            h,
                        )
                if two_sums:
                    for j in T.serial(pairs):
                        rows_of_task(
                            x,
                            state,
                            ws_c,
                            ws_w,
                            out,
                            c,
                            p,
                            w,
                            v,
                            acc_a,
                            core,
                            slot,
                            pp,
                            2 * j,
                            b,
                            k,
                            h,
                        )
                        rows_of_task(
                            x,
                            state,
                            ws_c,
                            ws_w,
                            out,
                            c,
                            p,
                            w,
                            v,
                            acc_b,
                            core,
                            slot,
                            pp,
                            2 * j + 1,
                            b,
                            k,
                            h,
                        )
                if odd:
                    rows_of_task(
                        x,
                        state,
                        ws_c,
                        ws_w,
                        out,
                        c,
                        p,
                        w,
                        v,
                        acc_a,
                        core,
                        slot,
                        pp,
                        2 * pairs,
                        b,
                        k,
                        h,
                    )
            with T.rs("PIPE_FIX"):
                T.sync_block_set(2 * slot + 1)

    @T.macro
    def vector(cb, decay, C, dt, ws_c, ws_w, core, sub, count):
        """The left factors of all tasks of a core group."""
        above = T.alloc_ub((block, block), "float32")
        column = T.alloc_ub((block, block), "float32")
        a_l = T.alloc_ub((block, 1), "float32")
        grown = T.alloc_ub((block, 1), "float32")
        a_s = T.alloc_ub((1, block), "float32")
        dt_s = T.alloc_ub((1, block), "float32")
        dt_io = T.alloc_ub((1, block), dtype)
        cb_io = T.alloc_ub((block, block), dtype)
        cb_wide = T.alloc_ub((block, block), "float32")
        weight = T.alloc_ub((block, block), "float32")
        w_io = T.alloc_ub((block, block), dtype)
        c_io = T.alloc_ub((block, N), dtype)
        c_wide = T.alloc_ub((block, N), "float32")
        c_out = T.alloc_ub((block, N), dtype)
        left = T.alloc_ub((block, block), "float32")
        right = T.alloc_ub((block, block), "float32")
        gap = T.alloc_ub((block, block), "float32")
        T.arange(above, [1, 0], 0)
        T.arange(column, [0, 1], 0)
        T.vsub(above, column, above)
        T.vmin(above, 0.0, above)
        T.vmul(above, FAR, above)
        for turn in T.serial(count):
            slot = turn % 2
            task = T.min(turn * GROUPS + core, tasks - 1)
            b = task // (chunks * H)
            k = task // H % chunks
            h = task % H
            with T.rs("PIPE_MTE2"):
                T.sync_block_wait(2 * slot + 1)
            for pp in T.serial(slices):
                for i in T.serial(mine):
                    if split:
                        # From both ends in turn, so that both have the same number of blocks.
                        snake = i + sub + i % 2 * (downs - 2 * i - 2 * sub)
                        lt = T.min(T.max(snake, 0), downs - 1)
                        factors(
                            cb, decay, C, dt, ws_c, ws_w, core, slot, pp, lt, b, k, h,
                            above, a_l, grown, a_s, dt_s, dt_io, cb_io, cb_wide, weight, w_io,
                            c_io, c_wide, c_out, left, right, gap,
                        )  # fmt: skip
                    if both:
                        factors(
                            cb, decay, C, dt, ws_c, ws_w, core, slot, pp, i, b, k, h,
                            above, a_l, grown, a_s, dt_s, dt_io, cb_io, cb_wide, weight, w_io,
                            c_io, c_wide, c_out, left, right, gap,
                        )  # fmt: skip
            with T.rs("PIPE_MTE3"):
                T.sync_block_set(2 * slot)
        with T.rs("PIPE_MTE2"):  # both slots are free at the end as at the start
            T.sync_block_wait(1)
            T.sync_block_wait(3)

    @T.macro
    def factors(
        cb, decay, C, dt, ws_c, ws_w, core, slot, pp, lt, b, k, h,
        above, a_l, grown, a_s, dt_s, dt_io, cb_io, cb_wide, weight, w_io,
        c_io, c_wide, c_out, left, right, gap,
    ):  # fmt: skip
        """The left factors of a tile of rows."""
        l0 = lt * block
        T.copy(decay[b, h, k, l0 : l0 + block], a_l[0:block, 0:1])
        T.vexp(a_l, grown)
        T.copy(C[b, k * Q + l0 : k * Q + l0 + block, 0:N], c_io)
        T.vcast(c_io, c_wide, round_mode="rint")
        T.vmul(c_wide, grown, c_wide)
        T.vcast(c_wide, c_out, round_mode="rint")
        T.copy(c_out, ws_c[core, slot, pp, lt, 0:block, 0:N])
        if early:
            T.vbrc(a_l, left)
        for s in T.serial(lt + 1):
            s0 = s * block
            T.copy(cb[b, k, l0 : l0 + block, s0 : s0 + block], cb_io)
            T.vcast(cb_io, cb_wide, round_mode="rint")
            T.copy(decay[b, h, k, s0 : s0 + block], a_s[0, 0:block])
            if late:
                T.vbrc(a_l, left)
                T.vbrc(a_s, right)
                T.vsub(left, right, left)
                if s == lt:
                    T.vadd(left, above, left)
                T.vexp(left, left)
                T.vmul(cb_wide, left, weight)
            if early:
                T.vbrc(a_s, right)
                T.vsub(left, right, gap)
                if s == lt:
                    T.vadd(gap, above, gap)
                T.vexp(gap, gap)
                T.vmul(cb_wide, gap, weight)
            T.copy(dt[b, h, k, s0 : s0 + block], dt_io[0, 0:block])
            T.vcast(dt_io, dt_s, round_mode="rint")
            T.vbrc(dt_s, gap)
            T.vmul(weight, gap, weight)
            T.vcast(weight, w_io, round_mode="rint")
            T.copy(w_io, ws_w[core, slot, pp, lt, s, 0:block, 0:block])

    both = not split

    @T.prim_func
    def chunk_scan(
        x: T.Tensor((B, S, H, P), dtype),
        cb: T.Tensor((B, chunks, Q, Q), dtype),
        decay: T.Tensor((B, H, chunks, Q), "float32"),
        C: T.Tensor((B, S, N), dtype),
        state: T.Tensor((B, chunks, H, P, N), dtype),
        dt: T.Tensor((B, H, chunks, Q), dtype),
        ws_c: T.Tensor(c_shape, dtype),
        ws_w: T.Tensor(w_shape, dtype),
        out: T.Tensor((B, S, H, P), "float32"),
    ):
        with T.Kernel(GROUPS, is_npu=True) as (core, sub):
            count = T.min(T.ceildiv(tasks - core, GROUPS), most)
            with T.Scope("Cube"):
                cube(x, state, ws_c, ws_w, out, core, count)
            with T.Scope("Vector"):
                vector(cb, decay, C, dt, ws_c, ws_w, core, sub, count)

    return chunk_scan
