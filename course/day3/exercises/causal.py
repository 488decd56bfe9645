# ---
# jupyter:
#   tlcourse:
#     id: d3.causal
# ---

# %% [markdown] tags=["lang:en"] stem="prompt"
# # d3.causal: attention that does not look ahead
#
# *more, 35 minutes, 15 points, after lesson 3.3*
#
# FlashAttention with a causal mask: query i sees keys 0 to i. One head, Q, K, V and O are (S, D)
# float16, S is **any number**, D is 64 or 128. Tiles in which every key lies behind every query
# are to cost **no product**: at S = 1024 at most 0.65 of the full work.

# %% [markdown] tags=["lang:zh"] stem="prompt" en_sha="982e7322"
# # d3.causal：不看未来的注意力
#
# *进阶内容，35 分钟，15 分，在 3.3 节之后*
#
# 带因果掩码的 FlashAttention：第 i 个查询只看第 0 到第 i 个键。一个头，Q、K、V、O 为 (S, D)，float16，S 是**任意数**，D 为 64 或 128。如果一个数据块里所有的键都在所有查询之后，就**不应为它做矩阵乘**：S = 1024 时，矩阵乘的工作量不超过全部的 0.65。

# %% tags=["setup"] stem="imports"
import os

os.environ["TILELANG_ASCEND_MODE"] = "Developer"
from tlcourse import check, hint
import tilelang
import tilelang.language as T
import torch

# %% [markdown] tags=["lang:en"] stem="spec_words"
# What is asked, in torch. Your kernel's parameters are Q, K, V and O in this order.

# %% [markdown] tags=["lang:zh"] stem="spec_words" en_sha="06703c5e"
# 要求用 torch 写出来如下。内核的参数依次是 Q、K、V 和 O。


# %% tags=["setup"] stem="spec"
def causal_torch(Q, K, V):  # each (S, D) float16
    scores = Q.float() @ K.float().T / Q.shape[1] ** 0.5  # (S, S) float32
    future = torch.ones_like(scores, dtype=torch.bool).triu(1)
    weights = scores.masked_fill(future, -torch.inf).softmax(-1)
    return (weights @ V.float()).half()  # (S, D) float16


# %% nbgrader={"grade": false, "grade_id": "d3-causal-solution", "locked": false, "schema_version": 3, "solution": true, "task": false} stem="solution"
@tilelang.jit(out_idx=[3], target="npuir")
def causal(S, D):
    # O = causal attention of Q, K and V, for any S
    ### BEGIN SOLUTION
    block = 64
    hidden = -T.infinity("float32")

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
            T.vbrc(hidden, m)
            T.vbrc(0.0, l)
            T.vbrc(0.0, o)
            for j in T.serial(cid + 1):
                first = j * block
                width = T.min(block, S - first)
                T.copy(K[first : first + width, :], k[0:width, :])
                T.copy(V[first : first + width, :], v[0:width, :])
                T.gemm(q, k, s, initC=True, b_transpose=True)
                T.vmul(s, D**-0.5, s)
                for a, b in T.Parallel(block, block):
                    s[a, b] = T.if_then_else(first + b <= row + a, s[a, b], hidden)
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


# %% tags=["lang:en"] nbgrader={"grade": true, "grade_id": "d3-causal", "locked": true, "points": 15, "schema_version": 3, "solution": false, "task": false} stem="check"
check("d3.causal", causal)

# %% tags=["lang:zh"] nbgrader={"grade": true, "grade_id": "d3-causal", "locked": true, "points": 15, "schema_version": 3, "solution": false, "task": false} stem="check" en_sha="7541f625"
check("d3.causal", causal, language="zh")

# %% [markdown] tags=["lang:en"] stem="help"
# Stuck? Run `hint("d3.causal")` in a new cell, once for each of three hints.

# %% [markdown] tags=["lang:zh"] stem="help" en_sha="f4e5c0fe"
# 卡住了？在新单元格里运行 `hint("d3.causal", language="zh")`，每次给出一条提示，共三条。
