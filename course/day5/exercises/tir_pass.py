# ---
# jupyter:
#   tlcourse:
#     id: d5.tir_pass
# ---

# %% [markdown] tags=["lang:en"] stem="prompt"
# # d5.tir_pass: the same copy, every trip
#
# *deep, 45 minutes, 15 points, after lesson 5.3*
#
# A kernel loads the same tile in each trip of a loop. Write the pattern that moves such a **copy in
# front of the loop**, so that fewer bytes of global memory move. The numbers must stay the same in
# every kernel, and a kernel in which nothing may be moved must stay exactly as it is.

# %% [markdown] tags=["lang:zh"] stem="prompt" en_sha="c3ffb868"
# # d5.tir_pass：每次循环都重复的拷贝
#
# *深入内容，45 分钟，15 分，在 5.3 节之后*
#
# 一个内核每次循环都载入同一个数据块。请写一个模式，把这样的**拷贝移到循环前面**，减少全局内存的搬运。每个内核的数值都必须不变；没有可移动的拷贝时，内核必须原样不动。

# %% tags=["setup"] stem="imports"
import tlcourse.language as T
from tlcourse import check, hint
from tlcourse.dialects import tl
from tlcourse.dialects.text import to_text
from tlcourse.lint.later import reads, writes
from tlcourse.lint.statement import buffer_of
from xdsl.dialects import arith
from xdsl.ir import Block
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import InsertPoint

# %% [markdown] tags=["lang:en"] stem="spec_words"
# A `tl.CopyOp` has `src` and `dst`; a part of a tensor is the result of a `tl.RegionOp`. The loop
# around an operation is `op.parent_op()`, a `tl.ForOp` with `lower`, `upper` and `body.block`.
# `value.owner` is the operation that made a value, or the block whose argument it is. Some helpers:

# %% [markdown] tags=["lang:zh"] stem="spec_words" en_sha="bde7aaa7"
# `tl.CopyOp` 有 `src` 和 `dst`；张量的一部分是 `tl.RegionOp` 的结果。运算所在的循环是 `op.parent_op()`，即有 `lower`、`upper` 和 `body.block` 的 `tl.ForOp`。`value.owner` 是产生这个值的运算，或以它为参数的块。几个辅助函数：


# %% tags=["setup"] stem="helpers"
def written(op):  # the buffers that an operation writes
    return [buffer_of(tile) for tile in writes(op)]


def read(op):  # the buffers that it reads
    return [buffer_of(tile) for tile in reads(op)]


def home(value):  # the block in which a value is made
    return value.owner if isinstance(value.owner, Block) else value.owner.parent


def number(value):  # the number that a value always is, else None
    is_constant = isinstance(value.owner, arith.ConstantOp)
    return value.owner.value.value.data if is_constant else None


# %% stem="given"
def scaled(M, N):
    @T.prim_func
    def kernel(
        X: T.Tensor((M, N), "float32"),
        W: T.Tensor((8, N), "float32"),
        Y: T.Tensor((M, N), "float32"),
    ):
        with T.Kernel(1, is_npu=True) as (cid, _):
            x, w = T.alloc_shared((8, N), "float32"), T.alloc_shared((8, N), "float32")
            for i in T.serial(M // 8):
                T.copy(W, w)
                T.copy(X[i * 8 : i * 8 + 8, :], x)
                T.vmul(x, w, x)
                T.copy(x, Y[i * 8 : i * 8 + 8, :])

    return kernel


print(to_text(scaled(M=32, N=64).module))


# %% nbgrader={"grade": false, "grade_id": "d5-tir_pass-solution", "locked": false, "schema_version": 3, "solution": true, "task": false} stem="solution"
class HoistCopy(RewritePattern):
    def match_and_rewrite(self, op, rewriter):
        # tl.for { tl.copy of the same, .. } --> tl.copy, tl.for { .. }, where it may be so
        ### BEGIN SOLUTION
        loop = op.parent_op()
        if not isinstance(op, tl.CopyOp) or not isinstance(loop, tl.ForOp):
            return
        lower, upper = number(loop.lower), number(loop.upper)
        if lower is None or upper is None or lower >= upper:
            return
        region = op.src.owner
        is_part = isinstance(region, tl.RegionOp) and region.parent_op() is loop
        moved = [region, op] if is_part else [op]
        for value in (value for one in moved for value in one.operands):
            if home(value) is loop.body.block and value.owner not in moved:
                return
        source, tile = buffer_of(op.src), buffer_of(op.dst)
        for other in loop.walk():
            if other not in (op, loop) and (source in written(other) or tile in written(other)):
                return
        before = op.prev_op
        while before is not None:
            if any(tile in read(one) for one in before.walk()):
                return
            before = before.prev_op
        for one in moved:
            one.detach()
            rewriter.insert(one, InsertPoint.before(loop))
        ### END SOLUTION


# %% tags=["lang:en"] nbgrader={"grade": true, "grade_id": "d5-tir_pass", "locked": true, "points": 15, "schema_version": 3, "solution": false, "task": false} stem="check"
check("d5.tir_pass", HoistCopy)

# %% tags=["lang:zh"] nbgrader={"grade": true, "grade_id": "d5-tir_pass", "locked": true, "points": 15, "schema_version": 3, "solution": false, "task": false} stem="check" en_sha="1013bc95"
check("d5.tir_pass", HoistCopy, language="zh")

# %% [markdown] tags=["lang:en"] stem="help"
# Stuck? Run `hint("d5.tir_pass")` in a new cell, once for each of three hints.

# %% [markdown] tags=["lang:zh"] stem="help" en_sha="2ca9030d"
# 卡住了？在新单元格里运行 `hint("d5.tir_pass", language="zh")`，每次给出一条提示，共三条。
