# ---
# jupyter:
#   tlcourse:
#     id: d4.l0c
# ---

# %% [markdown] tags=["lang:en"] stem="prompt"
# # d4.l0c: step 6, a sum that is scaled
#
# *more, 20 minutes, 5 points, after lesson 4.5*
#
# Two products are added up, and the first one counts half: C = 0.5 (A1 B1) + A2 B2. Nothing but the
# matrix unit writes **L0C**, so the scaling needs another place. Write the kernel in Expert mode,
# with both kinds of core. M is a multiple of 64, N of 128, K at most 256.

# %% [markdown] tags=["lang:zh"] stem="prompt" en_sha="d5d2b99b"
# # d4.l0c：第 6 步，需要缩放的和
#
# *进阶内容，20 分钟，5 分，在 4.5 节之后*
#
# 把两个乘积相加，第一个只算一半：C = 0.5 (A1 B1) + A2 B2。只有矩阵单元能写 **L0C**，所以缩放要换一个地方做。用 Expert 模式写这个内核，两种核都要用到。M 是 64 的倍数，N 是 128 的倍数，K 不超过 256。

# %% tags=["setup"] stem="imports"
import os

os.environ["TILELANG_ASCEND_MODE"] = "Expert"
from tlcourse import check, hint
import tilelang
import tilelang.language as T
import torch

# %% [markdown] tags=["lang:en"] stem="spec_words"
# What is asked, in torch. Parameters are A1, B1, A2, B2, C, then your workspaces.

# %% [markdown] tags=["lang:zh"] stem="spec_words" en_sha="95232f3f"
# 要求用 torch 写出来如下。参数依次是 A1、B1、A2、B2、C，然后是你的工作区。


# %% tags=["setup"] stem="spec"
def l0c_torch(A1, B1, A2, B2):  # (M, K), (K, N), (M, K), (K, N) float16
    return 0.5 * (A1.float() @ B1.float()) + A2.float() @ B2.float()  # (M, N) float32


# %% nbgrader={"grade": false, "grade_id": "d4-l0c-solution", "locked": false, "schema_version": 3, "solution": true, "task": false} stem="solution"
@tilelang.jit(out_idx=[4], target="npuir")
def l0c(M, N, K):
    # 0.5 * (A1 @ B1) + A2 @ B2, a tile of 64 x 128 for each block
    ### BEGIN SOLUTION
    rows, columns, half = 64, 128, 32
    across = N // columns

    @T.prim_func
    def kernel(
        A1: T.Tensor((M, K), "float16"),
        B1: T.Tensor((K, N), "float16"),
        A2: T.Tensor((M, K), "float16"),
        B2: T.Tensor((K, N), "float16"),
        C: T.Tensor((M, N), "float32"),
        W: T.Tensor((M // rows * across, 2, rows, columns), "float32"),
    ):
        with T.Kernel(M // rows * across, is_npu=True) as (cid, vid):
            top = cid // across * rows
            left = cid % across * columns
            with T.Scope("Cube"):
                a = T.alloc_L1((rows, K), "float16")
                b = T.alloc_L1((K, columns), "float16")
                c = T.alloc_L0C((rows, columns), "float32")
                T.copy(A1[top : top + rows, :], a)
                T.copy(B1[:, left : left + columns], b)
                T.gemm(a, b, c, initC=True)
                with T.rs("PIPE_FIX"):
                    T.copy(c, W[cid, 0, :, :])
                T.copy(A2[top : top + rows, :], a)
                T.copy(B2[:, left : left + columns], b)
                T.gemm(a, b, c, initC=True)
                with T.rs("PIPE_FIX"):
                    T.copy(c, W[cid, 1, :, :])
                    T.sync_block_set(0)
            with T.Scope("Vector"):
                first = T.alloc_ub((half, columns), "float32")
                second = T.alloc_ub((half, columns), "float32")
                own = vid * half
                with T.rs("PIPE_MTE2"):
                    T.sync_block_wait(0)
                    T.copy(W[cid, 0, own : own + half, :], first)
                    T.copy(W[cid, 1, own : own + half, :], second)
                T.vmul(first, 0.5, first)
                T.vadd(first, second, first)
                T.copy(first, C[top + own : top + own + half, left : left + columns])

    return kernel
    ### END SOLUTION


# %% tags=["lang:en"] nbgrader={"grade": true, "grade_id": "d4-l0c", "locked": true, "points": 5, "schema_version": 3, "solution": false, "task": false} stem="check"
check("d4.l0c", l0c)

# %% tags=["lang:zh"] nbgrader={"grade": true, "grade_id": "d4-l0c", "locked": true, "points": 5, "schema_version": 3, "solution": false, "task": false} stem="check" en_sha="eb006cab"
check("d4.l0c", l0c, language="zh")

# %% [markdown] tags=["lang:en"] stem="help"
# Stuck? Run `hint("d4.l0c")` in a new cell, once for each of three hints.

# %% [markdown] tags=["lang:zh"] stem="help" en_sha="c95c1ac7"
# 卡住了？在新单元格里运行 `hint("d4.l0c", language="zh")`，每次给出一条提示，共三条。
