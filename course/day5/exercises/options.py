# ---
# jupyter:
#   tlcourse:
#     id: d5.options
# ---

# %% [markdown] tags=["lang:en"] stem="prompt"
# # d5.options: what does a switch change?
#
# *more, 20 minutes, 5 points, after lesson 5.4*
#
# MiniCV 128x256x128 is compiled with one switch turned. What changes in its last IR? `buffers`
# (how many places on the chip), `halves` (the share of each vector core), `between` (flags between
# cores), `flags` (inside a core), or `nothing`. Where several things change, the first in this
# list counts. This is practice.

# %% [markdown] tags=["lang:zh"] stem="prompt" en_sha="10151c1f"
# # d5.options：一个开关改变什么？
#
# *进阶内容，20 分钟，5 分，在 5.4 节之后*
#
# 编译 MiniCV 128x256x128，只拨动一个开关。最后一份 IR 里改变了什么？`buffers`（片上位置的个数）、`halves`（每个 vector 核分到的部分）、`between`（核间的标志）、`flags`（核内的标志），或者 `nothing`。改变了几样时，按 buffers、halves、between、flags 的次序取第一个。本题只作练习，班级评分时不计入。

# %% tags=["setup"] stem="imports"
import inspect

from tlcourse import check, hint, show_passes
import tilelang
from tlcourse.examples.minicv import minicv_developer

# %% stem="kernels"
kernel = minicv_developer(M=128, N=256, K=128)
print(inspect.getsource(minicv_developer))
# A switch is turned so: pass_configs={"npuir.enable_auto_multi_buffer": False}

# %% [markdown] tags=["lang:en"] stem="spec_words"
# The switches: `enable_auto_multi_buffer` off, `enable_auto_bind_sub_block` off,
# `disable_hivm_auto_inject_sync` on, `disable_auto_inject_block_sync` on, and
# `limit_auto_multi_buffer_only_for_local_buffer` on. Predict first, then look with `show_passes`.

# %% [markdown] tags=["lang:zh"] stem="spec_words" en_sha="8a2d2dc2"
# 开关依次是：`enable_auto_multi_buffer` 关，`enable_auto_bind_sub_block` 关，`disable_hivm_auto_inject_sync` 开，`disable_auto_inject_block_sync` 开，`limit_auto_multi_buffer_only_for_local_buffer` 开。先预测，再用 `show_passes` 查看。


# %% nbgrader={"grade": false, "grade_id": "d5-options-solution", "locked": false, "schema_version": 3, "solution": true, "task": false} stem="solution"
def options():
    # One word per switch: buffers, halves, between, flags, nothing. Form:
    # return {"multi-buffer off": "?", "sub-block binding off": "?", "in-core sync off": "?",
    #         "cross-core sync off": "?", "buffers of the workspace kept single": "?"}
    ### BEGIN SOLUTION
    return {
        "multi-buffer off": "buffers",
        "sub-block binding off": "halves",
        "in-core sync off": "flags",
        "cross-core sync off": "between",
        "buffers of the workspace kept single": "nothing",
    }
    ### END SOLUTION


# %% tags=["lang:en"] nbgrader={"grade": true, "grade_id": "d5-options", "locked": true, "points": 5, "schema_version": 3, "solution": false, "task": false} stem="check"
check("d5.options", options)

# %% tags=["lang:zh"] nbgrader={"grade": true, "grade_id": "d5-options", "locked": true, "points": 5, "schema_version": 3, "solution": false, "task": false} stem="check" en_sha="74aaa8e8"
check("d5.options", options, language="zh")

# %% [markdown] tags=["lang:en"] stem="help"
# Stuck? Run `hint("d5.options")` in a new cell, once for each of three hints.

# %% [markdown] tags=["lang:zh"] stem="help" en_sha="c77740d5"
# 卡住了？在新单元格里运行 `hint("d5.options", language="zh")`，每次给出一条提示，共三条。
