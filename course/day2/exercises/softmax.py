# ---
# jupyter:
#   tlcourse:
#     id: d2.softmax
# ---

# %% [markdown] tags=["lang:en"] stem="prompt"
# # d2.softmax: softmax of rows
#
# *core, 40 minutes, 15 points, after lesson 2.6*
#
# Softmax of each row of A, from a blank page. A and B are (M, N) float32, M and N are **any
# numbers**, a row fits into UB. The values of A lie around 300, so the plain formula overflows.

# %% [markdown] tags=["lang:zh"] stem="prompt" en_sha="c51384cf"
# # d2.softmax：各行的 softmax
#
# *核心内容，40 分钟，15 分，在 2.6 节之后*
#
# 从零写起，对 A 的每一行求 softmax。A 和 B 为 (M, N)，float32，M 和 N 是**任意数**，一行在 UB 里放得下。A 的值在 300 附近，直接套公式会溢出。

# %% tags=["setup"] stem="imports"
import os

os.environ["TILELANG_ASCEND_MODE"] = "Developer"
from tlcourse import check, hint
import tilelang
import tilelang.language as T
import torch

# %% [markdown] tags=["lang:en"] stem="spec_words"
# What is asked, in torch. Your kernel's parameters are A and B in this order.

# %% [markdown] tags=["lang:zh"] stem="spec_words" en_sha="47c882d1"
# 要求用 torch 写出来如下。内核的参数依次是 A 和 B。


# %% tags=["setup"] stem="spec"
def softmax_torch(A):  # A: (M, N) float32
    return torch.softmax(A, dim=-1)  # (M, N) float32


# %% nbgrader={"grade": false, "grade_id": "d2-softmax-solution", "locked": false, "schema_version": 3, "solution": true, "task": false} stem="solution"
@tilelang.jit(out_idx=[1], target="npuir")
def softmax(M, N):
    # B = softmax of each row of A, for any M and N
    ### BEGIN SOLUTION
    rows = 8

    @T.prim_func
    def kernel(A: T.Tensor((M, N), "float32"), B: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(M, rows), is_npu=True) as (cid, _):
            top = cid * rows
            here = T.min(rows, M - top)
            a = T.alloc_shared((rows, N), "float32")
            m = T.alloc_shared((rows, 1), "float32")
            s = T.alloc_shared((rows, 1), "float32")
            T.copy(A[top : top + here, :], a[0:here, :])
            T.reduce_max(a, m, dim=1)
            for i, j in T.Parallel(rows, N):
                a[i, j] = T.exp(a[i, j] - m[i, 0])
            T.reduce_sum(a, s, dim=1)
            for i, j in T.Parallel(rows, N):
                a[i, j] = a[i, j] / s[i, 0]
            T.copy(a[0:here, :], B[top : top + here, :])

    return kernel
    ### END SOLUTION


# %% tags=["lang:en"] nbgrader={"grade": true, "grade_id": "d2-softmax", "locked": true, "points": 15, "schema_version": 3, "solution": false, "task": false} stem="check"
check("d2.softmax", softmax)

# %% tags=["lang:zh"] nbgrader={"grade": true, "grade_id": "d2-softmax", "locked": true, "points": 15, "schema_version": 3, "solution": false, "task": false} stem="check" en_sha="2cb93504"
check("d2.softmax", softmax, language="zh")

# %% [markdown] tags=["lang:en"] stem="help"
# Stuck? Run `hint("d2.softmax")` in a new cell, once for each of three hints.

# %% [markdown] tags=["lang:zh"] stem="help" en_sha="a4edd3a6"
# 卡住了？在新单元格里运行 `hint("d2.softmax", language="zh")`，每次给出一条提示，共三条。
