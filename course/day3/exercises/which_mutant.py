# ---
# jupyter:
#   tlcourse:
#     id: d3.which_mutant
# ---

# %% [markdown] tags=["lang:en"] stem="prompt"
# # d3.which_mutant: five broken copies
#
# *more, 15 minutes, 5 points, after lesson 3.2*
#
# An online softmax in torch, and five copies, A to E, in each of which **one line** is wrong. You do
# not see the copies, only what they make of five rows (v is all ones, so 1 is right). Say of each copy
# which line is wrong, and how. This is practice.

# %% [markdown] tags=["lang:zh"] stem="prompt" en_sha="d57dfcc8"
# # d3.which_mutant：五个坏掉的副本
#
# *进阶内容，15 分钟，5 分，在 3.2 节之后*
#
# 一个用 torch 写的在线 softmax，以及五个副本 A 到 E，每个副本里**有一行**是错的。你看不到副本的代码，只能看到它们在五行数上的结果（v 全是 1，所以正确结果是 1）。说出每个副本哪一行错了，错在哪里。本题只作练习，班级评分时不计入。

# %% tags=["setup"] stem="imports"
import torch

from tlcourse import check, hint
from tlcourse.examples.online_mutants import numbered, softmax, symptoms

# %% stem="copies"
print(numbered())
print()
for row, made in symptoms().items():
    print(f"{row:28}", *(f"{letter} {number:5.3f} " for letter, number in made.items()))

# %% [markdown] tags=["lang:en"] stem="spec_words"
# `softmax("A")(x, v, block)` runs a copy on rows of your own. Write the number of the line, a comma and
# a cause: `start`, `own block` (maximum of one block only), `inverted` (the factor), `sum` or `output`
# (not rescaled), `last block`, `division`.

# %% [markdown] tags=["lang:zh"] stem="spec_words" en_sha="02513187"
# `softmax("A")(x, v, block)` 用你自己的行运行一个副本。写行号、逗号、原因：`start`（起始值）、`own block`（只取本块的最大值）、`inverted`（系数颠倒）、`sum` 或 `output`（没有修正和、输出）、`last block`（最后一块）、`division`（除法）。


# %% nbgrader={"grade": false, "grade_id": "d3-which_mutant-solution", "locked": false, "schema_version": 3, "solution": true, "task": false} stem="solution"
def which_mutant():
    # Line and cause of each copy, for example "5, last block".
    # Form: return {"A": "?", "B": "?", "C": "?", "D": "?", "E": "?"}
    ### BEGIN SOLUTION
    return {
        "A": "10, sum",
        "B": "2, start",
        "C": "8, inverted",
        "D": "11, output",
        "E": "7, own block",
    }
    ### END SOLUTION


# %% tags=["lang:en"] nbgrader={"grade": true, "grade_id": "d3-which_mutant", "locked": true, "points": 5, "schema_version": 3, "solution": false, "task": false} stem="check"
check("d3.which_mutant", which_mutant)

# %% tags=["lang:zh"] nbgrader={"grade": true, "grade_id": "d3-which_mutant", "locked": true, "points": 5, "schema_version": 3, "solution": false, "task": false} stem="check" en_sha="e3785a58"
check("d3.which_mutant", which_mutant, language="zh")

# %% [markdown] tags=["lang:en"] stem="help"
# Stuck? Run `hint("d3.which_mutant")` in a new cell, once for each of three hints.

# %% [markdown] tags=["lang:zh"] stem="help" en_sha="9c6e7333"
# 卡住了？在新单元格里运行 `hint("d3.which_mutant", language="zh")`，每次给出一条提示，共三条。
