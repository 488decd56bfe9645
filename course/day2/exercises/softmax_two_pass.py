# ---
# jupyter:
#   tlcourse:
#     id: d2.softmax_two_pass
# ---

# %% [markdown] tags=["lang:en"] stem="prompt"
# # d2.softmax_two_pass: rows larger than UB
#
# *deep, 45 minutes, 15 points, after lesson 2.6*
#
# Softmax of each row of A, where a row does **not fit into UB**: N is 65536 or any other number. A
# and B are (M, N) float32, the values of A lie around 300. A may be read **twice** in all, not three
# times.

# %% [markdown] tags=["lang:zh"] stem="prompt" en_sha="94e40c65"
# # d2.softmax_two_pass：比 UB 还大的行
#
# *深入内容，45 分钟，15 分，在 2.6 节之后*
#
# 对 A 的每一行求 softmax，而一行在 UB 里**放不下**：N 是 65536 或任意其他数。A 和 B 为 (M, N)，float32，A 的值在 300 附近。A 总共可以读**两遍**，不能读三遍。

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
def softmax_torch(A):  # A: (M, N) float32, N up to 70000
    return torch.softmax(A, dim=-1)  # (M, N) float32


# %% nbgrader={"grade": false, "grade_id": "d2-softmax_two_pass-solution", "locked": false, "schema_version": 3, "solution": true, "task": false} stem="solution"
@tilelang.jit(out_idx=[1], target="npuir")
def softmax_two_pass(M, N):
    # B = softmax of each row of A; A is read twice at most
    ### BEGIN SOLUTION
    width = 8192

    @T.prim_func
    def kernel(A: T.Tensor((M, N), "float32"), B: T.Tensor((M, N), "float32")):
        with T.Kernel(M, is_npu=True) as (cid, _):
            x = T.alloc_shared((1, width), "float32")
            m = T.alloc_shared((1, 1), "float32")
            before = T.alloc_shared((1, 1), "float32")
            s = T.alloc_shared((1, 1), "float32")
            T.fill(m, -T.infinity("float32"))
            T.clear(s)
            for k in T.serial(T.ceildiv(N, width)):
                here = T.min(width, N - k * width)
                T.copy(A[cid : cid + 1, k * width : k * width + here], x[:, 0:here])
                T.copy(m, before)
                T.reduce_max(x, m, dim=1, size=[1, here], clear=False)
                for i, j in T.Parallel(1, width):
                    x[i, j] = T.exp(x[i, j] - m[i, 0])
                for i, j in T.Parallel(1, 1):
                    s[i, j] = s[i, j] * T.exp(before[i, j] - m[i, j])
                T.reduce_sum(x, s, dim=1, size=[1, here], clear=False)
            for k in T.serial(T.ceildiv(N, width)):
                here = T.min(width, N - k * width)
                T.copy(A[cid : cid + 1, k * width : k * width + here], x[:, 0:here])
                for i, j in T.Parallel(1, width):
                    x[i, j] = T.exp(x[i, j] - m[i, 0]) / s[i, 0]
                T.copy(x[:, 0:here], B[cid : cid + 1, k * width : k * width + here])

    return kernel
    ### END SOLUTION


# %% tags=["lang:en"] nbgrader={"grade": true, "grade_id": "d2-softmax_two_pass", "locked": true, "points": 15, "schema_version": 3, "solution": false, "task": false} stem="check"
check("d2.softmax_two_pass", softmax_two_pass)

# %% tags=["lang:zh"] nbgrader={"grade": true, "grade_id": "d2-softmax_two_pass", "locked": true, "points": 15, "schema_version": 3, "solution": false, "task": false} stem="check" en_sha="42d9918a"
check("d2.softmax_two_pass", softmax_two_pass, language="zh")

# %% [markdown] tags=["lang:en"] stem="help"
# Stuck? Run `hint("d2.softmax_two_pass")` in a new cell, once for each of three hints.

# %% [markdown] tags=["lang:zh"] stem="help" en_sha="4bbe09c1"
# 卡住了？在新单元格里运行 `hint("d2.softmax_two_pass", language="zh")`，每次给出一条提示，共三条。
