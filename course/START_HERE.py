# ---
# jupyter:
#   tlcourse:
#     id: start_here
#     title: "Start here"
#     title_zh: "从这里开始"
# ---

# %% [markdown] tags=["lang:en"] stem="welcome"
# # Start here
#
# *ten minutes*
#
# In this course you write TileLang kernels, see what the compiler makes of them, and watch them run
# on a simulated Ascend NPU. This page looks at your machine, asks eight questions without a score,
# and offers a path. 中文版：[START_HERE.zh.ipynb](START_HERE.zh.ipynb)

# %% [markdown] tags=["lang:zh"] stem="welcome" en_sha="56cb75f8"
# # 从这里开始
#
# *十分钟*
#
# 在这门课里，你要编写 TileLang 内核，查看编译器把它变成了什么，并在模拟的昇腾 NPU 上看它运行。本页先检查你的电脑，再问八个不计分的问题，最后给出一条学习路径。English：[START_HERE.ipynb](START_HERE.ipynb)

# %% [markdown] tags=["lang:en"] stem="machine"
# ## Your machine
#
# Run the cell with Shift+Enter. What the course needs is listed; what only a part of it needs comes
# with a command to paste. `tlcourse doctor` in a terminal says more.

# %% [markdown] tags=["lang:zh"] stem="machine" en_sha="0ecd9938"
# ## 你的电脑
#
# 按 Shift+Enter 运行单元格。它会列出课程必需的条目；只有部分内容才用到的，附有可直接粘贴的安装命令。在终端里运行 `tlcourse doctor` 可以看到更详细的结果。

# %% stem="doctor"
from tlcourse import answer
from tlcourse.build.start import doctor, offer_path, self_test

doctor()

# %% [markdown] tags=["lang:en"] stem="eight"
# ## Eight questions
#
# Choose first, then run the cell below the question and compare. Nothing is counted. A wrong guess
# tells you which lesson to read slowly.
#
# **1.** What does `add_one(5)` give?

# %% [markdown] tags=["lang:zh"] stem="eight" en_sha="4e10913f"
# ## 八个问题
#
# 先作选择（把 `"?"` 换成选项的字母，或点选项按钮），再运行问题下面的单元格进行比较。不计分。猜错了，就知道哪一节要慢慢读。
#
# **1.** `add_one(5)` 得到什么？

# %% tags=["lang:en"] stem="q1"
answer("start.decorator", "?")  # a: 6  b: 7  c: an error

# %% tags=["lang:zh"] stem="q1" en_sha="af20bc79"
answer("start.decorator", "?", language="zh")  # a：6  b：7  c：报错


# %% stem="run1"
def twice(function):
    return lambda x: function(function(x))


@twice
def add_one(x):
    return x + 1


add_one(5)

# %% [markdown] tags=["lang:en"] stem="closure"
# **2.** Two functions are made by one. What does `double(10)` give?

# %% [markdown] tags=["lang:zh"] stem="closure" en_sha="4620cc8a"
# **2.** 一个函数造出两个函数。`double(10)` 得到什么？

# %% tags=["lang:en"] stem="q2"
answer("start.closure", "?")  # a: 20  b: 30  c: an error

# %% tags=["lang:zh"] stem="q2" en_sha="0cd679c6"
answer("start.closure", "?", language="zh")  # a：20  b：30  c：报错


# %% stem="run2"
def scaler(factor):
    def scale(x):
        return factor * x

    return scale


double, triple = scaler(2), scaler(3)
double(10)

# %% [markdown] tags=["lang:en"] stem="slice"
# **3.** Ten numbers, and a slice past the end. How many elements has it?

# %% [markdown] tags=["lang:zh"] stem="slice" en_sha="c6504bf9"
# **3.** 十个数，一个越界的切片。它有几个元素？

# %% tags=["lang:en"] stem="q3"
answer("start.slice", "?")  # a: four  b: two  c: an error

# %% tags=["lang:zh"] stem="q3" en_sha="24167418"
answer("start.slice", "?", language="zh")  # a：四个  b：两个  c：报错

# %% stem="run3"
import torch

len(torch.arange(10)[8:12])

# %% [markdown] tags=["lang:en"] stem="matmul"
# **4.** A has 64 rows and 128 columns, B has 128 rows and 32 columns. Which shape has `A @ B`?

# %% [markdown] tags=["lang:zh"] stem="matmul" en_sha="cc4390a2"
# **4.** A 有 64 行 128 列，B 有 128 行 32 列。`A @ B` 是什么形状？

# %% tags=["lang:en"] stem="q4"
answer("start.matmul", "?")  # a: 128 x 128  b: 32 x 64  c: 64 x 32

# %% tags=["lang:zh"] stem="q4" en_sha="a100c3cd"
answer("start.matmul", "?", language="zh")  # a：128 x 128  b：32 x 64  c：64 x 32

# %% stem="run4"
(torch.ones(64, 128) @ torch.ones(128, 32)).shape

# %% [markdown] tags=["lang:en"] stem="overflow"
# **5.** exp of 300 in float32?

# %% [markdown] tags=["lang:zh"] stem="overflow" en_sha="28175565"
# **5.** 用 float32 计算 exp(300)？

# %% tags=["lang:en"] stem="q5"
answer("start.overflow", "?")  # a: about 2e130  b: infinity  c: an error

# %% tags=["lang:zh"] stem="q5" en_sha="2810d04b"
answer("start.overflow", "?", language="zh")  # a：约 2e130  b：无穷大  c：报错

# %% stem="run5"
torch.tensor(300.0).exp()

