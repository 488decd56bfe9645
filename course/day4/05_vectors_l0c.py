# ---
# jupyter:
#   tlcourse:
#     id: d4.vectors_l0c
#     title: "4.5 Steps 5 and 6: both vector cores, and L0C"
#     title_zh: "4.5 第 5、6 步：两个 vector 核，以及 L0C"
#     track: core
#     minutes: 30
#     needs: [d4.split_sync]
# ---

# %% [markdown] tags=["lang:en", "lecture"] stem="goals"
# # 4.5 Steps 5 and 6: both vector cores, and L0C
#
# *core, 30 minutes, needs lesson 4.3*
#
# You will be able to
# - give each of the two **vector cores** half of the rows, also of an odd number,
# - tell from the record who stored what,
# - say what may be written to **L0C**, and where a running output must live.

# %% [markdown] tags=["lang:zh", "lecture"] stem="goals" en_sha="7b5bea55"
# # 4.5 第 5、6 步：两个 vector 核，以及 L0C
#
# *核心内容，30 分钟，先修 4.3 节*
#
# 学完后你能够
# - 让两个 **vector 核**各做一半的行，行数为奇数时也行；
# - 从记录看出哪个核写了哪些行；
# - 说出谁可以写 **L0C**，以及累计输出必须放在哪里。

# %% tags=["setup"] stem="imports"
import os

os.environ["TILELANG_ASCEND_MODE"] = "Expert"
from tlcourse import check, hint, answer, progress, show_passes, show_timeline, show_memory
import tilelang
import tilelang.language as T
import torch

# %% [markdown] tags=["lang:en", "lecture"] stem="vid_words"
# ## Step 5: two vector cores
#
# A block has one cube core and two vector cores; both run the text of `T.Scope("Vector")`. The
# second value of `T.Kernel` is the number of the vector core, 0 or 1. In this MiniCV of one tile a
# block it is not used yet. Who does which rows?

# %% [markdown] tags=["lang:zh", "lecture"] stem="vid_words" en_sha="56885734"
# ## 第 5 步：两个 vector 核
#
# 一个逻辑块用一个 cube 核和两个 vector 核；两个 vector 核都执行 `T.Scope("Vector")` 的文本。`T.Kernel` 给出的第二个值是 vector 核的编号，0 或 1。下面的 MiniCV 每块只处理一个数据块，还没有用到这个编号。哪个核做哪些行？

# %% tags=["lang:en"] stem="p1"
answer("d4.vectors_l0c.p1", "?")  # a: each takes half  b: each does all rows  c: one core idles

# %% tags=["lang:zh"] stem="p1" en_sha="22eecd03"
answer("d4.vectors_l0c.p1", "?", language="zh")  # a：各做一半  b：每个都做全部的行  c：一个核空闲


# %% tags=["reveal", "lecture", "kp:K121"] stem="minicv"
def minicv(rows, share, first_row, N=256, K=128):
    """Vector core vid takes `share` rows from row vid * first_row on."""
    M = 2 * rows

    @T.prim_func
    def kernel(
        A: T.Tensor((M, K), "float16"),
        B: T.Tensor((K, N), "float16"),
        D: T.Tensor((M, N), "float32"),
        W: T.Tensor((2, rows, N), "float32"),
    ):
        with T.Kernel(2, is_npu=True) as (cid, vid):
            with T.Scope("Cube"):
                a, b = T.alloc_L1((rows, K), "float16"), T.alloc_L1((K, N), "float16")
                c = T.alloc_L0C((rows, N), "float32")
                T.copy(A[cid * rows : (cid + 1) * rows, :], a)
                T.copy(B, b)
                T.gemm(a, b, c, initC=True)
                with T.rs("PIPE_FIX"):
                    T.copy(c, W[cid, :, :])
                    T.sync_block_set(0)
            with T.Scope("Vector"):
                w = T.alloc_ub((share, N), "float32")
                own = vid * first_row
                with T.rs("PIPE_MTE2"):
                    T.sync_block_wait(0)
                    T.copy(W[cid, own : own + share, :], w)
                T.vexp(w, w)
                T.copy(w, D[cid * rows + own : cid * rows + own + share, :])

    return tilelang.compile(kernel, target="npuir", out_idx=[2])


