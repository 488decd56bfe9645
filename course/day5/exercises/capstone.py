# ---
# jupyter:
#   tlcourse:
#     id: d5.capstone
# ---

# %% [markdown] tags=["lang:en"] stem="prompt"
# # d5.capstone: a kernel of your own
#
# *deep, 300 minutes, 40 points, after lesson 4.9*
#
# Choose **one** of four kernels and make it as good as you can, in either mode. 60 % of the points are
# for numbers, 15 % for both vector cores and overlap, 15 % for cycles. No kernel is given: begin with
# one that is right, then look at its timeline.

# %% [markdown] tags=["lang:zh"] stem="prompt" en_sha="fa0a094b"
# # d5.capstone：写你自己的内核
#
# *深入内容，300 分钟，40 分，在 4.9 节之后*
#
# 从四个内核中选**一个**，尽你所能把它写好，两种模式都可以。60 % 的分数给数值，15 % 给两个 vector 核和重叠，15 % 给周期数。不提供内核：先写一个正确的，再看它的时间线。

# %% tags=["setup"] stem="imports"
import os

os.environ["TILELANG_ASCEND_MODE"] = "Developer"
from tlcourse import check, hint
from tlcourse.examples.flash_attention import online_softmax
import tilelang
import tilelang.language as T
import torch

# %% [markdown] tags=["lang:en"] stem="spec_words"
# **Task 1, `capstone(S, D, heads, group)`**: causal attention in which `group` heads of queries share
# one head of keys and values. S is a multiple of 128, at most 1024; D is 64 or 128. Parameters: Q, K,
# V, O. **Task 2, `capstone(M, N, K)`**: a product of int8 matrices with scales; M and N are multiples
# of 64, K of 128. Parameters: A, SA, B, SB, C. Workspaces of your own come last.

# %% [markdown] tags=["lang:zh"] stem="spec_words" en_sha="48e076bb"
# **任务一，`capstone(S, D, heads, group)`**：因果注意力，每 `group` 个查询头共用一个键值头。S 是 128 的倍数，不超过 1024；D 是 64 或 128。参数：Q、K、V、O。**任务二，`capstone(M, N, K)`**：带缩放的 int8 矩阵乘；M 和 N 是 64 的倍数，K 是 128 的倍数。参数：A、SA、B、SB、C。你自己的工作区放在最后。


# %% tags=["setup"] stem="spec"
def attention_torch(Q, K, V):  # Q (heads, S, D), K and V (heads // group, S, D), float16
    group, S = Q.shape[0] // K.shape[0], Q.shape[1]
    k, v = K.float().repeat_interleave(group, 0), V.float().repeat_interleave(group, 0)
    scores = Q.float() @ k.mT / Q.shape[2] ** 0.5
    later = torch.ones(S, S, dtype=torch.bool).triu(1)  # a query sees keys up to its own place
    return (scores.masked_fill(later, -torch.inf).softmax(-1) @ v).half()


def int8_gemm_torch(
    A, SA, B, SB
):  # A (M, K) and B (N, K) int8; SA (M, K // 128), SB (1, N) float32
    parts = (
        A.float().unflatten(1, (-1, 128)) * SA[..., None]
    )  # a scale for each 128 numbers of a row
    return (parts.flatten(1) @ B.float().T * SB).half()  # and one for each row of B


# %% [markdown] tags=["lang:en"] stem="more_words"
# **Task 3, `capstone(S, L, D, heads, top)`**: sparse attention. Row r of I names the blocks of 64
# keys, `top` of them, that the 64 queries of block r see; a block may be named twice, and then counts
# twice. S and L are multiples of 64. Parameters: Q, K, V, I, O. **Task 4, `capstone(M, D, N)`**: layer
# norm of the rows of X, then the product with W. M is a multiple of 64, N of 128, D of 256, at most 768.
# Parameters: X, G, B, W, C.

