# ---
# jupyter:
#   tlcourse:
#     id: d2.anatomy
#     title: "2.1 Anatomy of a kernel: one tile per block"
#     title_zh: "2.1 内核的结构：每个逻辑块一个数据块"
#     track: core
#     minutes: 45
#     needs: [d1.chip]
# ---

# %% [markdown] tags=["lang:en", "lecture"] stem="goals"
# # 2.1 Anatomy of a kernel: one tile per block
#
# *core, 45 minutes, needs lesson 1.1*
#
# You will be able to
# - name the five parts of a kernel, and say what belongs in each,
# - compute the tile of a block with `//` and `%`,
# - tell what Python decides while the kernel is traced from what the chip decides,
# - find an operation in the reference when you need one.

# %% [markdown] tags=["lang:zh", "lecture"] stem="goals" en_sha="263c9032"
# # 2.1 内核的结构：每个逻辑块一个数据块
#
# *核心内容，45 分钟，先修 1.1 节*
#
# 学完后你能够
# - 说出内核的五个部分，以及各部分写什么；
# - 用 `//` 和 `%` 算出一个逻辑块的数据块；
# - 分清哪些由 Python 在追踪（trace）时决定，哪些由芯片在运行时决定；
# - 需要一个运算时，在参考文档里找到它。

# %% tags=["setup"] stem="imports"
import os

os.environ["TILELANG_ASCEND_MODE"] = "Developer"
from tlcourse import check, hint, answer, progress, show_passes, show_timeline, show_memory
import tilelang
import tilelang.language as T
import torch

# %% [markdown] tags=["lang:en", "lecture"] stem="parts"
# ## Five parts
#
# The kernel multiplies each row of a matrix by a number of its own. From outside in: a
# **factory** that takes sizes; `@tilelang.jit`, which compiles; `@T.prim_func` with a `T.Tensor`
# for each parameter; `T.Kernel` with the number of blocks; and the body: copy in, compute, copy
# out.

# %% [markdown] tags=["lang:zh", "lecture"] stem="parts" en_sha="7ad666ac"
# ## 五个部分
#
# 这个内核把矩阵的每一行乘以各自的一个数。由外到内：接收尺寸的**工厂函数**（factory）；负责编译的 `@tilelang.jit`；`@T.prim_func`，每个参数写成 `T.Tensor`；写明块数的 `T.Kernel`；最后是函数体：拷入、计算、拷出。


# %% tags=["lecture", "kp:K073", "kp:K081", "kp:K084", "kp:K085", "kp:K086", "kp:K104", "kp:K106"] stem="kernel"
@tilelang.jit(out_idx=[2], target="npuir")
def row_scale(M, N, block_M=64, block_N=128):
    m_num = M // block_M
    n_num = N // block_N

    @T.prim_func
    def scale(
        A: T.Tensor((M, N), "float32"),
        s: T.Tensor((M, 1), "float32"),
        C: T.Tensor((M, N), "float32"),
    ):
        with T.Kernel(m_num * n_num, is_npu=True) as (cid, _):
            bx = cid // n_num * block_M
            by = cid % n_num * block_N
            a = T.alloc_shared((block_M, block_N), "float32")
            f = T.alloc_shared((block_M, 1), "float32")
            T.copy(A[bx : bx + block_M, by : by + block_N], a)
            T.copy(s[bx : bx + block_M, :], f)
            T.vmul(a, f, a)
            T.copy(a, C[bx : bx + block_M, by : by + block_N])

    return scale


def inputs(M, N):
    generator = torch.Generator().manual_seed(0)
    return torch.randn(M, N, generator=generator), torch.randn(M, 1, generator=generator)


A, s = inputs(256, 512)
kernel = row_scale(256, 512)
print("right:", torch.equal(kernel(A.npu(), s.npu()).cpu(), A * s))

