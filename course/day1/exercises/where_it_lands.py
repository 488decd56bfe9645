# ---
# jupyter:
#   tlcourse:
#     id: d1.where_it_lands
# ---

# %% [markdown] tags=["lang:en"] stem="prompt"
# # d1.where_it_lands: which memory holds it?
#
# *core, 20 minutes, 5 points, after lesson 1.3*
#
# Three kernels that you know ask for eight buffers. Say for each in which memory the compiler
# places it: `UB`, `L1`, `L0C` or `GM`. Read the kernels, not their memory maps: the point is to
# be able to tell beforehand. `minicv.handover` asks where a tile of C stands on its way from the
# cube core to a vector core. This is practice: the points show your progress only.

# %% [markdown] tags=["lang:zh"] stem="prompt" en_sha="8fed7800"
# # d1.where_it_lands：放在哪块内存里？
#
# *核心内容，20 分钟，5 分，在 1.3 节之后*
#
# 三个你已经认识的内核一共申请了八个缓冲区。说出编译器把每一个放在哪块内存：`UB`、`L1`、`L0C` 或 `GM`。请读内核，不要看内存图：重点是能事先判断。`minicv.handover` 问的是 C 的一块从 cube 核到 vector 核的途中停在哪里。本题只作练习：分数只表示进度。

# %% tags=["setup"] stem="imports"
import inspect

from tlcourse import check, hint
from tlcourse.examples.elementwise import vector_add_developer
from tlcourse.examples.minicv import minicv_developer
from tlcourse.examples.softmax import softmax

# %% stem="kernels"
for kernel in (vector_add_developer, softmax, minicv_developer):
    print(inspect.getsource(kernel))

# %% [markdown] tags=["lang:en"] stem="spec_words"
# Replace each `?` by the memory's name. A question left open costs only itself.

# %% [markdown] tags=["lang:zh"] stem="spec_words" en_sha="95cc96da"
# 把每个 `?` 换成内存的名字。空着的题只影响它自己。


# %% nbgrader={"grade": false, "grade_id": "d1-where_it_lands-solution", "locked": false, "schema_version": 3, "solution": true, "task": false} stem="solution"
def where_it_lands():
    # vadd: a_sh, c_sh. softmax: x, total. minicv: A_sh, C_fr, D_fr, handover.
    # Form: return {"vadd.a_sh": "?", "vadd.c_sh": "?", "softmax.x": "?", ..}
    ### BEGIN SOLUTION
    return {
        "vadd.a_sh": "UB",
        "vadd.c_sh": "UB",
        "softmax.x": "UB",
        "softmax.total": "UB",
        "minicv.A_sh": "L1",
        "minicv.C_fr": "L0C",
        "minicv.D_fr": "UB",
        "minicv.handover": "GM",
    }
    ### END SOLUTION


# %% tags=["lang:en"] nbgrader={"grade": true, "grade_id": "d1-where_it_lands", "locked": true, "points": 5, "schema_version": 3, "solution": false, "task": false} stem="check"
check("d1.where_it_lands", where_it_lands)

# %% tags=["lang:zh"] nbgrader={"grade": true, "grade_id": "d1-where_it_lands", "locked": true, "points": 5, "schema_version": 3, "solution": false, "task": false} stem="check" en_sha="066ce31d"
check("d1.where_it_lands", where_it_lands, language="zh")

# %% [markdown] tags=["lang:en"] stem="help"
# Stuck? Run `hint("d1.where_it_lands")` in a new cell, once for each of three hints.

# %% [markdown] tags=["lang:zh"] stem="help" en_sha="4729db6e"
# 卡住了？在新单元格里运行 `hint("d1.where_it_lands", language="zh")`，每次给出一条提示，共三条。