# %% [markdown] tags=["lang:en"] stem="f16"
# **6.** What is left of 2049 in float16?

# %% [markdown] tags=["lang:zh"] stem="f16" en_sha="45a6b944"
# **6.** 2049 存成 float16 之后是多少？

# %% tags=["lang:en"] stem="q6"
answer("start.f16", "?")  # a: 2048  b: 2049  c: 2050

# %% tags=["lang:zh"] stem="q6" en_sha="bb1f2f85"
answer("start.f16", "?", language="zh")  # a：2048  b：2049  c：2050

# %% stem="run6"
torch.tensor(2049.0, dtype=torch.float16).item()

# %% [markdown] tags=["lang:en"] stem="core"
# **7.** exp of a tile of 4096 numbers on this chip. Who does it? The cell runs such a kernel and
# counts the instructions of the vector unit in one block.

# %% [markdown] tags=["lang:zh"] stem="core" en_sha="c8113288"
# **7.** 在这块芯片上对 4096 个数的数据块取 exp。由谁完成？单元格会运行这样一个内核，并统计一个逻辑块里 vector 单元执行了几条指令。

# %% tags=["lang:en"] stem="q7"
answer("start.core", "?")  # a: 4096 threads  b: 32 threads, in turns  c: one vector instruction

# %% tags=["lang:zh"] stem="q7" en_sha="4f7cc82b"
answer("start.core", "?", language="zh")  # a：4096 个线程  b：32 个线程轮流  c：一条 vector 指令

# %% stem="run7"
import os

os.environ["TILELANG_ASCEND_MODE"] = "Expert"
import tilelang
import tilelang.language as T


@T.prim_func
def exp_of_a_tile(X: T.Tensor((4096,), "float32"), Y: T.Tensor((4096,), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, _):
        x = T.alloc_ub((4096,), "float32")
        T.copy(X, x)
        T.vexp(x, x)
        T.copy(x, Y)


launch = tilelang.compile(exp_of_a_tile, out_idx=[1], target="npuir").launch(
    torch.zeros(4096).npu()
)
sum(one.pipe == "V" for one in launch.timeline.instructions)

# %% [markdown] tags=["lang:en"] stem="mode"
# **8.** A kernel is compiled, and `TILELANG_ASCEND_MODE` is not set. Which mode does it get?

# %% [markdown] tags=["lang:zh"] stem="mode" en_sha="57594d98"
# **8.** 编译一个内核时没有设置 `TILELANG_ASCEND_MODE`。这时用的是哪种模式？

# %% tags=["lang:en"] stem="q8"
answer("start.mode", "?")  # a: Developer  b: Expert  c: the one that fits its text

# %% tags=["lang:zh"] stem="q8" en_sha="1a41b32e"
answer("start.mode", "?", language="zh")  # a：Developer  b：Expert  c：适合其文本的那个

# %% stem="run8"
from tlcourse.config import mode_from

mode_from("")

# %% [markdown] tags=["lang:en"] stem="compare"
# ## Where it comes up
#
# The next cell lists your choices beside what the cells showed, and the lesson that works with each.

# %% [markdown] tags=["lang:zh"] stem="compare" en_sha="e54491b4"
# ## 在哪里会用到
#
# 下一个单元格列出你的选择和运行结果，以及用到各个知识点的课。

# %% tags=["lang:en"] stem="listed"
self_test()

# %% tags=["lang:zh"] stem="listed" en_sha="17a9fa22"
self_test(language="zh")

# %% [markdown] tags=["lang:en"] stem="path_words"
# ## Your path
#
# How much time have you, and what do you know? Write one of each: `five_days`, `five_evenings` or
# `twelve_weeks`; `python`, `torch` or `cuda`.

# %% [markdown] tags=["lang:zh"] stem="path_words" en_sha="0c00ec28"
# ## 你的路径
#
# 你有多少时间，已经会什么？各写一个：`five_days`（五天）、`five_evenings`（五个晚上）或 `twelve_weeks`（十二周）；`python`、`torch` 或 `cuda`。

# %% tags=["lang:en"] stem="path"
offer_path("five_days", "torch")

# %% tags=["lang:zh"] stem="path" en_sha="bc0c595f"
offer_path("five_days", "torch", language="zh")

# %% [markdown] tags=["lang:en"] stem="days"
# ## The days
#
# Each day has a page with its lessons, its exercises and your progress:
# [day 1](days/day1.ipynb), [day 2](days/day2.ipynb), [day 3](days/day3.ipynb),
# [day 4](days/day4.ipynb), [day 5](days/day5.ipynb).
#
# Stuck in an exercise? `hint("d2.minicv")` in a cell gives a hint. In a terminal
# `tlcourse reset d2.minicv` gives the untouched exercise back and keeps yours, and
# `tlcourse checkpoint d4.sync` goes on from the reference of the step before.

# %% [markdown] tags=["lang:zh"] stem="days" en_sha="0254e1c6"
# ## 五天
#
# 每天有一页，列出课、练习和你的进展：[第 1 天](days/day1.zh.ipynb)、[第 2 天](days/day2.zh.ipynb)、[第 3 天](days/day3.zh.ipynb)、[第 4 天](days/day4.zh.ipynb)、[第 5 天](days/day5.zh.ipynb)。
#
# 做练习卡住了？在单元格里运行 `hint("d2.minicv", language="zh")` 得到一条提示。在终端里，`tlcourse reset --zh d2.minicv` 还原练习并保留你的版本，`tlcourse checkpoint --zh d4.sync` 从上一步的参考解继续。
