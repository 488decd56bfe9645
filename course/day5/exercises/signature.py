# ---
# jupyter:
#   tlcourse:
#     id: d5.signature
# ---

# %% [markdown] tags=["lang:en"] stem="prompt"
# # d5.signature: read three signatures
#
# *more, 15 minutes, 5 points, after lesson 5.2*
#
# Three kernels, compiled as the cell below says: MiniCV with fixed sizes, softmax with a symbolic
# M, the vector add with a symbolic N. Answer eight questions from their text: a dtype, shapes, is it
# an output (`yes` or `no`), lifted symbols (or `none`), the number of blocks. This is practice.

# %% [markdown] tags=["lang:zh"] stem="prompt" en_sha="c22f5fe4"
# # d5.signature：读三个签名
#
# *进阶内容，15 分钟，5 分，在 5.2 节之后*
#
# 三个内核，按下面单元格的方式编译：固定大小的 MiniCV，M 为符号的 softmax，N 为符号的向量加法。根据它们的文本回答八个问题：数据类型、形状、是不是输出（`yes` 或 `no`）、提升为参数的符号（没有就写 `none`）、逻辑块数。本题只作练习，班级评分时不计入。

# %% tags=["setup"] stem="imports"
import inspect

import tilelang.language as T
from tlcourse import check, hint
from tlcourse.examples.elementwise import vector_add_developer
from tlcourse.examples.minicv import minicv_developer
from tlcourse.examples.softmax import softmax

# %% stem="kernels"
M, N = T.symbolic("M"), T.symbolic("N")
functions = {  # with the outputs: minicv 2 and 3, softmax 1, vadd 2
    "minicv": minicv_developer(M=128, N=256, K=128),
    "softmax": softmax(M=M, N=64),
    "vadd": vector_add_developer(N=N),
}
for kernel in (minicv_developer, softmax, vector_add_developer):
    print(inspect.getsource(kernel))

# %% [markdown] tags=["lang:en"] stem="spec_words"
# Write shapes as `128 x 256`, with the name of a symbol where there is one. Replace each `?`. A
# question left open costs only itself.

# %% [markdown] tags=["lang:zh"] stem="spec_words" en_sha="d797aa6a"
# 形状写成 `128 x 256` 的样子，有符号的地方写它的名字。把每个 `?` 换掉。某题空着，只影响那一题。


# %% nbgrader={"grade": false, "grade_id": "d5-signature-solution", "locked": false, "schema_version": 3, "solution": true, "task": false} stem="solution"
def signature():
    # minicv: A.dtype, D.shape, C.output, symbols. softmax: Y.shape, symbols, blocks at M=100.
    # vadd: blocks at N=1000. Form: return {"minicv.A.dtype": "?", "softmax.blocks at M=100": "?", ..}
    ### BEGIN SOLUTION
    return {
        "minicv.A.dtype": "float16",
        "minicv.D.shape": "128 x 256",
        "minicv.C.output": "yes",
        "softmax.Y.shape": "M x 64",
        "softmax.symbols": "M",
        "minicv.symbols": "none",
        "softmax.blocks at M=100": "12",
        "vadd.blocks at N=1000": "3",
    }
    ### END SOLUTION


# %% tags=["lang:en"] nbgrader={"grade": true, "grade_id": "d5-signature", "locked": true, "points": 5, "schema_version": 3, "solution": false, "task": false} stem="check"
check("d5.signature", signature)

# %% tags=["lang:zh"] nbgrader={"grade": true, "grade_id": "d5-signature", "locked": true, "points": 5, "schema_version": 3, "solution": false, "task": false} stem="check" en_sha="fd76e89d"
check("d5.signature", signature, language="zh")

# %% [markdown] tags=["lang:en"] stem="help"
# Stuck? Run `hint("d5.signature")` in a new cell, once for each of three hints.

# %% [markdown] tags=["lang:zh"] stem="help" en_sha="6e6e1d2d"
# 卡住了？在新单元格里运行 `hint("d5.signature", language="zh")`，每次给出一条提示，共三条。
