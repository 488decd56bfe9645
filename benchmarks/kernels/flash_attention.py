"""FlashAttention of one head by hand, in two forms that compute the same.

`in_turn`: for each block of keys the cube makes scores, the vector cores make weights, the
cube weighs values, the vector cores add up; one flag, so that they wait for each other.
`two_phase`: the cube first makes the scores of all blocks, then weighs the values of all; the
vector cores make all weights, keep how much each block shrinks the sum so far, and add up at
the end. A block of keys has a flag of its own, so that the cores run ahead of each other.
"""

from __future__ import annotations

import tilelang.language as T

FLAG = 0


@T.macro
def load_rows(X, top, rows, D, tile):
    """`rows` rows of a matrix."""
    T.copy(X[top : top + rows, 0:D], tile[0:rows, 0:D])


@T.macro
def in_turn_cube(Q, K, V, SW, PW, VW, cid, top, rows, S, D, block_M, block_N, dtype):
    """Scores, a wait, weighted values: block after block."""
    a = T.alloc_L1((block_M, max(block_N, D)), dtype)
    b = T.alloc_L1((block_N, D), dtype)
    c = T.alloc_L0C((block_M, max(block_N, D)), "float32")
    for j in T.serial(S // block_N):
        load_rows(Q, top, rows, D, a)
        load_rows(K, j * block_N, block_N, D, b)
        T.gemm(a, b, c, initC=True, b_transpose=True, size=[rows, D, block_N])
        with T.rs("PIPE_FIX"):
            T.copy(c[0:rows, 0:block_N], SW[top : top + rows, 0:block_N])
            T.sync_block_set(FLAG)
        with T.rs("PIPE_MTE2"):
            T.sync_block_wait(FLAG)
            T.copy(PW[top : top + rows, 0:block_N], a[0:rows, 0:block_N])
        load_rows(V, j * block_N, block_N, D, b)
        T.gemm(a, b, c, initC=True, size=[rows, block_N, D])
        with T.rs("PIPE_FIX"):
            T.copy(c[0:rows, 0:D], VW[top : top + rows, 0:D])
            T.sync_block_set(FLAG)


@T.macro
def in_turn_vector(O, SW, PW, VW, own, have, S, D, half, block_N, dtype):  # noqa: E741
    """Weights of a block, a wait, the sum."""
    s_io = T.alloc_ub((half, block_N), dtype)
    s = T.alloc_ub((half, block_N), "float32")
    v_io = T.alloc_ub((half, D), dtype)
    v = T.alloc_ub((half, D), "float32")
    acc = T.alloc_ub((half, D), "float32")
    most = T.alloc_ub((half, 1), "float32")
    before = T.alloc_ub((half, 1), "float32")
    shrink = T.alloc_ub((half, 1), "float32")
    part = T.alloc_ub((half, 1), "float32")
    total = T.alloc_ub((half, 1), "float32")
    T.vbrc(0.0, total)
    T.vbrc(0.0, acc)
    T.vbrc(0.0, shrink)
    T.vbrc(-T.infinity("float32"), most)
    for _ in T.serial(S // block_N):
        T.copy(most, before)
        with T.rs("PIPE_MTE2"):
            T.sync_block_wait(FLAG)
            T.copy(SW[own : own + have, 0:block_N], s_io[0:have, :])
        T.vcast(s_io, s, round_mode="rint")
        T.vmul(s, D**-0.5, s)
        T.reduce(s, most, dims=[1], reduce_mode="max", clear=True)
        T.vmax(before, most, most)
        T.vsub(before, most, shrink)
        T.vexp(shrink, shrink)
        T.vsub(s, most, s)
        T.vexp(s, s)
        T.vcast(s, s_io, round_mode="rint")
        with T.rs("PIPE_MTE3"):
            T.copy(s_io[0:have, :], PW[own : own + have, 0:block_N])
            T.sync_block_set(FLAG)
        T.reduce(s, part, dims=[1], reduce_mode="sum", clear=True)
        T.vmul(total, shrink, total)
        T.vadd(total, part, total)
        T.vmul(acc, shrink, acc)
        with T.rs("PIPE_MTE2"):
            T.sync_block_wait(FLAG)
            T.copy(VW[own : own + have, 0:D], v_io[0:have, :])
        T.vcast(v_io, v, round_mode="rint")
        T.vadd(acc, v, acc)
    T.vdiv(acc, total, acc)
    T.vcast(acc, v_io, round_mode="rint")
    T.copy(v_io[0:have, :], O[own : own + have, 0:D])


def in_turn(S=1024, D=128, block_M=128, block_N=256, dtype="float16"):
    """Q, K, V and O [S, D] in `dtype`; block_N divides S. SW, PW and VW are workspaces."""
    half = (block_M + 1) // 2

    @T.prim_func
    def flash_attention(
        Q: T.Tensor((S, D), dtype),
        K: T.Tensor((S, D), dtype),
        V: T.Tensor((S, D), dtype),
        O: T.Tensor((S, D), dtype),  # noqa: E741
        SW: T.Tensor((S, block_N), dtype),
        PW: T.Tensor((S, block_N), dtype),
        VW: T.Tensor((S, D), dtype),
    ):
        with T.Kernel(T.ceildiv(S, block_M), is_npu=True) as (cid, sub):
            top = cid * block_M
            rows = T.min(block_M, S - top)
            with T.Scope("Cube"):
                in_turn_cube(Q, K, V, SW, PW, VW, cid, top, rows, S, D, block_M, block_N, dtype)
            with T.Scope("Vector"):
                first = (rows + 1) // 2
                own = top + sub * first
                have = first - rows % 2 * sub
                in_turn_vector(O, SW, PW, VW, own, have, S, D, half, block_N, dtype)

    return flash_attention


@T.macro
def all_scores(Q, K, SW, top, rows, S, D, block_N, a, b, c):
    """The scores of all blocks of keys; the queries come again for each."""
    for j in T.serial(S // block_N):
        load_rows(Q, top, rows, D, a)
        load_rows(K, j * block_N, block_N, D, b)
        T.gemm(a, b, c, initC=True, b_transpose=True, size=[rows, D, block_N])
        with T.rs("PIPE_FIX"):
            T.copy(c[0:rows, 0:block_N], SW[top : top + rows, j * block_N : (j + 1) * block_N])
            T.sync_block_set(j)


@T.macro
def all_scores_hoisted(Q, K, SW, top, rows, S, D, block_N, a, b, c):
    """The same; the queries stay in L1."""
    load_rows(Q, top, rows, D, a)
    for j in T.serial(S // block_N):
        load_rows(K, j * block_N, block_N, D, b)
        T.gemm(a, b, c, initC=True, b_transpose=True, size=[rows, D, block_N])
        with T.rs("PIPE_FIX"):
            T.copy(c[0:rows, 0:block_N], SW[top : top + rows, j * block_N : (j + 1) * block_N])
            T.sync_block_set(j)


@T.macro
def all_values(V, PW, VW, top, rows, S, D, block_N, a, b, c):
    """The weighted values of all blocks of keys."""
    for j in T.serial(S // block_N):
        with T.rs("PIPE_MTE2"):
            T.sync_block_wait(j)
            T.copy(PW[top : top + rows, j * block_N : (j + 1) * block_N], a[0:rows, 0:block_N])
        load_rows(V, j * block_N, block_N, D, b)
        T.gemm(a, b, c, initC=True, size=[rows, block_N, D])
        with T.rs("PIPE_FIX"):
            T.copy(c[0:rows, 0:D], VW[top : top + rows, j * D : (j + 1) * D])
            T.sync_block_set(j)


@T.macro
def two_phase_vector(O, SW, PW, VW, own, have, blocks, D, half, block_N, dtype):  # noqa: E741
    """All weights, then the sum over all blocks, each shrunk as its turn asks."""
    total = T.alloc_ub((half, 1), "float32")
    most = T.alloc_ub((half, 1), "float32")
    before = T.alloc_ub((half, 1), "float32")
    shrink = T.alloc_ub((half, 1), "float32")
    part = T.alloc_ub((half, 1), "float32")
    shrinks = T.alloc_ub((blocks * half, 1), "float32")
    v_io = T.alloc_ub((half, D), dtype)
    s_io = T.alloc_ub((half, block_N), dtype)
    v = T.alloc_ub((half, D), "float32")
    s = T.alloc_ub((half, block_N), "float32")
    acc = T.alloc_ub((half, D), "float32")
    T.vbrc(0.0, total)
    T.vbrc(0.0, acc)
    T.vbrc(0.0, shrink)
    T.vbrc(0.0, shrinks)
    T.vbrc(-T.infinity("float32"), most)
    for j in T.serial(blocks):
        T.copy(most, before)
        with T.rs("PIPE_MTE2"):
            T.sync_block_wait(j)
            T.copy(SW[own : own + have, j * block_N : (j + 1) * block_N], s_io[0:have, 0:block_N])
            T.vcast(s_io, s, round_mode="rint")
        T.vmul(s, D**-0.5, s)
        T.reduce(s, most, dims=[1], reduce_mode="max", clear=True)
        if j != 0:
            T.vmax(before, most, most)
            T.vsub(before, most, shrink)
            T.vexp(shrink, shrink)
            T.copy(shrink, shrinks[j * half : j * half + half, :])
        T.vsub(s, most, s)
        T.vexp(s, s)
        T.vcast(s, s_io, round_mode="rint")
        with T.rs("PIPE_MTE3"):
            T.copy(s_io[0:have, 0:block_N], PW[own : own + have, j * block_N : (j + 1) * block_N])
            T.sync_block_set(j)
        T.reduce(s, part, dims=[1], reduce_mode="sum", clear=True)
        T.vmul(total, shrink, total)
        T.vadd(total, part, total)
    for j in T.serial(blocks):
        with T.rs("PIPE_MTE2"):
            T.sync_block_wait(j)
            T.copy(VW[own : own + have, j * D : (j + 1) * D], v_io[0:have, 0:D])
        T.vcast(v_io, v, round_mode="rint")
        if j != 0:
            T.copy(shrinks[j * half : j * half + half, 0:1], shrink)
        T.vmul(acc, shrink, acc)
        T.vadd(acc, v, acc)
    T.vdiv(acc, total, acc)
    T.vcast(acc, v_io, round_mode="rint")
    T.copy(v_io[0:have, 0:D], O[own : own + have, 0:D])


def two_phase(S=1024, D=128, block_M=96, block_N=256, dtype="float16", hoisted=False):
    """Q, K, V and O [S, D] in `dtype`; block_N divides S. SW, PW and VW are workspaces.

    `hoisted` keeps the queries of a block in L1 instead of loading them for each block of keys.
    """
    half = (block_M + 1) // 2
    blocks = S // block_N
    scores = all_scores_hoisted if hoisted else all_scores

    @T.prim_func
    def flash_attention(
        Q: T.Tensor((S, D), dtype),
        K: T.Tensor((S, D), dtype),
        V: T.Tensor((S, D), dtype),
        O: T.Tensor((S, D), dtype),  # noqa: E741
        SW: T.Tensor((S, S), dtype),
        PW: T.Tensor((S, S), dtype),
        VW: T.Tensor((S, S // block_N * D), dtype),
    ):
        with T.Kernel(T.ceildiv(S, block_M), is_npu=True) as (cid, sub):
            top = cid * block_M
            rows = T.min(block_M, S - top)
            with T.Scope("Cube"):
                a = T.alloc_L1((block_M, max(block_N, D)), dtype)
                b = T.alloc_L1((block_N, D), dtype)
                c = T.alloc_L0C((block_M, max(block_N, D)), "float32")
                scores(Q, K, SW, top, rows, S, D, block_N, a, b, c)
                all_values(V, PW, VW, top, rows, S, D, block_N, a, b, c)
            with T.Scope("Vector"):
                first = (rows + 1) // 2
                own = top + sub * first
                have = first - rows % 2 * sub
                two_phase_vector(O, SW, PW, VW, own, have, blocks, D, half, block_N, dtype)

    return flash_attention
