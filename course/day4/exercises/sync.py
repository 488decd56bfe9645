# ---
# jupyter:
#   tlcourse:
#     id: d4.sync
# ---

# %% [markdown] tags=["lang:en"] stem="prompt"
# # d4.sync: step 4, both directions, every trip
#
# *core, 45 minutes, 20 points, after lesson 4.3*
#
# FlashAttention after step 3: both scopes are there, the cores do not agree yet. Add the **flags**
# between the cores, so that no race is reported in any order, nobody stands still, and no flag is
# left up at the end. Only vector core 0 stores (step 5 changes that); both vector cores run all
# lines, so both wait and both set.

# %% [markdown] tags=["lang:zh"] stem="prompt" en_sha="fdbbc673"
# # d4.sync：第 4 步，两个方向，每次循环
#
# *核心内容，45 分钟，20 分，在 4.3 节之后*
#
# 这是第 3 步之后的 FlashAttention：两个 scope 已经有了，但两种核还没有约定。加上核间**标志**，使任何次序下都不报告竞争，没有核停住，结束时也没有仍然置起的标志。只有 vector 核 0 写出（第 5 步会改变）；两个 vector 核都执行全部的行，所以两个都要 wait，也都要 set。

# %% tags=["setup"] stem="imports"
import os

os.environ["TILELANG_ASCEND_MODE"] = "Expert"
from tlcourse import check, hint
from tlcourse.examples.flash_attention import online_softmax
import tilelang
import tilelang.language as T
import torch

# %% [markdown] tags=["lang:en"] stem="spec_words"
# What is asked, in torch, for any S. Parameters are Q, K, V, O, then your workspaces.

# %% [markdown] tags=["lang:zh"] stem="spec_words" en_sha="c5af018a"
# 要求用 torch 写出来如下，S 为任意数。参数依次是 Q、K、V、O，然后是你的工作区。


# %% tags=["setup"] stem="spec"
def sync_torch(Q, K, V):  # each (S, D) float16
    scores = Q.float() @ K.float().T / Q.shape[1] ** 0.5  # (S, S) float32
    return (scores.softmax(-1) @ V.float()).half()  # (S, D) float16


# %% stem="given"
# Step 3: two scopes, no flags. Copy it into the cell below, and add what is missing.
def two_scopes(S, D):
    block = 64
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
                    T.copy(s[0:rows, 0:here], SW[cid, 0:rows, 0:here])
                    T.copy(V[j * block : j * block + here, :], v[0:here, :])
                    T.copy(PW[cid, 0:rows, 0:here], p[0:rows, 0:here])
                    T.gemm(p, v, pv, initC=True, size=[rows, here, D])
                    T.copy(pv[0:rows, :], VW[cid, 0:rows, :])
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
                    T.copy(SW[cid, 0:rows, 0:here], s_ub[0:rows, 0:here])
                    T.vmul(s_ub, D**-0.5, s_ub)
                    online_softmax(s_ub, m, l, factor, x, sums)
                    T.vcast(s_ub, p_ub, round_mode="rint")
                    if vid == 0:
                        T.copy(p_ub[0:rows, 0:here], PW[cid, 0:rows, 0:here])
                    T.vmul(o, factor, o)
                    T.copy(VW[cid, 0:rows, :], pv_ub[0:rows, :])
                    T.vadd(o, pv_ub, o)
                T.vdiv(o, l, o)
                T.vcast(o, o16, round_mode="rint")
                if vid == 0:
                    T.copy(o16[0:rows, :], O[top : top + rows, :])

    return kernel


# %% nbgrader={"grade": false, "grade_id": "d4-sync-solution", "locked": false, "schema_version": 3, "solution": true, "task": false} stem="solution"
@tilelang.jit(out_idx=[3], target="npuir")
def sync(S, D):
    # FlashAttention of both kinds of core, with all flags
    ### BEGIN SOLUTION
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
    ### END SOLUTION


# %% tags=["lang:en"] nbgrader={"grade": true, "grade_id": "d4-sync", "locked": true, "points": 20, "schema_version": 3, "solution": false, "task": false} stem="check"
check("d4.sync", sync)

# %% tags=["lang:zh"] nbgrader={"grade": true, "grade_id": "d4-sync", "locked": true, "points": 20, "schema_version": 3, "solution": false, "task": false} stem="check" en_sha="e30b648e"
check("d4.sync", sync, language="zh")

# %% [markdown] tags=["lang:en"] stem="help"
# Stuck? Run `hint("d4.sync")` in a new cell, once for each of three hints.

# %% [markdown] tags=["lang:zh"] stem="help" en_sha="778d13a2"
# 卡住了？在新单元格里运行 `hint("d4.sync", language="zh")`，每次给出一条提示，共三条。
