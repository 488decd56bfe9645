# ---
# jupyter:
#   tlcourse:
#     id: d4.split_sync
#     title: "4.3 Steps 3 and 4: two cores, and agreement between them"
#     title_zh: "4.3 第 3、4 步：两种核，以及它们之间的约定"
#     track: core
#     minutes: 35
#     needs: [d4.caches_workspace]
# ---

# %% [markdown] tags=["lang:en", "lecture"] stem="goals"
# # 4.3 Steps 3 and 4: two cores, and agreement between them
#
# *core, 35 minutes, needs lesson 4.1*
#
# You will be able to
# - put each line of a kernel into the **scope** of the core that runs it,
# - tell one core by a flag that a tile is there, and another that its place is free,
# - read a race and a deadlock: which core, which line, which flag.

# %% [markdown] tags=["lang:zh", "lecture"] stem="goals" en_sha="5b8b98fd"
# # 4.3 第 3、4 步：两种核，以及它们之间的约定
#
# *核心内容，35 分钟，先修 4.1 节*
#
# 学完后你能够
# - 把内核的每一行放进执行它的核的 **scope**；
# - 用标志通知一个核数据块已到，通知另一个核位置已空；
# - 读懂竞争和死锁：哪个核、哪一行、哪个标志。

# %% tags=["setup"] stem="imports"
import os

os.environ["TILELANG_ASCEND_MODE"] = "Expert"
from tlcourse import check, hint, answer, progress, show_passes, show_timeline, show_memory
import tilelang
import tilelang.language as T
import torch

# %% [markdown] tags=["lang:en", "lecture"] stem="scope_words"
# ## Step 3: one text, two programs
#
# `with T.Scope("Cube")` holds what the cube core runs, `with T.Scope("Vector")` what both vector
# cores run; what stands outside goes to both. Here is MiniCV in that form. A block takes several
# tiles of rows, one after the other; products cross in the slot `W[cid]`. The two names in capitals
# are flags.

# %% [markdown] tags=["lang:zh", "lecture"] stem="scope_words" en_sha="e4eada01"
# ## 第 3 步：一份文本，两个程序
#
# `with T.Scope("Cube")` 里是 cube 核执行的内容，`with T.Scope("Vector")` 里是两个 vector 核执行的内容；写在外面的，两种核都执行。下面是这种形式的 MiniCV。一个逻辑块依次处理几个行数据块，乘积经由 `W[cid]` 这个槽交接。两个大写的名字是标志。


# %% tags=["lecture", "kp:K179", "kp:K180"] stem="minicv"
READY, FREE = 0, 1
rows, half, N, K = 64, 32, 128, 128


def minicv(trips, ready=True, free=True, setters=2):
    @T.prim_func
    def kernel(
        A: T.Tensor((2 * trips * rows, K), "float16"),
        B: T.Tensor((K, N), "float16"),
        D: T.Tensor((2 * trips * rows, N), "float32"),
        W: T.Tensor((2, rows, N), "float32"),
    ):
        with T.Kernel(2, is_npu=True) as (cid, vid):
            with T.Scope("Cube"):
                a, b = T.alloc_L1((rows, K), "float16"), T.alloc_L1((K, N), "float16")
                c = T.alloc_L0C((rows, N), "float32")
                T.copy(B, b)
                for i in T.serial(trips):
                    top = (cid * trips + i) * rows
                    T.copy(A[top : top + rows, :], a)
                    T.gemm(a, b, c, initC=True)
                    store(c, W, cid, i, ready, free)
            with T.Scope("Vector"):
                w = T.alloc_ub((half, N), "float32")
                for i in T.serial(trips):
                    top = (cid * trips + i) * rows + vid * half
                    load(w, W, cid, vid, i, trips, ready, free, setters)
                    T.vexp(w, w)
                    T.copy(w, D[top : top + half, :])

    return tilelang.compile(kernel, target="npuir", out_idx=[2])


