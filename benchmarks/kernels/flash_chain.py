"""FlashAttention of one head on core groups that stay: block after block in a chain.

A core group takes each 24th block of queries. For a block of keys the cube makes scores, the
vector cores weights, the cube weighted values; it loads the values behind its wait for the
weights. While the vector cores add up, the cube makes the next scores. Workspaces have two
slots, each with flags of its own.
"""

from __future__ import annotations

import tilelang.language as T

GROUPS = 24
SCORES, WEIGHTS, VALUES = 0, 2, 4  # flags of slot 0; slot 1 has the next one


def flash_chain(
    S=1024, D=128, block_M=64, block_N=64, dtype="float16", between="float32", inside="float32"
):
    """Q, K, V and O [S, D] in `dtype`; block_N divides S. SW, PW and VW are workspaces.

    `between` is the dtype in which scores go through GM, `inside` the one of the softmax.
    """
    blocks = S // block_N
    tasks = -(-S // block_M)
    groups = min(tasks, GROUPS)
    half = (block_M + 1) // 2
    is_widened = between != inside
    as_is = not is_widened
    in_half = inside != "float32"
    in_full = not in_half

    @T.macro
    def scores(K, SW, q, k, s, core, j, rows):
        """The scores of a block of keys."""
        T.copy(K[j * block_N : (j + 1) * block_N, :], k)
        T.gemm(q, k, s, initC=True, b_transpose=True, size=[rows, D, block_N])
        with T.rs("PIPE_FIX"):
            T.copy(s[0:rows, :], SW[core, j % 2, 0:rows, :])
            T.sync_block_set(SCORES + j % 2)

    @T.macro
    def cube(Q, K, V, SW, PW, VW, core, count):
        """Weighted values of a block, then the scores of the next one."""
        q = T.alloc_L1((block_M, D), dtype)
        k = T.alloc_L1((block_N, D), dtype)
        v = T.alloc_L1((block_N, D), dtype)
        p = T.alloc_L1((block_M, block_N), dtype)
        s = T.alloc_L0C((block_M, block_N), "float32")
        o = T.alloc_L0C((block_M, D), "float32")
        for turn in T.serial(count):
            top = (turn * groups + core) * block_M
            rows = T.min(block_M, S - top)
            T.copy(Q[top : top + rows, :], q[0:rows, :])
            scores(K, SW, q, k, s, core, 0, rows)
            for j in T.serial(blocks):
                with T.rs("PIPE_MTE2"):
                    T.sync_block_wait(WEIGHTS + j % 2)
                    T.copy(PW[core, j % 2, 0:rows, :], p[0:rows, :])
                T.copy(V[j * block_N : (j + 1) * block_N, :], v)
                T.gemm(p, v, o, initC=True, size=[rows, block_N, D])
                with T.rs("PIPE_FIX"):
                    T.copy(o[0:rows, :], VW[core, j % 2, 0:rows, :])
                    T.sync_block_set(VALUES + j % 2)
                if j + 1 < blocks:
                    scores(K, SW, q, k, s, core, j + 1, rows)

    @T.macro
    def vector(O, SW, PW, VW, core, sub, count):  # noqa: E741
        """Weights of a block, and the sum."""
        s_io = T.alloc_ub((half, block_N), between)
        s = T.alloc_ub((half, block_N), inside)
        weights = T.alloc_ub((half, block_N), dtype)
        values = T.alloc_ub((half, D), "float32")
        acc = T.alloc_ub((half, D), "float32")
        o_io = T.alloc_ub((half, D), dtype)
        most_in = T.alloc_ub((half, 1), inside)
        part_in = T.alloc_ub((half, 1), inside)
        most = T.alloc_ub((half, 1), "float32")
        before = T.alloc_ub((half, 1), "float32")
        shrink = T.alloc_ub((half, 1), "float32")
        part = T.alloc_ub((half, 1), "float32")
        total = T.alloc_ub((half, 1), "float32")
        for turn in T.serial(count):
            top = (turn * groups + core) * block_M
            rows = T.min(block_M, S - top)
            first = (rows + 1) // 2
            own = sub * first
            have = first - rows % 2 * sub
            T.vbrc(0.0, total)
            T.vbrc(0.0, acc)
            T.vbrc(-60000.0, most)
            for j in T.serial(blocks):
                T.copy(most, before)
                if is_widened:
                    with T.rs("PIPE_MTE2"):
                        T.sync_block_wait(SCORES + j % 2)
                        T.copy(SW[core, j % 2, own : own + have, :], s_io[0:have, :])
                    T.vcast(s_io, s, round_mode="rint")
                if as_is:
                    with T.rs("PIPE_MTE2"):
                        T.sync_block_wait(SCORES + j % 2)
                        T.copy(SW[core, j % 2, own : own + have, :], s[0:have, :])
                T.vmul(s, D**-0.5, s)
                if in_full:
                    T.reduce(s, most, dims=[1], reduce_mode="max")
                    T.vmax(before, most, most)
                    T.vsub(s, most, s)
                    T.vexp(s, s)
                    T.vcast(s, weights, round_mode="rint")
                    with T.rs("PIPE_MTE3"):
                        T.copy(weights[0:have, :], PW[core, j % 2, own : own + have, :])
                        T.sync_block_set(WEIGHTS + j % 2)
                    T.reduce(s, part, dims=[1], reduce_mode="sum")
                if in_half:
                    T.reduce(s, most_in, dims=[1], reduce_mode="max")
                    T.vcast(most_in, most, round_mode="rint")
                    T.vmax(before, most, most)
                    T.vcast(most, most_in, round_mode="rint")
                    T.vsub(s, most_in, s)
                    T.vexp(s, s)
                    with T.rs("PIPE_MTE3"):
                        T.copy(s[0:have, :], PW[core, j % 2, own : own + have, :])
                        T.sync_block_set(WEIGHTS + j % 2)
                    T.reduce(s, part_in, dims=[1], reduce_mode="sum")
                    T.vcast(part_in, part, round_mode="rint")
                T.vsub(before, most, shrink)
                T.vexp(shrink, shrink)
                T.vmul(total, shrink, total)
                T.vadd(total, part, total)
                T.vmul(acc, shrink, acc)
                with T.rs("PIPE_MTE2"):
                    T.sync_block_wait(VALUES + j % 2)
                    T.copy(VW[core, j % 2, own : own + have, :], values[0:have, :])
                T.vadd(acc, values, acc)
            T.vdiv(acc, total, acc)
            T.vcast(acc, o_io, round_mode="rint")
            T.copy(o_io[0:have, :], O[top + own : top + own + have, :])

    @T.prim_func
    def flash_attention(
        Q: T.Tensor((S, D), dtype),
        K: T.Tensor((S, D), dtype),
        V: T.Tensor((S, D), dtype),
        O: T.Tensor((S, D), dtype),  # noqa: E741
        SW: T.Tensor((GROUPS, 2, block_M, block_N), between),
        PW: T.Tensor((GROUPS, 2, block_M, block_N), dtype),
        VW: T.Tensor((GROUPS, 2, block_M, D), "float32"),
    ):
        with T.Kernel(groups, is_npu=True) as (core, sub):
            count = T.ceildiv(tasks - core, groups)
            with T.Scope("Cube"):
                cube(Q, K, V, SW, PW, VW, core, count)
            with T.Scope("Vector"):
                vector(O, SW, PW, VW, core, sub, count)

    return flash_attention