# %% tags=["reveal"] stem="run_all"
os.environ["TILELANG_ASCEND_DEVICE_NAME"] = "Ascend910B1"  # all times are of this chip
generator = torch.Generator().manual_seed(0)
B = (torch.randn(128, 256, generator=generator) / 128**0.5).half()


def examine(kernel, rows):
    """Right or not, findings, and the rows of block 0 that each vector core stored."""
    A = torch.randn(2 * rows, 128, generator=generator).half()
    launch = kernel.launch(A.npu(), B.npu(), torch.zeros(2, rows, 256).npu())
    right = torch.allclose(launch.outputs[0].cpu(), (A.float() @ B.float()).exp(), atol=1e-3)
    stored = {"aiv0": 0, "aiv1": 0}
    for one in launch.timeline.instructions:
        if one.pipe == "MTE3" and one.block == 0:
            stored[one.agent] += one.bytes // (256 * 4)
    codes = [finding.diagnostic.code for finding in launch.findings]
    print("right:", right, codes, stored)
    return right, codes, stored


everything = minicv(64, 64, 0)
of_all = examine(everything, 64)
print(everything.last_launch.findings[0].diagnostic.what)

# %% tags=["lang:en"] stem="show_all"
from tlcourse.widgets.bars import BarView

BarView("Rows of block 0 stored by each vector core; it has 64", of_all[2], "rows", look="UB")

# %% tags=["lang:zh"] stem="show_all" en_sha="aef925f2"
from tlcourse.widgets.bars import BarView

BarView("0 号块的 64 行，每个 vector 核写出的行数", of_all[2], "行", look="UB", language="zh")

# %% [markdown] tags=["lang:en", "lecture"] stem="half_words"
# ## Half the rows each
#
# Both did all the work: the same numbers, twice, and a race for the same rows. So each core takes
# 32 of 64 rows, and begins at `vid * 32`. Then 63 rows: `63 // 2` is 31. And a careful colleague
# takes 32 rows each, the second core from row 30 on, so that nothing is lost at 62.

# %% [markdown] tags=["lang:zh", "lecture"] stem="half_words" en_sha="4909d5fb"
# ## 各做一半的行
#
# 两个核都做了全部工作：同样的数值算了两次，还在同样的行上竞争。所以让每个核取 64 行中的 32 行，从 `vid * 32` 开始。接着看 63 行：`63 // 2` 等于 31。还有一位谨慎的同事，共 62 行时让每个核取 32 行，第二个核从第 30 行开始，以免漏行。

# %% tags=["kp:K182", "kp:K183"] stem="halves"
print("64 rows, 32 each:")
halves = minicv(64, 32, 32)
of_halves = examine(halves, 64)
print("63 rows, 31 each:")
lost = minicv(63, 31, 31)
of_lost = examine(lost, 63)
print(lost.last_launch.findings[0].diagnostic.what)
print("62 rows, 32 each, the second from row 30:")
overlapping = minicv(62, 32, 30)
of_overlap = examine(overlapping, 62)

# %% tags=["lang:en"] stem="show_halves"
sums = {
    "64: all by both": sum(of_all[2].values()),
    "64: halves": sum(of_halves[2].values()),
    "63: 31 each": sum(of_lost[2].values()),
    "62: overlap": sum(of_overlap[2].values()),
}
BarView("Rows stored in block 0 by both cores together", sums, "rows", look="UB")

# %% tags=["lang:zh"] stem="show_halves" en_sha="3452d862"
sums = {
    "64：都做全部": sum(of_all[2].values()),
    "64：各一半": sum(of_halves[2].values()),
    "63：各 31": sum(of_lost[2].values()),
    "62：有重叠": sum(of_overlap[2].values()),
}
BarView("0 号块中两个核一共写出的行数", sums, "行", look="UB", language="zh")

# %% [markdown] tags=["lang:en"] stem="odd_words"
# Rows stored must be the rows that there are. Fewer: the output keeps holes. More: two cores write
# the same row, in no certain order. For any number: `first = (rows + 1) // 2` for core 0; core 1
# begins there and has `rows - first`. In one formula: `have = first - rows % 2 * vid`.

