# ---
# jupyter:
#   tlcourse:
#     id: d4.workspace
# ---

# %% [markdown] tags=["lang:en"] stem="prompt"
# # d4.workspace: step 2, from one core to the other
#
# *core, 30 minutes, 10 points, after lesson 4.1*
#
# FlashAttention after step 1: each tile has its memory, in **Expert** mode. Three hand-overs are
# missing: the scores to the vector cores, the weights back to the cube core, the weighted values to
# the vector cores. Let each go through a workspace in GM, a parameter behind O, with a slice for
# each block. No scopes and no flags yet: the kernel is judged in program order.

# %% [markdown] tags=["lang:zh"] stem="prompt" en_sha="c5e55d08"
# # d4.workspace：第 2 步，从一种核到另一种核
#
# *核心内容，30 分钟，10 分，在 4.1 节之后*
#
# 这是第 1 步之后的 FlashAttention：在 **Expert** 模式下，每个数据块都有了自己的内存。缺少三次交接：分数交给 vector 核，权重交回 cube 核，加权后的值再交给 vector 核。让每次交接都经过 GM 里的工作区，它是 O 之后的参数，每个逻辑块一片。还不需要 scope 和标志：评判时按文本顺序运行内核。

# %% tags=["setup"] stem="imports"
import os

os.environ["TILELANG_ASCEND_MODE"] = "Expert"
from tlcourse import check, hint
from tlcourse.examples.flash_attention import online_softmax
import tilelang
import tilelang.language as T
import torch

# %% [markdown] tags=["lang:en"] stem="spec_words"
# What is asked, in torch; S is a multiple of 64. Parameters are Q, K, V, O, then your workspaces:
# their shapes are yours to choose. Scores stay float32, weights are float16.

# %% [markdown] tags=["lang:zh"] stem="spec_words" en_sha="4a81e7c7"
# 要求用 torch 写出来如下，S 是 64 的倍数。参数依次是 Q、K、V、O，然后是你的工作区，形状由你决定。分数保持 float32，权重是 float16。


# %% tags=["setup"] stem="spec"
def workspace_torch(Q, K, V):  # each (S, D) float16
    scores = Q.float() @ K.float().T / Q.shape[1] ** 0.5  # (S, S) float32
    return (scores.softmax(-1) @ V.float()).half()  # (S, D) float16


# %% tags=["setup"] stem="tiles"
# Step 1, in one block: what lies where. Copy from here.
#   L1:  q, k, v (block, D) float16; p (block, block) float16
#   L0C: s (block, block) float32; pv (block, D) float32
#   UB:  s_ub (block, block) float32; p_ub (block, block) float16; pv_ub, o (block, D) float32;
#        o16 (block, D) float16; m, l, x, sums, factor (block, 1) float32
@T.macro
def start(m, l, o):
    T.vbrc(-T.infinity("float32"), m)
    T.vbrc(0.0, l)
    T.vbrc(0.0, o)


# online_softmax(s_ub, m, l, factor, x, sums) turns scores into weights and brings m and l up to date.


# %% nbgrader={"grade": false, "grade_id": "d4-workspace-solution", "locked": false, "schema_version": 3, "solution": true, "task": false} stem="solution"
@tilelang.jit(out_idx=[3], target="npuir")
def workspace(S, D):
    # FlashAttention with each hand-over through a workspace
    ### BEGIN SOLUTION
    block = 64
    wide, square, column = (block, D), (block, block), (block, 1)

    @T.prim_func
    def kernel(
        Q: T.Tensor((S, D), "float16"),
        K: T.Tensor((S, D), "float16"),
        V: T.Tensor((S, D), "float16"),
        O: T.Tensor((S, D), "float16"),
        SW: T.Tensor((S // block, block, block), "float32"),
        PW: T.Tensor((S // block, block, block), "float16"),
        VW: T.Tensor((S // block, block, D), "float32"),
    ):
        with T.Kernel(S // block, is_npu=True) as (cid, _):
            q = T.alloc_L1(wide, "float16")
            k = T.alloc_L1(wide, "float16")
            v = T.alloc_L1(wide, "float16")
            p = T.alloc_L1(square, "float16")
            s = T.alloc_L0C(square, "float32")
            pv = T.alloc_L0C(wide, "float32")
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
            T.copy(Q[cid * block : (cid + 1) * block, :], q)
            start(m, l, o)
            for j in T.serial(S // block):
                T.copy(K[j * block : (j + 1) * block, :], k)
                T.copy(V[j * block : (j + 1) * block, :], v)
                T.gemm(q, k, s, initC=True, b_transpose=True)
                T.copy(s, SW[cid, :, :])
                T.copy(SW[cid, :, :], s_ub)
                T.vmul(s_ub, D**-0.5, s_ub)
                online_softmax(s_ub, m, l, factor, x, sums)
                T.vcast(s_ub, p_ub, round_mode="rint")
                T.copy(p_ub, PW[cid, :, :])
                T.copy(PW[cid, :, :], p)
                T.gemm(p, v, pv, initC=True)
                T.copy(pv, VW[cid, :, :])
                T.copy(VW[cid, :, :], pv_ub)
                T.vmul(o, factor, o)
                T.vadd(o, pv_ub, o)
            T.vdiv(o, l, o)
            T.vcast(o, o16, round_mode="rint")
            T.copy(o16, O[cid * block : (cid + 1) * block, :])

    return kernel
    ### END SOLUTION


# %% tags=["lang:en"] nbgrader={"grade": true, "grade_id": "d4-workspace", "locked": true, "points": 10, "schema_version": 3, "solution": false, "task": false} stem="check"
check("d4.workspace", workspace)

# %% tags=["lang:zh"] nbgrader={"grade": true, "grade_id": "d4-workspace", "locked": true, "points": 10, "schema_version": 3, "solution": false, "task": false} stem="check" en_sha="983dbe0d"
check("d4.workspace", workspace, language="zh")

# %% [markdown] tags=["lang:en"] stem="help"
# Stuck? Run `hint("d4.workspace")` in a new cell, once for each of three hints.

# %% [markdown] tags=["lang:zh"] stem="help" en_sha="aa9a83da"
# 卡住了？在新单元格里运行 `hint("d4.workspace", language="zh")`，每次给出一条提示，共三条。
