# ---
# jupyter:
#   tlcourse:
#     id: d2.reduce
#     title: "2.8 Reductions in depth"
#     title_zh: "2.8 深入归约"
#     track: more
#     minutes: 25
#     needs: [d2.row_ops]
# ---

# %% [markdown] tags=["lang:en", "lecture"] stem="goals"
# # 2.8 Reductions in depth
#
# *more, 25 minutes, needs lesson 2.6*
#
# You will be able to
# - take sum, maximum and minimum along any dimension, in the long and in the short form,
# - reduce only a part of a tile with `size`,
# - carry a result from tile to tile with `clear=False`, from a start that you wrote,
# - say why a **sum** has no defined order, and how far a float16 sum may be off.

# %% [markdown] tags=["lang:zh", "lecture"] stem="goals" en_sha="0ab22f3b"
# # 2.8 深入归约
#
# *进阶内容，25 分钟，先修 2.6 节*
#
# 学完后你能够
# - 沿任意维度求和、求最大值、求最小值，长写法和短写法都会；
# - 用 `size` 只归约数据块的一部分；
# - 用 `clear=False` 把结果从一个数据块带到下一个，起点由你写好；
# - 说明为什么**求和**（sum）没有确定的次序，float16 的和会差多远。

# %% tags=["setup"] stem="imports"
import os

os.environ["TILELANG_ASCEND_MODE"] = "Developer"
from tlcourse import check, hint, answer, progress, show_passes, show_timeline, show_memory
import tilelang
import tilelang.language as T
import torch

# %% [markdown] tags=["lang:en", "lecture"] stem="forms_words"
# ## Many to few, in two forms
#
# A tile of 64 x 300. The long form is `T.reduce(x, s, dims=[1], reduce_mode="sum")`: `dims` may name
# several dimensions, and each of them shrinks to 1 in `s`. The short forms `reduce_sum`,
# `reduce_max`, `reduce_min` take one dimension, `dim`. All become `vreduce`. It needs a scratch tile
# that you never wrote: the memory map shows it as a second, larger `s`.

# %% [markdown] tags=["lang:zh", "lecture"] stem="forms_words" en_sha="1d07adaf"
# ## 由多到少，两种写法
#
# 一个 64 x 300 的数据块。长写法是 `T.reduce(x, s, dims=[1], reduce_mode="sum")`：`dims` 可以写几个维度，每一个在 `s` 里都缩成 1。短写法 `reduce_sum`、`reduce_max`、`reduce_min` 只接受一个维度 `dim`。它们都变成 `vreduce`。它需要一个你没有写过的临时数据块（scratch）：在内存图里是第二个、更大的 `s`。


# %% tags=["lecture", "kp:K132", "kp:K133", "kp:K134", "kp:K137", "kp:K138", "kp:K139"] stem="forms"
os.environ["TILELANG_ASCEND_DEVICE_NAME"] = "Ascend910B1"  # all sizes and times are of this chip
M, N = 64, 300


def reduced(shape, call):
    @T.prim_func
    def kernel(X: T.Tensor((M, N), "float32"), Y: T.Tensor(shape, "float32")):
        with T.Kernel(1, is_npu=True) as (cid, _):
            x, s = T.alloc_shared((M, N), "float32"), T.alloc_shared(shape, "float32")
            T.copy(X, x)
            call(x, s)
            T.copy(s, Y)

    return tilelang.compile(kernel, target="npuir", out_idx=[1])


X = torch.randn(M, N, generator=torch.Generator().manual_seed(0))
rows, columns, one = (M, 1), (1, N), (1, 1)
forms = {
    "reduce_sum, dim=1": (rows, lambda x, s: T.reduce_sum(x, s, dim=1), X.sum(1)),
    "reduce_max, dim=1": (rows, lambda x, s: T.reduce_max(x, s, dim=1), X.amax(1)),
    "reduce_min, dim=1": (rows, lambda x, s: T.reduce_min(x, s, dim=1), X.amin(1)),
    "reduce max, dims=[1]": (rows, lambda x, s: T.reduce(x, s, [1], "max"), X.amax(1)),
    "reduce sum, dims=[0]": (columns, lambda x, s: T.reduce(x, s, [0], "sum"), X.sum(0)),
    "reduce sum, dims=[0, 1]": (one, lambda x, s: T.reduce(x, s, [0, 1], "sum"), X.sum()),
}
right, kernels = {}, {}
for name, (shape, call, want) in forms.items():
    kernels[name] = reduced(shape, call)
    got = kernels[name](X.npu()).cpu().flatten()
    right[name] = torch.allclose(got, want.flatten(), atol=1e-4, rtol=1e-4)
    last = kernels[name].get_kernel_source()
    line = next(line for line in last.splitlines() if "hivm.hir.vreduce" in line)
    print(f"{name:24} right {right[name]}, {line.split('ins(')[0].strip()}")

