# ---
# jupyter:
#   tlcourse:
#     id: d2.waves
#     title: "2.5 Waves and loops"
#     title_zh: "2.5 轮次与循环"
#     track: more
#     minutes: 35
#     needs: [d2.anatomy]
# ---

# %% [markdown] tags=["lang:en", "lecture"] stem="goals"
# # 2.5 Waves and loops
#
# *more, 35 minutes, needs lesson 2.1*
#
# You will be able to
# - say in how many rounds a chip runs your blocks, and what the last round costs,
# - give a block several tiles with a loop, and guard its last trip,
# - say which arguments of `T.Kernel` count on the NPU,
# - read the loop that AutoBlockify writes.

# %% [markdown] tags=["lang:zh", "lecture"] stem="goals" en_sha="c0655a35"
# # 2.5 轮次与循环
#
# *进阶内容，35 分钟，先修 2.1 节*
#
# 学完后你能够
# - 说出芯片分几轮执行你的逻辑块，以及最后一轮的代价；
# - 用循环让一个块处理多个数据块，并给最后一趟加上条件；
# - 说出 `T.Kernel` 的哪些参数在 NPU 上起作用；
# - 读懂 AutoBlockify 写出的循环。

# %% tags=["setup"] stem="imports"
import os

os.environ["TILELANG_ASCEND_MODE"] = "Developer"
from tlcourse import check, hint, answer, progress, show_passes, show_timeline, show_memory
import tilelang
import tilelang.language as T
import torch

# %% [markdown] tags=["lang:en", "lecture"] stem="round_words"
# ## Logical blocks, physical cores
#
# `with T.Kernel(blocks, is_npu=True)` opens the **launch context**: so many logical blocks. The
# chip named below has 24 core groups. A block of MiniCV takes a whole group, so 24 run at a time,
# and that is one **round**. The rest waits. The chip is pinned here by its name.

# %% [markdown] tags=["lang:zh", "lecture"] stem="round_words" en_sha="c3bd422b"
# ## 逻辑块和物理核
#
# `with T.Kernel(blocks, is_npu=True)` 打开**启动上下文**（launch context），写明逻辑块的个数。下面的代码用名字固定了芯片，它有 24 个核组。MiniCV 的一个块占一整个核组，所以同时执行 24 个，这就是一**轮**（round），其余的块等待。

# %% tags=["kp:K104", "kp:K105", "kp:K106", "kp:K107"] stem="blocks"
from tlcourse import show_grid
from tlcourse.examples.minicv import minicv_developer

os.environ["TILELANG_ASCEND_DEVICE_NAME"] = "Ascend910B1"


def minicv(blocks, **options):  # one tile of 64x64 for each block, K = 512
    function = minicv_developer(64 * blocks, 64, 512, 64, 64, 64)
    return tilelang.compile(function, target="npuir", out_idx=[2, 3], **options)


