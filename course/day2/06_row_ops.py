# ---
# jupyter:
#   tlcourse:
#     id: d2.row_ops
#     title: "2.6 Softmax: element loops and row reductions"
#     title_zh: "2.6 Softmax：逐元素循环与行归约"
#     track: core
#     minutes: 50
#     needs: [d2.copy]
# ---

# %% [markdown] tags=["lang:en", "lecture"] stem="goals"
# # 2.6 Softmax: element loops and row reductions
#
# *core, 50 minutes, needs lesson 2.3*
#
# You will be able to
# - write element by element with `T.Parallel`, and find the vector operations behind it,
# - reduce the rows of a tile with `reduce_max`, `reduce_sum` and `reduce`,
# - build a softmax of any number of rows from these two tools,
# - say why the maximum is taken away before `exp`.

# %% [markdown] tags=["lang:zh", "lecture"] stem="goals" en_sha="f26eea00"
# # 2.6 Softmax：逐元素循环与行归约
#
# *核心内容，50 分钟，先修 2.3 节*
#
# 学完后你能够
# - 用 `T.Parallel` 逐元素地写，并找到它背后的向量运算；
# - 用 `reduce_max`、`reduce_sum` 和 `reduce` 对数据块的行做**归约**（reduce）；
# - 用这两样工具写出任意行数的 softmax；
# - 说明为什么在 `exp` 之前要减去最大值。

# %% tags=["setup"] stem="imports"
import os

os.environ["TILELANG_ASCEND_MODE"] = "Developer"
from tlcourse import check, hint, answer, progress, show_passes, show_timeline, show_memory
import tilelang
import tilelang.language as T
import torch

# %% [markdown] tags=["lang:en", "lecture"] stem="element_words"
# ## First tool: the element loop
#
# One tile of 8 rows and 512 columns. Inside `T.Parallel` stands what happens to one element, with
# `+ - * /` and functions such as `T.exp`, as in Python. `m` has one column: `m[i, 0]` serves the
# whole row. How many threads does this loop start?

# %% [markdown] tags=["lang:zh", "lecture"] stem="element_words" en_sha="cdedb785"
# ## 第一样工具：逐元素循环
#
# 一个 8 行 512 列的数据块。`T.Parallel` 里写一个元素怎么算，用 `+ - * /` 和 `T.exp` 这样的函数，与 Python 一样。`m` 只有一列：`m[i, 0]` 供整行使用。这个循环会启动多少个线程？

# %% tags=["lang:en"] stem="p1"
answer("d2.row_ops.p1", "?")  # a: 4096  b: 8  c: none

# %% tags=["lang:zh"] stem="p1" en_sha="151c8af6"
answer("d2.row_ops.p1", "?", language="zh")  # a：4096  b：8  c：一个也没有


# %% tags=["reveal", "lecture", "kp:K102", "kp:K122", "kp:K126", "kp:K127"] stem="elements"
@tilelang.jit(out_idx=[2], target="npuir")
def shifted_exp(M=8, N=512):
    @T.prim_func
    def rows(
        A: T.Tensor((M, N), "float32"),
        m: T.Tensor((M, 1), "float32"),
        C: T.Tensor((M, N), "float32"),
    ):
        with T.Kernel(1, is_npu=True) as (cid, _):
            a = T.alloc_shared((M, N), "float32")
            top = T.alloc_shared((M, 1), "float32")
            T.copy(A, a)
            T.copy(m, top)
            for i, j in T.Parallel(M, N):
                a[i, j] = T.exp(a[i, j] - top[i, 0])
            T.copy(a, C)

    return rows


tile = torch.randn(8, 512, generator=torch.Generator().manual_seed(0))
highest = tile.amax(dim=1, keepdim=True)
elements = shifted_exp()
E = elements(tile.npu(), highest.npu()).cpu()
print("right:", torch.allclose(E, (tile - highest).exp(), atol=1e-4, rtol=1e-4))

# %% tags=["lang:en", "kp:K122"] stem="show_passes"
show_passes(elements)