# %% [markdown] tags=["lang:zh"] stem="odd_words" en_sha="88c68104"
# 写出的行数必须等于实际的行数。少了：输出里留下空洞。多了：两个核写同一行，先后不定。对任何行数：核 0 取 `first = (rows + 1) // 2` 行；核 1 从那里开始，取 `rows - first` 行。写成一个式子：`have = first - rows % 2 * vid`。

# %% tags=["kp:K183"] stem="any_rows"
for rows in (64, 63, 62, 1):
    first = (rows + 1) // 2
    shares = [(vid * first, first - rows % 2 * vid) for vid in (0, 1)]
    print(rows, "rows: (from, how many) =", shares)
    assert sum(have for _, have in shares) == rows

# %% [markdown] tags=["lang:en", "lecture"] stem="time_words"
# ## Half the rows, half the time?
#
# Compare the first kernel, where each vector core does all 64 rows side by side with the other,
# and the second, where each does 32. How much shorter will the second launch be?

# %% [markdown] tags=["lang:zh", "lecture"] stem="time_words" en_sha="fb8f5a86"
# ## 一半的行，一半的时间？
#
# 比较前两个内核：第一个里，两个 vector 核同时各做全部 64 行；第二个里，每个核做 32 行。第二个内核的用时会短多少？先猜一猜，再看两条时间线。

# %% tags=["lang:en"] stem="p2"
answer("d4.vectors_l0c.p2", "?")  # a: half as long  b: shorter, but by less than half  c: the same

# %% tags=["lang:zh"] stem="p2" en_sha="1777f138"
answer("d4.vectors_l0c.p2", "?", language="zh")  # a：一半长  b：更短，但省下不到一半  c：一样

# %% tags=["reveal"] stem="times"
times = {"all rows": everything.last_launch.timeline, "halves": halves.last_launch.timeline}
cycles = {name: timeline.cycles - timeline.launch_cycles for name, timeline in times.items()}
vector = {
    name: sum(
        lane.busy_cycles for lane in timeline.lanes if (lane.agent, lane.pipe) == ("aiv0", "V")
    )
    for name, timeline in times.items()
}
print("whole block:", cycles, f"ratio {cycles['all rows'] / cycles['halves']:.2f}")
print("V of core 0:", vector, f"ratio {vector['all rows'] / vector['halves']:.2f}")

# %% tags=["lang:en", "lecture"] stem="show_times"
show_timeline(everything, halves)

# %% tags=["lang:zh", "lecture"] stem="show_times" en_sha="bbbd59c5"
show_timeline(everything, halves, language="zh")

# %% [markdown] tags=["lang:en"] stem="time_rule"
# Core 0 has the same work in the first kernel whether core 1 repeats it or not, so its time is
# that of one core alone. The vector op takes about half; the launch does not: the product, the
# way through GM and the latency of each transfer stay. Rule: **only what is divided gets shorter.**

# %% [markdown] tags=["lang:zh"] stem="time_rule" en_sha="7efda87f"
# 在第一个内核里，不管核 1 是否重复，核 0 的工作都一样，所以它的时间就是一个核独自工作的时间。vector 运算大约缩短一半，整次启动却没有：矩阵乘、经过 GM 的交接、每次传输的延迟都还在。规则：**只有分开做的部分才会变短。**

# %% [markdown] tags=["lang:en", "lecture"] stem="l0c_words"
# ## Step 6: who writes L0C
#
# FlashAttention scales its running output in each trip: `o = o * factor + p @ v`. The product adds
# up in L0C anyway, so why not keep `o` there? Two attempts: scale the tile where it lies, or bring
# the scaled one back.

# %% [markdown] tags=["lang:zh", "lecture"] stem="l0c_words" en_sha="9e0666cd"
# ## 第 6 步：谁写 L0C
#
# FlashAttention 每次循环都缩放累计输出：`o = o * factor + p @ v`。乘积本来就在 L0C 里累加，为什么不把 `o` 留在那里？做两种尝试：就地缩放这个数据块，或者把缩放后的数据块送回 L0C。

# %% tags=["lecture", "kp:K184"] stem="refused"
from tlcourse.diagnostics import TLError


