# ---
# jupyter:
#   tlcourse:
#     id: d2.gemm
# ---

# %% [markdown] tags=["lang:en"] stem="prompt"
# # d2.gemm: a product of any size
#
# *core, 30 minutes, 10 points, after lesson 2.4*
#
# C = A @ B for **any M, N and K**. A is (M, K) and B is (K, N) in float16, C is (M, N) in float16:
# the sum is kept in float32 and rounded once, when it is stored. At the right and lower edge, and
# at the end of K, the tiles are smaller.

# %% [markdown] tags=["lang:zh"] stem="prompt" en_sha="3b9b678b"
# # d2.gemm：任意大小的矩阵乘
#
# *核心内容，30 分钟，10 分，在 2.4 节之后*
#
# 对**任意 M、N 和 K** 计算 C = A @ B。A 为 (M, K)、B 为 (K, N)，float16；C 为 (M, N)，float16：累加用 float32，写回时舍入一次。右边缘、下边缘以及 K 的末尾，数据块较小。

# %% tags=["setup"] stem="imports"
import os

os.environ["TILELANG_ASCEND_MODE"] = "Developer"
from tlcourse import check, hint
import tilelang
import tilelang.language as T
import torch

# %% [markdown] tags=["lang:en"] stem="spec_words"
# What is asked, in torch. Your kernel's parameters are A, B, C in this order. At the end of K the
# tiles still hold columns of the trip before: multiply only what is there, with slices of both tiles
# in `T.gemm`, or with its `size=[m, k, n]`.

# %% [markdown] tags=["lang:zh"] stem="spec_words" en_sha="e1036d8c"
# 要求用 torch 写出来如下。内核的参数依次是 A、B、C。在 K 的末尾，数据块里还留着上一次循环的列：只乘有效的部分，在 `T.gemm` 里对两个数据块取切片，或者用它的 `size=[m, k, n]`。


# %% tags=["setup"] stem="spec"
def gemm_torch(A, B):  # A: (M, K) float16, B: (K, N) float16
    return (A.float() @ B.float()).half()  # (M, N) float16


# %% nbgrader={"grade": false, "grade_id": "d2-gemm-solution", "locked": false, "schema_version": 3, "solution": true, "task": false} stem="solution"
@tilelang.jit(out_idx=[2], target="npuir")
def gemm(M, N, K, block_M=64, block_N=64, block_K=64):
    # C = A @ B, summed in float32, for any M, N and K
    ### BEGIN SOLUTION
    n_num = T.ceildiv(N, block_N)

    @T.prim_func
    def kernel(
        A: T.Tensor((M, K), "float16"),
        B: T.Tensor((K, N), "float16"),
        C: T.Tensor((M, N), "float16"),
    ):
        with T.Kernel(T.ceildiv(M, block_M) * n_num, is_npu=True) as (cid, _):
            bx = cid // n_num * block_M
            by = cid % n_num * block_N
            rows = T.min(block_M, M - bx)
            columns = T.min(block_N, N - by)
            C_fr = T.alloc_fragment((block_M, block_N), "float32")
            for k in T.serial(T.ceildiv(K, block_K)):
                ko = k * block_K
                part = T.min(block_K, K - ko)
                A_sh = T.alloc_shared((block_M, block_K), "float16")
                B_sh = T.alloc_shared((block_K, block_N), "float16")
                T.copy(A[bx : bx + rows, ko : ko + part], A_sh[0:rows, 0:part])
                T.copy(B[ko : ko + part, by : by + columns], B_sh[0:part, 0:columns])
                T.gemm(
                    A_sh[0:rows, 0:part],
                    B_sh[0:part, 0:columns],
                    C_fr[0:rows, 0:columns],
                    initC=(k == 0),
                )
            T.copy(C_fr[0:rows, 0:columns], C[bx : bx + rows, by : by + columns])

    return kernel
    ### END SOLUTION


# %% tags=["lang:en"] nbgrader={"grade": true, "grade_id": "d2-gemm", "locked": true, "points": 10, "schema_version": 3, "solution": false, "task": false} stem="check"
check("d2.gemm", gemm)

# %% tags=["lang:zh"] nbgrader={"grade": true, "grade_id": "d2-gemm", "locked": true, "points": 10, "schema_version": 3, "solution": false, "task": false} stem="check" en_sha="7cc0bdbe"
check("d2.gemm", gemm, language="zh")

# %% [markdown] tags=["lang:en"] stem="help"
# Stuck? Run `hint("d2.gemm")` in a new cell, once for each of three hints.

# %% [markdown] tags=["lang:zh"] stem="help" en_sha="60690b36"
# 卡住了？在新单元格里运行 `hint("d2.gemm", language="zh")`，每次给出一条提示，共三条。
