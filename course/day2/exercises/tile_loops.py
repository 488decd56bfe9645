# ---
# jupyter:
#   tlcourse:
#     id: d2.tile_loops
# ---

# %% [markdown] tags=["lang:en"] stem="prompt"
# # d2.tile_loops: few blocks, many tiles
#
# *more, 30 minutes, 10 points, after lesson 2.5*
#
# Y = exp(X) for a float32 matrix (M, N), in tiles of 64x64; M and N are multiples of 64. The number
# of blocks is **given** and need not divide the number of tiles. Each tile is written exactly once,
# and no block takes more tiles than an even share, rounded up.

# %% [markdown] tags=["lang:zh"] stem="prompt" en_sha="5f464ce2"
# # d2.tile_loops：块少，数据块多
#
# *进阶内容，30 分钟，10 分，在 2.5 节之后*
#
# 对 float32 矩阵 (M, N) 计算 Y = exp(X)，数据块为 64x64；M 和 N 是 64 的倍数。逻辑块的个数是**给定的**，不一定能整除数据块的个数。每个数据块恰好写一次，任何块处理的数据块都不超过平均份额（向上取整）。

# %% tags=["setup"] stem="imports"
import os

os.environ["TILELANG_ASCEND_MODE"] = "Developer"
from tlcourse import check, hint
import tilelang
import tilelang.language as T
import torch

# %% [markdown] tags=["lang:en"] stem="spec_words"
# What is asked, in torch. Your kernel's parameters are X and Y; M, N and blocks are numbers that
# the factory gets.

# %% [markdown] tags=["lang:zh"] stem="spec_words" en_sha="5f959af4"
# 要求用 torch 写出来如下。内核的参数是 X 和 Y；M、N 和 blocks 是工厂函数得到的数。


# %% tags=["setup"] stem="spec"
def tile_loops_torch(X):  # X: (M, N) float32
    return torch.exp(X)  # (M, N) float32


# %% nbgrader={"grade": false, "grade_id": "d2-tile_loops-solution", "locked": false, "schema_version": 3, "solution": true, "task": false} stem="solution"
@tilelang.jit(out_idx=[1], target="npuir")
def tile_loops(M, N, blocks, block=64):
    # Y = exp(X) in T.Kernel(blocks, is_npu=True), whatever the number of tiles is
    ### BEGIN SOLUTION
    n_num = N // block
    tiles = M // block * n_num

    @T.prim_func
    def kernel(X: T.Tensor((M, N), "float32"), Y: T.Tensor((M, N), "float32")):
        with T.Kernel(blocks, is_npu=True) as (cid, _):
            x = T.alloc_shared((block, block), "float32")
            for trip in T.serial(T.ceildiv(tiles, blocks)):
                tile = trip * blocks + cid
                if tile < tiles:
                    bx = tile // n_num * block
                    by = tile % n_num * block
                    T.copy(X[bx : bx + block, by : by + block], x)
                    T.vexp(x, x)
                    T.copy(x, Y[bx : bx + block, by : by + block])

    return kernel
    ### END SOLUTION


# %% tags=["lang:en"] nbgrader={"grade": true, "grade_id": "d2-tile_loops", "locked": true, "points": 10, "schema_version": 3, "solution": false, "task": false} stem="check"
check("d2.tile_loops", tile_loops)

# %% tags=["lang:zh"] nbgrader={"grade": true, "grade_id": "d2-tile_loops", "locked": true, "points": 10, "schema_version": 3, "solution": false, "task": false} stem="check" en_sha="6fa79008"
check("d2.tile_loops", tile_loops, language="zh")

# %% [markdown] tags=["lang:en"] stem="help"
# Stuck? Run `hint("d2.tile_loops")` in a new cell, once for each of three hints.

# %% [markdown] tags=["lang:zh"] stem="help" en_sha="06b0fb7c"
# 卡住了？在新单元格里运行 `hint("d2.tile_loops", language="zh")`，每次给出一条提示，共三条。
