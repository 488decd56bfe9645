# ---
# jupyter:
#   tlcourse:
#     id: d2.minicv
# ---

# %% [markdown] tags=["lang:en"] stem="prompt"
# # d2.minicv: the exponential of a matrix product
#
# *core, 35 minutes, 15 points, after lesson 2.4*
#
# C = A @ B and D = exp(C) for **any M and N**; K is a multiple of 64. A is (M, K) and B is (K, N) in
# float16, C and D are (M, N) in float32. Tiles at the right and lower edge are smaller: copy only
# what is there. Both kinds of core must work, and both vector cores.

# %% [markdown] tags=["lang:zh"] stem="prompt" en_sha="bd688da0"
# # d2.minicv：矩阵乘积的指数
#
# *核心内容，35 分钟，15 分，在 2.4 节之后*
#
# 对**任意 M 和 N** 计算 C = A @ B、D = exp(C)；K 是 64 的倍数。A 为 (M, K)、B 为 (K, N)，float16；C、D 为 (M, N)，float32。右边缘和下边缘的数据块较小：只拷贝存在的部分。两种核都要工作，两个 vector 核也都要用上。

# %% tags=["setup"] stem="imports"
import os

os.environ["TILELANG_ASCEND_MODE"] = "Developer"
from tlcourse import check, hint
import tilelang
import tilelang.language as T
import torch

# %% [markdown] tags=["lang:en"] stem="spec_words"
# What is asked, in torch. Your kernel's parameters are A, B, C, D in this order.

# %% [markdown] tags=["lang:zh"] stem="spec_words" en_sha="62d01306"
# 要求用 torch 写出来如下。内核的参数依次是 A、B、C、D。


# %% tags=["setup"] stem="spec"
def minicv_torch(A, B):  # A: (M, K) float16, B: (K, N) float16
    C = A.float() @ B.float()  # (M, N) float32
    return C, torch.exp(C)  # (M, N) float32


# %% nbgrader={"grade": false, "grade_id": "d2-minicv-solution", "locked": false, "schema_version": 3, "solution": true, "task": false} stem="solution"
@tilelang.jit(out_idx=[2, 3], target="npuir")
def minicv(M, N, K, block_M=64, block_N=64, block_K=64):
    # C = A @ B and D = exp(C), for any M and N
    ### BEGIN SOLUTION
    n_num = T.ceildiv(N, block_N)

    @T.prim_func
    def kernel(
        A: T.Tensor((M, K), "float16"),
        B: T.Tensor((K, N), "float16"),
        C: T.Tensor((M, N), "float32"),
        D: T.Tensor((M, N), "float32"),
    ):
        with T.Kernel(T.ceildiv(M, block_M) * n_num, is_npu=True) as (cid, _):
            bx = cid // n_num * block_M
            by = cid % n_num * block_N
            rows = T.min(block_M, M - bx)
            columns = T.min(block_N, N - by)
            C_fr = T.alloc_fragment((block_M, block_N), "float32")
            D_fr = T.alloc_fragment((block_M, block_N), "float32")
            for k in T.serial(K // block_K):
                ko = k * block_K
                A_sh = T.alloc_shared((block_M, block_K), "float16")
                B_sh = T.alloc_shared((block_K, block_N), "float16")
                T.copy(A[bx : bx + rows, ko : ko + block_K], A_sh[0:rows, :])
                T.copy(B[ko : ko + block_K, by : by + columns], B_sh[:, 0:columns])
                T.gemm(A_sh, B_sh, C_fr, initC=(k == 0))
            T.copy(C_fr[0:rows, 0:columns], C[bx : bx + rows, by : by + columns])
            T.vexp(C_fr, D_fr)
            T.copy(D_fr[0:rows, 0:columns], D[bx : bx + rows, by : by + columns])

    return kernel
    ### END SOLUTION


# %% tags=["lang:en"] nbgrader={"grade": true, "grade_id": "d2-minicv", "locked": true, "points": 15, "schema_version": 3, "solution": false, "task": false} stem="check"
check("d2.minicv", minicv)

# %% tags=["lang:zh"] nbgrader={"grade": true, "grade_id": "d2-minicv", "locked": true, "points": 15, "schema_version": 3, "solution": false, "task": false} stem="check" en_sha="52088257"
check("d2.minicv", minicv, language="zh")

# %% [markdown] tags=["lang:en"] stem="help"
# Stuck? Run `hint("d2.minicv")` in a new cell, once for each of three hints.

# %% [markdown] tags=["lang:zh"] stem="help" en_sha="8ca294a2"
# 卡住了？在新单元格里运行 `hint("d2.minicv", language="zh")`，每次给出一条提示，共三条。
