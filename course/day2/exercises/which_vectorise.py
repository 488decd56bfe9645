# ---
# jupyter:
#   tlcourse:
#     id: d2.which_vectorise
# ---

# %% [markdown] tags=["lang:en"] stem="prompt"
# # d2.which_vectorise: six loops
#
# *more, 15 minutes, 5 points, after lesson 2.7*
#
# Say what becomes of each loop below: `vector`, `scalar`, or `forbidden` where an iteration uses
# what another one writes. Then the cause: `statements` (several in the body), `branch`, `index` (of
# the store), `order` (of the iterations), or `none` for a vector loop. This is practice.

# %% [markdown] tags=["lang:zh"] stem="prompt" en_sha="42710f26"
# # d2.which_vectorise：六个循环
#
# *进阶内容，15 分钟，5 分，在 2.7 节之后*
#
# 说出下面每个循环会变成什么：`vector`（向量）、`scalar`（标量），或者 `forbidden`（不允许：一次迭代用到别的迭代写入的值）。再写原因：`statements`（循环体有多条语句）、`branch`（分支）、`index`（存入的下标）、`order`（迭代的次序），向量循环写 `none`。本题只作练习。

# %% tags=["setup"] stem="imports"
import inspect

from tlcourse import check, hint
from tlcourse.examples.loops import six_loops

# %% stem="loops"
print(inspect.getsource(six_loops))

# %% [markdown] tags=["lang:en"] stem="spec_words"
# Write each answer as a verdict, a comma and a cause, for example `scalar, branch`. Replace each
# `?`; a loop left open costs only itself.

# %% [markdown] tags=["lang:zh"] stem="spec_words" en_sha="e7adba52"
# 每个答案写成判断、逗号、原因，例如 `scalar, branch`。把每个 `?` 换掉；空着的循环只影响它自己。


# %% nbgrader={"grade": false, "grade_id": "d2-which_vectorise-solution", "locked": false, "schema_version": 3, "solution": true, "task": false} stem="solution"
def which_vectorise():
    # Verdict and cause of each loop. Form: return {"loop 1": "?", "loop 2": "?", "loop 3": "?",
    #                                               "loop 4": "?", "loop 5": "?", "loop 6": "?"}
    ### BEGIN SOLUTION
    return {
        "loop 1": "vector, none",
        "loop 2": "scalar, statements",
        "loop 3": "vector, none",
        "loop 4": "scalar, branch",
        "loop 5": "scalar, index",
        "loop 6": "forbidden, order",
    }
    ### END SOLUTION


# %% tags=["lang:en"] nbgrader={"grade": true, "grade_id": "d2-which_vectorise", "locked": true, "points": 5, "schema_version": 3, "solution": false, "task": false} stem="check"
check("d2.which_vectorise", which_vectorise)

# %% tags=["lang:zh"] nbgrader={"grade": true, "grade_id": "d2-which_vectorise", "locked": true, "points": 5, "schema_version": 3, "solution": false, "task": false} stem="check" en_sha="072345db"
check("d2.which_vectorise", which_vectorise, language="zh")

# %% [markdown] tags=["lang:en"] stem="help"
# Stuck? Run `hint("d2.which_vectorise")` in a new cell, once for each of three hints.

# %% [markdown] tags=["lang:zh"] stem="help" en_sha="365ceb6d"
# 卡住了？在新单元格里运行 `hint("d2.which_vectorise", language="zh")`，每次给出一条提示，共三条。
