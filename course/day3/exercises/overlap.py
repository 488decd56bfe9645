# ---
# jupyter:
#   tlcourse:
#     id: d3.overlap
# ---

# %% [markdown] tags=["lang:en"] stem="prompt"
# # d3.overlap: hide the loads
#
# *more, 40 minutes, 15 points, after lesson 3.5*
#
# A stream through **one block**: Y = exp(X) * 2, float32, in tiles of 16 rows. Expert mode,
# multi-buffering is off; the flags inside the core are automatic. M is a multiple of 32, N at most
# 1024. Write the loop so that the core loads during **at least 30 % of its vector work**.

# %% [markdown] tags=["lang:zh"] stem="prompt" en_sha="10c2aaef"
# # d3.overlap：掩盖载入
#
# *进阶内容，40 分钟，15 分，在 3.5 节之后*
#
# 数据依次流过**一个逻辑块**：Y = exp(X) * 2，float32，每块 16 行。Expert 模式，多缓冲已关闭；核内的标志是自动的。M 是 32 的倍数，N 不超过 1024。请写出循环，使这个核在**至少 30 % 的 vector 工作时间里**也在载入。

# %% tags=["setup"] stem="imports"
import os

os.environ["TILELANG_ASCEND_MODE"] = "Expert"
from tlcourse import check, hint
import tilelang
import tilelang.language as T
import torch

# %% [markdown] tags=["lang:en"] stem="spec_words"
# What is asked, in torch. Your kernel's parameters are X, Y in this order.

# %% [markdown] tags=["lang:zh"] stem="spec_words" en_sha="6746b092"
# 要求用 torch 写出来如下。内核的参数依次是 X、Y。


# %% tags=["setup"] stem="spec"
def overlap_torch(X):  # X: (M, N) float32
    return X.exp() * 2  # (M, N) float32


# %% nbgrader={"grade": false, "grade_id": "d3-overlap-solution", "locked": false, "schema_version": 3, "solution": true, "task": false} stem="solution"
one_buffer = {"npuir.enable_auto_multi_buffer": False}


@tilelang.jit(out_idx=[1], target="npuir", pass_configs=one_buffer)
def overlap(M, N, rows=16):
    # Y = exp(X) * 2 in one block, loads under the vector work
    ### BEGIN SOLUTION
    @T.prim_func
    def kernel(X: T.Tensor((M, N), "float32"), Y: T.Tensor((M, N), "float32")):
        with T.Kernel(1, is_npu=True) as (cid, _):
            x = T.alloc_ub((rows, N), "float32")
            z = T.alloc_ub((rows, N), "float32")
            for k in T.serial(M // (2 * rows)):
                at = 2 * k * rows
                T.copy(X[at : at + rows, :], x)
                T.copy(X[at + rows : at + 2 * rows, :], z)
                T.vexp(x, x)
                T.vmul(x, 2.0, x)
                T.copy(x, Y[at : at + rows, :])
                T.vexp(z, z)
                T.vmul(z, 2.0, z)
                T.copy(z, Y[at + rows : at + 2 * rows, :])

    return kernel
    ### END SOLUTION


# %% tags=["lang:en"] nbgrader={"grade": true, "grade_id": "d3-overlap", "locked": true, "points": 15, "schema_version": 3, "solution": false, "task": false} stem="check"
check("d3.overlap", overlap)

# %% tags=["lang:zh"] nbgrader={"grade": true, "grade_id": "d3-overlap", "locked": true, "points": 15, "schema_version": 3, "solution": false, "task": false} stem="check" en_sha="3ec8d9a0"
check("d3.overlap", overlap, language="zh")

# %% [markdown] tags=["lang:en"] stem="help"
# Stuck? Run `hint("d3.overlap")` in a new cell, once for each of three hints.

# %% [markdown] tags=["lang:zh"] stem="help" en_sha="55cba544"
# 卡住了？在新单元格里运行 `hint("d3.overlap", language="zh")`，每次给出一条提示，共三条。
