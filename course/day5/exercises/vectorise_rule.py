# ---
# jupyter:
#   tlcourse:
#     id: d5.vectorise_rule
# ---

# %% [markdown] tags=["lang:en"] stem="prompt"
# # d5.vectorise_rule: a rule for T.exp2
#
# *core, 45 minutes, 15 points, after lesson 5.3*
#
# `NpuLoopVectorize` has no rule for `math.exp2`, so a loop with `T.exp2` stays a loop over elements.
# Write a pattern that turns `exp2(x)` into `exp(x * ln 2)`: these two it knows. Rewrite **only float32 in a
# `T.Parallel` loop whose iterations do not depend on each other**; everything else stays as it is.

# %% [markdown] tags=["lang:zh"] stem="prompt" en_sha="831540d9"
# # d5.vectorise_rule：给 T.exp2 写一条规则
#
# *核心内容，45 分钟，15 分，在 5.3 节之后*
#
# `NpuLoopVectorize` 没有 `math.exp2` 的规则，所以带 `T.exp2` 的循环只能逐个元素执行。请写一个模式，把 `exp2(x)` 变成 `exp(x * ln 2)`：这两个运算它认识。**只改写 `T.Parallel` 循环里的 float32，而且各次迭代互不依赖**；其余一律不动。

# %% tags=["setup"] stem="imports"
import math as numbers
from tlcourse import check, hint
from tlcourse.dialects import tl
from xdsl.dialects import arith, math
from xdsl.dialects.builtin import FloatAttr, f32
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

# %% [markdown] tags=["lang:en"] stem="spec_words"
# In Tile IR the loop is a `tl.ForOp`: `kind.data` is `"parallel"` or `"serial"`, its body is
# `body.block.ops`. `op.parent_op()` is the loop around an operation. `tl.LoadOp` and `tl.StoreOp`
# have `buffer` and `indices`. `arith.ConstantOp(FloatAttr(v, f32))` makes a number,
# `arith.MulfOp(a, b)` a product, `math.ExpOp(x)` an exponential. In `math.Exp2Op` the argument is
# `operand`. `rewriter.replace(op, [first, second, last])` puts new operations in place of one, in
# this order. `T.Parallel(M, N)` is two loops, one in the other. Iterations depend on each other where
# a buffer that is stored is also loaded at another place.

# %% [markdown] tags=["lang:zh"] stem="spec_words" en_sha="6f526676"
# 在 Tile IR 中，循环是 `tl.ForOp`：`kind.data` 是 `"parallel"` 或 `"serial"`，循环体是 `body.block.ops`。`op.parent_op()` 是运算所在的循环。`tl.LoadOp` 和 `tl.StoreOp` 有 `buffer` 和 `indices`。`arith.ConstantOp(FloatAttr(v, f32))` 生成一个数，`arith.MulfOp(a, b)` 是乘积，`math.ExpOp(x)` 是指数函数。`math.Exp2Op` 的自变量是 `operand`。`rewriter.replace(op, [first, second, last])` 按这个次序用新的运算代替原来的运算。`T.Parallel(M, N)` 是嵌套的两个循环。被写入的缓冲区又在别的位置被读取时，各次迭代就互相依赖。


# %% nbgrader={"grade": false, "grade_id": "d5-vectorise_rule-solution", "locked": false, "schema_version": 3, "solution": true, "task": false} stem="solution"
class Exp2Rule(RewritePattern):
    def match_and_rewrite(self, op, rewriter):
        # math.exp2 x --> math.exp (x * ln 2), where the loop can become vector operations
        ### BEGIN SOLUTION
        loop = op.parent_op()
        if not isinstance(op, math.Exp2Op) or op.operand.type != f32:
            return
        if not isinstance(loop, tl.ForOp) or loop.kind.data != "parallel":
            return
        loads = [one for one in loop.body.block.ops if isinstance(one, tl.LoadOp)]
        stores = [one for one in loop.body.block.ops if isinstance(one, tl.StoreOp)]
        for store in stores:
            for load in loads:
                same_place = list(load.indices) == list(store.indices)
                if load.buffer == store.buffer and not same_place:
                    return
        ln2 = arith.ConstantOp(FloatAttr(numbers.log(2), f32))
        product = arith.MulfOp(op.operand, ln2.result)
        rewriter.replace(op, [ln2, product, math.ExpOp(product.result)])
        ### END SOLUTION


# %% tags=["lang:en"] nbgrader={"grade": true, "grade_id": "d5-vectorise_rule", "locked": true, "points": 15, "schema_version": 3, "solution": false, "task": false} stem="check"
check("d5.vectorise_rule", Exp2Rule)

# %% tags=["lang:zh"] nbgrader={"grade": true, "grade_id": "d5-vectorise_rule", "locked": true, "points": 15, "schema_version": 3, "solution": false, "task": false} stem="check" en_sha="a89e807b"
check("d5.vectorise_rule", Exp2Rule, language="zh")

# %% [markdown] tags=["lang:en"] stem="help"
# Stuck? Run `hint("d5.vectorise_rule")` in a new cell, once for each of three hints.

# %% [markdown] tags=["lang:zh"] stem="help" en_sha="a62d00ba"
# 卡住了？在新单元格里运行 `hint("d5.vectorise_rule", language="zh")`，每次给出一条提示，共三条。