# %% tags=["lang:en"] stem="show_memory"
show_memory(kernels["reduce_sum, dim=1"])

# %% tags=["lang:zh"] stem="show_memory" en_sha="0192cb73"
show_memory(kernels["reduce_sum, dim=1"], language="zh")

# %% [markdown] tags=["lang:en"] stem="size_words"
# ## A tail of 44 columns
#
# Now a row comes in tiles of 64 x 256, as if it were long. The second tile has 300 - 256 = 44
# columns of data; the rest of it nobody wrote. First the plain call on that tile, then `size`: the
# extents of the box that counts, from the tile's first element.

# %% [markdown] tags=["lang:zh"] stem="size_words" en_sha="32beed70"
# ## 44 列的尾块
#
# 现在假设一行很长，分成 64 x 256 的数据块送来。第二块只有 300 - 256 = 44 列数据，其余部分没有人写过。先对这一块直接归约，再用 `size`：它给出从数据块第一个元素起、要计入的方框的大小。

# %% tags=["lang:en"] stem="show_box"
from tlcourse.widgets.grid import MatrixTiles

MatrixTiles(64, 300, 64, 256)

# %% tags=["lang:zh"] stem="show_box" en_sha="cd82003c"
from tlcourse.widgets.grid import MatrixTiles

MatrixTiles(64, 300, 64, 256, language="zh")


# %% tags=["lecture", "kp:K136"] stem="size"
def tail_sum(size):
    @T.prim_func
    def kernel(X: T.Tensor((M, N), "float32"), Y: T.Tensor((M, 1), "float32")):
        with T.Kernel(1, is_npu=True) as (cid, _):
            x, s = T.alloc_shared((M, 256), "float32"), T.alloc_shared((M, 1), "float32")
            T.copy(X[:, 256:N], x[:, 0 : N - 256])
            T.reduce_sum(x, s, dim=1, size=size)
            T.copy(s, Y)

    return tilelang.compile(kernel, target="npuir", out_idx=[1])


tails = {}
for size in (None, [M, N - 256]):
    launch = tail_sum(size).launch(X.npu())
    got = launch.outputs[0].cpu().flatten()
    same = torch.allclose(got, X[:, 256:].sum(1), atol=1e-4, rtol=1e-4)
    tails[str(size)] = same, [finding.diagnostic.code for finding in launch.findings]
    print(f"size={size}: right {same}, row 0 is {got[0]:.3f}", *tails[str(size)][1])

# %% [markdown] tags=["lang:en", "lecture"] stem="clear_words"
# ## From tile to tile
#
# One tile is not the row: the sums of two tiles must meet. `clear=False` leaves out the step that
# empties `s` first. Somebody saw this, thought it saves time, and wrote it for a single tile, where
# `s` has just been allocated. What will stand in Y?

# %% [markdown] tags=["lang:zh", "lecture"] stem="clear_words" en_sha="fc531376"
# ## 从一个数据块到下一个
#
# 一个数据块不是整行：两个数据块的和必须合起来。`clear=False` 去掉了先清空 `s` 的那一步。有人看到后觉得这样省时间，就在只有一个数据块、`s` 刚分配好的内核里写了它。Y 里会是什么？

# %% tags=["lang:en"] stem="p1"
answer("d2.reduce.p1", "?")  # a: the sums, a little sooner  b: sums plus what s held  c: zeros

# %% tags=["lang:zh"] stem="p1" en_sha="9cdc8eed"
answer("d2.reduce.p1", "?", language="zh")  # a：各行的和，快一点  b：和加上 s 原有的内容  c：零