# %% [markdown] tags=["lang:zh"] stem="more_words" en_sha="445c5e0d"
# **任务三，`capstone(S, L, D, heads, top)`**：稀疏注意力。I 的第 r 行给出 `top` 个键块（每块 64 个键）的编号，第 r 块的 64 个查询只看这些键；同一块可以出现两次，那就算两次。S 和 L 是 64 的倍数。参数：Q、K、V、I、O。**任务四，`capstone(M, D, N)`**：先对 X 的每一行做层归一化（layer norm），再乘以 W。M 是 64 的倍数，N 是 128 的倍数，D 是 256 的倍数，不超过 768。参数：X、G、B、W、C。


# %% tags=["setup"] stem="more_spec"
def sparse_torch(Q, K, V, I):  # Q (heads, S, D), K and V (heads, L, D), float16; I (S // 64, top)
    keys, values = (x.float().unflatten(1, (-1, 64))[:, I.long()].flatten(2, 3) for x in (K, V))
    scores = Q.float().unflatten(1, (-1, 64)) @ keys.mT / Q.shape[2] ** 0.5
    return (scores.softmax(-1) @ values).flatten(1, 2).half()


def norm_gemm_torch(X, G, B, W):  # X (M, D) and W (N, D) float16, G and B (1, D) float32
    normed = torch.nn.functional.layer_norm(X.float(), X.shape[1:], G[0], B[0], eps=1e-5)
    return (normed @ W.float().mT).half()


