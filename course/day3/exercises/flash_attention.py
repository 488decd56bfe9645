# ---
# jupyter:
#   tlcourse:
#     id: d3.flash_attention
# ---

# %% [markdown] tags=["lang:en"] stem="prompt"
# # d3.flash_attention: the forward pass from a blank page
#
# *core, 60 minutes, 20 points, after lesson 3.3*
#
# O = softmax(Q K^T / sqrt(D)) V in **one kernel**, for **any S** and D = 64 or 128. Q, K, V and O are
# (S, D) float16. Keys pass by in tiles; no S by S matrix is built. Keys behind the end must not
# count.

# %% [markdown] tags=["lang:zh"] stem="prompt" en_sha="d2851aea"
# # d3.flash_attention：从零写出前向计算
#
# *核心内容，60 分钟，20 分，在 3.3 节之后*
#
# 用**一个内核**计算 O = softmax(Q K^T / sqrt(D)) V，S 为**任意数**，D 为 64 或 128。Q、K、V 和 O 为 (S, D)，float16。键逐块处理，不建立 S 乘 S 的矩阵。末尾之后的键不得计入。

# %% tags=["setup"] stem="imports"
import os

os.environ["TILELANG_ASCEND_MODE"] = "Developer"
from tlcourse import check, hint
import tilelang
import tilelang.language as T
import torch

# %% [markdown] tags=["lang:en"] stem="spec_words"
# What is asked, in torch. Your kernel's parameters are Q, K, V, O in this order.

# %% [markdown] tags=["lang:zh"] stem="spec_words" en_sha="aac8cd88"
# 要求用 torch 写出来如下。内核的参数依次是 Q、K、V、O。


# %% tags=["setup"] stem="spec"
def flash_attention_torch(Q, K, V):  # each (S, D) float16
    scores = Q.float() @ K.float().T / Q.shape[1] ** 0.5  # (S, S) float32
    return (scores.softmax(-1) @ V.float()).half()  # (S, D) float16


# %% nbgrader={"grade": false, "grade_id": "d3-flash_attention-solution", "locked": false, "schema_version": 3, "solution": true, "task": false} stem="solution"
@tilelang.jit(out_idx=[3], target="npuir")
def flash_attention(S, D):
    # O = softmax(Q K^T / sqrt(D)) V, for any S
    ### BEGIN SOLUTION
    block = 64

    @T.prim_func
    def kernel(
        Q: T.Tensor((S, D), "float16"),
        K: T.Tensor((S, D), "float16"),
        V: T.Tensor((S, D), "float16"),
        O: T.Tensor((S, D), "float16"),
    ):
        with T.Kernel(T.ceildiv(S, block), is_npu=True) as (cid, _):
            row = cid * block
            here = T.min(block, S - row)
            q = T.alloc_shared((block, D), "float16")
            k = T.alloc_shared((block, D), "float16")
            v = T.alloc_shared((block, D), "float16")
            p = T.alloc_shared((block, block), "float16")
            s = T.alloc_fragment((block, block), "float32")
            pv = T.alloc_fragment((block, D), "float32")
            o = T.alloc_fragment((block, D), "float32")
            m = T.alloc_fragment((block, 1), "float32")
            l = T.alloc_fragment((block, 1), "float32")
            x = T.alloc_fragment((block, 1), "float32")
            factor = T.alloc_fragment((block, 1), "float32")
            T.copy(Q[row : row + here, :], q[0:here, :])
            T.vbrc(-T.infinity("float32"), m)
            T.vbrc(0.0, l)
            T.vbrc(0.0, o)
            for j in T.serial(T.ceildiv(S, block)):
                first = j * block
                width = T.min(block, S - first)
                T.copy(K[first : first + width, :], k[0:width, :])
                T.copy(V[first : first + width, :], v[0:width, :])
                T.gemm(q, k, s, initC=True, b_transpose=True)
                T.vmul(s, D**-0.5, s)
                for a, b in T.Parallel(block, block):
                    s[a, b] = T.if_then_else(b < width, s[a, b], -T.infinity("float32"))
                T.reduce_max(s, x, dim=1)
                T.vmax(m, x, x)
                T.vsub(m, x, factor)
                T.vexp(factor, factor)
                T.copy(x, m)
                T.vsub(s, m, s)
                T.vexp(s, s)
                T.reduce_sum(s, x, dim=1)
                T.vmul(l, factor, l)
                T.vadd(l, x, l)
                T.copy(s, p)
                T.gemm(p[:, 0:width], v[0:width, :], pv, initC=True)
                T.vmul(o, factor, o)
                T.vadd(o, pv, o)
            T.vdiv(o, l, o)
            T.copy(o[0:here, :], O[row : row + here, :])

    return kernel
    ### END SOLUTION


# %% tags=["lang:en"] nbgrader={"grade": true, "grade_id": "d3-flash_attention", "locked": true, "points": 20, "schema_version": 3, "solution": false, "task": false} stem="check"
check("d3.flash_attention", flash_attention)

# %% tags=["lang:zh"] nbgrader={"grade": true, "grade_id": "d3-flash_attention", "locked": true, "points": 20, "schema_version": 3, "solution": false, "task": false} stem="check" en_sha="90207cd1"
check("d3.flash_attention", flash_attention, language="zh")

# %% [markdown] tags=["lang:en"] stem="help"
# Stuck? Run `hint("d3.flash_attention")` in a new cell, once for each of three hints.

# %% [markdown] tags=["lang:zh"] stem="help" en_sha="f9803eb9"
# 卡住了？在新单元格里运行 `hint("d3.flash_attention", language="zh")`，每次给出一条提示，共三条。