# %% tags=["reveal", "lecture", "kp:K135"] stem="clear"
cleared = reduced(rows, lambda x, s: T.reduce_sum(x, s, dim=1)).launch(X.npu())
unfilled = reduced(rows, lambda x, s: T.reduce_sum(x, s, dim=1, clear=False)).launch(X.npu())
Y = unfilled.outputs[0].cpu()
print(f"clear=True  {cleared.timeline.cycles:,} cycles")
print(f"clear=False {unfilled.timeline.cycles:,} cycles, NaN in {Y.isnan().sum()} of {M} rows")
for finding in unfilled.findings:
    print(finding.diagnostic.code, finding.diagnostic.what)

# %% tags=["lang:en", "reveal"] stem="show_clear"
show_timeline(cleared.timeline, unfilled.timeline)

# %% tags=["lang:zh", "reveal"] stem="show_clear" en_sha="7734eb9a"
show_timeline(cleared.timeline, unfilled.timeline, language="zh")

# %% [markdown] tags=["lang:en"] stem="clear_rule"
# `clear=False` **adds to what is there**, with an addition of its own: it takes longer, not
# shorter. Nobody had filled `s`, so the sum met what the memory held: NaN in the simulator, anything
# on a chip. Rule: **write the start, then add.** For a maximum the start is minus infinity.

# %% [markdown] tags=["lang:zh"] stem="clear_rule" en_sha="2d2f9e7c"
# `clear=False` 是**加到已有的内容上**，为此多做一次加法：它更慢，而不是更快。`s` 没有人填过，所以和遇到的是内存里残留的东西：在模拟器里是 NaN，在芯片上可能是任何数。规则：**先写好起点，再往上加**；求最大值时，起点是负无穷。


# %% tags=["lecture", "kp:K135", "kp:K136", "kp:K138"] stem="row_of_tiles"
def sum_and_max(M, N, width=256):
    @T.prim_func
    def kernel(
        X: T.Tensor((M, N), "float32"),
        S: T.Tensor((M, 1), "float32"),
        H: T.Tensor((M, 1), "float32"),
    ):
        with T.Kernel(1, is_npu=True) as (cid, _):
            x = T.alloc_shared((M, width), "float32")
            s, h = T.alloc_shared((M, 1), "float32"), T.alloc_shared((M, 1), "float32")
            T.clear(s)
            T.fill(h, -T.infinity("float32"))
            for k in T.serial(T.ceildiv(N, width)):
                here = T.min(width, N - k * width)
                T.copy(X[:, k * width : k * width + here], x[:, 0:here])
                T.reduce_sum(x, s, dim=1, size=[M, here], clear=False)
                T.reduce_max(x, h, dim=1, size=[M, here], clear=False)
            T.copy(s, S)
            T.copy(h, H)

    return tilelang.compile(kernel, target="npuir", out_idx=[1, 2])


both = sum_and_max(M, N).launch(X.npu())
S, H = (tensor.cpu().flatten() for tensor in both.outputs)
print("sums:", torch.allclose(S, X.sum(1), atol=1e-4, rtol=1e-4), " maxima:", torch.equal(H, X.amax(1)),
      " findings:", len(both.findings))  # fmt: skip

# %% [markdown] tags=["lang:en", "lecture"] stem="order_words"
# ## In which order?
#
# A maximum is the same in any order. A sum in floating point is not: each addition rounds. 4096
# times 0.1 is to be added in float16; near 400 its neighbours are 0.25 apart. How far off may the
# sum be, if the numbers are added one after the other?

# %% [markdown] tags=["lang:zh", "lecture"] stem="order_words" en_sha="3a75dca7"
# ## 按什么次序？
#
# 最大值与次序无关。浮点数的和却有关：每次加法都要舍入。现在用 float16 把 4096 个 0.1 加起来；在 400 附近，相邻两个 float16 数相差 0.25。如果一个接一个地加，结果会差多远？

# %% tags=["lang:en"] stem="p2"
answer("d2.reduce.p2", "?")  # a: by 0.25 at most  b: by a few times 0.25  c: by more than 100

# %% tags=["lang:zh"] stem="p2" en_sha="664a0c00"
answer("d2.reduce.p2", "?", language="zh")  # a：最多差 0.25  b：差几个 0.25  c：差 100 以上


