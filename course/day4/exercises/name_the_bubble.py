# ---
# jupyter:
#   tlcourse:
#     id: d4.name_the_bubble
# ---

# %% [markdown] tags=["lang:en"] stem="prompt"
# # d4.name_the_bubble: six gaps
#
# *more, 15 minutes, 5 points, after lesson 4.7*
#
# The timeline of the hand-written FlashAttention below has a gap on each lane, again and again. Name
# six of them by three words: the pipe that the lane waits for, the flag between the cores that goes
# with it (0 scores, 1 weights, 2 values, or `-` where none does), and the cause. This is practice.

# %% [markdown] tags=["lang:zh"] stem="prompt" en_sha="826efaa3"
# # d4.name_the_bubble：六个空隙
#
# *进阶内容，15 分钟，5 分，在 4.7 节之后*
#
# 下面是手写的 FlashAttention 的时间线，每条泳道上都反复出现空隙。请用三个词说明其中六个空隙：泳道在等哪条流水线；与它对应的核间标志（0 分数，1 权重，2 加权后的值，没有则写 `-`）；以及原因。本题只作练习，班级评分时不计入。

# %% tags=["setup"] stem="imports"
import os

os.environ["TILELANG_ASCEND_MODE"] = "Expert"
os.environ["TILELANG_ASCEND_DEVICE_NAME"] = "Ascend910B1"
from tlcourse import check, hint, show_timeline
import tilelang
import torch
from tlcourse.examples.flash_attention_expert import flash_attention_expert

# %% stem="kernels"
function = flash_attention_expert(heads=1, S=256, D=64)
kernel = tilelang.compile(function, target="npuir", out_idx=[3])
inputs = [p for p in kernel.params if p.name != "O"]
shapes = [(tuple(map(int, p.extents)), getattr(torch, p.dtype)) for p in inputs]
timeline = kernel.profile(*(torch.zeros(shape, dtype=dtype).npu() for shape, dtype in shapes))
show_timeline(timeline)

# %% [markdown] tags=["lang:en"] stem="spec_words"
# Causes: `hand-over` (the other kind of core has not stored yet), `load` (a tile is not there yet),
# `result` (an op of the same core is not done yet), `order` (a barrier of the lane itself). Point
# at a gap, or walk to it with the arrow keys, to see which instruction ends it. *Longest* means
# longest when all gaps with the same ending are added up.

# %% [markdown] tags=["lang:zh"] stem="spec_words" en_sha="a666b9f6"
# 原因有四种：`hand-over`（另一种核还没有写出）、`load`（数据块还没到）、`result`（同一个核的运算还没做完）、`order`（泳道自己的屏障）。把鼠标指向空隙，或者用方向键走到那里，就能看到它由哪条指令结束。`longest` 指把结束原因相同的空隙加起来，总长最长的那一种。


# %% nbgrader={"grade": false, "grade_id": "d4-name_the_bubble-solution", "locked": false, "schema_version": 3, "solution": true, "task": false} stem="solution"
def name_the_bubble():
    # Pipe, flag and cause of each gap. Form:
    # return {"longest of aic.MTE2": "?", "longest of aiv0.MTE2": "?", "second of aiv0.MTE2": "?",
    #         "longest of aic.M": "?", "longest of aiv0.V": "?", "longest of aiv0.MTE3": "?"}
    # A complete answer looks like "MTE1 - load" or "FIX 0 hand-over".
    ### BEGIN SOLUTION
    return {
        "longest of aic.MTE2": "MTE3 1 hand-over",
        "longest of aiv0.MTE2": "FIX 2 hand-over",
        "second of aiv0.MTE2": "FIX 0 hand-over",
        "longest of aic.M": "MTE1 - load",
        "longest of aiv0.V": "V - order",
        "longest of aiv0.MTE3": "V - result",
    }
    ### END SOLUTION


# %% tags=["lang:en"] nbgrader={"grade": true, "grade_id": "d4-name_the_bubble", "locked": true, "points": 5, "schema_version": 3, "solution": false, "task": false} stem="check"
check("d4.name_the_bubble", name_the_bubble)

# %% tags=["lang:zh"] nbgrader={"grade": true, "grade_id": "d4-name_the_bubble", "locked": true, "points": 5, "schema_version": 3, "solution": false, "task": false} stem="check" en_sha="84279cff"
check("d4.name_the_bubble", name_the_bubble, language="zh")

# %% [markdown] tags=["lang:en"] stem="help"
# Stuck? Run `hint("d4.name_the_bubble")` in a new cell, once for each of three hints.

# %% [markdown] tags=["lang:zh"] stem="help" en_sha="63eec216"
# 卡住了？在新单元格里运行 `hint("d4.name_the_bubble", language="zh")`，每次给出一条提示，共三条。