# %% tags=["lang:en"] stem="show_chip"
from tlcourse.chips import CHIPS
from tlcourse.widgets.chip import ChipView

ChipView(CHIPS["Ascend910B1"])

# %% tags=["lang:zh"] stem="show_chip" en_sha="f8309f99"
from tlcourse.chips import CHIPS
from tlcourse.widgets.chip import ChipView

ChipView(CHIPS["Ascend910B1"], language="zh")

# %% [markdown] tags=["lang:en"] stem="flag_words"
# ## Step 4: agreement
#
# The two programs run at the same time. `T.sync_block_set(flag)` raises a flag between cores, and
# `T.sync_block_wait(flag)` holds a pipe until it is up, then takes it down. Both stand in
# `with T.rs(pipe)`: a set waits for what that pipe does before, a wait holds what it does after.

# %% [markdown] tags=["lang:zh"] stem="flag_words" en_sha="eae51eb7"
# ## 第 4 步：约定
#
# 两个程序同时运行。`T.sync_block_set(flag)` 置起核间标志，`T.sync_block_wait(flag)` 让一条流水线等到标志置起，再把它放下。两者都写在 `with T.rs(pipe)` 里：set 要等这条流水线前面的工作做完，wait 挡住它后面的工作。


# %% tags=["kp:K181", "kp:K047"] stem="hand_over"
@T.macro
def store(c, W, cid, i, ready, free):
    with T.rs("PIPE_FIX"):
        if free:
            if i > 0:
                T.sync_block_wait(FREE)
        T.copy(c, W[cid, :, :])
        if ready:
            T.sync_block_set(READY)


@T.macro
def load(w, W, cid, vid, i, trips, ready, free, setters):
    with T.rs("PIPE_MTE2"):
        if ready:
            T.sync_block_wait(READY)
        T.copy(W[cid, vid * half : (vid + 1) * half, :], w)
        if free:
            if i + 1 < trips:  # nobody asks for the slot after the last trip
                if vid < setters:
                    T.sync_block_set(FREE)


# %% [markdown] tags=["lang:en", "lecture"] stem="none_words"
# ## Without flags
#
# First, one trip and no flag at all. The cube core stores its product, the vector cores load it;
# the simulator tries eight of the orders that a chip might take. You get eight results. What do
# right numbers in one of them tell you?

# %% [markdown] tags=["lang:zh", "lecture"] stem="none_words" en_sha="a665e82f"
# ## 没有标志
#
# 先看只有一次循环、完全没有标志的情况。cube 核写出乘积，vector 核载入它；模拟器尝试芯片可能采取的八种次序，得到八个结果。其中某一个数值正确，说明了什么？

# %% tags=["lang:en"] stem="p1"
answer("d4.split_sync.p1", "?")  # a: that order is safe  b: nothing  c: one trip needs no flag

# %% tags=["lang:zh"] stem="p1" en_sha="6807f193"
answer(
    "d4.split_sync.p1", "?", language="zh"
)  # a：这种次序是安全的  b：什么也没有  c：一次循环不需要标志

# %% tags=["reveal", "lecture", "kp:K011"] stem="no_flags"
os.environ["TILELANG_ASCEND_DEVICE_NAME"] = "Ascend910B1"
generator = torch.Generator().manual_seed(0)
B = (torch.randn(K, N, generator=generator) / K**0.5).half()


def try_orders(kernel, trips, orders=8):
    A = torch.randn(2 * trips * rows, K, generator=generator).half()
    want = (A.float() @ B.float()).exp()
    right, reported, found = 0, 0, set()
    for seed in range(orders):
        launch = kernel.launch(A.npu(), B.npu(), torch.zeros(2, rows, N).npu(), seed=seed)
        right += torch.allclose(launch.outputs[0].cpu(), want, atol=1e-3, rtol=1e-3)
        reported += bool(launch.findings)
        found |= {f"{one.diagnostic.code} {one.diagnostic.what}" for one in launch.findings}
    print(f"right in {right} of {orders} orders, a report in {reported}")
    for words in sorted(found):
        print(words)
    return right, reported, found


