# ---
# jupyter:
#   tlcourse:
#     id: d3.broken_pass
# ---

# %% [markdown] tags=["lang:en"] stem="prompt"
# # d3.broken_pass: one of six
#
# *more, 20 minutes, 5 points, after lesson 3.6*
#
# Six passes work on a kernel one after the other; after the last one its numbers are wrong. Name
# the pass with the fault, and the operation that it spoilt. Five of the six change the text. This
# is practice.

# %% [markdown] tags=["lang:zh"] stem="prompt" en_sha="0c2dd1c1"
# # d3.broken_pass：六个中的一个
#
# *进阶内容，20 分钟，5 分，在 3.6 节之后*
#
# 六个 pass 依次处理一个内核；全部处理完，数值就错了。说出有错的那个 pass，以及被它改坏的运算。六个中有五个会改动文本。本题只作练习，班级评分时不计入。

# %% tags=["setup"] stem="imports"
import inspect

from tlcourse import check, hint
from tlcourse.examples.broken_chain import NAMES, error_after, steps, text_after

# %% stem="chain"
print(inspect.getsource(steps))
print(*(f"{count}: {name}" for count, name in enumerate(NAMES, 1)), sep="\n")
print("error before all passes:", error_after(0), " after all:", round(error_after(len(NAMES)), 3))

# %% [markdown] tags=["lang:en"] stem="spec_words"
# `error_after(n)` runs the kernel as the first n passes left it, `print(text_after(n))` shows it. Answer
# with a name from the list above, and with the operation as the text writes it, for example `tl.vmul`.

# %% [markdown] tags=["lang:zh"] stem="spec_words" en_sha="1c60e27c"
# `error_after(n)` 运行经过前 n 个 pass 的内核并返回误差，`print(text_after(n))` 显示它的文本。pass 用上面列表中的名字回答，运算按文本里的写法回答，例如 `tl.vmul`。


# %% nbgrader={"grade": false, "grade_id": "d3-broken_pass-solution", "locked": false, "schema_version": 3, "solution": true, "task": false} stem="solution"
def broken_pass():
    # The pass with the fault, and the operation that it spoilt.
    # Form: return {"pass": "?", "operation": "?"}
    ### BEGIN SOLUTION
    return {"pass": "OrderOperands", "operation": "tl.vsub"}
    ### END SOLUTION


# %% tags=["lang:en"] nbgrader={"grade": true, "grade_id": "d3-broken_pass", "locked": true, "points": 5, "schema_version": 3, "solution": false, "task": false} stem="check"
check("d3.broken_pass", broken_pass)

# %% tags=["lang:zh"] nbgrader={"grade": true, "grade_id": "d3-broken_pass", "locked": true, "points": 5, "schema_version": 3, "solution": false, "task": false} stem="check" en_sha="d541688e"
check("d3.broken_pass", broken_pass, language="zh")

# %% [markdown] tags=["lang:en"] stem="help"
# Stuck? Run `hint("d3.broken_pass")` in a new cell, once for each of three hints.

# %% [markdown] tags=["lang:zh"] stem="help" en_sha="9fa95c5e"
# 卡住了？在新单元格里运行 `hint("d3.broken_pass", language="zh")`，每次给出一条提示，共三条。
