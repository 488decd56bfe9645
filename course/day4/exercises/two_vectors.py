# ---
# jupyter:
#   tlcourse:
#     id: d4.two_vectors
# ---

# %% [markdown] tags=["lang:en"] stem="prompt"
# # d4.two_vectors: step 5, half the rows each
#
# *core, 25 minutes, 10 points, after lesson 4.5*
#
# FlashAttention after step 4: all flags are there, but both vector cores compute all rows, and only
# vector core 0 stores. Let each **vector core** load, compute and store half of the rows: every row
# once, also when a block has an odd number of them.

# %% [markdown] tags=["lang:zh"] stem="prompt" en_sha="b550ea53"
# # d4.two_vectors：第 5 步，各做一半的行
#
# *核心内容，25 分钟，10 分，在 4.5 节之后*
#
# 这是第 4 步之后的 FlashAttention：标志都有了，但两个 vector 核都计算全部的行，而只有 vector 核 0 写出。让每个 **vector 核**载入、计算并写出一半的行：每行恰好一次，逻辑块的行数为奇数时也一样。

# %% tags=["setup"] stem="imports"
import os

os.environ["TILELANG_ASCEND_MODE"] = "Expert"
from tlcourse import check, hint
from tlcourse.examples.flash_attention import online_softmax
import tilelang
import tilelang.language as T
import torch

# %% [markdown] tags=["lang:en"] stem="spec_words"
# What is asked, in torch, for any S. Parameters are Q, K, V, O, then your workspaces. The kernel below
# is the answer to d4.sync: solve that one first. A copy of 0 rows does nothing.

# %% [markdown] tags=["lang:zh"] stem="spec_words" en_sha="01a59cb1"
# 要求用 torch 写出来如下，S 为任意数。参数依次是 Q、K、V、O，然后是你的工作区。下面的内核就是 d4.sync 的答案：请先做完那一题。0 行的拷贝什么也不做。


# %% tags=["setup"] stem="spec"
def two_vectors_torch(Q, K, V):  # each (S, D) float16
    scores = Q.float() @ K.float().T / Q.shape[1] ** 0.5  # (S, S) float32
    return (scores.softmax(-1) @ V.float()).half()  # (S, D) float16


