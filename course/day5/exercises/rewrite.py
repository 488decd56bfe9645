# ---
# jupyter:
#   tlcourse:
#     id: d5.rewrite
# ---

# %% [markdown] tags=["lang:en"] stem="prompt"
# # d5.rewrite: a tile that nobody needs
#
# *more, 40 minutes, 10 points, after lesson 5.3*
#
# Some kernels fill a whole tile with one number, only to add it: `T.vbrc(2.5, t)`, then
# `T.vadd(x, t, y)`. The addition takes a number itself: `T.vadd(x, 2.5, y)`. Write the pattern that
# rewrites the first into the second, from either side, and erases the fill. Where it would not be
# right, or the tile has another use, the module must stay exactly as it is.

# %% [markdown] tags=["lang:zh"] stem="prompt" en_sha="3c1d01f9"
# # d5.rewrite：不必要的数据块
#
# *进阶内容，40 分钟，10 分，在 5.3 节之后*
#
# 有些内核先用一个数填满整个数据块，只是为了加上它：`T.vbrc(2.5, t)`，然后 `T.vadd(x, t, y)`。加法本身可以直接接受一个数：`T.vadd(x, 2.5, y)`。请写一个模式，把前者改写成后者（数据块在哪一边都行），并删除填充。凡是改写会出错，或者数据块另有用处的地方，模块必须原样不动。

# %% tags=["setup"] stem="imports"
from tlcourse import check, hint
from tlcourse.dialects import tl
from xdsl.dialects.builtin import MemRefType
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

# %% [markdown] tags=["lang:en"] stem="spec_words"
# In Tile IR the two have the names `tl.vbrc` (a `tl.BroadcastOp` with `source` and `destination`)
# and `tl.vadd` (with `sources` and `destination`; `op.on(sources, destination)` makes the same
# operation on others). Your pattern is tried on each operation until nothing changes.

# %% [markdown] tags=["lang:zh"] stem="spec_words" en_sha="8520c477"
# 在 Tile IR 中，这两个运算的名字是 `tl.vbrc`（即 `tl.BroadcastOp`，有 `source` 和 `destination`）和 `tl.vadd`（有 `sources` 和 `destination`；`op.on(sources, destination)` 生成作用于别的操作数的同一运算）。模式会在每个运算上尝试，直到不再变化。


# %% nbgrader={"grade": false, "grade_id": "d5-rewrite-solution", "locked": false, "schema_version": 3, "solution": true, "task": false} stem="solution"
class BroadcastAdd(RewritePattern):
    def match_and_rewrite(self, op, rewriter):
        # tl.vbrc of a number + tl.vadd -> tl.vadd of the number
        ### BEGIN SOLUTION
        if op.name != "tl.vadd":
            return
        for other, tile in (op.sources, reversed(op.sources)):
            users = [use.operation for use in tile.uses]
            fills = [
                user
                for user in users
                if isinstance(user, tl.BroadcastOp) and not isinstance(user.source.type, MemRefType)
            ]
            if len(users) == 2 and len(fills) == 1:
                number = fills[0].source
                rewriter.replace(op, op.on([other, number], op.destination))
                rewriter.erase(fills[0])
                return
        ### END SOLUTION


# %% tags=["lang:en"] nbgrader={"grade": true, "grade_id": "d5-rewrite", "locked": true, "points": 10, "schema_version": 3, "solution": false, "task": false} stem="check"
check("d5.rewrite", BroadcastAdd)

# %% tags=["lang:zh"] nbgrader={"grade": true, "grade_id": "d5-rewrite", "locked": true, "points": 10, "schema_version": 3, "solution": false, "task": false} stem="check" en_sha="0d914d89"
check("d5.rewrite", BroadcastAdd, language="zh")

# %% [markdown] tags=["lang:en"] stem="help"
# Stuck? Run `hint("d5.rewrite")` in a new cell, once for each of three hints.

# %% [markdown] tags=["lang:zh"] stem="help" en_sha="9c5d3a6a"
# 卡住了？在新单元格里运行 `hint("d5.rewrite", language="zh")`，每次给出一条提示，共三条。