# %% tags=["reveal", "lecture", "kp:K132"] stem="order"
def tenths(width, dtype):  # each tile is summed by the chip, the tiles one after the other
    @T.prim_func
    def kernel(X: T.Tensor((1, 4096), dtype), Y: T.Tensor((1, 1), dtype)):
        with T.Kernel(1, is_npu=True) as (cid, _):
            x, s = T.alloc_shared((1, width), dtype), T.alloc_shared((1, 1), dtype)
            T.clear(s)
            for k in T.serial(4096 // width):
                T.copy(X[:, k * width : (k + 1) * width], x)
                T.reduce_sum(x, s, dim=1, clear=False)
            T.copy(s, Y)

    return tilelang.compile(kernel, target="npuir", out_idx=[1])


sums = {}
for dtype in ("float16", "float32"):
    numbers = torch.full((1, 4096), 0.1).to(getattr(torch, dtype))
    exact = numbers.double().sum().item()
    for width in (1, 16, 64, 4096):
        run = tenths(width, dtype).launch(numbers.npu(), execution="functional")
        sums[dtype, width] = run.outputs[0].cpu().item(), exact
        print(f"{dtype}, tiles of {width:4}: {sums[dtype, width][0]:9.4f}, exact {exact:.4f}")

# %% tags=["lang:en", "reveal"] stem="show_order"
from tlcourse.widgets.bars import BarView

halves = {f"tiles of {w}": round(s) for (dtype, w), (s, _) in sums.items() if dtype == "float16"}
BarView("Sum of 4096 times 0.1 in float16, by the width of a tile", halves, look="UB")

# %% tags=["lang:zh", "reveal"] stem="show_order" en_sha="0df6d0cb"
from tlcourse.widgets.bars import BarView

halves = {f"块宽 {w}": round(s) for (dtype, w), (s, _) in sums.items() if dtype == "float16"}
BarView("float16 里 4096 个 0.1 的和，按数据块的宽度", halves, look="UB", language="zh")

# %% [markdown] tags=["lang:en"] stem="order_rule"
# One after the other, the sum stands still at 256: the next float16 is 0.25 away, and 0.1 is less
# than half of that. Wider tiles end elsewhere, and no order is promised: it is the chip's affair.
# Rule: **compare sums with a bound, never bit by bit, and add up in float32.**

# %% [markdown] tags=["lang:zh"] stem="order_rule" en_sha="2937ef06"
# 一个接一个地加，和停在 256 不再变化：下一个 float16 数相距 0.25，而 0.1 不到它的一半。更宽的数据块得到别的结果，而次序没有保证，由芯片决定。规则：**比较和时要用误差界，不要逐位比较；累加要用 float32。**

# %% [markdown] tags=["lang:en", "lecture"] stem="recap"
# ## Recap
#
# - `reduce` takes `dims` and a mode, the short forms take `dim`; each reduced dimension becomes 1.
# - `size` is the box that counts; `clear=False` adds to a start that you must write.
# - The order of a sum is not defined; in float16 it may be off by far more than one rounding.
#
# **Exercise:** [d2.row_sum](../../exercises/day2/row_sum.ipynb).

# %% [markdown] tags=["lang:zh", "lecture"] stem="recap" en_sha="e48df1f2"
# ## 小结
#
# - `reduce` 用 `dims` 和归约方式，短写法用 `dim`；每个被归约的维度变成 1。
# - `size` 是计入的方框；`clear=False` 加到起点上，而起点必须由你写好。
# - 求和的次序没有定义；float16 的和可能差得远不止一次舍入。
#
# **练习：** [d2.row_sum](../../../exercises/zh/day2/row_sum.ipynb)。

# %% tags=["golden"] stem="golden"
# What the text says holds in the outputs.
assert all(right.values())
tiles = kernels["reduce_sum, dim=1"].program().memory[0].buffers
small, scratch = sorted(tile.size_bytes for tile in tiles if tile.name == "s")
assert small == 4 * M < scratch
assert tails["None"] == (False, ["TL520"])
assert tails[str([M, 44])] == (True, [])
assert Y.isnan().all()
assert [finding.diagnostic.code for finding in unfilled.findings] == ["TL520"]
assert unfilled.timeline.cycles > cleared.timeline.cycles
assert torch.allclose(S, X.sum(1), atol=1e-4, rtol=1e-4)
assert torch.equal(H, X.amax(1))
assert not both.findings
assert sums["float16", 1][0] == 256
assert len({value for (dtype, _), (value, _) in sums.items() if dtype == "float16"}) == 4
assert all(abs(s - exact) < 0.1 for (dtype, _), (s, exact) in sums.items() if dtype == "float32")
