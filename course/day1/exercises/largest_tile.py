# ---
# jupyter:
#   tlcourse:
#     id: d1.largest_tile
# ---

# %% [markdown] tags=["lang:en"] stem="prompt"
# # d1.largest_tile: the largest tile of a chain
#
# *core, 25 minutes, 10 points, after lesson 1.3*
#
# D = exp(sqrt(A * B + C)) for four matrices (M, 256) in float32, M a multiple of the rows of a
# tile. Give each of the four steps a tile of its own to write to, and one to each input. Choose
# the **largest number of rows** that the compiler can place in UB: reuse will make room.

# %% [markdown] tags=["lang:zh"] stem="prompt" en_sha="d9f68994"
# # d1.largest_tile：一串运算中最大的数据块
#
# *核心内容，25 分钟，10 分，在 1.3 节之后*
#
# 计算 D = exp(sqrt(A * B + C))，四个矩阵都是 (M, 256)，float32，M 是数据块行数的倍数。四步运算各写到自己的数据块，三个输入也各有一个。选出编译器在 UB 里放得下的**最大行数**：复用会腾出空间。

# %% tags=["setup"] stem="imports"
import os

os.environ["TILELANG_ASCEND_MODE"] = "Developer"
from tlcourse import check, hint
import tilelang
import tilelang.language as T
import torch

# %% [markdown] tags=["lang:en"] stem="spec_words"
# What is asked, in torch. Your kernel's parameters are A, B, C, D in this order. Each M is a
# multiple of 64. A tile that does not fit is refused with TL301, which says by how much.

# %% [markdown] tags=["lang:zh"] stem="spec_words" en_sha="02b33383"
# 要求用 torch 写出来如下。内核的参数依次是 A、B、C、D。每个 M 都是 64 的倍数。放不下的数据块会被 TL301 拒绝，它会说明超出多少。


# %% tags=["setup"] stem="spec"
def largest_tile_torch(A, B, C):  # each (M, 256) float32; A * B + C is not negative
    return torch.exp(torch.sqrt(A * B + C))  # (M, 256) float32


# %% nbgrader={"grade": false, "grade_id": "d1-largest_tile-solution", "locked": false, "schema_version": 3, "solution": true, "task": false} stem="solution"
@tilelang.jit(out_idx=[3], target="npuir")
def largest_tile(M, rows=16):
    # D = exp(sqrt(A * B + C)), with the largest number of rows that UB can hold
    ### BEGIN SOLUTION
    rows = 64

    @T.prim_func
    def kernel(
        A: T.Tensor((M, 256), "float32"),
        B: T.Tensor((M, 256), "float32"),
        C: T.Tensor((M, 256), "float32"),
        D: T.Tensor((M, 256), "float32"),
    ):
        with T.Kernel(M // rows, is_npu=True) as (cid, _):
            top = cid * rows
            a = T.alloc_shared((rows, 256), "float32")
            b = T.alloc_shared((rows, 256), "float32")
            c = T.alloc_shared((rows, 256), "float32")
            product = T.alloc_fragment((rows, 256), "float32")
            added = T.alloc_fragment((rows, 256), "float32")
            root = T.alloc_fragment((rows, 256), "float32")
            result = T.alloc_fragment((rows, 256), "float32")
            T.copy(A[top : top + rows, :], a)
            T.copy(B[top : top + rows, :], b)
            T.copy(C[top : top + rows, :], c)
            T.vmul(a, b, product)
            T.vadd(product, c, added)
            T.vsqrt(added, root)
            T.vexp(root, result)
            T.copy(result, D[top : top + rows, :])

    return kernel
    ### END SOLUTION


# %% tags=["lang:en"] nbgrader={"grade": true, "grade_id": "d1-largest_tile", "locked": true, "points": 10, "schema_version": 3, "solution": false, "task": false} stem="check"
check("d1.largest_tile", largest_tile)

# %% tags=["lang:zh"] nbgrader={"grade": true, "grade_id": "d1-largest_tile", "locked": true, "points": 10, "schema_version": 3, "solution": false, "task": false} stem="check" en_sha="e995ba6c"
check("d1.largest_tile", largest_tile, language="zh")

# %% [markdown] tags=["lang:en"] stem="help"
# Stuck? Run `hint("d1.largest_tile")` in a new cell, once for each of three hints.

# %% [markdown] tags=["lang:zh"] stem="help" en_sha="325f6d54"
# 卡住了？在新单元格里运行 `hint("d1.largest_tile", language="zh")`，每次给出一条提示，共三条。
