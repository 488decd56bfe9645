# ---
# jupyter:
#   tlcourse:
#     id: d3.online_softmax
# ---

# %% [markdown] tags=["lang:en"] stem="prompt"
# # d3.online_softmax: maximum and denominator in one pass
#
# *core, 30 minutes, 15 points, after lesson 3.2*
#
# For each row of X the maximum and the denominator of its softmax, in **one pass** over blocks of
# 64 columns. X is (M, N) float32, M and N are **any numbers**; top and total are (M, 1) float32. The
# values lie around 300, or far below 0. Each number of X is read once.

# %% [markdown] tags=["lang:zh"] stem="prompt" en_sha="71cc6ea8"
# # d3.online_softmax：一趟求出最大值和分母
#
# *核心内容，30 分钟，15 分，在 3.2 节之后*
#
# 对 X 的每一行，每 64 列一块，只用**一趟**求出最大值和 softmax 的分母。X 为 (M, N)，float32，M 和 N 是**任意数**；top 和 total 为 (M, 1)，float32。数值在 300 附近，或者远小于 0。X 的每个数只读一次。

# %% tags=["setup"] stem="imports"
import os

os.environ["TILELANG_ASCEND_MODE"] = "Developer"
from tlcourse import check, hint
import tilelang
import tilelang.language as T
import torch

# %% [markdown] tags=["lang:en"] stem="spec_words"
# What is asked, in torch. Your kernel's parameters are X, top, total in this order. At the end of a
# row fill the rest of the tile with `-T.infinity("float32")`: it adds nothing to either number.

# %% [markdown] tags=["lang:zh"] stem="spec_words" en_sha="d40768b5"
# 要求用 torch 写出来如下。内核的参数依次是 X、top、total。在一行的末尾，用 `-T.infinity("float32")` 填充数据块的其余部分：它对两个数都没有影响。


# %% tags=["setup"] stem="spec"
def online_softmax_torch(X):  # X: (M, N) float32
    top = X.amax(-1, keepdim=True)  # (M, 1) float32
    return top, torch.exp(X - top).sum(-1, keepdim=True)  # (M, 1) float32


# %% nbgrader={"grade": false, "grade_id": "d3-online_softmax-solution", "locked": false, "schema_version": 3, "solution": true, "task": false} stem="solution"
@tilelang.jit(out_idx=[1, 2], target="npuir")
def online_softmax(M, N, block=64):
    # maximum and denominator of each row, in one pass, for any N
    ### BEGIN SOLUTION
    rows = 16

    @T.prim_func
    def kernel(
        X: T.Tensor((M, N), "float32"),
        top: T.Tensor((M, 1), "float32"),
        total: T.Tensor((M, 1), "float32"),
    ):
        with T.Kernel(T.ceildiv(M, rows), is_npu=True) as (cid, _):
            first = cid * rows
            here = T.min(rows, M - first)
            x = T.alloc_shared((rows, block), "float32")
            m = T.alloc_fragment((rows, 1), "float32")
            l = T.alloc_fragment((rows, 1), "float32")
            new_max = T.alloc_fragment((rows, 1), "float32")
            factor = T.alloc_fragment((rows, 1), "float32")
            block_sum = T.alloc_fragment((rows, 1), "float32")
            T.vbrc(-T.infinity("float32"), m)
            T.vbrc(0.0, l)
            for k in T.serial(T.ceildiv(N, block)):
                width = T.min(block, N - k * block)
                T.vbrc(-T.infinity("float32"), x)
                T.copy(X[first : first + here, k * block : k * block + width], x[0:here, 0:width])
                T.reduce_max(x, new_max, dim=1)
                T.vmax(m, new_max, new_max)
                T.vsub(m, new_max, factor)
                T.vexp(factor, factor)
                T.copy(new_max, m)
                T.vsub(x, m, x)
                T.vexp(x, x)
                T.reduce_sum(x, block_sum, dim=1)
                T.vmul(l, factor, l)
                T.vadd(l, block_sum, l)
            T.copy(m[0:here, :], top[first : first + here, :])
            T.copy(l[0:here, :], total[first : first + here, :])

    return kernel
    ### END SOLUTION


# %% tags=["lang:en"] nbgrader={"grade": true, "grade_id": "d3-online_softmax", "locked": true, "points": 15, "schema_version": 3, "solution": false, "task": false} stem="check"
check("d3.online_softmax", online_softmax)

# %% tags=["lang:zh"] nbgrader={"grade": true, "grade_id": "d3-online_softmax", "locked": true, "points": 15, "schema_version": 3, "solution": false, "task": false} stem="check" en_sha="6fb47624"
check("d3.online_softmax", online_softmax, language="zh")

# %% [markdown] tags=["lang:en"] stem="help"
# Stuck? Run `hint("d3.online_softmax")` in a new cell, once for each of three hints.

# %% [markdown] tags=["lang:zh"] stem="help" en_sha="f67785dd"
# 卡住了？在新单元格里运行 `hint("d3.online_softmax", language="zh")`，每次给出一条提示，共三条。
