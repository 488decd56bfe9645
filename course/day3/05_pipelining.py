# ---
# jupyter:
#   tlcourse:
#     id: d3.pipelining
#     title: "3.5 Overlap: what hides a load"
#     title_zh: "3.5 重叠：什么能掩盖载入"
#     track: more
#     minutes: 40
#     needs: [d2.fusion]
# ---

# %% [markdown] tags=["lang:en", "lecture"] stem="goals"
# # 3.5 Overlap: what hides a load
#
# *more, 40 minutes, needs lesson 2.4*
#
# You will be able to
# - read from a timeline how much of the work hides a load: the **overlap**,
# - say what `T.Pipelined` does here, and what multi-buffering does,
# - give the price of a second buffer in bytes of UB,
# - write a loop by hand in which the next load runs under the work.

# %% [markdown] tags=["lang:zh", "lecture"] stem="goals" en_sha="2412d3ad"
# # 3.5 重叠：什么能掩盖载入
#
# *进阶内容，40 分钟，先修 2.4 节*
#
# 学完后你能够
# - 从时间线读出计算有多少时间在掩盖载入，即**重叠**（overlap）；
# - 说出 `T.Pipelined` 在这里做什么，多缓冲又做什么；
# - 用 UB 的字节数给出第二个缓冲区的代价；
# - 手写一个循环，让下一次载入与计算同时进行。

# %% tags=["setup"] stem="imports"
import os

os.environ["TILELANG_ASCEND_MODE"] = "Developer"
from tlcourse import check, hint, answer, progress, show_passes, show_timeline, show_memory
import tilelang
import tilelang.language as T
import torch

# %% [markdown] tags=["lang:en", "lecture"] stem="stream_words"
# ## A stream of tiles
#
# 64 tiles of 16 x 512 float32 pass through one core: load, exp, store. The three stand on three
# pipes, MTE2, V and MTE3, so they could run at the same time, on different tiles. Overlap of the
# load: the part of the vector time during which MTE2 is busy, too.

# %% [markdown] tags=["lang:zh", "lecture"] stem="stream_words" en_sha="2e0e2fc2"
# ## 数据块依次流过
#
# 64 个 16 x 512 的 float32 数据块依次经过一个核：载入、exp、写回。三者在三条流水线上：MTE2、V、MTE3，所以可以同时处理不同的数据块。载入的重叠，是指 V 忙的时间里 MTE2 也在忙的比例。


# %% stem="stream"
os.environ["TILELANG_ASCEND_DEVICE_NAME"] = "Ascend910B1"  # all times are of this chip


def stream(stages=0, tiles=64, rows=16, N=512):
    @T.prim_func
    def kernel(
        X: T.Tensor((tiles * rows, N), "float32"), Y: T.Tensor((tiles * rows, N), "float32")
    ):  # fmt: skip
        with T.Kernel(1, is_npu=True) as (cid, _):
            x = T.alloc_shared((rows, N), "float32")
            for k in T.Pipelined(tiles, num_stages=stages) if stages else T.serial(tiles):
                T.copy(X[k * rows : (k + 1) * rows, :], x)
                T.vexp(x, x)
                T.copy(x, Y[k * rows : (k + 1) * rows, :])

    return kernel


def overlap(timeline):  # percent of the vector time in which the same core also loads
    mine = [i for i in timeline.instructions if i.agent == "aiv0"]
    loads = [(i.start_cycle, i.end_cycle) for i in mine if i.pipe == "MTE2"]
    work = [(i.start_cycle, i.end_cycle) for i in mine if i.pipe == "V"]
    both = sum(max(0, min(b, d) - max(a, c)) for a, b in work for c, d in loads)
    return 100 * both / sum(b - a for a, b in work)


# %% [markdown] tags=["lang:en", "lecture"] stem="stages_words"
# ## More stages?
#
# On other chips `num_stages` says how many loads run ahead. Compile the stream with `T.serial` and
# with `T.Pipelined` of 1, 2 and 3 stages. Which is the fastest?

# %% [markdown] tags=["lang:zh", "lecture"] stem="stages_words" en_sha="9eeabcc5"
# ## 级数越多越好？
#
# 在别的芯片上，`num_stages` 说明载入提前几次进行。分别用 `T.serial` 和 1、2、3 级的 `T.Pipelined` 编译这个内核。哪个最快？先回答，再运行。

# %% tags=["lang:en"] stem="p1"
answer("d3.pipelining.p1", "?")  # a: three stages  b: two stages  c: all the same

# %% tags=["lang:zh"] stem="p1" en_sha="159f4dda"
answer("d3.pipelining.p1", "?", language="zh")  # a：三级  b：两级  c：都一样

