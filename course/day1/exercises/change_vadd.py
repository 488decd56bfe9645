# ---
# jupyter:
#   tlcourse:
#     id: d1.change_vadd
# ---

# %% [markdown] tags=["lang:en"] stem="prompt"
# # d1.change_vadd: a scaled addition
#
# *core, 15 minutes, 5 points, after lesson 1.0*
#
# C = A + 3 * B for vectors of **any length** N, float32. Start from the first addition of the
# lesson. Change its formula, and let it reach every element: also the last ones at N = 4100, and
# the only one at N = 1.

# %% [markdown] tags=["lang:zh"] stem="prompt" en_sha="5c6a8918"
# # d1.change_vadd：带系数的加法
#
# *核心内容，15 分钟，5 分，在 1.0 节之后*
#
# 对**任意长度** N 的 float32 向量计算 C = A + 3 * B。从课上的第一个加法内核出发，修改公式，并让它到达每一个元素：包括 N = 4100 时的最后几个，以及 N = 1 时唯一的一个。

# %% tags=["setup"] stem="imports"
import os

os.environ["TILELANG_ASCEND_MODE"] = "Developer"
from tlcourse import check, hint
import tilelang
import tilelang.language as T
import torch

# %% [markdown] tags=["lang:en"] stem="spec_words"
# What is asked, in torch. Your kernel's parameters are A, B, C in this order.

# %% [markdown] tags=["lang:zh"] stem="spec_words" en_sha="60ae72a2"
# 要求用 torch 写出来如下。内核的参数依次是 A、B、C。


# %% tags=["setup"] stem="spec"
def change_vadd_torch(A, B):  # A: (N,) float32, B: (N,) float32
    return A + 3 * B  # (N,) float32


# %% nbgrader={"grade": false, "grade_id": "d1-change_vadd-solution", "locked": false, "schema_version": 3, "solution": true, "task": false} stem="solution"
@tilelang.jit(out_idx=[2], target="npuir")
def change_vadd(N, block=256):
    # C = A + 3 * B, for any N
    ### BEGIN SOLUTION
    @T.prim_func
    def kernel(
        A: T.Tensor((N,), "float32"),
        B: T.Tensor((N,), "float32"),
        C: T.Tensor((N,), "float32"),
    ):
        with T.Kernel(T.ceildiv(N, block), is_npu=True) as (cid, _):
            start = cid * block
            n = T.min(block, N - start)
            a = T.alloc_shared((block,), "float32")
            b = T.alloc_shared((block,), "float32")
            T.copy(A[start : start + n], a[0:n])
            T.copy(B[start : start + n], b[0:n])
            T.vmul(b, 3.0, b)
            T.vadd(a, b, b)
            T.copy(b[0:n], C[start : start + n])

    return kernel
    ### END SOLUTION


# %% tags=["lang:en"] nbgrader={"grade": true, "grade_id": "d1-change_vadd", "locked": true, "points": 5, "schema_version": 3, "solution": false, "task": false} stem="check"
check("d1.change_vadd", change_vadd)

# %% tags=["lang:zh"] nbgrader={"grade": true, "grade_id": "d1-change_vadd", "locked": true, "points": 5, "schema_version": 3, "solution": false, "task": false} stem="check" en_sha="17af8b1c"
check("d1.change_vadd", change_vadd, language="zh")

# %% [markdown] tags=["lang:en"] stem="help"
# Stuck? Run `hint("d1.change_vadd")` in a new cell, once for each of three hints.

# %% [markdown] tags=["lang:zh"] stem="help" en_sha="38e15854"
# 卡住了？在新单元格里运行 `hint("d1.change_vadd", language="zh")`，每次给出一条提示，共三条。
