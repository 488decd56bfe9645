# ---
# jupyter:
#   tlcourse:
#     id: d2.row_sum
# ---

# %% [markdown] tags=["lang:en"] stem="prompt"
# # d2.row_sum: add row sums to a start
#
# *more, 25 minutes, 10 points, after lesson 2.8*
#
# S is the given start S0 plus the sum of the **first n** numbers of each row of X; H is the largest
# number of the **whole** row. X is (M, N), the others are (M, 1), all float32. M, N and n are any
# numbers, n is at most N, a row fits into UB.

# %% [markdown] tags=["lang:zh"] stem="prompt" en_sha="c0589101"
# # d2.row_sum：把行和加到起点上
#
# *进阶内容，25 分钟，10 分，在 2.8 节之后*
#
# S 是给定的起点 S0 加上 X 每行**前 n 个**数的和；H 是**整行**的最大值。X 为 (M, N)，其余为 (M, 1)，都是 float32。M、N、n 是任意数，n 不超过 N，一行在 UB 里放得下。

# %% tags=["setup"] stem="imports"
import os

os.environ["TILELANG_ASCEND_MODE"] = "Developer"
from tlcourse import check, hint
import tilelang
import tilelang.language as T
import torch

# %% [markdown] tags=["lang:en"] stem="spec_words"
# What is asked, in torch. Your kernel's parameters are X, S0, S and H in this order.

# %% [markdown] tags=["lang:zh"] stem="spec_words" en_sha="71a31e76"
# 要求用 torch 写出来如下。内核的参数依次是 X、S0、S 和 H。


# %% tags=["setup"] stem="spec"
def row_sum_torch(X, S0, n):  # X: (M, N) float32, S0: (M, 1) float32
    S = S0 + X[:, :n].sum(-1, keepdim=True)  # (M, 1) float32
    H = X.amax(-1, keepdim=True)  # (M, 1) float32
    return S, H


# %% nbgrader={"grade": false, "grade_id": "d2-row_sum-solution", "locked": false, "schema_version": 3, "solution": true, "task": false} stem="solution"
@tilelang.jit(out_idx=[2, 3], target="npuir")
def row_sum(M, N, n):
    # S = S0 + sum of the first n numbers of each row, H = maximum of each row
    ### BEGIN SOLUTION
    rows = 16

    @T.prim_func
    def kernel(
        X: T.Tensor((M, N), "float32"),
        S0: T.Tensor((M, 1), "float32"),
        S: T.Tensor((M, 1), "float32"),
        H: T.Tensor((M, 1), "float32"),
    ):
        with T.Kernel(T.ceildiv(M, rows), is_npu=True) as (cid, _):
            top = cid * rows
            here = T.min(rows, M - top)
            x = T.alloc_shared((rows, N), "float32")
            s = T.alloc_shared((rows, 1), "float32")
            h = T.alloc_shared((rows, 1), "float32")
            T.copy(X[top : top + here, :], x[0:here, :])
            T.copy(S0[top : top + here, :], s[0:here, :])
            T.reduce(x, s, dims=[1], reduce_mode="sum", size=[here, n], clear=False)
            T.reduce_max(x, h, dim=1)
            T.copy(s[0:here, :], S[top : top + here, :])
            T.copy(h[0:here, :], H[top : top + here, :])

    return kernel
    ### END SOLUTION


# %% tags=["lang:en"] nbgrader={"grade": true, "grade_id": "d2-row_sum", "locked": true, "points": 10, "schema_version": 3, "solution": false, "task": false} stem="check"
check("d2.row_sum", row_sum)

# %% tags=["lang:zh"] nbgrader={"grade": true, "grade_id": "d2-row_sum", "locked": true, "points": 10, "schema_version": 3, "solution": false, "task": false} stem="check" en_sha="49d0b69d"
check("d2.row_sum", row_sum, language="zh")

# %% [markdown] tags=["lang:en"] stem="help"
# Stuck? Run `hint("d2.row_sum")` in a new cell, once for each of three hints.

# %% [markdown] tags=["lang:zh"] stem="help" en_sha="3d77a2c4"
# 卡住了？在新单元格里运行 `hint("d2.row_sum", language="zh")`，每次给出一条提示，共三条。
