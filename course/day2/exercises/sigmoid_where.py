# ---
# jupyter:
#   tlcourse:
#     id: d2.sigmoid_where
# ---

# %% [markdown] tags=["lang:en"] stem="prompt"
# # d2.sigmoid_where: choose between two formulas
#
# *more, 25 minutes, 10 points, after lesson 2.7*
#
# Where X is **above** 0, Y is its sigmoid; elsewhere Y is a tenth of X. X and Y are (M, N)
# float32, M and N are **any numbers**, a row fits into UB. Many elements of X are exactly 0. The
# work is to be done by vector instructions; an element loop that stays scalar costs points.

# %% [markdown] tags=["lang:zh"] stem="prompt" en_sha="044805a6"
# # d2.sigmoid_where：在两个公式之间选择
#
# *进阶内容，25 分钟，10 分，在 2.7 节之后*
#
# X **大于** 0 的地方，Y 是它的 sigmoid；其他地方，Y 是 X 的十分之一。X 和 Y 为 (M, N)，float32，M 和 N 是**任意数**，一行在 UB 里放得下。X 有很多元素恰好是 0。计算要由向量指令完成；保持标量的逐元素循环会扣分。

# %% tags=["setup"] stem="imports"
import os

os.environ["TILELANG_ASCEND_MODE"] = "Developer"
from tlcourse import check, hint
import tilelang
import tilelang.language as T
import torch

# %% [markdown] tags=["lang:en"] stem="spec_words"
# What is asked, in torch. Your kernel's parameters are X and Y in this order.

# %% [markdown] tags=["lang:zh"] stem="spec_words" en_sha="fa4d0159"
# 要求用 torch 写出来如下。内核的参数依次是 X 和 Y。


# %% tags=["setup"] stem="spec"
def sigmoid_where_torch(X):  # X: (M, N) float32
    return torch.where(X > 0, torch.sigmoid(X), 0.1 * X)  # (M, N) float32


# %% nbgrader={"grade": false, "grade_id": "d2-sigmoid_where-solution", "locked": false, "schema_version": 3, "solution": true, "task": false} stem="solution"
@tilelang.jit(out_idx=[1], target="npuir")
def sigmoid_where(M, N):
    # Y = sigmoid of X where X > 0, else a tenth of X, for any M and N
    ### BEGIN SOLUTION
    rows = 8

    @T.prim_func
    def kernel(X: T.Tensor((M, N), "float32"), Y: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(M, rows), is_npu=True) as (cid, _):
            top = cid * rows
            here = T.min(rows, M - top)
            x = T.alloc_shared((rows, N), "float32")
            y = T.alloc_shared((rows, N), "float32")
            T.copy(X[top : top + here, :], x[0:here, :])
            for i, j in T.Parallel(rows, N):
                y[i, j] = T.if_then_else(x[i, j] > 0.0, T.sigmoid(x[i, j]), 0.1 * x[i, j])
            T.copy(y[0:here, :], Y[top : top + here, :])

    return kernel
    ### END SOLUTION


# %% tags=["lang:en"] nbgrader={"grade": true, "grade_id": "d2-sigmoid_where", "locked": true, "points": 10, "schema_version": 3, "solution": false, "task": false} stem="check"
check("d2.sigmoid_where", sigmoid_where)

# %% tags=["lang:zh"] nbgrader={"grade": true, "grade_id": "d2-sigmoid_where", "locked": true, "points": 10, "schema_version": 3, "solution": false, "task": false} stem="check" en_sha="e00de394"
check("d2.sigmoid_where", sigmoid_where, language="zh")

# %% [markdown] tags=["lang:en"] stem="help"
# Stuck? Run `hint("d2.sigmoid_where")` in a new cell, once for each of three hints.

# %% [markdown] tags=["lang:zh"] stem="help" en_sha="ad3c71dd"
# 卡住了？在新单元格里运行 `hint("d2.sigmoid_where", language="zh")`，每次给出一条提示，共三条。
