"""FlashAttention in Expert mode: the cores hand over through workspaces in GM.

The cube core makes the scores of a block of keys, the two vector cores turn their halves into
weights, the cube core weighs the values, and the vector cores add up. Every hand-over has one
flag; what the next round overwrites has always been read by then, because the round before
passed through the other kind of core.
"""

from __future__ import annotations

import tilelang.language as T

from tlcourse.examples.flash_attention import online_softmax

# Flags between the cores, one for each workspace.
SCORES, WEIGHTS, VALUES = 0, 1, 2


@T.macro
def cube_half(Q, K, V, SW, PW, VW, cid, head, row, S, D, block_M, block_N, dtype):
    """Scores of each block of keys, and the values weighed with what the vector cores make."""
    q = T.alloc_L1((block_M, D), dtype)
    k = T.alloc_L1((block_N, D), dtype)
    v = T.alloc_L1((block_N, D), dtype)
    p = T.alloc_L1((block_M, block_N), dtype)
    s = T.alloc_L0C((block_M, block_N), "float32")
    pv = T.alloc_L0C((block_M, D), "float32")
    T.copy(Q[head, row : row + block_M, :], q)
    for j in T.serial(S // block_N):
        T.copy(K[head, j * block_N : (j + 1) * block_N, :], k)
        T.gemm(q, k, s, initC=True, b_transpose=True)
        with T.rs("PIPE_FIX"):
            T.copy(s, SW[cid, :, :])
            T.sync_block_set(SCORES)
        T.copy(V[head, j * block_N : (j + 1) * block_N, :], v)
        with T.rs("PIPE_MTE2"):
            T.sync_block_wait(WEIGHTS)
            T.copy(PW[cid, :, :], p)
        T.gemm(p, v, pv, initC=True)
        with T.rs("PIPE_FIX"):
            T.copy(pv, VW[cid, :, :])
            T.sync_block_set(VALUES)


@T.macro
def vector_half(O, SW, PW, VW, cid, head, row, own, S, D, half, block_N, dtype):  # noqa: E741
    """Weights of `half` rows of scores from `own` on, and the sum of weighted values."""
    sv = T.alloc_ub((half, block_N), "float32")
    weights = T.alloc_ub((half, block_N), dtype)
    values = T.alloc_ub((half, D), "float32")
    acc = T.alloc_ub((half, D), "float32")
    o = T.alloc_ub((half, D), dtype)
    m = T.alloc_ub((half, 1), "float32")
    m_now = T.alloc_ub((half, 1), "float32")
    l = T.alloc_ub((half, 1), "float32")  # noqa: E741
    l_now = T.alloc_ub((half, 1), "float32")
    shrink = T.alloc_ub((half, 1), "float32")
    T.vbrc(0.0, acc)
    T.vbrc(0.0, l)
    T.vbrc(-T.infinity("float32"), m)
    for _ in T.serial(S // block_N):
        with T.rs("PIPE_MTE2"):
            T.sync_block_wait(SCORES)
            T.copy(SW[cid, own : own + half, :], sv)
        T.vmul(sv, D**-0.5, sv)
        online_softmax(sv, m, l, shrink, m_now, l_now)
        T.vcast(sv, weights, round_mode="rint")
        with T.rs("PIPE_MTE3"):
            T.copy(weights, PW[cid, own : own + half, :])
            T.sync_block_set(WEIGHTS)
        T.vmul(acc, shrink, acc)
        with T.rs("PIPE_MTE2"):
            T.sync_block_wait(VALUES)
            T.copy(VW[cid, own : own + half, :], values)
        T.vadd(acc, values, acc)
    T.vdiv(acc, l, acc)
    T.vcast(acc, o, round_mode="rint")
    T.copy(o, O[head, row + own : row + own + half, :])


def flash_attention_expert(heads=8, S=1024, D=64, block_M=64, block_N=64, dtype="float16"):
    """Q, K, V and O [heads, S, D] in `dtype`: O = softmax(Q K^T / sqrt(D)) V for each head.

    block_M and block_N divide S. A block keeps its scores in SW, its weights in PW and its
    weighted values in VW; what is in them before does not matter.
    """
    blocks = S // block_M
    half = block_M // 2

    @T.prim_func
    def flash_attention(
        Q: T.Tensor((heads, S, D), dtype),
        K: T.Tensor((heads, S, D), dtype),
        V: T.Tensor((heads, S, D), dtype),
        O: T.Tensor((heads, S, D), dtype),  # noqa: E741
        SW: T.Tensor((heads * blocks, block_M, block_N), "float32"),
        PW: T.Tensor((heads * blocks, block_M, block_N), dtype),
        VW: T.Tensor((heads * blocks, block_M, D), "float32"),
    ):
        with T.Kernel(heads * blocks, is_npu=True) as (cid, vid):
            head = cid // blocks
            row = cid % blocks * block_M
            with T.Scope("Cube"):
                cube_half(Q, K, V, SW, PW, VW, cid, head, row, S, D, block_M, block_N, dtype)
            with T.Scope("Vector"):
                own = vid * half
                vector_half(O, SW, PW, VW, cid, head, row, own, S, D, half, block_N, dtype)

    return flash_attention
