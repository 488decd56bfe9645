# ---
# jupyter:
#   tlcourse:
#     id: d4.split
# ---

# %% [markdown] tags=["lang:en"] stem="prompt"
# # d4.split: step 3, one text for each core
#
# *more, 20 minutes, 5 points, after lesson 4.3*
#
# FlashAttention after step 2, in **Expert** mode, as one list of steps. Each hand-over already has
# its flag, which is the matter of step 4. Write it as two programs: what the cube core does in
# `T.Scope("Cube")`, what the vector cores do in `T.Scope("Vector")`. The chip then runs it.

# %% [markdown] tags=["lang:zh"] stem="prompt" en_sha="9bfb6a1a"
# # d4.split：第 3 步，每种核一段程序
#
# *进阶内容，20 分钟，5 分，在 4.3 节之后*
#
# 这是第 2 步之后的 FlashAttention，**Expert** 模式，写成一份步骤清单。每次交接已经带有标志，标志是第 4 步的内容。请把它写成两段程序：cube 核做的放进 `T.Scope("Cube")`，vector 核做的放进 `T.Scope("Vector")`。这样芯片就能运行它。

# %% tags=["setup"] stem="imports"
import os

os.environ["TILELANG_ASCEND_MODE"] = "Expert"
from tlcourse import check, hint
from tlcourse.examples.flash_attention import online_softmax
import tilelang
import tilelang.language as T
import torch

# %% [markdown] tags=["lang:en"] stem="spec_words"
# What is asked, in torch; S is a multiple of 64. Parameters are Q, K, V, O, then the workspaces SW,
# PW and VW with the shapes below.

# %% [markdown] tags=["lang:zh"] stem="spec_words" en_sha="28abe061"
# 要求用 torch 写出来如下，S 是 64 的倍数。参数依次是 Q、K、V、O，然后是工作区 SW、PW 和 VW，形状见下文。


# %% tags=["setup"] stem="spec"
def split_torch(Q, K, V):  # each (S, D) float16
    scores = Q.float() @ K.float().T / Q.shape[1] ** 0.5  # (S, S) float32
    return (scores.softmax(-1) @ V.float()).half()  # (S, D) float16


# %% stem="given"
# Step 2 as one list of steps. No core is named, so it cannot run yet. Copy from here.
# A flag stands beside its copy; `vid == 0` lets one of the two vector cores store.
STEPS = """
q, k, v, p = L1 tiles; s, pv = L0C tiles; all others = UB tiles
T.copy(Q[cid * block : (cid + 1) * block, :], q)
T.vbrc(-T.infinity("float32"), m)
T.vbrc(0.0, l)
T.vbrc(0.0, o)
for j in T.serial(blocks):
    T.copy(K[j * block : (j + 1) * block, :], k)
    T.gemm(q, k, s, initC=True, b_transpose=True)
    with T.rs("PIPE_FIX"):
        T.copy(s, SW[cid, :, :])
        T.sync_block_set(0)
    with T.rs("PIPE_MTE2"):
        T.sync_block_wait(0)
        T.copy(SW[cid, :, :], s_ub)
    T.vmul(s_ub, D**-0.5, s_ub)
    online_softmax(s_ub, m, l, factor, x, sums)
    T.vcast(s_ub, p_ub, round_mode="rint")
    with T.rs("PIPE_MTE3"):
        if vid == 0:
            T.copy(p_ub, PW[cid, :, :])
        T.sync_block_set(1)
    T.copy(V[j * block : (j + 1) * block, :], v)
    with T.rs("PIPE_MTE2"):
        T.sync_block_wait(1)
        T.copy(PW[cid, :, :], p)
    T.gemm(p, v, pv, initC=True)
    with T.rs("PIPE_FIX"):
        T.copy(pv, VW[cid, :, :])
        T.sync_block_set(2)
    T.vmul(o, factor, o)
    with T.rs("PIPE_MTE2"):
        T.sync_block_wait(2)
        T.copy(VW[cid, :, :], pv_ub)
    T.vadd(o, pv_ub, o)
T.vdiv(o, l, o)
T.vcast(o, o16, round_mode="rint")
if vid == 0:
    T.copy(o16, O[cid * block : (cid + 1) * block, :])
"""


# %% nbgrader={"grade": false, "grade_id": "d4-split-solution", "locked": false, "schema_version": 3, "solution": true, "task": false} stem="solution"
@tilelang.jit(out_idx=[3], target="npuir")
def split(S, D):
    # FlashAttention as a program for each kind of core
    ### BEGIN SOLUTION
    block = 64
    wide, square, column, blocks = (block, D), (block, block), (block, 1), S // block

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
            with T.Scope("Cube"):
                q = T.alloc_L1(wide, "float16")
                k = T.alloc_L1(wide, "float16")
                v = T.alloc_L1(wide, "float16")
                p = T.alloc_L1(square, "float16")
                s = T.alloc_L0C(square, "float32")
                pv = T.alloc_L0C(wide, "float32")
                T.copy(Q[cid * block : (cid + 1) * block, :], q)
                for j in T.serial(blocks):
                    T.copy(K[j * block : (j + 1) * block, :], k)
                    T.gemm(q, k, s, initC=True, b_transpose=True)
                    with T.rs("PIPE_FIX"):
                        T.copy(s, SW[cid, :, :])
                        T.sync_block_set(0)
                    T.copy(V[j * block : (j + 1) * block, :], v)
                    with T.rs("PIPE_MTE2"):
                        T.sync_block_wait(1)
                        T.copy(PW[cid, :, :], p)
                    T.gemm(p, v, pv, initC=True)
                    with T.rs("PIPE_FIX"):
                        T.copy(pv, VW[cid, :, :])
                        T.sync_block_set(2)
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
                    with T.rs("PIPE_MTE2"):
                        T.sync_block_wait(0)
                        T.copy(SW[cid, :, :], s_ub)
                    T.vmul(s_ub, D**-0.5, s_ub)
                    online_softmax(s_ub, m, l, factor, x, sums)
                    T.vcast(s_ub, p_ub, round_mode="rint")
                    with T.rs("PIPE_MTE3"):
                        if vid == 0:
                            T.copy(p_ub, PW[cid, :, :])
                        T.sync_block_set(1)
                    T.vmul(o, factor, o)
                    with T.rs("PIPE_MTE2"):
                        T.sync_block_wait(2)
                        T.copy(VW[cid, :, :], pv_ub)
                    T.vadd(o, pv_ub, o)
                T.vdiv(o, l, o)
                T.vcast(o, o16, round_mode="rint")
                if vid == 0:
                    T.copy(o16, O[cid * block : (cid + 1) * block, :])

    return kernel
    ### END SOLUTION


# %% tags=["lang:en"] nbgrader={"grade": true, "grade_id": "d4-split", "locked": true, "points": 5, "schema_version": 3, "solution": false, "task": false} stem="check"
check("d4.split", split)

# %% tags=["lang:zh"] nbgrader={"grade": true, "grade_id": "d4-split", "locked": true, "points": 5, "schema_version": 3, "solution": false, "task": false} stem="check" en_sha="c6edc651"
check("d4.split", split, language="zh")

# %% [markdown] tags=["lang:en"] stem="help"
# Stuck? Run `hint("d4.split")` in a new cell, once for each of three hints.

# %% [markdown] tags=["lang:zh"] stem="help" en_sha="7bd6083f"
# 卡住了？在新单元格里运行 `hint("d4.split", language="zh")`，每次给出一条提示，共三条。