# %% tags=["reveal", "lecture", "kp:K165"] stem="stages"
shape = (64 * 16, 512)


def compiled(function, **switches):
    configs = {f"npuir.{name}": value for name, value in switches.items()}
    return tilelang.compile(function, target="npuir", out_idx=[1], pass_configs=configs)


def ir(kernel):  # what code generation gives, without places in the source
    trace = kernel.trace()
    text = next(trace.texts[s.text_id] for s in trace.snapshots if s.pass_name == "codegen")
    return [line.split(" loc(")[0] for line in text.splitlines()]


staged = {stages: compiled(stream(stages)) for stages in (0, 1, 2, 3)}
times = {stages: kernel.profile(shape) for stages, kernel in staged.items()}
for stages, timeline in times.items():
    name = f"{stages} stages" if stages else "T.serial"
    same = ir(staged[stages]) == ir(staged[0])
    print(f"{name:9} cycles {timeline.cycles:,}  overlap {overlap(timeline):.0f} %  same IR {same}")

# %% tags=["lang:en"] stem="show_serial"
show_timeline(times[0])

# %% tags=["lang:zh"] stem="show_serial" en_sha="7e4442e5"
show_timeline(times[0], language="zh")

# %% [markdown] tags=["lang:en"] stem="stages_rule"
# The IR is the same to the letter: here `T.Pipelined` is an annotation that nobody acts on. Yet the
# timeline shows overlap. It comes from **multi-buffering**: the compiler gives the tile two
# addresses, and turns take them in turn. Switch it off and look at time and UB.

# %% [markdown] tags=["lang:zh"] stem="stages_rule" en_sha="a81f15e8"
# IR 一字不差：在这里 `T.Pipelined` 只是一个没有 pass 处理的注记。可是时间线上有重叠。它来自**多缓冲**（multi-buffering）：编译器给数据块两个地址，各次循环轮流使用。把它关掉，看看时间和 UB 的用量。

# %% tags=["lang:en"] stem="p2"
answer("d3.pipelining.p2", "?")  # off: a: twice the time  b: more, but not twice  c: the same

# %% tags=["lang:zh"] stem="p2" en_sha="0e538e9f"
answer("d3.pipelining.p2", "?", language="zh")  # 关掉： a：两倍时间  b：更多，但不到两倍  c：一样


# %% tags=["reveal", "lecture", "kp:K048", "kp:K010"] stem="multi_buffer"
def ub_bytes(kernel):
    memory = kernel.launch(torch.zeros(shape).npu()).memory
    return max(b.offset_bytes + b.size_bytes for m in memory if m.space == "ub" for b in m.buffers)


kernels = {
    "two buffers": staged[0],
    "one buffer": compiled(stream(), enable_auto_multi_buffer=False),
}
timelines = {name: kernel.profile(shape) for name, kernel in kernels.items()}
taken = {name: ub_bytes(kernel) for name, kernel in kernels.items()}
for name, timeline in timelines.items():
    print(
        f"{name:12} cycles {timeline.cycles:8,}  overlap {overlap(timeline):3.0f} %  UB {taken[name]:,} bytes"
    )

# %% tags=["lang:en", "reveal"] stem="show_both"
show_timeline(timelines["one buffer"], timelines["two buffers"])

# %% tags=["lang:zh", "reveal"] stem="show_both" en_sha="5b2e79d7"
show_timeline(timelines["one buffer"], timelines["two buffers"], language="zh")

# %% [markdown] tags=["lang:en"] stem="price_rule"
# The price is a second tile in UB. The gain ends at the slowest pipe: when that one is always busy,
# nothing more can be hidden, and a third buffer would only take space. Rule: **buffers hide
# waiting; the busiest pipe sets the time.**

# %% [markdown] tags=["lang:zh"] stem="price_rule" en_sha="fde7f3d8"
# 代价是 UB 中的第二个数据块。收益以最慢的流水线为限：它一直在忙时，就没有等待可以再掩盖，第三个缓冲区只会占空间。规则：**缓冲区掩盖等待；最忙的流水线决定时间。**

# %% [markdown] tags=["lang:en", "lecture"] stem="hand_words"
# ## By hand
#
# Now multi-buffering is off, and you do it, in Expert mode, where a buffer is one place: two tiles a
# trip, **both loads first**. The first version has one buffer for both. The flags of the compiler
# keep it right. Does anything overlap?

