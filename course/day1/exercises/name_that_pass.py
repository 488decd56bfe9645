# ---
# jupyter:
#   tlcourse:
#     id: d1.name_that_pass
# ---

# %% [markdown] tags=["lang:en"] stem="prompt"
# # d1.name_that_pass: who did it?
#
# *core, 30 minutes, 10 points, after lesson 1.5*
#
# Eight changes of MiniCV's IR, and the passes of its compilation as a list. Say for each change
# which pass made it. Five right answers earn all points. This is practice: the points show your
# progress only.

# %% [markdown] tags=["lang:zh"] stem="prompt" en_sha="9e0b6ec0"
# # d1.name_that_pass：是谁做的？
#
# *核心内容，30 分钟，10 分，在 1.5 节之后*
#
# MiniCV 的 IR 有八处变化，编译它用到的 pass 列成一张表。说出每处变化是哪个 pass 做的。答对五题即得满分。本题只作练习：分数只表示进度。

# %% tags=["setup"] stem="imports"
import os

os.environ["TILELANG_ASCEND_MODE"] = "Developer"
from tlcourse import check, hint, show_passes
import tilelang
from tlcourse.examples.minicv import minicv_developer

# %% stem="passes"
kernel = tilelang.compile(minicv_developer(M=128, N=256, K=128), out_idx=[2, 3], target="npuir")
print(*dict.fromkeys(one.pass_name for one in kernel.trace().snapshots), sep="\n")

# %% [markdown] tags=["lang:en"] stem="spec_words"
# | name | what changed |
# |---|---|
# | flags inside a core | the first `hivm.hir.set_flag` stands in the text |
# | addresses | buffers on the chip got addresses: `hivm.hir.pointer_cast` |
# | no tensor left | the last `tensor.empty` is gone |
# | flags between cores | the first `hivm.hir.sync_block_set` stands in the text |
# | L0C to GM | the first `hivm.hir.fixpipe` stands in the text |
# | workspace | room in GM is asked for: `memref_ext.alloc_workspace` |
# | copies become loads | the first `hivm.hir.load` stands in the text |
# | which vector core am I | the kernel asks for its half: `hivm.hir.get_sub_block_idx` |

# %% [markdown] tags=["lang:zh"] stem="spec_words" en_sha="b3792c0f"
# | 名称 | 变化 |
# |---|---|
# | flags inside a core | 文本中第一次出现 `hivm.hir.set_flag` |
# | addresses | 片上缓冲区得到地址：`hivm.hir.pointer_cast` |
# | no tensor left | 最后一个 `tensor.empty` 消失 |
# | flags between cores | 第一次出现 `hivm.hir.sync_block_set` |
# | L0C to GM | 第一次出现 `hivm.hir.fixpipe` |
# | workspace | 在 GM 中申请空间：`memref_ext.alloc_workspace` |
# | copies become loads | 第一次出现 `hivm.hir.load` |
# | which vector core am I | 内核询问自己在哪一个 vector 核上：`hivm.hir.get_sub_block_idx` |


# %% nbgrader={"grade": false, "grade_id": "d1-name_that_pass-solution", "locked": false, "schema_version": 3, "solution": true, "task": false} stem="solution"
def name_that_pass():
    # Form: return {"flags inside a core": "?", "addresses": "?", ..}, names as in the table
    ### BEGIN SOLUTION
    return {
        "flags inside a core": "hivm-graph-sync-solver",
        "addresses": "hivm-plan-memory",
        "no tensor left": "one-shot-bufferize",
        "flags between cores": "hivm-cross-core-gss",
        "L0C to GM": "hivm-inline-fixpipe",
        "workspace": "insert-workspace-for-mix-cv",
        "copies become loads": "convert-to-hivm-op",
        "which vector core am I": "hivm-bind-sub-block",
    }
    ### END SOLUTION


# %% tags=["lang:en"] nbgrader={"grade": true, "grade_id": "d1-name_that_pass", "locked": true, "points": 10, "schema_version": 3, "solution": false, "task": false} stem="check"
check("d1.name_that_pass", name_that_pass)

# %% tags=["lang:zh"] nbgrader={"grade": true, "grade_id": "d1-name_that_pass", "locked": true, "points": 10, "schema_version": 3, "solution": false, "task": false} stem="check" en_sha="2df46312"
check("d1.name_that_pass", name_that_pass, language="zh")

# %% [markdown] tags=["lang:en"] stem="help"
# Stuck? Run `hint("d1.name_that_pass")` in a new cell, once for each of three hints.

# %% [markdown] tags=["lang:zh"] stem="help" en_sha="010b4d85"
# 卡住了？在新单元格里运行 `hint("d1.name_that_pass", language="zh")`，每次给出一条提示，共三条。