# %% stem="given"
# Step 4: all flags are there, and vector core 0 stores. Copy it, and divide the rows.
@tilelang.jit(out_idx=[3], target="npuir")
def all_flags(S, D):
    block = 64
    SCORES, WEIGHTS, VALUES = 0, 1, 2
    wide, square, column, blocks = (block, D), (block, block), (block, 1), -(-S // block)

    @T.prim_func
    def kernel(
        Q: T.Tensor((S, D), "float16"),
        K: T.Tensor((S, D), "float16"),
        V: T.Tensor((S, D), "float16"),
        O: T.Tensor((S, D), "float16"),
        SW: T.Tensor((blocks, block, block), "float32"),
        PW: T.Tensor((blocks, block, block), "float16"),
        VW: T.Tensor((blocks, block, D), "float32"),
    ):
        with T.Kernel(blocks, is_npu=True) as (cid, vid):
            top = cid * block
            rows = T.min(block, S - top)
            with T.Scope("Cube"):
                q = T.alloc_L1(wide, "float16")
                k = T.alloc_L1(wide, "float16")
                v = T.alloc_L1(wide, "float16")
                p = T.alloc_L1(square, "float16")
                s = T.alloc_L0C(square, "float32")
                pv = T.alloc_L0C(wide, "float32")
                T.copy(Q[top : top + rows, :], q[0:rows, :])
                for j in T.serial(blocks):
                    here = T.min(block, S - j * block)
                    T.copy(K[j * block : j * block + here, :], k[0:here, :])
                    T.gemm(q, k, s, initC=True, b_transpose=True, size=[rows, D, here])
                    with T.rs("PIPE_FIX"):
                        T.copy(s[0:rows, 0:here], SW[cid, 0:rows, 0:here])
                        T.sync_block_set(SCORES)
                    T.copy(V[j * block : j * block + here, :], v[0:here, :])
                    with T.rs("PIPE_MTE2"):
                        T.sync_block_wait(WEIGHTS)
                        T.copy(PW[cid, 0:rows, 0:here], p[0:rows, 0:here])
                    T.gemm(p, v, pv, initC=True, size=[rows, here, D])
                    with T.rs("PIPE_FIX"):
                        T.copy(pv[0:rows, :], VW[cid, 0:rows, :])
                        T.sync_block_set(VALUES)
            with T.Scope("Vector"):
                s_ub = T.alloc_ub(square, "float32")
                p_ub = T.alloc_ub(square, "float16")
                pv_ub = T.alloc_ub(wide, "float32")
                o = T.alloc_ub(wide, "float32")
                o16 = T.alloc_ub(wide, "float16")
                m = T.alloc_ub(column, "float32")
                l = T.alloc_ub(column, "float32")
                x = T.alloc_ub(column, "float32")
                sums = T.alloc_ub(column, "float32")
                factor = T.alloc_ub(column, "float32")
                T.vbrc(-T.infinity("float32"), m)
                T.vbrc(0.0, l)
                T.vbrc(0.0, o)
                for j in T.serial(blocks):
                    here = T.min(block, S - j * block)
                    T.vbrc(-T.infinity("float32"), s_ub)
                    with T.rs("PIPE_MTE2"):
                        T.sync_block_wait(SCORES)
                        T.copy(SW[cid, 0:rows, 0:here], s_ub[0:rows, 0:here])
                    T.vmul(s_ub, D**-0.5, s_ub)
                    online_softmax(s_ub, m, l, factor, x, sums)
                    T.vcast(s_ub, p_ub, round_mode="rint")
                    with T.rs("PIPE_MTE3"):
                        if vid == 0:
                            T.copy(p_ub[0:rows, 0:here], PW[cid, 0:rows, 0:here])
                        T.sync_block_set(WEIGHTS)
                    T.vmul(o, factor, o)
                    with T.rs("PIPE_MTE2"):
                        T.sync_block_wait(VALUES)
                        T.copy(VW[cid, 0:rows, :], pv_ub[0:rows, :])
                    T.vadd(o, pv_ub, o)
                T.vdiv(o, l, o)
                T.vcast(o, o16, round_mode="rint")
                if vid == 0:
                    T.copy(o16[0:rows, :], O[top : top + rows, :])

    return kernel


# %% nbgrader={"grade": false, "grade_id": "d4-two_vectors-solution", "locked": false, "schema_version": 3, "solution": true, "task": false} stem="solution"
@tilelang.jit(out_idx=[3], target="npuir")
def two_vectors(S, D):
    # FlashAttention in which each vector core has half of the rows
    ### BEGIN SOLUTION
    block = 64
    SCORES, WEIGHTS, VALUES = 0, 1, 2
    wide, square, blocks, half = (block, D), (block, block), -(-S // block), block // 2
    own_wide, own_square, column = (half, D), (half, block), (half, 1)

    @T.prim_func
    def kernel(
        Q: T.Tensor((S, D), "float16"),
        K: T.Tensor((S, D), "float16"),
        V: T.Tensor((S, D), "float16"),
        O: T.Tensor((S, D), "float16"),
        SW: T.Tensor((blocks, block, block), "float32"),
        PW: T.Tensor((blocks, block, block), "float16"),
        VW: T.Tensor((blocks, block, D), "float32"),
    ):
        with T.Kernel(blocks, is_npu=True) as (cid, vid):
            top = cid * block
            rows = T.min(block, S - top)
            with T.Scope("Cube"):
                q = T.alloc_L1(wide, "float16")
                k = T.alloc_L1(wide, "float16")
                v = T.alloc_L1(wide, "float16")
                p = T.alloc_L1(square, "float16")
                s = T.alloc_L0C(square, "float32")
                pv = T.alloc_L0C(wide, "float32")
                T.copy(Q[top : top + rows, :], q[0:rows, :])
                for j in T.serial(blocks):
                    here = T.min(block, S - j * block)
                    T.copy(K[j * block : j * block + here, :], k[0:here, :])
                    T.gemm(q, k, s, initC=True, b_transpose=True, size=[rows, D, here])
                    with T.rs("PIPE_FIX"):
                        T.copy(s[0:rows, 0:here], SW[cid, 0:rows, 0:here])
                        T.sync_block_set(SCORES)
                    T.copy(V[j * block : j * block + here, :], v[0:here, :])
                    with T.rs("PIPE_MTE2"):
                        T.sync_block_wait(WEIGHTS)
                        T.copy(PW[cid, 0:rows, 0:here], p[0:rows, 0:here])
                    T.gemm(p, v, pv, initC=True, size=[rows, here, D])
                    with T.rs("PIPE_FIX"):
                        T.copy(pv[0:rows, :], VW[cid, 0:rows, :])
                        T.sync_block_set(VALUES)
            with T.Scope("Vector"):
                first = (rows + 1) // 2
                own = vid * first
                have = first - rows % 2 * vid
                s_ub = T.alloc_ub(own_square, "float32")
                p_ub = T.alloc_ub(own_square, "float16")
                pv_ub = T.alloc_ub(own_wide, "float32")
                o = T.alloc_ub(own_wide, "float32")
                o16 = T.alloc_ub(own_wide, "float16")
                m = T.alloc_ub(column, "float32")
                l = T.alloc_ub(column, "float32")
                x = T.alloc_ub(column, "float32")
                sums = T.alloc_ub(column, "float32")
                factor = T.alloc_ub(column, "float32")
                T.vbrc(-T.infinity("float32"), m)
                T.vbrc(0.0, l)
                T.vbrc(0.0, o)
                for j in T.serial(blocks):
                    here = T.min(block, S - j * block)
                    T.vbrc(-T.infinity("float32"), s_ub)
                    with T.rs("PIPE_MTE2"):
                        T.sync_block_wait(SCORES)
                        T.copy(SW[cid, own : own + have, 0:here], s_ub[0:have, 0:here])
                    T.vmul(s_ub, D**-0.5, s_ub)
                    online_softmax(s_ub, m, l, factor, x, sums)
                    T.vcast(s_ub, p_ub, round_mode="rint")
                    with T.rs("PIPE_MTE3"):
                        T.copy(p_ub[0:have, 0:here], PW[cid, own : own + have, 0:here])
                        T.sync_block_set(WEIGHTS)
                    T.vmul(o, factor, o)
                    with T.rs("PIPE_MTE2"):
                        T.sync_block_wait(VALUES)
                        T.copy(VW[cid, own : own + have, :], pv_ub[0:have, :])
                    T.vadd(o, pv_ub, o)
                T.vdiv(o, l, o)
                T.vcast(o, o16, round_mode="rint")
                T.copy(o16[0:have, :], O[top + own : top + own + have, :])

    return kernel
    ### END SOLUTION


# %% tags=["lang:en"] nbgrader={"grade": true, "grade_id": "d4-two_vectors", "locked": true, "points": 10, "schema_version": 3, "solution": false, "task": false} stem="check"
check("d4.two_vectors", two_vectors)

# %% tags=["lang:zh"] nbgrader={"grade": true, "grade_id": "d4-two_vectors", "locked": true, "points": 10, "schema_version": 3, "solution": false, "task": false} stem="check" en_sha="7ab1c22d"
check("d4.two_vectors", two_vectors, language="zh")

# %% [markdown] tags=["lang:en"] stem="help"
# Stuck? Run `hint("d4.two_vectors")` in a new cell, once for each of three hints.

# %% [markdown] tags=["lang:zh"] stem="help" en_sha="21307e24"
# 卡住了？在新单元格里运行 `hint("d4.two_vectors", language="zh")`，每次给出一条提示，共三条。