no_flags = try_orders(minicv(1, ready=False, free=False), 1)

# %% tags=["lang:en"] stem="show_luck"
from tlcourse.widgets.bars import BarView

counts = {"right numbers": no_flags[0], "reports of a race": no_flags[1]}
BarView("One trip without flags, in eight orders", counts, look="FIX")

# %% tags=["lang:zh"] stem="show_luck" en_sha="d010f757"
from tlcourse.widgets.bars import BarView

counts = {"数值正确": no_flags[0], "报告竞争": no_flags[1]}
BarView("没有标志的一次循环，八种次序", counts, look="FIX", language="zh")

# %% [markdown] tags=["lang:en"] stem="luck_rule"
# A right result proves no synchronisation: the report names the two lines in every order. Now the
# flag `READY`: the FIX pipe raises it behind the store, MTE2 of each vector core waits before the
# load. One trip is in order. Are two?

# %% [markdown] tags=["lang:zh"] stem="luck_rule" en_sha="c8623e43"
# 结果正确不能证明同步正确：每一种次序下，报告都指出那两行。现在加上标志 `READY`：FIX 流水线在写出之后置起它，每个 vector 核的 MTE2 在载入之前等它。一次循环没有问题了，两次呢？

# %% tags=["kp:K181"] stem="one_way"
print("one trip:")
one_trip = try_orders(minicv(1, free=False), 1)
print("two trips:")
two_trips = try_orders(minicv(2, free=False), 2)

# %% [markdown] tags=["lang:en", "lecture"] stem="free_words"
# ## The way back
#
# The slot is used again. In the second trip the cube core may overwrite it before the vector cores
# have read it: the data are announced, the free place is not. So `FREE` goes the other way, from
# MTE2 to FIX, in every trip but the last.

# %% [markdown] tags=["lang:zh", "lecture"] stem="free_words" en_sha="8addcec9"
# ## 反方向的通知
#
# 这个槽要重复使用。第二次循环时，cube 核可能在 vector 核读完之前就覆盖它：数据到了有通知，位置空了却没有。所以 `FREE` 走相反的方向，从 MTE2 到 FIX，除最后一次外每次循环都有。

# %% tags=["kp:K056"] stem="both_ways"
good = minicv(3)
both_ways = try_orders(good, 3)
lines = [line for line in good.trace().texts[good.trace().snapshots[-1].text_id].splitlines()]
sets = [line.split(" loc(")[0].strip() for line in lines if "sync_block_set[" in line]
print(*sets, sep="\n")

# %% tags=["lang:en", "lecture"] stem="show_timeline"
show_timeline(good)

# %% tags=["lang:zh", "lecture"] stem="show_timeline" en_sha="08986057"
show_timeline(good, language="zh")

# %% [markdown] tags=["lang:en"] stem="drill_words"
# ## Stage 1: your turn
#
# Three holes, on paper: (1) behind which line stands the set of `READY`, and on which pipe; (2)
# before which line stands the wait for `FREE`, and on which pipe; (3) in which trip must that wait
# be left out? Compare with `store` and `load` above.

# %% [markdown] tags=["lang:zh"] stem="drill_words" en_sha="1b45c0e7"
# ## 第 1 阶段：轮到你
#
# 三个空，写在纸上：（1）`READY` 的 set 在哪一行之后，在哪条流水线上；（2）`FREE` 的 wait 在哪一行之前，在哪条流水线上；（3）哪一次循环不能有这个 wait？写完再与上面的 `store` 和 `load` 比较。

# %% tags=["lang:en"] stem="drill1"
answer("d4.split_sync.drill1", "?")  # your three answers, with ; between them

# %% tags=["lang:zh"] stem="drill1" en_sha="e2f477c9"
answer("d4.split_sync.drill1", "?", language="zh")  # 你的三个答案，用分号隔开

