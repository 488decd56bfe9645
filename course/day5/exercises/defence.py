# ---
# jupyter:
#   tlcourse:
#     id: d5.defence
# ---

# %% [markdown] tags=["lang:en"] stem="prompt"
# # d5.defence: defend your capstone
#
# *deep, 30 minutes, 10 points, after lesson 4.9 and your own d5.capstone*
#
# Write **one page** on the kernel that you handed in: what bounds it, what you tried, what is left.
# A person reads it. Every claim rests on a figure of your own timeline: a pipe and its busy cycles,
# a wait, a number before and after a change.

# %% [markdown] tags=["lang:zh"] stem="prompt" en_sha="069f6324"
# # d5.defence：为你的综合题答辩
#
# *深入内容，30 分钟，10 分，在 4.9 节和你自己的 d5.capstone 之后*
#
# 就你提交的内核写**一页**：什么限制了它，你试过什么，还剩下什么。由人评阅。每个论断都要有你自己的时间线上的数据：一条流水线及其忙碌周期，一次等待，或改动前后的数字。

# %% [markdown] tags=["lang:en"] stem="rubric"
# | points | for |
# |---|---|
# | 3 | what bounds the kernel: a pipe by name, with its share of the cycles |
# | 3 | two changes that you tried, each with cycles before and after; one that did not help counts |
# | 2 | what is left: what an ideal kernel would need, and what keeps yours from it |
# | 2 | the figures fit the kernel that you handed in, and the page reads without it |

# %% [markdown] tags=["lang:zh"] stem="rubric" en_sha="8f7a8313"
# | 分数 | 内容 |
# |---|---|
# | 3 | 什么限制了内核：说出流水线的名字和它占周期的比例 |
# | 3 | 试过的两处改动，各有改动前后的周期数；没有帮助的改动也算 |
# | 2 | 还剩下什么：理想的内核需要多少周期，你的为什么达不到 |
# | 2 | 数据与提交的内核一致，不看内核也能读懂 |

# %% [markdown] tags=["lang:en"] stem="figures_words"
# For the figures, run your capstone in its own notebook with `show_timeline(kernel)`, or write it to
# a file and use `tlcourse profile`. Double-click the cell below, replace its text with your page.

# %% [markdown] tags=["lang:zh"] stem="figures_words" en_sha="00e7a562"
# 要得到数据，在综合题的笔记本里运行 `show_timeline(kernel)`，或把内核写进文件，用 `tlcourse profile`。双击下面的单元格，把其中的文字换成你写的一页。

# %% [markdown] nbgrader={"grade": true, "grade_id": "d5-defence", "locked": false, "points": 10, "schema_version": 3, "solution": true, "task": false} stem="solution"
# <!-- BEGIN SOLUTION -->
# An answer that earns all points names its figures like this; yours has those of your own kernel.
#
# *What bounds it.* The cube pipe M is busy for most of the run; MTE2 has its gaps filled. So the
# product bounds the kernel, not the memory.
#
# *What I tried.* Double buffers for the tiles of B: fewer cycles, since loads ran during products.
# Larger tiles along K: no change, since M was the bound already.
#
# *What is left.* The first load and the last store cannot overlap with anything. An ideal kernel
# would have nothing else on the timeline; mine also waits where the vector cores scale the result.
# <!-- END SOLUTION -->

# %% [markdown] tags=["lang:en"] stem="help"
# Stuck? Run `hint("d5.defence")` in a cell with `from tlcourse import hint`; there are three hints.

# %% [markdown] tags=["lang:zh"] stem="help" en_sha="e0ece3d6"
# 卡住了？在含有 `from tlcourse import hint` 的单元格里运行 `hint("d5.defence", language="zh")`，共三条提示。