# %% [markdown] tags=["lang:en"] stem="tile_words"
# ## Which tile is mine?
#
# `cid` runs from 0 to the number of blocks. `n_num` tiles stand side by side, so `cid // n_num`
# is the row of tiles and `cid % n_num` the column. Times the size of a tile this gives the first
# row `bx` and the first column `by`. Which rows and columns has block 6?

# %% [markdown] tags=["lang:zh"] stem="tile_words" en_sha="19e54b6c"
# ## 哪个数据块是我的？
#
# `cid` 从 0 数到块数减一。每行有 `n_num` 个数据块，所以 `cid // n_num` 是数据块的行号，`cid % n_num` 是列号。乘以数据块的大小，就得到第一行 `bx` 和第一列 `by`。6 号逻辑块负责哪些行和列？

# %% tags=["lang:en", "lecture", "kp:K080", "kp:K082", "kp:K105"] stem="show_tiles"
from tlcourse.widgets.grid import MatrixTiles

MatrixTiles(256, 512, 64, 128, block=6)

# %% tags=["lang:zh", "lecture", "kp:K080", "kp:K082", "kp:K105"] stem="show_tiles" en_sha="febffd22"
from tlcourse.widgets.grid import MatrixTiles

MatrixTiles(256, 512, 64, 128, block=6, language="zh")

# %% [markdown] tags=["lang:en"] stem="logical"
# A block is a **logical** core: you may ask for any number. The chip deals them out to its core
# groups in rounds, and `is_npu=True` says that it is this kind of grid. The 16 blocks here are
# less than one round.

# %% [markdown] tags=["lang:zh"] stem="logical" en_sha="2e940c3f"
# 逻辑块是**逻辑上**的核：要多少个都可以。芯片把它们一轮一轮地分给自己的核组；`is_npu=True` 表示网格由这样的逻辑块组成。这里的 16 个块还不到一轮，所以有些核组没有工作。

# %% tags=["lang:en", "kp:K107"] stem="show_round"
from tlcourse.widgets.grid import WaveView

WaveView(16, 24)

# %% tags=["lang:zh", "kp:K107"] stem="show_round" en_sha="eb5d42af"
from tlcourse.widgets.grid import WaveView

WaveView(16, 24, language="zh")

# %% [markdown] tags=["lang:en", "lecture"] stem="whole_words"
# ## When 64 does not divide M
#
# `M // block_M` counts whole tiles. Take M = 300 with tiles of 64 rows. How many rows of C will
# be made?

# %% [markdown] tags=["lang:zh", "lecture"] stem="whole_words" en_sha="79f92360"
# ## 当 64 不能整除 M
#
# `M // block_M` 只数完整的数据块。取 M = 300，每个数据块 64 行。C 会有多少行被算出来？再想一想：如果 M 只有 48，网格里会有几个逻辑块，会算出什么？

# %% tags=["lang:en"] stem="p1"
answer("d2.anatomy.p1", "?")  # a: 300  b: 256  c: 320

# %% tags=["lang:zh"] stem="p1" en_sha="d890819b"
answer("d2.anatomy.p1", "?", language="zh")  # a：300  b：256  c：320

# %% tags=["reveal", "lecture", "kp:K088"] stem="run_300"
from tlcourse.diagnostics import TLError

launch = row_scale(300, 512).launch(*(x.npu() for x in inputs(300, 512)))
rows_made = int((~launch.outputs[0].cpu().isnan()).all(dim=1).sum())
print(rows_made, "rows made")
for finding in launch.findings:
    print(finding.diagnostic.code, finding.diagnostic.what)
try:
    row_scale(48, 512)
except TLError as problem:
    small = problem.diagnostic
    print(small.code, small.what)

# %% tags=["lang:en"] stem="show_missed"
MatrixTiles(300, 512, 64, 128, block=6)

# %% tags=["lang:zh"] stem="show_missed" en_sha="47c42311"
MatrixTiles(300, 512, 64, 128, block=6, language="zh")