# %% tags=["lang:zh", "kp:K122"] stem="show_passes" en_sha="68e63d6b"
show_passes(elements, language="zh")

# %% [markdown] tags=["lang:en"] stem="element_rule"
# No threads: the loop is a way of writing. `NpuLoopVectorize` made vector operations of it, one
# for the difference and one for `exp`, each over the whole tile. The row of `m` is broadcast on
# the way. You wrote no address, no mask and no stride.

# %% [markdown] tags=["lang:zh"] stem="element_rule" en_sha="5a6e11eb"
# 没有线程：循环只是一种写法。`NpuLoopVectorize` 把它变成向量运算，减法一条、`exp` 一条，各自作用于整个数据块。`m` 的一列在途中扩展到整行。你没有写地址、掩码和步长。

# %% tags=["kp:K103"] stem="triton"
IN_TRITON = """
row = tl.program_id(0)
columns = tl.arange(0, 512)
where = row * stride + columns
inside = columns < n_columns
x = tl.load(x_ptr + where, mask=inside, other=-float("inf"))
x = tl.exp(x - tl.max(x, axis=0))
x = x / tl.sum(x, axis=0)
tl.store(y_ptr + where, x, mask=inside)
"""
trace = elements.trace()
last = trace.texts[trace.snapshots[-1].text_id]
work = [op for op in ("vsub", "vexp", "vbrc") if f"hivm.hir.{op}" in last]
addresses = [line for line in IN_TRITON.splitlines() if "where" in line or "inside" in line]
print("one tile:", work, " lines with addresses or masks in Triton:", len(addresses))

# %% [markdown] tags=["lang:en", "lecture"] stem="reduce_words"
# ## Second tool: many to few
#
# A reduction takes a row of numbers to one. `T.reduce_max(a, m, dim=1)` writes the maximum of each
# row of `a` to `m`. The general form is `T.reduce(a, m, dims=[1], reduce_mode="max")`. One takes
# `dim`, the other `dims`; the wrong word comes first.

# %% [markdown] tags=["lang:zh", "lecture"] stem="reduce_words" en_sha="8ecde8f4"
# ## 第二样工具：由多到少
#
# 归约把一行数变成一个数。`T.reduce_max(a, m, dim=1)` 把 `a` 每行的最大值写到 `m`。一般的写法是 `T.reduce(a, m, dims=[1], reduce_mode="max")`。一个用 `dim`，另一个用 `dims`；先看用错的那个词。


# %% tags=["kp:K132", "kp:K133", "kp:K134", "kp:K137", "kp:K139"] stem="reductions"
def row_maximum(form):
    @T.prim_func
    def rows(A: T.Tensor((8, 512), "float32"), C: T.Tensor((8, 1), "float32")):
        with T.Kernel(1, is_npu=True) as (cid, _):
            a = T.alloc_shared((8, 512), "float32")
            m = T.alloc_shared((8, 1), "float32")
            T.copy(A, a)
            if form == "reduce_max, dims":
                T.reduce_max(a, m, dims=1)
            if form == "reduce_max, dim":
                T.reduce_max(a, m, dim=1)
            if form == "reduce, dims":
                T.reduce(a, m, dims=[1], reduce_mode="max")
            T.copy(m, C)

    return tilelang.compile(rows, target="npuir", out_idx=[1])


from tlcourse.diagnostics import TLError

maxima = {}
for form in ("reduce_max, dims", "reduce_max, dim", "reduce, dims"):
    try:
        maxima[form] = torch.equal(row_maximum(form)(tile.npu()).cpu(), highest)
    except TLError as problem:
        maxima[form] = problem.diagnostic.code
        print(problem.diagnostic.fix)
print(maxima)

# %% tags=["lang:en"] stem="show_row"
from tlcourse.widgets.grid import MatrixTiles

MatrixTiles(128, 512, 8, 512, block=3)

# %% tags=["lang:zh"] stem="show_row" en_sha="392e9a1e"
from tlcourse.widgets.grid import MatrixTiles