# %% [markdown] tags=["lang:en", "lecture"] stem="vid_words"
# ## Two vector cores, one flag
#
# A set of the cube core reaches both vector cores. And the way back? A colleague lets only vector
# core 0 set `FREE`, since one message should be enough. What will happen with two trips?

# %% [markdown] tags=["lang:zh", "lecture"] stem="vid_words" en_sha="6daf2f39"
# ## 两个 vector 核，一个标志
#
# cube 核的一次 set 会送到两个 vector 核。那么反方向呢？一位同事只让 vector 核 0 置起 `FREE`，认为通知一次就够了。循环两次时会发生什么？

# %% tags=["lang:en"] stem="p2"
answer("d4.split_sync.p2", "?")  # a: right  b: a race with vector core 1  c: all stand still

# %% tags=["lang:zh"] stem="p2" en_sha="1bf6fba2"
answer("d4.split_sync.p2", "?", language="zh")  # a：正确  b：与 vector 核 1 竞争  c：全部停住

# %% tags=["reveal", "kp:K181"] stem="stuck"
stuck = minicv(2, setters=1)
deadlock = try_orders(stuck, 2, orders=1)
root = next(
    wait for f in stuck.last_launch.findings for wait in f.waits if wait.waiter == "aic FIX"
)
print(root.waiter, "waits for", root.flag + ",", root.reason)

# %% tags=["lang:en", "lecture"] stem="show_deadlock"
from tlcourse import show_deadlock

show_deadlock(stuck)

# %% tags=["lang:zh", "lecture"] stem="show_deadlock" en_sha="95780d6a"
from tlcourse import show_deadlock

show_deadlock(stuck, language="zh")

# %% [markdown] tags=["lang:en"] stem="stuck_rule"
# A wait of the cube core needs both vector cores, each has a flag of its own. One is missing, so
# FIX stands, so `READY` never comes again, so both MTE2 stand: follow the arrows to the first
# cause. Rule: **each set has its wait, in each trip, and both vector cores set.**

# %% [markdown] tags=["lang:zh"] stem="stuck_rule" en_sha="4a914da3"
# cube 核的一次 wait 需要两个 vector 核都 set，它们各有自己的标志。缺了一个，FIX 就停住，`READY` 不再置起，两个 MTE2 也停住：顺着箭头能找到最初的原因。规则：**每次循环里，每个 set 都有它的 wait，而且两个 vector 核都要 set。**

# %% [markdown] tags=["lang:en", "lecture"] stem="recap"
# ## Recap
#
# - Two scopes, two programs that run at once; nothing but flags keeps them in step.
# - `READY` follows the data, `FREE` goes back; a reused slot needs both, unless
#   another flag already comes after the read.
# - A report of a race counts even where the numbers are right.
#
# **Exercise:** [d4.sync](../../exercises/day4/sync.ipynb): FlashAttention, both directions.

# %% [markdown] tags=["lang:zh", "lecture"] stem="recap" en_sha="6173a189"
# ## 小结
#
# - 两个 scope，两个同时运行的程序；只有标志让它们步调一致。
# - `READY` 跟着数据走，`FREE` 往回走；重复使用的槽两个都要，除非另一个标志已经排在读取之后。
# - 即使数值正确，竞争报告也算数。
#
# **练习：** [d4.sync](../../../exercises/zh/day4/sync.ipynb)：FlashAttention，两个方向。


# %% tags=["golden"] stem="golden"
# What the text says holds in the outputs.
def codes(tried):
    return {one.split()[0] for one in tried[2]}


assert 0 < no_flags[0] < no_flags[1] == 8
assert codes(no_flags) == {"TL522"}
assert one_trip == (8, 0, set())
assert codes(two_trips) == {"TL522"}
assert both_ways == (8, 0, set())
assert len(sets) == 2
assert codes(deadlock) == {"TL502"}
assert "vector core 1 never raised it" in root.reason
