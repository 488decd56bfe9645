# ---
# jupyter:
#   tlcourse:
#     id: d4.tile_study
# ---

# %% [markdown] tags=["lang:en"] stem="prompt"
# # d4.tile_study: what bounds each size
#
# *more, 20 minutes, 5 points, after lesson 4.7*
#
# MiniCV with M = N = 1024 in four tile sizes. For each: which pipe has most to do, and does it work
# without a break (`steady`, 80 % of the time and more), or do the cores take turns (`turns`)? A
# steady pipe needs fewer bytes or products; turns need another order. This is practice.

# %% [markdown] tags=["lang:zh"] stem="prompt" en_sha="5a9853b1"
# # d4.tile_study：每种大小受什么限制
#
# *进阶内容，20 分钟，5 分，在 4.7 节之后*
#
# M = N = 1024 的 MiniCV，四种分块大小。对每一种：哪条流水线的工作最多？它是不间断地工作（`steady`，占 80 % 以上的时间），还是各核轮流工作（`turns`）？不间断的流水线要靠减少字节或运算来加速；轮流则要换一种次序。本题只作练习，班级评分时不计入。

# %% tags=["setup"] stem="imports"
import os

os.environ["TILELANG_ASCEND_MODE"] = "Developer"
os.environ["TILELANG_ASCEND_DEVICE_NAME"] = "Ascend910B1"
from tlcourse import check, hint, show_timeline
import tilelang
import torch
from tlcourse.examples.minicv import minicv_developer


# %% stem="kernels"
def timeline_of(block_M, block_N, K):
    function = minicv_developer(M=1024, N=1024, K=K, block_M=block_M, block_N=block_N, block_K=64)
    kernel = tilelang.compile(function, target="npuir", out_idx=[2, 3])
    A, B = torch.zeros(1024, K).half(), torch.zeros(K, 1024).half()
    return kernel.profile(A.npu(), B.npu())


timeline = timeline_of(64, 64, 2048)
print(timeline.cycles, "cycles,", timeline.launch_cycles, "before the first instruction")
show_timeline(timeline)

# %% [markdown] tags=["lang:en"] stem="spec_words"
# The four: 64x64 tiles with K = 2048; 128x128, 256x32 and 16x16 tiles with K = 64. Predict first:
# each tile of C needs a row of A tiles and a column of B tiles. Then run `timeline_of` on each, and
# compare `busy_cycles` of its `lanes` with the time behind the launch.

# %% [markdown] tags=["lang:zh"] stem="spec_words" en_sha="44b1428a"
# 四种情况：K = 2048 时 64x64 的分块；K = 64 时 128x128、256x32 和 16x16 的分块。先预测：C 的每一块需要 A 的一行分块和 B 的一列分块。然后对每种情况运行 `timeline_of`，把 `lanes` 的 `busy_cycles` 与启动之后的时间相比。


# %% nbgrader={"grade": false, "grade_id": "d4-tile_study-solution", "locked": false, "schema_version": 3, "solution": true, "task": false} stem="solution"
def tile_study():
    # Pipe and manner for each size. Form:
    # return {"64x64, K=2048": "?", "128x128, K=64": "?", "256x32, K=64": "?", "16x16, K=64": "?"}
    # A complete answer looks like "M steady" or "V turns".
    ### BEGIN SOLUTION
    return {
        "64x64, K=2048": "MTE2 steady",
        "128x128, K=64": "MTE3 turns",
        "256x32, K=64": "MTE3 turns",
        "16x16, K=64": "MTE2 turns",
    }
    ### END SOLUTION


# %% tags=["lang:en"] nbgrader={"grade": true, "grade_id": "d4-tile_study", "locked": true, "points": 5, "schema_version": 3, "solution": false, "task": false} stem="check"
check("d4.tile_study", tile_study)

# %% tags=["lang:zh"] nbgrader={"grade": true, "grade_id": "d4-tile_study", "locked": true, "points": 5, "schema_version": 3, "solution": false, "task": false} stem="check" en_sha="44896c8a"
check("d4.tile_study", tile_study, language="zh")

# %% [markdown] tags=["lang:en"] stem="help"
# Stuck? Run `hint("d4.tile_study")` in a new cell, once for each of three hints.

# %% [markdown] tags=["lang:zh"] stem="help" en_sha="1e861b93"
# 卡住了？在新单元格里运行 `hint("d4.tile_study", language="zh")`，每次给出一条提示，共三条。