# %% [markdown] tags=["lang:en"] stem="whole_rule"
# 44 rows belong to no whole tile, and at M = 48 there is no tile at all: a grid of zero blocks is
# refused. Rule: **`//` only for sizes that it divides; else round up with `T.ceildiv` and cut the
# last copies with `T.min`**, as lesson 1.0 did.

# %% [markdown] tags=["lang:zh"] stem="whole_rule" en_sha="91c08dfb"
# 有 44 行不属于任何完整的数据块；M = 48 时一个数据块也没有：零个块的网格会被拒绝。规则：**只有能整除时才用 `//`；否则用 `T.ceildiv` 向上取整，并用 `T.min` 截短最后的拷贝**，就像 1.0 节那样。

# %% [markdown] tags=["lang:en", "lecture"] stem="trace_words"
# ## Twice: while tracing, and while running
#
# A `print` stands in the body of the next kernel, and an `if` on a Python value. The grid has 16
# blocks, and the kernel will be run twice. How often does `print` print?

# %% [markdown] tags=["lang:zh", "lecture"] stem="trace_words" en_sha="b9e2929d"
# ## 两个时刻：追踪时和运行时
#
# 下一个内核的函数体里有一个 `print`，还有一个以 Python 值为条件的 `if`。网格有 16 个块，内核将运行两次。`print` 会打印几次？打印出来的 `cid` 又会是什么：一个数，还是别的东西？

# %% tags=["lang:en"] stem="p2"
answer("d2.anatomy.p2", "?")  # a: 32 times  b: 16 times  c: twice  d: once

# %% tags=["lang:zh"] stem="p2" en_sha="40eb49a1"
answer("d2.anatomy.p2", "?", language="zh")  # a：32 次  b：16 次  c：两次  d：一次

# %% tags=["reveal"] stem="traced"
import contextlib
import io
import warnings


