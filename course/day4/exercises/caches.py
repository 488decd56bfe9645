# ---
# jupyter:
#   tlcourse:
#     id: d4.caches
# ---

# %% [markdown] tags=["lang:en"] stem="prompt"
# # d4.caches: step 1, a memory for each tile
#
# *more, 20 minutes, 5 points, after lesson 4.1*
#
# MiniCV as it stands in **Developer** mode. The mode line below says **Expert**: rewrite the kernel
# for it. Each tile gets its memory by name. The product has two users, so it needs two tiles; the
# workspace W between them is a parameter already. No scopes and no flags: the kernel is judged in
# program order.

# %% [markdown] tags=["lang:zh"] stem="prompt" en_sha="33269800"
# # d4.caches：第 1 步，给每个数据块选内存
#
# *进阶内容，20 分钟，5 分，在 4.1 节之后*
#
# 这是 **Developer** 模式下的 MiniCV。下面的模式行写的是 **Expert**：请为它改写内核。每个数据块都要指明自己的内存。乘积有两个使用者，所以需要两个数据块；它们之间的工作区 W 已经是参数。不需要 scope 和标志：评判时按文本顺序运行内核。

# %% tags=["setup"] stem="imports"
import os

os.environ["TILELANG_ASCEND_MODE"] = "Expert"
from tlcourse import check, hint
import tilelang
import tilelang.language as T
import torch

# %% [markdown] tags=["lang:en"] stem="spec_words"
# What is asked, in torch; M, N and K are multiples of 64. Parameters are A, B, C, then W, which has
# a slice of 64 x 64 for each block.

# %% [markdown] tags=["lang:zh"] stem="spec_words" en_sha="d31fe3a4"
# 要求用 torch 写出来如下，M、N、K 都是 64 的倍数。参数依次是 A、B、C，然后是 W：每个逻辑块有 64 x 64 的一片。


# %% tags=["setup"] stem="spec"
def caches_torch(A, B):  # (M, K) and (K, N) float16
    return (A.float() @ B.float()).exp()  # (M, N) float32


# %% stem="given"
# MiniCV in Developer mode. Copy it into the cell below and change what Expert mode needs.
def minicv_developer(M, N, K):
    block = 64
    tiles = M // block * (N // block)

    @T.prim_func
    def kernel(
        A: T.Tensor((M, K), "float16"),
        B: T.Tensor((K, N), "float16"),
        C: T.Tensor((M, N), "float32"),
        W: T.Tensor((tiles, block, block), "float32"),
    ):
        with T.Kernel(tiles, is_npu=True) as (cid, _):
            top, left = cid // (N // block) * block, cid % (N // block) * block
            a = T.alloc_shared((block, block), "float16")
            b = T.alloc_shared((block, block), "float16")
            c = T.alloc_fragment((block, block), "float32")
            for k in T.serial(K // block):
                T.copy(A[top : top + block, k * block : (k + 1) * block], a)
                T.copy(B[k * block : (k + 1) * block, left : left + block], b)
                T.gemm(a, b, c, initC=(k == 0))
            T.vexp(c, c)
            T.copy(c, C[top : top + block, left : left + block])

    return kernel


# %% nbgrader={"grade": false, "grade_id": "d4-caches-solution", "locked": false, "schema_version": 3, "solution": true, "task": false} stem="solution"
@tilelang.jit(out_idx=[2], target="npuir")
def caches(M, N, K):
    # MiniCV in Expert mode, each tile in the memory of its core
    ### BEGIN SOLUTION
    block = 64
    tiles = M // block * (N // block)

    @T.prim_func
    def kernel(
        A: T.Tensor((M, K), "float16"),
        B: T.Tensor((K, N), "float16"),
        C: T.Tensor((M, N), "float32"),
        W: T.Tensor((tiles, block, block), "float32"),
    ):
        with T.Kernel(tiles, is_npu=True) as (cid, _):
            top, left = cid // (N // block) * block, cid % (N // block) * block
            a = T.alloc_L1((block, block), "float16")
            b = T.alloc_L1((block, block), "float16")
            c = T.alloc_L0C((block, block), "float32")
            c_ub = T.alloc_ub((block, block), "float32")
            for k in T.serial(K // block):
                T.copy(A[top : top + block, k * block : (k + 1) * block], a)
                T.copy(B[k * block : (k + 1) * block, left : left + block], b)
                T.gemm(a, b, c, initC=(k == 0))
            T.copy(c, W[cid, :, :])
            T.copy(W[cid, :, :], c_ub)
            T.vexp(c_ub, c_ub)
            T.copy(c_ub, C[top : top + block, left : left + block])

    return kernel
    ### END SOLUTION


# %% tags=["lang:en"] nbgrader={"grade": true, "grade_id": "d4-caches", "locked": true, "points": 5, "schema_version": 3, "solution": false, "task": false} stem="check"
check("d4.caches", caches)

# %% tags=["lang:zh"] nbgrader={"grade": true, "grade_id": "d4-caches", "locked": true, "points": 5, "schema_version": 3, "solution": false, "task": false} stem="check" en_sha="c2522c2f"
check("d4.caches", caches, language="zh")

# %% [markdown] tags=["lang:en"] stem="help"
# Stuck? Run `hint("d4.caches")` in a new cell, once for each of three hints.

# %% [markdown] tags=["lang:zh"] stem="help" en_sha="516345eb"
# 卡住了？在新单元格里运行 `hint("d4.caches", language="zh")`，每次给出一条提示，共三条。
