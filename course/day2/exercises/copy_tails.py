# ---
# jupyter:
#   tlcourse:
#     id: d2.copy_tails
# ---

# %% [markdown] tags=["lang:en"] stem="prompt"
# # d2.copy_tails: a window of a matrix
#
# *core, 25 minutes, 10 points, after lesson 2.3*
#
# B is a window of A: M rows from row r on, N columns from column c on. A is (R, S), B is (M, N),
# float32; the window lies inside A. M and N are **any numbers**, so tiles are ragged in both
# directions. Read no element of A that does not belong to the window.

# %% [markdown] tags=["lang:zh"] stem="prompt" en_sha="4f067add"
# # d2.copy_tails：矩阵的一个窗口
#
# *核心内容，25 分钟，10 分，在 2.3 节之后*
#
# B 是 A 的一个窗口：从第 r 行起取 M 行，从第 c 列起取 N 列。A 为 (R, S)，B 为 (M, N)，float32；窗口在 A 之内。M 和 N 是**任意数**，所以数据块在两个方向上都不规则。不要读取窗口以外的元素。

# %% tags=["setup"] stem="imports"
import os

os.environ["TILELANG_ASCEND_MODE"] = "Developer"
from tlcourse import check, hint
import tilelang
import tilelang.language as T
import torch

# %% [markdown] tags=["lang:en"] stem="spec_words"
# What is asked, in torch. Your kernel's parameters are A and B; R, S, r, c, M and N are numbers
# that the factory gets.

# %% [markdown] tags=["lang:zh"] stem="spec_words" en_sha="d7dcba6f"
# 要求用 torch 写出来如下。内核的参数是 A 和 B；R、S、r、c、M、N 是工厂函数得到的数。


# %% tags=["setup"] stem="spec"
def copy_tails_torch(A, r, c, M, N):  # A: (R, S) float32
    return A[r : r + M, c : c + N].clone()  # (M, N) float32


# %% nbgrader={"grade": false, "grade_id": "d2-copy_tails-solution", "locked": false, "schema_version": 3, "solution": true, "task": false} stem="solution"
@tilelang.jit(out_idx=[1], target="npuir")
def copy_tails(R, S, r, c, M, N, block=64):
    # B = A[r : r + M, c : c + N], for any M and N
    ### BEGIN SOLUTION
    n_num = T.ceildiv(N, block)

    @T.prim_func
    def kernel(A: T.Tensor((R, S), "float32"), B: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(M, block) * n_num, is_npu=True) as (cid, _):
            bx = cid // n_num * block
            by = cid % n_num * block
            rows = T.min(block, M - bx)
            columns = T.min(block, N - by)
            a = T.alloc_shared((block, block), "float32")
            T.copy(A[r + bx : r + bx + rows, c + by : c + by + columns], a[0:rows, 0:columns])
            T.copy(a[0:rows, 0:columns], B[bx : bx + rows, by : by + columns])

    return kernel
    ### END SOLUTION


# %% tags=["lang:en"] nbgrader={"grade": true, "grade_id": "d2-copy_tails", "locked": true, "points": 10, "schema_version": 3, "solution": false, "task": false} stem="check"
check("d2.copy_tails", copy_tails)

# %% tags=["lang:zh"] nbgrader={"grade": true, "grade_id": "d2-copy_tails", "locked": true, "points": 10, "schema_version": 3, "solution": false, "task": false} stem="check" en_sha="85315c17"
check("d2.copy_tails", copy_tails, language="zh")

# %% [markdown] tags=["lang:en"] stem="help"
# Stuck? Run `hint("d2.copy_tails")` in a new cell, once for each of three hints.

# %% [markdown] tags=["lang:zh"] stem="help" en_sha="a4868637"
# 卡住了？在新单元格里运行 `hint("d2.copy_tails", language="zh")`，每次给出一条提示，共三条。