# %% nbgrader={"grade": false, "grade_id": "d5-capstone-solution", "locked": false, "schema_version": 3, "solution": true, "task": false} stem="solution"
# Task 1. For another task take its parameters: (M, N, K), (S, L, D, heads, top) or (M, D, N).
def capstone(S, D, heads, group):
    # one kernel: causal attention, int8 gemm with scales, sparse attention, or layer norm and gemm
    ### BEGIN SOLUTION
    os.environ["TILELANG_ASCEND_MODE"] = "Expert"
    f16, f32 = "float16", "float32"
    block, half = 128, 64
    blocks, column = S // block, (half, 1)
    each = heads * blocks

    @T.macro
    def scores(K, SW, q, kv, c, cid, head, j):
        T.copy(K[head, j * block : (j + 1) * block, :], kv)
        T.gemm(q, kv, c, initC=True, b_transpose=True, size=[block, D, block])
        with T.rs("PIPE_FIX"):
            T.copy(c[:, 0:block], SW[cid, j, :, :])
            T.sync_block_set(j)

    @T.macro
    def values(V, PW, VW, p, kv, c, cid, head, j):
        with T.rs("PIPE_MTE2"):
            T.sync_block_wait(j)
            T.copy(PW[cid, j, :, :], p)
        T.copy(V[head, j * block : (j + 1) * block, :], kv)
        T.gemm(p, kv, c, initC=True, size=[block, block, D])
        with T.rs("PIPE_FIX"):
            T.copy(c[:, 0:D], VW[cid, j, :, :])
            T.sync_block_set(j)

    @T.macro
    def hidden(mask, key, query, keys, queries, own):
        # -1e30 where a key lies behind the query, on the diagonal block
        T.arange(key, [0, 1], 0)
        T.arange(query, [1, 0], own)
        T.vcast(key, keys, round_mode="rint")
        T.vcast(query, queries, round_mode="rint")
        T.vbrc(keys, mask)
        T.vsub(mask, queries, mask)
        T.vrelu(mask, mask)
        T.vmul(mask, -1.0e30, mask)

    @T.macro
    def taken(SW, s, cid, own, j):
        with T.rs("PIPE_MTE2"):
            T.sync_block_wait(j)
            T.copy(SW[cid, j, own : own + half, :], s)
        T.vmul(s, D**-0.5, s)

    @T.macro
    def weighed(PW, s, p, m, l, x, sums, factor, kept, cid, own, j):
        online_softmax(s, m, l, factor, x, sums)
        T.copy(factor, kept[j * half : (j + 1) * half, :])
        T.vcast(s, p, round_mode="rint")
        with T.rs("PIPE_MTE3"):
            T.copy(p, PW[cid, j, own : own + half, :])
            T.sync_block_set(j)

    @T.macro
    def added(VW, pv, o, kept, factor, cid, own, j):
        T.copy(kept[j * half : (j + 1) * half, :], factor)
        T.vmul(o, factor, o)
        with T.rs("PIPE_MTE2"):
            T.sync_block_wait(j)
            T.copy(VW[cid, j, own : own + half, :], pv)
        T.vadd(o, pv, o)

    @T.prim_func
    def attention(
        Q: T.Tensor((heads, S, D), f16), K: T.Tensor((heads // group, S, D), f16),
        V: T.Tensor((heads // group, S, D), f16), O: T.Tensor((heads, S, D), f16),
        SW: T.Tensor((each, blocks, block, block), f32),
        PW: T.Tensor((each, blocks, block, block), f16),
        VW: T.Tensor((each, blocks, block, D), f32),
    ):  # fmt: skip
        with T.Kernel(each, is_npu=True) as (cid, vid):
            head = cid % heads
            shared = head // group
            last = cid // heads
            with T.Scope("Cube"):
                q, kv = T.alloc_L1((block, D), f16), T.alloc_L1((block, D), f16)
                p, c = T.alloc_L1((block, block), f16), T.alloc_L0C((block, max(block, D)), f32)
                T.copy(Q[head, last * block : (last + 1) * block, :], q)
                for j in T.serial(last + 1):
                    scores(K, SW, q, kv, c, cid, shared, j)
                for j in T.serial(last + 1):
                    values(V, PW, VW, p, kv, c, cid, shared, j)
            with T.Scope("Vector"):
                own = vid * half
                s, p_ub = T.alloc_ub((half, block), f32), T.alloc_ub((half, block), f16)
                mask, key = T.alloc_ub((half, block), f32), T.alloc_ub((1, block), "int32")
                query, keys = T.alloc_ub(column, "int32"), T.alloc_ub((1, block), f32)
                pv, o = T.alloc_ub((half, D), f32), T.alloc_ub((half, D), f32)
                o16, queries = T.alloc_ub((half, D), f16), T.alloc_ub(column, f32)
                m, l, x = T.alloc_ub(column, f32), T.alloc_ub(column, f32), T.alloc_ub(column, f32)
                sums, factor = T.alloc_ub(column, f32), T.alloc_ub(column, f32)
                kept = T.alloc_ub((blocks * half, 1), f32)
                T.vbrc(-T.infinity(f32), m)
                T.vbrc(0.0, l)
                T.vbrc(0.0, o)
                hidden(mask, key, query, keys, queries, own)
                for j in T.serial(last):
                    taken(SW, s, cid, own, j)
                    weighed(PW, s, p_ub, m, l, x, sums, factor, kept, cid, own, j)
                taken(SW, s, cid, own, last)
                T.vadd(s, mask, s)
                weighed(PW, s, p_ub, m, l, x, sums, factor, kept, cid, own, last)
                for j in T.serial(last + 1):
                    added(VW, pv, o, kept, factor, cid, own, j)
                T.vdiv(o, l, o)
                T.vcast(o, o16, round_mode="rint")
                T.copy(o16, O[head, last * block + own : last * block + own + half, :])

    return attention
    ### END SOLUTION


# %% tags=["lang:en"] nbgrader={"grade": true, "grade_id": "d5-capstone", "locked": true, "points": 40, "schema_version": 3, "solution": false, "task": false} stem="check"
check("d5.capstone", capstone)

# %% tags=["lang:zh"] nbgrader={"grade": true, "grade_id": "d5-capstone", "locked": true, "points": 40, "schema_version": 3, "solution": false, "task": false} stem="check" en_sha="ec8d53ce"
check("d5.capstone", capstone, language="zh")

# %% [markdown] tags=["lang:en"] stem="help"
# Stuck? Run `hint("d5.capstone")` in a new cell, once for each of three hints.

# %% [markdown] tags=["lang:zh"] stem="help" en_sha="c1f36541"
# 卡住了？在新单元格里运行 `hint("d5.capstone", language="zh")`，每次给出一条提示，共三条。