@tilelang.jit(out_idx=[1], target="npuir")
def traced(N, doubled, block=256):
    @T.prim_func
    def step(A: T.Tensor((N,), "float32"), C: T.Tensor((N,), "float32")):
        with T.Kernel(N // block, is_npu=True) as (cid, _):
            print("block", cid, "of", N // block)
            a = T.alloc_shared((block,), "float32")
            T.copy(A[cid * block : (cid + 1) * block], a)
            if doubled:
                T.vadd(a, a, a)
            if cid == 0:
                T.vmul(a, 0.0, a)
            T.copy(a, C[cid * block : (cid + 1) * block])

    return step


with (
    contextlib.redirect_stdout(io.StringIO()) as told,
    warnings.catch_warnings(record=True) as said,
):
    twice = traced(4096, True)
    runs = [twice(torch.ones(4096).npu()).cpu() for _ in range(2)]
print(told.getvalue(), end="")
print(str(said[0].message).splitlines()[0])
print([run.sum().item() for run in runs])

# %% [markdown] tags=["lang:en"] stem="trace_rule"
# Once, and it shows a symbol: the body was read, not run. `if doubled` was decided then; its
# operation stands in the IR or it does not. `if cid == 0` cannot be decided then, so it became an
# `if` of the kernel: block 0 alone cleared its tile. `T.print` prints while the kernel runs.

# %% [markdown] tags=["lang:zh"] stem="trace_rule" en_sha="f827d4eb"
# 一次，而且显示的是一个符号：函数体是被读取，不是被执行。`if doubled` 在读取时就决定了：它的运算要么在 IR 里，要么不在。`if cid == 0` 那时无法决定，所以成了内核里的 `if`：只有 0 号块清零了自己的数据块。要在运行时打印，用 `T.print`。

# %% tags=["lang:en"] stem="show_passes"
show_passes(twice)

# %% tags=["lang:zh"] stem="show_passes" en_sha="ecc58a1a"
show_passes(twice, language="zh")


# %% tags=["kp:K085"] stem="constants"
def kernel_text(jitted):
    trace = jitted.trace()
    return trace.texts[trace.snapshots[0].text_id]


with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
    warnings.simplefilter("ignore")  # the same print, and the same warning, as above
    texts = {doubled: kernel_text(traced(4096, doubled)) for doubled in (True, False)}
for doubled, text in texts.items():
    print(doubled, "adds:", text.count("tl.vadd"), " if:", text.count("scf.if"))
print("4096 stands in the IR:", "memref<4096xf32" in texts[True])

# %% [markdown] tags=["lang:en"] stem="families"
# ## Four families of operations
#
# `T` has some hundred names. They fall into four families: compute, allocate and move,
# synchronise, and the rest. `help(T.copy)` prints the page of one; the next cell counts the
# families and shows the first line of that page. Then find the operation for each task.

# %% [markdown] tags=["lang:zh"] stem="families" en_sha="88e429bf"
# ## 四类运算
#
# `T` 有一百多个名字，分为四类：计算、分配与搬运、同步、其他。`help(T.copy)` 打印其中一个的说明；下面的单元格统计各类的个数，并显示这份说明的第一行。然后为每个任务找出对应的运算。

# %% tags=["kp:K074", "kp:K075", "kp:K076", "kp:K077", "kp:K078"] stem="reference"
STARTS = {
    "compute": ("v", "reduce", "gemm", "cumsum", "clear", "fill"),
    "allocate and move": ("alloc", "copy", "npuir_load", "npuir_store", "reshape", "transpose"),
    "synchronise": (
        "sync",
        "set_flag",
        "wait_flag",
        "pipe_barrier",
        "barrier",
        "subblock",
        "block_",
    ),
}
names = [name for name in dir(T) if not name.startswith("_") and callable(getattr(T, name))]
families = {
    family: sorted(name for name in names if name.startswith(starts))
    for family, starts in STARTS.items()
}
families["the rest"] = [n for n in names if not any(n in found for found in families.values())]
for family, found in families.items():
    print(f"{family:18}", ", ".join(found[:4]), "...")
print(T.copy.__doc__.splitlines()[0])

# %% tags=["lang:en"] stem="drill1"
answer("d2.anatomy.drill1", "?")  # e to the x; a maximum over a row; round up a quotient

# %% tags=["lang:zh"] stem="drill1" en_sha="cf87e094"
answer("d2.anatomy.drill1", "?", language="zh")  # e 的 x 次方；一行的最大值；商向上取整

# %% tags=["lang:en"] stem="show_timeline"
show_timeline(kernel)

# %% tags=["lang:zh"] stem="show_timeline" en_sha="f8645fc1"
show_timeline(kernel, language="zh")

# %% [markdown] tags=["lang:en", "lecture"] stem="recap"
# ## Recap
#
# - Factory, jit, prim_func, Kernel, body: sizes come from outside, tiles live inside.
# - `cid // n_num` and `cid % n_num` find the tile; whole tiles only where sizes divide.
# - Python values are settled while the kernel is traced; `cid` is known to the chip alone.
#
# **Next:** lesson 2.3, `T.copy` and its six traits.

# %% [markdown] tags=["lang:zh", "lecture"] stem="recap" en_sha="e600b28e"
# ## 小结
#
# - 工厂函数、jit、prim_func、Kernel、函数体：尺寸由外面传入，数据块在里面分配。
# - `cid // n_num` 和 `cid % n_num` 找到数据块；只有整除时才都是完整的数据块。
# - Python 值在追踪时就确定；`cid` 只有芯片知道。
#
# **接下来：** 2.3 节，`T.copy` 的六个特点。

# %% tags=["golden"] stem="golden"
# What the text says holds in the outputs.
assert torch.equal(kernel(A.npu(), s.npu()).cpu(), A * s)
assert rows_made == 256
assert small.code == "TL112"
assert told.getvalue().count("block") == 1
assert all(run[:256].sum() == 0 and run[256:].eq(2).all() for run in runs)
assert [texts[d].count("tl.vadd") for d in (True, False)] == [1, 0]
assert texts[True].count("scf.if") == texts[False].count("scf.if") == 1
assert {"vexp", "reduce_max", "ceildiv"} <= set(names)
assert len(names) > 100