def attempt(scale_in_place):
    @T.prim_func
    def kernel(A: T.Tensor((64, 64), "float16"), O: T.Tensor((64, 64), "float32")):
        with T.Kernel(1, is_npu=True) as (cid, _):
            with T.Scope("Cube"):
                a = T.alloc_L1((64, 64), "float16")
                o = T.alloc_L0C((64, 64), "float32")
                T.copy(A, a)
                T.gemm(a, a, o, initC=True)
                if scale_in_place:
                    T.vmul(o, 0.5, o)
                else:
                    T.copy(O, o)
                T.gemm(a, a, o, initC=False)
                T.copy(o, O)

    return tilelang.compile(kernel, target="npuir").program()


def refusal(scale_in_place):
    try:
        return attempt(scale_in_place)
    except TLError as problem:
        return problem.diagnostic


in_place, back = refusal(True), refusal(False)
print(in_place.code, in_place.what)
print(back.code, back.what)
print("why:", back.why)


# %% tags=["kp:K184"] stem="init"
def two_products(second_starts_anew):
    @T.prim_func
    def kernel(A: T.Tensor((64, 64), "float16"), O: T.Tensor((64, 64), "float32")):
        with T.Kernel(1, is_npu=True) as (cid, _):
            a = T.alloc_L1((64, 64), "float16")
            o = T.alloc_L0C((64, 64), "float32")
            T.copy(A, a)
            T.gemm(a, a, o, initC=True)
            T.gemm(a, a, o, initC=second_starts_anew)
            T.copy(o, O)

    return tilelang.compile(kernel, target="npuir", out_idx=[1])


A = torch.randn(64, 64, generator=generator).half()
one = A.float() @ A.float()
summed, anew = two_products(False), two_products(True)
got = [kernel(A.npu()).cpu() for kernel in (summed, anew)]
kept = [torch.allclose(x, times * one, atol=1e-2, rtol=1e-3) for x, times in zip(got, (2, 1))]
print("initC=False adds to what is there:", kept[0])
print("initC=True starts from zero:", kept[1])

# %% tags=["lang:en"] stem="show_memory"
show_memory(summed)

# %% tags=["lang:zh"] stem="show_memory" en_sha="8378c3b8"
show_memory(summed, language="zh")

# %% [markdown] tags=["lang:en"] stem="l0c_rule"
# Nothing but the matrix unit writes L0C: no vector op reaches it, no path leads into it. Its two
# ways to begin are `initC=True`, from zero, and `initC=False`, from what the last product left. So
# a sum that must be scaled lives in UB, and each product starts anew.

# %% [markdown] tags=["lang:zh"] stem="l0c_rule" en_sha="11810cbf"
# 只有矩阵单元能写 L0C：vector 运算访问不到它，也没有通路把数据送进去。矩阵乘只有两种起点：`initC=True` 从零开始，`initC=False` 从上一次乘积留下的值开始。所以需要缩放的和放在 UB 里，每次矩阵乘都重新开始。

# %% [markdown] tags=["lang:en", "lecture"] stem="recap"
# ## Recap
#
# - Both vector cores run the whole text; `vid` divides the rows, `(rows + 1) // 2` for the first.
# - Each row once: holes and double rows are both reported.
# - Only the cube writes L0C; the running output of FlashAttention lives in UB.
#
# **Exercise:** [d4.two_vectors](../../exercises/day4/two_vectors.ipynb).

# %% [markdown] tags=["lang:zh", "lecture"] stem="recap" en_sha="a75e489f"
# ## 小结
#
# - 两个 vector 核都执行全部文本；用 `vid` 分行，第一个核取 `(rows + 1) // 2` 行。
# - 每行只写一次：空洞和重复的行都会被报告。
# - 只有 cube 核写 L0C；FlashAttention 的累计输出放在 UB。
#
# **练习：** [d4.two_vectors](../../../exercises/zh/day4/two_vectors.ipynb)。

# %% tags=["golden"] stem="golden"
# What the text says holds in the outputs.
assert of_all == (of_all[0], ["TL522"], {"aiv0": 64, "aiv1": 64})
assert of_halves == (True, [], {"aiv0": 32, "aiv1": 32})
assert of_lost[:2] == (False, ["TL528"])
assert of_overlap[1] == ["TL522"]
assert 1 < cycles["all rows"] / cycles["halves"] < 2
assert vector["all rows"] / vector["halves"] > 1.6
assert (in_place.code, back.code) == ("TL211", "TL203")
assert kept == [True, True]
