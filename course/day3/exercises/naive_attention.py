# ---
# jupyter:
#   tlcourse:
#     id: d3.naive_attention
# ---

# %% [markdown] tags=["lang:en"] stem="prompt"
# # d3.naive_attention: three stages in one kernel
#
# *more, 35 minutes, 10 points, after lesson 3.1*
#
# O = softmax(Q K^T / sqrt(D)) V, stage by stage, in one kernel: scores, softmax along each row,
# times V. A block owns 64 queries and sees **all** keys at once, so S is a multiple of 64 and at most
# 256; D is 64. Q, K, V and O are (S, D) float16. Scores can be far from 0.

# %% [markdown] tags=["lang:zh"] stem="prompt" en_sha="149871a2"
# # d3.naive_attention：一个内核里的三个步骤
#
# *进阶内容，35 分钟，10 分，在 3.1 节之后*
#
# O = softmax(Q K^T / sqrt(D)) V，在一个内核里分三步计算：分数、沿每行的 softmax、乘以 V。一个逻辑块负责 64 个查询，一次看到**全部**的键，所以 S 是 64 的倍数，至多 256；D 为 64。Q、K、V 和 O 为 (S, D)，float16。分数可能离 0 很远。

# %% tags=["setup"] stem="imports"
import os

os.environ["TILELANG_ASCEND_MODE"] = "Developer"
from tlcourse import check, hint
import tilelang
import tilelang.language as T
import torch

# %% [markdown] tags=["lang:en"] stem="spec_words"
# What is asked, in torch. Your kernel's parameters are Q, K, V, O in this order. A skeleton: load q,
# k and v into shared tiles, the scores go into a float32 fragment (64, S), the weights into a
# float16 tile before the second product.

# %% [markdown] tags=["lang:zh"] stem="spec_words" en_sha="a5694ef2"
# 要求用 torch 写出来如下。内核的参数依次是 Q、K、V、O。骨架：把 q、k、v 载入 shared 数据块；分数放进 float32 的 fragment (64, S)；第二次矩阵乘之前，权重放进 float16 的数据块。


# %% tags=["setup"] stem="spec"
def naive_attention_torch(Q, K, V):  # each (S, D) float16
    scores = Q.float() @ K.float().T / Q.shape[1] ** 0.5  # (S, S) float32
    return (scores.softmax(-1) @ V.float()).half()  # (S, D) float16


# %% nbgrader={"grade": false, "grade_id": "d3-naive_attention-solution", "locked": false, "schema_version": 3, "solution": true, "task": false} stem="solution"
@tilelang.jit(out_idx=[3], target="npuir")
def naive_attention(S, D, block=64):
    # O = softmax(Q K^T / sqrt(D)) V, all keys at once
    ### BEGIN SOLUTION
    @T.prim_func
    def kernel(
        Q: T.Tensor((S, D), "float16"),
        K: T.Tensor((S, D), "float16"),
        V: T.Tensor((S, D), "float16"),
        O: T.Tensor((S, D), "float16"),
    ):
        with T.Kernel(S // block, is_npu=True) as (cid, _):
            q = T.alloc_shared((block, D), "float16")
            k = T.alloc_shared((S, D), "float16")
            v = T.alloc_shared((S, D), "float16")
            p = T.alloc_shared((block, S), "float16")
            s = T.alloc_fragment((block, S), "float32")
            o = T.alloc_fragment((block, D), "float32")
            x = T.alloc_fragment((block, 1), "float32")
            T.copy(Q[cid * block : (cid + 1) * block, :], q)
            T.copy(K, k)
            T.copy(V, v)
            T.gemm(q, k, s, initC=True, b_transpose=True)
            T.vmul(s, D**-0.5, s)
            T.reduce_max(s, x, dim=1)
            T.vsub(s, x, s)
            T.vexp(s, s)
            T.reduce_sum(s, x, dim=1)
            T.vdiv(s, x, s)
            T.copy(s, p)
            T.gemm(p, v, o, initC=True)
            T.copy(o, O[cid * block : (cid + 1) * block, :])

    return kernel
    ### END SOLUTION


# %% tags=["lang:en"] nbgrader={"grade": true, "grade_id": "d3-naive_attention", "locked": true, "points": 10, "schema_version": 3, "solution": false, "task": false} stem="check"
check("d3.naive_attention", naive_attention)

# %% tags=["lang:zh"] nbgrader={"grade": true, "grade_id": "d3-naive_attention", "locked": true, "points": 10, "schema_version": 3, "solution": false, "task": false} stem="check" en_sha="0e9650ad"
check("d3.naive_attention", naive_attention, language="zh")

# %% [markdown] tags=["lang:en"] stem="help"
# Stuck? Run `hint("d3.naive_attention")` in a new cell, once for each of three hints.

# %% [markdown] tags=["lang:zh"] stem="help" en_sha="de52554f"
# 卡住了？在新单元格里运行 `hint("d3.naive_attention", language="zh")`，每次给出一条提示，共三条。