MatrixTiles(128, 512, 8, 512, block=3, language="zh")

# %% [markdown] tags=["lang:en", "lecture"] stem="softmax_words"
# ## Softmax, stage 1: three holes
#
# Softmax of a row is `exp(x) / sum(exp(x))`. Of 128 rows, each tile holds 8. Three lines are
# missing: the maximum of each row, the difference in front of `exp`, the quotient at the end.
# Which tools do they take? Write the three lines on paper, then run the cell.

# %% [markdown] tags=["lang:zh", "lecture"] stem="softmax_words" en_sha="59d15785"
# ## Softmax，第 1 步：三个空
#
# 一行的 softmax 是 `exp(x) / sum(exp(x))`。共 128 行，每个数据块 8 行。缺三行：每行的最大值、`exp` 之前的减法、最后的除法。它们要用哪些工具？先在纸上写出这三行，再运行单元格。

# %% tags=["lang:en"] stem="drill1"
answer("d2.row_ops.drill1", "?")  # the three lines, with ; between them

# %% tags=["lang:zh"] stem="drill1" en_sha="155283f2"
answer("d2.row_ops.drill1", "?", language="zh")  # 三行代码，用分号隔开


# %% tags=["reveal", "lecture", "kp:K101", "kp:K112"] stem="softmax"
@tilelang.jit(out_idx=[1], target="npuir")
def row_softmax(M, N, rows=8, blocks=4, shifted=True):
    @T.prim_func
    def softmax(A: T.Tensor((M, N), "float32"), C: T.Tensor((M, N), "float32")):
        with T.Kernel(blocks, is_npu=True) as (cid, _):
            a = T.alloc_shared((rows, N), "float32")
            m = T.alloc_shared((rows, 1), "float32")
            s = T.alloc_shared((rows, 1), "float32")
            for t in T.serial(M // rows // blocks):
                top = (t * blocks + cid) * rows
                T.copy(A[top : top + rows, :], a)
                if shifted:
                    T.reduce_max(a, m, dim=1)
                    for i, j in T.Parallel(rows, N):
                        a[i, j] = a[i, j] - m[i, 0]
                for i, j in T.Parallel(rows, N):
                    a[i, j] = T.exp(a[i, j])
                T.reduce_sum(a, s, dim=1)
                for i, j in T.Parallel(rows, N):
                    a[i, j] = a[i, j] / s[i, 0]
                T.copy(a, C[top : top + rows, :])

    return softmax


def close(got, want):
    return torch.allclose(got.cpu(), want, atol=1e-4, rtol=1e-4)


X = torch.randn(128, 512, generator=torch.Generator().manual_seed(1))
softmax = row_softmax(128, 512)
print("right:", close(softmax(X.npu()), X.softmax(dim=1)))

# %% [markdown] tags=["lang:en"] stem="loop_words"
# ## Stage 2: the loop over row tiles
#
# 16 tiles, four blocks: each block takes every fourth tile in a loop, `T.serial`. All lanes below
# belong to one block. The tile of the next trip is loaded while this one is computed; the
# compiler has seen to that.

# %% [markdown] tags=["lang:zh"] stem="loop_words" en_sha="3b3b5f19"
# ## 第 2 步：对行数据块的循环
#
# 16 个数据块，四个逻辑块：每个逻辑块用 `T.serial` 循环处理编号依次相差 4 的数据块。下面的泳道都属于同一个逻辑块。本次计算时，下一次要用的数据块已在载入；这是编译器安排的。

# %% tags=["lang:en"] stem="show_timeline"
show_timeline(softmax)

# %% tags=["lang:zh"] stem="show_timeline" en_sha="e2950c9b"
show_timeline(softmax, language="zh")

# %% [markdown] tags=["lang:en", "lecture"] stem="shift_words"
# ## Why take the maximum away?
#
# The formula does not ask for it: a factor that all terms share falls out of the quotient. So the
# lines cost time for nothing. Leave them out, and add 300 to every input. What becomes of C?

# %% [markdown] tags=["lang:zh", "lecture"] stem="shift_words" en_sha="4760cf4b"
# ## 为什么要减去最大值？
#
# 公式并没有要求：各项共有的因子在商里会消掉。所以这几行似乎白费时间。把它们去掉，并给每个输入加上 300。C 会变成什么？

# %% tags=["lang:en"] stem="p2"
answer("d2.row_ops.p2", "?")  # a: the same as before  b: another softmax  c: not a number

# %% tags=["lang:zh"] stem="p2" en_sha="7a80dbd7"
answer("d2.row_ops.p2", "?", language="zh")  # a：和之前一样  b：另一个 softmax  c：不是数

# %% tags=["reveal"] stem="no_shift"
high = X + 300
same = close(softmax(high.npu()), X.softmax(dim=1))
plain = row_softmax(128, 512, shifted=False)
low_right = close(plain(X.npu()), X.softmax(dim=1))
launch = plain.launch(high.npu())
print("with the maximum taken away:", same)
print(
    "without, near 0:",
    low_right,
    " without, near 300:",
    launch.outputs[0].cpu().isnan().all().item(),
)
for finding in launch.findings:
    print(finding.diagnostic.code, finding.diagnostic.what)

# %% [markdown] tags=["lang:en"] stem="shift_rule"
# Mathematically it is the same softmax; in float32 `exp(300)` is infinite, and infinity by
# infinity is not a number. Less the maximum no exponent is above 0. The report names the first
# place where infinity arises. Rule: **take the maximum away before exp, always.**

# %% [markdown] tags=["lang:zh"] stem="shift_rule" en_sha="d3cbf7d3"
# 数学上是同一个 softmax；但在 float32 里 `exp(300)` 是无穷大，无穷大除以无穷大得到 NaN（不是数）。减去最大值后，指数都不大于 0。报告指出了无穷大最先出现的地方。规则：**在 exp 之前总要减去最大值。**

# %% tags=["lang:en"] stem="show_memory"
show_memory(softmax)

# %% tags=["lang:zh"] stem="show_memory" en_sha="2adc37bc"
show_memory(softmax, language="zh")

# %% [markdown] tags=["lang:en", "lecture"] stem="recap"
# ## Recap
#
# - `T.Parallel` is a way of writing; the compiler makes vector operations of it, no threads.
# - `reduce_max` and `reduce_sum` take `dim`, `reduce` takes `dims` and a mode.
# - Softmax of a tile: maximum, difference, exp, sum, quotient; without the maximum it overflows.
#
# **Exercise:** [d2.softmax](../../exercises/day2/softmax.ipynb), from a blank page; rows larger than
# UB in [d2.softmax_two_pass](../../exercises/day2/softmax_two_pass.ipynb).

# %% [markdown] tags=["lang:zh", "lecture"] stem="recap" en_sha="09b4231b"
# ## 小结
#
# - `T.Parallel` 只是一种写法；编译器把它变成向量运算，没有线程。
# - `reduce_max` 和 `reduce_sum` 用 `dim`，`reduce` 用 `dims` 和归约方式。
# - 一个数据块的 softmax：最大值、减法、exp、求和、除法；不减最大值就会溢出。
#
# **练习：** [d2.softmax](../../../exercises/zh/day2/softmax.ipynb)，从零写起；比 UB 还大的行见 [d2.softmax_two_pass](../../../exercises/zh/day2/softmax_two_pass.ipynb)。

# %% tags=["golden"] stem="golden"
# What the text says holds in the outputs.
assert torch.allclose(E, (tile - highest).exp(), atol=1e-4, rtol=1e-4)
assert work == ["vsub", "vexp", "vbrc"]
assert maxima == {"reduce_max, dims": "TL109", "reduce_max, dim": True, "reduce, dims": True}
assert same
assert low_right
assert launch.outputs[0].cpu().isnan().all()
assert [finding.diagnostic.code for finding in launch.findings] == ["TL509"]