kernels = {blocks: minicv(blocks) for blocks in (24, 48, 54, 72)}
rounds = {}
for blocks, kernel in kernels.items():
    grid = kernel.block_map()
    groups = {slots.chip: slots.count for slots in grid.chips}
    rounds[blocks] = {chip: -(-grid.blocks // count) for chip, count in groups.items()}
    print(grid.blocks, "logical blocks, rounds:", rounds[blocks])
print("core groups:", groups)

# %% tags=["lang:en", "lecture", "kp:K108"] stem="show_24"
show_grid(kernels[24], block=5)

# %% tags=["lang:zh", "lecture", "kp:K108"] stem="show_24" en_sha="b4e675f1"
show_grid(kernels[24], block=5, language="zh")

# %% tags=["lang:en", "kp:K109"] stem="show_48"
show_grid(kernels[48], block=29)

# %% tags=["lang:zh", "kp:K109"] stem="show_48" en_sha="3e27671c"
show_grid(kernels[48], block=29, language="zh")

# %% [markdown] tags=["lang:en", "lecture"] stem="more_words"
# ## Six blocks more
#
# 24 blocks are one full round, 48 are two: groups 0 to 23 take blocks 0 to 23, then 24 to 47, and
# no group stands still. 54 blocks are 48 and 6 more, which is 2.25 times 24. The time of the
# launch itself aside, how long will they take?

# %% [markdown] tags=["lang:zh", "lecture"] stem="more_words" en_sha="467ffeb2"
# ## 再多六个块
#
# 24 个块正好一轮，48 个是两轮：核组 0 到 23 先取 0 到 23 号块，再取 24 到 47 号块，没有核组停下。54 个块是 48 个再加 6 个，是 24 的 2.25 倍。不算启动本身的时间，它们要多久？

# %% tags=["lang:en"] stem="p1"
answer("d2.waves.p1", "?")  # a: 2.25 times as long as 24  b: as long as 48  c: as long as 72

# %% tags=["lang:zh"] stem="p1" en_sha="620c1559"
answer("d2.waves.p1", "?", language="zh")  # a：24 个的 2.25 倍  b：和 48 个一样  c：和 72 个一样

# %% tags=["reveal", "lecture", "kp:K110", "kp:K111"] stem="times"


def launched(kernel, blocks):
    A, B = torch.ones(64 * blocks, 512) / 512, torch.ones(512, 64)
    return kernel.launch(A.half().npu(), B.half().npu())


def work_cycles(kernel, blocks):
    timeline = launched(kernel, blocks).timeline
    return timeline.cycles - timeline.launch_cycles


work = {blocks: work_cycles(kernel, blocks) for blocks, kernel in kernels.items()}
for blocks, cycles in work.items():
    print(f"{blocks} blocks: {cycles:,} cycles, {cycles / work[24]:.2f} times those of 24")

# %% tags=["lang:en", "lecture"] stem="show_54"
show_grid(kernels[54], block=50)

# %% tags=["lang:zh", "lecture"] stem="show_54" en_sha="54339238"
show_grid(kernels[54], block=50, language="zh")

# %% [markdown] tags=["lang:en"] stem="wave_rule"
# Two rounds and 6 blocks are three rounds: the last six hold up the launch as long as 24 would, while
# 18 groups stand idle. Rule: **time goes in whole rounds, so let blocks fill the last one.** On a
# chip with 20 groups the same numbers are wrong again: 24 blocks are two rounds there, and 60 would
# fill three.

# %% [markdown] tags=["lang:zh"] stem="wave_rule" en_sha="91555f32"
# 两轮再加 6 个块，就是三轮：最后六个块用的时间和 24 个块一样长，而有 18 个核组空着。规则：**时间按整轮计算，所以要让块填满最后一轮**。在有 20 个核组的芯片上，这些数字又不对了：24 个块在那里要两轮，60 个才填满三轮。

# %% tags=["lang:en"] stem="show_20"
show_grid(kernels[54], block=50, chip="Ascend910B3")

# %% tags=["lang:zh"] stem="show_20" en_sha="6d2babe4"
show_grid(kernels[54], block=50, chip="Ascend910B3", language="zh")

# %% tags=["lang:en"] stem="show_times"
from tlcourse.widgets.bars import BarView

BarView("Cycles behind the launch", {f"{b} blocks": c for b, c in work.items()}, look="M")

# %% tags=["lang:zh"] stem="show_times" en_sha="aaba36e5"
from tlcourse.widgets.bars import BarView

BarView("启动之后的周期", {f"{b} 个块": c for b, c in work.items()}, look="M", language="zh")

# %% [markdown] tags=["lang:en"] stem="loop_words"
# ## Fewer blocks, and a loop in each
#
# A block may take several tiles, one after the other, with `T.serial`. One block for all columns of
# an [M, N] matrix makes `N // block_N` trips, if that division leaves nothing over. Two blocks share
# four column tiles: two trips each. A block of a vector kernel
# takes one vector core, so the figure counts 48 of them.

# %% [markdown] tags=["lang:zh"] stem="loop_words" en_sha="cf431f76"
# ## 块少一些，每块里一个循环
#
# 一个块可以用 `T.serial` 依次处理多个数据块。一个块处理 [M, N] 矩阵的所有列，要走 `N // block_N` 趟，前提是能整除。两个块分担四个列数据块：各走两趟。vector 内核的一个块只占一个 vector 核，所以图中有 48 个。


# %% tags=["kp:K112", "kp:K113", "kp:K114"] stem="columns"
def column_tiles(blocks, M=64, N=1024, block_N=256, **arguments):
    trips = N // block_N // blocks

    @T.prim_func
    def exp_columns(X: T.Tensor((M, N), "float32"), Y: T.Tensor((M, N), "float32")):
        with T.Kernel(blocks, is_npu=True, **arguments) as (cid, _):
            x = T.alloc_shared((M, block_N), "float32")
            for t in T.serial(trips):
                by = (cid * trips + t) * block_N
                T.copy(X[:, by : by + block_N], x)
                T.vexp(x, x)
                T.copy(x, Y[:, by : by + block_N])

    return tilelang.compile(exp_columns, target="npuir", out_idx=[1])


def tiles_of(kernel):  # how many tiles each block writes
    return [sum(box.writes for box in boxes) for boxes in kernel.block_map().boxes]


X = torch.rand(64, 1024, generator=torch.Generator().manual_seed(0))
for blocks in (1, 2, 4):
    Y = column_tiles(blocks)(X.npu()).cpu()
    right = torch.allclose(Y, X.exp(), atol=1e-4, rtol=1e-4)
    print(blocks, "blocks, tiles of each:", tiles_of(column_tiles(blocks)), "right:", right)

# %% tags=["lang:en"] stem="show_columns"
show_grid(column_tiles(2), block=1)

# %% tags=["lang:zh"] stem="show_columns" en_sha="a4d73286"
show_grid(column_tiles(2), block=1, language="zh")

# %% [markdown] tags=["lang:en", "lecture"] stem="tile_words"
# ## Rows and columns of tiles
#
# Six blocks share 4x3 tiles of a [256, 192] matrix. Tile number `t * blocks + cid` belongs to trip
# `t`; `//` and `%` by `num_n` give its place. Two trips each, and all is well. Now five blocks: 12 tiles
# need `ceildiv(12, 5)` trips, so there are 15 turns. What do the last three do?

# %% [markdown] tags=["lang:zh", "lecture"] stem="tile_words" en_sha="f93b503e"
# ## 数据块有行有列
#
# 六个块分担 [256, 192] 矩阵的 4x3 个数据块。第 `t` 趟处理编号为 `t * blocks + cid` 的数据块，用 `num_n` 做 `//` 和 `%` 得到它的位置。每块两趟，一切正常。现在改用五个块：12 个数据块要 `ceildiv(12, 5)` 趟，合计 15 次。最后三次会做什么？


# %% tags=["lecture", "kp:K115"] stem="tiles"
def tile_loops(blocks, M=256, N=192, block=64):
    num_m, num_n = M // block, N // block
    trips = T.ceildiv(num_m * num_n, blocks)

    @T.prim_func
    def exp_tiles(X: T.Tensor((M, N), "float32"), Y: T.Tensor((M, N), "float32")):
        with T.Kernel(blocks, is_npu=True) as (cid, _):
            x = T.alloc_shared((block, block), "float32")
            for t in T.serial(trips):
                tile = t * blocks + cid
                bx = tile // num_n * block
                by = tile % num_n * block
                T.copy(X[bx : bx + block, by : by + block], x)
                T.vexp(x, x)
                T.copy(x, Y[bx : bx + block, by : by + block])

    return tilelang.compile(exp_tiles, target="npuir", out_idx=[1])


Z = torch.rand(256, 192, generator=torch.Generator().manual_seed(1))
reports = {}
for blocks in (6, 5):
    launch = tile_loops(blocks).launch(Z.npu())
    reports[blocks] = [finding.diagnostic for finding in launch.findings]
    print(blocks, "blocks, tiles of each:", tiles_of(tile_loops(blocks)))
    for report in reports[blocks]:
        print("   ", report.code, report.what)

# %% [markdown] tags=["lang:en"] stem="guard_words"
# Tiles 12, 13 and 14 would be rows that X does not have. Rounding down instead would leave two tiles
# unwritten. So round up, and **guard the last trip** with `if tile < count`. A slip to know: the
# announcement computes `num_m` from N. On a square matrix that goes unnoticed; the cell runs it on
# this one.

# %% [markdown] tags=["lang:zh"] stem="guard_words" en_sha="e80364fb"
# 12、13、14 号数据块落在 X 没有的行上。如果改成向下取整，会有两个数据块没人写。所以要向上取整，并用 `if tile < count` **给最后一趟加上条件**。另外要知道一处笔误：发布的材料用 N 算 `num_m`。对方阵看不出来；下面的单元格在这个矩阵上运行它。


# %% tags=["kp:K116"] stem="guarded"
def guarded_loops(blocks, M=256, N=192, block=64, num_m=None):
    num_m, num_n = num_m or M // block, N // block
    count = num_m * num_n

    @T.prim_func
    def exp_tiles(X: T.Tensor((M, N), "float32"), Y: T.Tensor((M, N), "float32")):
        with T.Kernel(blocks, is_npu=True) as (cid, _):
            x = T.alloc_shared((block, block), "float32")
            for t in T.serial(T.ceildiv(count, blocks)):
                tile = t * blocks + cid
                if tile < count:
                    bx = tile // num_n * block
                    by = tile % num_n * block
                    T.copy(X[bx : bx + block, by : by + block], x)
                    T.vexp(x, x)
                    T.copy(x, Y[bx : bx + block, by : by + block])

    return tilelang.compile(exp_tiles, target="npuir", out_idx=[1])


mended = guarded_loops(5).launch(Z.npu())
shares = tiles_of(guarded_loops(5))
print("tiles of each:", shares, "findings:", len(mended.findings))
print("right:", torch.allclose(mended.outputs[0].cpu(), Z.exp(), atol=1e-4, rtol=1e-4))
announced = guarded_loops(5, num_m=192 // 64).launch(Z.npu()).findings
print("num_m from N:", announced[0].diagnostic.code, announced[0].diagnostic.what)

# %% tags=["lang:en"] stem="show_guarded"
show_grid(guarded_loops(5), block=1)

# %% tags=["lang:zh"] stem="show_guarded" en_sha="ed6ac4b4"
show_grid(guarded_loops(5), block=1, language="zh")

# %% [markdown] tags=["lang:en", "lecture"] stem="argument_words"
# ## What T.Kernel takes, and what counts
#
# `T.Kernel` comes from a language that also serves GPUs, where `threads` says how many threads share
# a block. Here is the loop over columns once more, with `threads=256`. What changes?

# %% [markdown] tags=["lang:zh", "lecture"] stem="argument_words" en_sha="4d29ab41"
# ## T.Kernel 接受什么，什么起作用
#
# `T.Kernel` 来自一种也用于 GPU 的语言，在那里 `threads` 表示一个块里有多少线程。这里是同一个列循环，加上 `threads=256`。会有什么变化？

# %% tags=["lang:en"] stem="p2"
answer("d2.waves.p2", "?")  # a: it is faster  b: it is refused  c: nothing

# %% tags=["lang:zh"] stem="p2" en_sha="88f42d66"
answer("d2.waves.p2", "?", language="zh")  # a：更快  b：被拒绝  c：什么都不变

# %% tags=["reveal", "kp:K117", "kp:K118", "kp:K119", "kp:K120"] stem="arguments"
ARGUMENTS = {
    "threads": {"threads": 256},
    "is_cpu": {"is_cpu": True},
    "prelude": {"prelude": "#include <math.h>"},
    "pipeline": {"pipeline": True},
}


def last_text(kernel):
    trace = kernel.trace()
    return [
        line.split(" loc(")[0] for line in trace.texts[trace.snapshots[-1].text_id].splitlines()
    ]


plain = column_tiles(2)
usual = plain.launch(X.npu()).timeline.cycles
same = {}
for name, given in ARGUMENTS.items():
    kernel = column_tiles(2, **given)
    cycles = kernel.launch(X.npu()).timeline.cycles
    same[name] = last_text(kernel) == last_text(plain) and cycles == usual
    print(f"{name:9} same IR and same cycles: {same[name]}")

# %% [markdown] tags=["lang:en"] stem="second_words"
# All four are accepted for the sake of one language, and ignored: a core has no threads. Two things
# count besides `is_npu`. A second extent is no second dimension of cores but a loop in each block. And
# the second value behind `as` is the **vector half**, 0 or 1; day 4 uses it to share rows.

# %% [markdown] tags=["lang:zh"] stem="second_words" en_sha="fafa9a44"
# 四个参数都会被接受，只是为了保持语言统一，随后被忽略：核没有线程。除了 `is_npu`，还有两样起作用。第二个大小不是核的第二维，而是每个块里的一个循环。`as` 后面的第二个值说明是**哪一个 vector 核**（vector half），0 或 1；第 4 天用它来分行。


# %% tags=["kp:K121"] stem="second"
@tilelang.jit(out_idx=[1], target="npuir")
def two_extents(M=256, N=192, block=64):
    @T.prim_func
    def exp_tiles(X: T.Tensor((M, N), "float32"), Y: T.Tensor((M, N), "float32")):
        with T.Kernel(M // block, N // block, is_npu=True) as (i, j, _):
            x = T.alloc_shared((block, block), "float32")
            T.copy(X[i * block : (i + 1) * block, j * block : (j + 1) * block], x)
            T.vexp(x, x)
            T.copy(x, Y[i * block : (i + 1) * block, j * block : (j + 1) * block])

    return exp_tiles


def text_behind(kernel, name):
    trace = kernel.trace()
    return {shot.pass_name: trace.texts[shot.text_id] for shot in trace.snapshots}[name]


two = two_extents()
loops = text_behind(two, "codegen").count("scf.for")
print("blocks:", two.block_map().blocks, " loops in each:", loops, " tiles of each:", tiles_of(two))

from tlcourse.examples.minicv import minicv_expert

os.environ["TILELANG_ASCEND_MODE"] = "Expert"
halves = text_behind(tilelang.compile(minicv_expert(256, 256, 256), target="npuir"), "codegen")
os.environ["TILELANG_ASCEND_MODE"] = "Developer"
print(next(line for line in halves.splitlines() if "sub_block" in line).split(" loc(")[0].strip())

# %% [markdown] tags=["lang:en"] stem="auto_words"
# ## The compiler can write that loop
#
# **AutoBlockify** is a switch, off by default. Switched on, it starts only as many blocks as the chip
# has groups and puts the body into a loop over `cid`, `cid + 24` and so on. You know this loop: it is
# the one you wrote by hand.

# %% [markdown] tags=["lang:zh"] stem="auto_words" en_sha="4ce8882d"
# ## 编译器也会写这个循环
#
# **AutoBlockify** 是一个开关，默认关闭。打开后，它只启动和核组一样多的块，并把函数体放进一个循环，依次处理 `cid`、`cid + 24` 等等。这个循环你认识：就是你手写的那一个。

# %% tags=["kp:K067"] stem="auto"
on = {"npuir.enable_auto_blockify_loop": True}
looped = minicv(54, pass_configs=on)
text = "\n".join(last_text(looped))
print("loops with the mark, one a function:", text.count("autoblockify.subloop"))
print(next(line.strip() for line in text.splitlines() if "scf.for" in line))
print("blocks that start:", looped.block_map().blocks, "instead of", kernels[54].block_map().blocks)
started = {"off": work[54], "on": work_cycles(looped, 54)}
outputs = [launched(kernel, 54).outputs[0].cpu() for kernel in (kernels[54], looped)]
print("same numbers:", torch.equal(*outputs))

# %% tags=["lang:en"] stem="show_auto"
BarView("54 blocks, AutoBlockify", started, "cycles", look="M")

# %% tags=["lang:zh"] stem="show_auto" en_sha="4ba91451"
started_zh = {"关": started["off"], "开": started["on"]}
BarView("54 个块，AutoBlockify", started_zh, "周期", look="M", language="zh")

# %% [markdown] tags=["lang:en", "lecture"] stem="recap"
# ## Recap
#
# - Blocks run in rounds of as many as the chip has groups; a round that is not full costs a whole one.
# - Several tiles a block: `t * blocks + cid`, trips rounded up, the last one guarded.
# - `threads`, `is_cpu`, `prelude` and `pipeline` do nothing here; a second extent is a loop.
#
# **Exercise:** [d2.tile_loops](../../exercises/day2/tile_loops.ipynb).

# %% [markdown] tags=["lang:zh", "lecture"] stem="recap" en_sha="6b1e9a93"
# ## 小结
#
# - 块按轮执行，每轮的块数等于核组数；没填满的一轮也要一整轮的时间。
# - 每块多个数据块：`t * blocks + cid`，趟数向上取整，最后一趟加条件。
# - `threads`、`is_cpu`、`prelude` 和 `pipeline` 在这里不起作用；第二个大小变成一个循环。
#
# **练习：** [d2.tile_loops](../../../exercises/zh/day2/tile_loops.ipynb)。

# %% tags=["golden"] stem="golden"
# What the text says holds in the outputs.
assert [rounds[b]["Ascend910B1"] for b in (24, 48, 54, 72)] == [1, 2, 3, 3]
assert [rounds[b]["Ascend910B3"] for b in (24, 48, 54)] == [2, 3, 3]
assert groups == {"Ascend910B1": 24, "Ascend910B3": 20}
assert 60 == 3 * groups["Ascend910B3"]
assert work[54] == work[72] > 2.5 * work[24]
assert tiles_of(column_tiles(2)) == [2, 2]
assert tiles_of(column_tiles(1)) == [1024 // 256]
assert [report.code for report in reports[5]] == ["TL501"]
assert not reports[6]
assert shares == [3, 3, 2, 2, 2]
assert not mended.findings
assert announced[0].diagnostic.code == "TL528"
assert all(same.values())
assert (two.block_map().blocks, loops) == (4, 1)
assert text.count("autoblockify.subloop") == 2  # in the function of each core kind
assert looped.block_map().blocks == 24
assert torch.equal(*outputs)