# %% [markdown] tags=["lang:zh", "lecture"] stem="hand_words" en_sha="f1525f31"
# ## 手写
#
# 现在关掉多缓冲，由你在 Expert 模式下手写，那里一个缓冲区就是一个位置：每次循环处理两个数据块，**先做两次载入**。第一个版本里，两块共用一个缓冲区，编译器的标志保证结果正确。会有重叠吗？再给第二块一个自己的缓冲区，比较两者。


# %% tags=["kp:K048"] stem="by_hand"
def two_a_trip(own_buffer, tiles=64, rows=16, N=512):
    @T.prim_func
    def kernel(
        X: T.Tensor((tiles * rows, N), "float32"), Y: T.Tensor((tiles * rows, N), "float32")
    ):  # fmt: skip
        with T.Kernel(1, is_npu=True) as (cid, _):
            x = T.alloc_ub((rows, N), "float32")
            z = T.alloc_ub((rows, N), "float32")
            for k in T.serial(tiles // 2):
                at = 2 * k * rows
                T.copy(X[at : at + rows, :], x)
                if own_buffer:
                    T.copy(X[at + rows : at + 2 * rows, :], z)
                T.vexp(x, x)
                T.copy(x, Y[at : at + rows, :])
                if own_buffer:
                    T.vexp(z, z)
                    T.copy(z, Y[at + rows : at + 2 * rows, :])
                else:
                    T.copy(X[at + rows : at + 2 * rows, :], x)
                    T.vexp(x, x)
                    T.copy(x, Y[at + rows : at + 2 * rows, :])

    os.environ["TILELANG_ASCEND_MODE"] = "Expert"
    made = compiled(kernel, enable_auto_multi_buffer=False)
    os.environ["TILELANG_ASCEND_MODE"] = "Developer"
    return made


# %% tags=["kp:K048"] stem="run_hand"
X = torch.randn(shape, generator=torch.Generator().manual_seed(0))
hand = {}
for own in (False, True):
    launch = two_a_trip(own).launch(X.npu())
    right = torch.allclose(launch.outputs[0].cpu(), X.exp(), rtol=1e-4, atol=1e-4)
    hand[own] = launch.timeline, right, len(launch.findings)
    name = "two buffers" if own else "one buffer"
    print(
        f"{name:12} right {right}, cycles {launch.timeline.cycles:,}, overlap {overlap(launch.timeline):.0f} %"
    )

# %% tags=["lang:en"] stem="show_hand"
show_timeline(hand[False][0], hand[True][0])

# %% tags=["lang:zh"] stem="show_hand" en_sha="0433569c"
show_timeline(hand[False][0], hand[True][0], language="zh")

# %% [markdown] tags=["lang:en"] stem="hand_rule"
# With one buffer the second load must wait until the first tile is stored: right, and serial. With a
# buffer of its own the second load runs under the first exp. What overlaps is decided by **who needs
# whose memory**, not by the order of lines alone.

# %% [markdown] tags=["lang:zh"] stem="hand_rule" en_sha="e0fbfa3f"
# 只有一个缓冲区时，第二次载入要等到第一块写回之后：结果正确，但是串行。有了自己的缓冲区，第二次载入就与第一个 exp 同时进行。能否重叠取决于**谁要用谁的内存**，而不只是代码行的次序。

# %% [markdown] tags=["lang:en", "lecture"] stem="recap"
# ## Recap
#
# - `T.Pipelined` leaves the IR as it is; multi-buffering makes the overlap.
# - A second buffer costs its bytes in UB; the busiest pipe sets the time.
# - By hand: both loads first, each into a buffer of its own.
#
# **Exercise:** [d3.overlap](../../exercises/day3/overlap.ipynb).

# %% [markdown] tags=["lang:zh", "lecture"] stem="recap" en_sha="ff4b1584"
# ## 小结
#
# - `T.Pipelined` 不改变 IR；产生重叠的是多缓冲。
# - 第二个缓冲区要占用 UB；最忙的流水线决定时间。
# - 手写时：先做两次载入，各用自己的缓冲区。
#
# **练习：** [d3.overlap](../../../exercises/zh/day3/overlap.ipynb)。

# %% tags=["golden"] stem="golden"
# What the text says holds in the outputs.
assert all(ir(kernel) == ir(staged[0]) for kernel in staged.values())
assert len({timeline.cycles for timeline in times.values()}) == 1
one, two = timelines["one buffer"], timelines["two buffers"]
assert two.cycles < one.cycles < 2 * two.cycles
assert overlap(one) < overlap(two)
assert taken["two buffers"] >= 2 * taken["one buffer"]
assert all(right and not found for _, right, found in hand.values())
assert overlap(hand[False][0]) < overlap(hand[True][0])
assert hand[True][0].cycles < hand[False][0].cycles
