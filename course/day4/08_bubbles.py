# ---
# jupyter:
#   tlcourse:
#     id: d4.bubbles
#     title: "4.8 Fill the bubbles"
#     title_zh: "4.8 填满气泡"
#     track: core
#     minutes: 40
#     needs: [d4.vectors_l0c]
# ---

# %% [markdown] tags=["lang:en", "lecture"] stem="goals"
# # 4.8 Fill the bubbles
#
# *core, 40 minutes, needs lesson 4.5*
#
# You will be able to
# - find a **bubble** in a timeline, and name what it waits for,
# - let the cube core run ahead: products in a row, softmaxes in a row,
# - say what such an order needs: places and flags for all that is under way.

# %% [markdown] tags=["lang:zh", "lecture"] stem="goals" en_sha="9f3c7516"
# # 4.8 填满气泡
#
# *核心内容，40 分钟，先修 4.5 节*
#
# 学完后你能够
# - 在时间线上找到**气泡**（bubble），并说出它在等什么；
# - 让 cube 核走在前面：矩阵乘连着做，softmax 连着做；
# - 说出这样的次序需要什么：所有在途的数据都要有位置和标志。

# %% tags=["setup"] stem="imports"
import os

os.environ["TILELANG_ASCEND_MODE"] = "Expert"
from tlcourse import check, hint, answer, progress, show_passes, show_timeline, show_memory
import tilelang
import tilelang.language as T
import torch

# %% [markdown] tags=["lang:en"] stem="pieces_words"
# ## Four pieces
#
# FlashAttention on two kinds of core is four pieces for each block of keys: `scores` and `values`
# on the cube core, `softmax` and `add` on the vector cores. Each loads from a slot of a workspace
# and stores to one; a flag goes with each hand-over. Here they are as macros, so that their order
# can be changed.

# %% [markdown] tags=["lang:zh"] stem="pieces_words" en_sha="c24ecfed"
# ## 四个部分
#
# 在两种核上，FlashAttention 处理每一块键都分四个部分：cube 核上的 `scores` 和 `values`，vector 核上的 `softmax` 和 `add`。各部分之间经由工作区的槽交接，每次交接带一个标志。这里把它们写成宏，以便改变次序。

# %% stem="cube_pieces"
D, block_M, half = 128, 128, 64
f16, f32 = "float16", "float32"
row, wide = (half, 1), (half, D)


@T.macro
def scores(K, SW, q, kv, c, cid, j, N, slot, flag):
    T.copy(K[j * N : (j + 1) * N, :], kv)
    T.gemm(q, kv, c, initC=True, b_transpose=True, size=[block_M, D, N])
    with T.rs("PIPE_FIX"):
        T.copy(c[:, 0:N], SW[cid, slot, :, :])
        T.sync_block_set(flag)


@T.macro
def values(V, PW, VW, p, kv, c, cid, j, N, slot, flag):
    with T.rs("PIPE_MTE2"):
        T.sync_block_wait(flag)
        T.copy(PW[cid, slot, :, :], p)
    T.copy(V[j * N : (j + 1) * N, :], kv)
    T.gemm(p, kv, c, initC=True, size=[block_M, N, D])
    with T.rs("PIPE_FIX"):
        T.copy(c[:, 0:D], VW[cid, slot, :, :])
        T.sync_block_set(flag)


# %% stem="vector_pieces"
from tlcourse.examples.flash_attention import online_softmax


@T.macro
def softmax(SW, PW, s, p, m, l, x, sums, factor, cid, vid, slot, flag):
    with T.rs("PIPE_MTE2"):
        T.sync_block_wait(flag)
        T.copy(SW[cid, slot, vid * half : (vid + 1) * half, :], s)
    T.vmul(s, D**-0.5, s)
    online_softmax(s, m, l, factor, x, sums)
    T.vcast(s, p, round_mode="rint")
    with T.rs("PIPE_MTE3"):
        T.copy(p, PW[cid, slot, vid * half : (vid + 1) * half, :])
        T.sync_block_set(flag)


@T.macro
def add(VW, pv, o, factor, cid, vid, slot, flag):
    T.vmul(o, factor, o)
    with T.rs("PIPE_MTE2"):
        T.sync_block_wait(flag)
        T.copy(VW[cid, slot, vid * half : (vid + 1) * half, :], pv)
    T.vadd(o, pv, o)


# %% tags=["lang:en"] stem="show_tiles"
from tlcourse.widgets.grid import MatrixTiles

MatrixTiles(256, 256, 128, 128, block=1)

# %% tags=["lang:zh"] stem="show_tiles" en_sha="ba351a1a"
from tlcourse.widgets.grid import MatrixTiles

MatrixTiles(256, 256, 128, 128, block=1, language="zh")

# %% [markdown] tags=["lang:en", "lecture"] stem="orders_words"
# ## Two orders
#
# With `ahead=False` a block of keys goes all the way before the next one begins. With `ahead=True`
# the cube core makes all scores first, then weighs all values; the vector cores take all softmaxes,
# then add up. What a later block does to the sum so far is kept: one `factor` for each block.

# %% [markdown] tags=["lang:zh", "lecture"] stem="orders_words" en_sha="c7e39967"
# ## 两种次序
#
# `ahead=False` 时，一块键走完全程，下一块才开始。`ahead=True` 时，cube 核先算完所有分数，再给所有值加权；vector 核先做完所有 softmax，再累加。后面的块要怎样修正已有的和，必须记下来：每块一个 `factor`。


# %% stem="ends"
@T.macro
def start(m, l, o):
    T.vbrc(-T.infinity(f32), m)
    T.vbrc(0.0, l)
    T.vbrc(0.0, o)


@T.macro
def finish(O, o, l, o16, first):
    T.vdiv(o, l, o)
    T.vcast(o, o16, round_mode="rint")
    T.copy(o16, O[first : first + half, :])


# %% tags=["lecture", "kp:K186", "kp:K187"] stem="flash"
def flash(S, N, ahead, slots, flags):
    blocks, M, each = S // N, S // block_M, (S // N * half, 1)

    @T.prim_func
    def attention(
        Q: T.Tensor((S, D), f16), K: T.Tensor((S, D), f16), V: T.Tensor((S, D), f16),
        O: T.Tensor((S, D), f16), SW: T.Tensor((M, slots, block_M, N), f32),
        PW: T.Tensor((M, slots, block_M, N), f16), VW: T.Tensor((M, slots, block_M, D), f32),
    ):  # fmt: skip
        with T.Kernel(M, is_npu=True) as (cid, vid):
            with T.Scope("Cube"):
                q, kv = T.alloc_L1((block_M, D), f16), T.alloc_L1((N, D), f16)
                p, c = T.alloc_L1((block_M, N), f16), T.alloc_L0C((block_M, max(N, D)), f32)
                T.copy(Q[cid * block_M : (cid + 1) * block_M, :], q)
                for j in T.serial(blocks):
                    scores(K, SW, q, kv, c, cid, j, N, j % slots, j % flags)
                    if not ahead:
                        values(V, PW, VW, p, kv, c, cid, j, N, j % slots, j % flags)
                if ahead:
                    for j in T.serial(blocks):
                        values(V, PW, VW, p, kv, c, cid, j, N, j % slots, j % flags)
            with T.Scope("Vector"):
                s, p_ub = T.alloc_ub((half, N), f32), T.alloc_ub((half, N), f16)
                pv, o, o16 = T.alloc_ub(wide, f32), T.alloc_ub(wide, f32), T.alloc_ub(wide, f16)
                m, l, x = T.alloc_ub(row, f32), T.alloc_ub(row, f32), T.alloc_ub(row, f32)
                t, factor, kept = T.alloc_ub(row, f32), T.alloc_ub(row, f32), T.alloc_ub(each, f32)
                start(m, l, o)
                for j in T.serial(blocks):
                    softmax(SW, PW, s, p_ub, m, l, x, t, factor, cid, vid, j % slots, j % flags)
                    if ahead:
                        T.copy(factor, kept[j * half : (j + 1) * half, :])
                    else:
                        add(VW, pv, o, factor, cid, vid, j % slots, j % flags)
                if ahead:
                    for j in T.serial(blocks):
                        T.copy(kept[j * half : (j + 1) * half, :], factor)
                        add(VW, pv, o, factor, cid, vid, j % slots, j % flags)
                finish(O, o, l, o16, cid * block_M + vid * half)

    return attention


# %% tags=["kp:K185"] stem="serial"
os.environ["TILELANG_ASCEND_DEVICE_NAME"] = "Ascend910B1"  # all times are of this chip


def launch(S, N, ahead, slots, flags):
    kernel = tilelang.compile(flash(S, N, ahead, slots, flags), target="npuir", out_idx=[3])
    generator = torch.Generator().manual_seed(0)
    Q, K, V = (torch.randn(S, D, generator=generator).half() for _ in range(3))
    spaces = [
        torch.zeros(tuple(map(int, p.extents)), dtype=getattr(torch, p.dtype)).npu()
        for p in kernel.params[4:]
    ]
    O = kernel.launch(Q.npu(), K.npu(), V.npu(), *spaces).outputs[0].cpu().float()
    want = torch.nn.functional.scaled_dot_product_attention(Q.float(), K.float(), V.float())
    return kernel, (O - want).abs().max().item() < 1e-3


serial, serial_right = launch(256, 128, False, 1, 1)
print("right:", serial_right, " cycles:", serial.last_launch.timeline.cycles)

# %% tags=["lang:en", "lecture"] stem="show_serial"
show_timeline(serial)

# %% tags=["lang:zh", "lecture"] stem="show_serial" en_sha="d009385e"
show_timeline(serial, language="zh")

# %% [markdown] tags=["lang:en"] stem="key_words"
# ## Key to the lanes
#
# One lane for each pipe: M multiplies (MMAD on the chip), V does the vector work (VEXP, VSUB). The
# compiler's list of instructions shows SET_FLAG and WAIT_FLAG too. A gap is a bubble; the record
# says behind which instruction it ends. Which waits are the longest on M and V?

# %% [markdown] tags=["lang:zh"] stem="key_words" en_sha="915b0c71"
# ## 泳道的读法
#
# 每条流水线一条泳道：M 做矩阵乘（芯片上叫 MMAD），V 做 vector 运算（VEXP、VSUB）。编译器的指令列表里还有 SET_FLAG 和 WAIT_FLAG。空隙就是气泡；记录里写着它在等哪条指令结束。M 和 V 上最长的等待是哪些？

# %% tags=["kp:K194", "kp:K195", "kp:K197"] stem="names"
from collections import Counter

timeline = serial.last_launch.timeline
for op, name in {"mmadL1": "MMAD", "vexp": "VEXP", "vsub": "VSUB"}.items():
    lanes = {f"{i.agent}.{i.pipe}" for i in timeline.instructions if i.op == op}
    print(f"{name:5}", sorted(lanes))
flags = Counter(line.op for line in serial.instructions() if line.is_sync)
print(
    {name: flags[name] for name in ("set_flag", "wait_flag", "sync_block_set", "sync_block_wait")}
)
for lane in ("aic.M", "aiv0.V"):
    gaps = [gap for gap in timeline.bubbles if gap.lane == lane]
    longest = max(gaps, key=lambda gap: gap.end_cycle - gap.start_cycle)
    print(lane, longest.end_cycle - longest.start_cycle, "cycles:", longest.cause)

# %% [markdown] tags=["lang:en", "lecture"] stem="ahead_words"
# ## The cube core runs ahead
#
# While the vector cores take the first softmax, the cube core could already multiply for the
# second block. Now the same four pieces with `ahead=True`, two slots and two flags. What becomes
# fewer?

# %% [markdown] tags=["lang:zh", "lecture"] stem="ahead_words" en_sha="ed0afb47"
# ## cube 核走在前面
#
# vector 核做第一个 softmax 时，cube 核本来已经可以为第二块做矩阵乘。现在用同样的四个部分，`ahead=True`，两个槽、两个标志。什么会变少？

# %% tags=["lang:en"] stem="p1"
answer("d4.bubbles.p1", "?")  # a: products and vector ops  b: bytes moved  c: waiting alone

# %% tags=["lang:zh"] stem="p1" en_sha="13ac1515"
answer("d4.bubbles.p1", "?", language="zh")  # a：矩阵乘和 vector 运算  b：搬运的字节  c：只有等待

# %% tags=["reveal", "lecture", "kp:K188", "kp:K190"] stem="ahead"
ahead, ahead_right = launch(256, 128, True, 2, 2)


def spent(kernel):  # cycles behind the launch, work by op, bytes through GM, of the block shown
    timeline = kernel.last_launch.timeline
    shown = timeline.instructions
    work = Counter(i.op for i in shown)
    return timeline.cycles - timeline.launch_cycles, work, sum(i.bytes for i in shown)


before, after = spent(serial), spent(ahead)
print("right:", ahead_right, f" cycles: {before[0]:,} to {after[0]:,}")
print("ops more or fewer:", dict(after[1] - before[1]), dict(before[1] - after[1]))
print("bytes through GM:", before[2] == after[2])
softmax_1 = [i for i in ahead.last_launch.timeline.instructions if i.op == "vexp"][1]
product_2 = [i for i in ahead.last_launch.timeline.instructions if i.op == "mmadL1"][1]
print(
    "second product ends before exp of the first block:",
    product_2.end_cycle < softmax_1.start_cycle,
)

# %% tags=["lang:en", "lecture", "kp:K190"] stem="show_both"
show_timeline(serial, ahead)

# %% tags=["lang:zh", "lecture", "kp:K190"] stem="show_both" en_sha="d0739ad9"
show_timeline(serial, ahead, language="zh")

# %% [markdown] tags=["lang:en"] stem="ahead_rule"
# No op is saved; a few copies of `factor` come on top. What shrinks is waiting: the second product
# lies under the first softmax, the second softmax follows at once. Now the colleague's version:
# the same order with one slot and one flag, to save memory. And is a flag for each block dear?

# %% [markdown] tags=["lang:zh"] stem="ahead_rule" en_sha="ee92e8d5"
# 没有省下任何运算，反而多了几次 `factor` 的拷贝。变少的是等待：第二个矩阵乘与第一个 softmax 同时进行，第二个 softmax 立刻接上。再看一位同事的版本：同样的次序，但为了省内存，只用一个槽和一个标志。另外，每块一个标志会更费时间吗？

# %% tags=["lang:en"] stem="p2"
answer("d4.bubbles.p2", "?")  # two flags against one: a: more cycles  b: the same  c: fewer

# %% tags=["lang:zh"] stem="p2" en_sha="2cee59a9"
answer("d4.bubbles.p2", "?", language="zh")  # 两个标志对比一个：a：周期更多  b：一样  c：更少

# %% tags=["reveal"] stem="one_slot"
cramped, cramped_right = launch(256, 128, True, 1, 1)
print("one slot, right:", cramped_right)
for finding in cramped.last_launch.findings:
    print(finding.diagnostic.code, finding.diagnostic.what)
one_flag, _ = launch(256, 128, True, 2, 1)
print("cycles with two flags, with one:", after[0], spent(one_flag)[0])

# %% [markdown] tags=["lang:en"] stem="slot_rule"
# Two products under way need two places: with one slot the second scores fall upon the first. The
# number of flags costs nothing here, and a flag for each slot keeps each hand-over apart. Rule:
# **as many slots as are under way.**

# %% [markdown] tags=["lang:zh"] stem="slot_rule" en_sha="573b6b9f"
# 两个在途的乘积需要两个位置：只有一个槽时，第二份分数会覆盖第一份。这里标志的个数不影响时间，而每个槽一个标志能把各次交接分清。规则：**有多少份数据在途，就要多少个槽。**

# %% [markdown] tags=["lang:en"] stem="stage_words"
# ## Stages 1 and 2
#
# Cover the cell `flash` above. Stage 1: from the serial loop, which three calls move, and where to?
# Stage 2: write both loops for S = 1024 with eight blocks of keys. Then compare; the times of both
# orders follow.

# %% [markdown] tags=["lang:zh"] stem="stage_words" en_sha="6fadeb3a"
# ## 第 1、2 阶段
#
# 盖住上面的 `flash` 单元格。第 1 阶段：从串行的循环出发，哪三个调用要移动，移到哪里？第 2 阶段：为 S = 1024、八块键写出两个循环。写完再对照；接着看两种次序的时间。

# %% tags=["lang:en"] stem="drill1"
answer("d4.bubbles.drill1", "?")  # the three calls, and where each goes

# %% tags=["lang:zh"] stem="drill1" en_sha="85438c13"
answer("d4.bubbles.drill1", "?", language="zh")  # 三个调用，以及各自移到哪里

# %% tags=["reveal", "kp:K189"] stem="long"
cycles = {}
for S, N in ((256, 128), (1024, 128), (1536, 256)):
    for order in (False, True):
        blocks = S // N if order else 1
        kernel, right = launch(S, N, order, blocks, blocks)
        cycles[S, order] = kernel.last_launch.timeline.cycles
        assert right
    print(f"S = {S}: {cycles[S, False]:,} to {cycles[S, True]:,} cycles,", end=" ")
    print(f"ratio {cycles[S, False] / cycles[S, True]:.2f}")
print(f"published: 44.9 to 22.28 us, ratio {44.9 / 22.28:.2f}")

# %% tags=["lang:en"] stem="show_cycles"
from tlcourse.widgets.bars import BarView

names = {False: "in turn", True: "ahead"}
rows = {f"S = {S}, {names[order]}": count for (S, order), count in cycles.items()}
BarView("Cycles of FlashAttention in both orders", rows, look="M")

# %% tags=["lang:zh"] stem="show_cycles" en_sha="c6587467"
from tlcourse.widgets.bars import BarView

names = {False: "轮流", True: "走在前面"}
rows = {f"S = {S}，{names[order]}": count for (S, order), count in cycles.items()}
BarView("两种次序的 FlashAttention 的周期数", rows, look="M", language="zh")

# %% [markdown] tags=["lang:en"] stem="ratio_words"
# The published times name neither shape nor chip, so the ratio alone can be compared, not the
# microseconds. Ours is smaller: scores go over as float32 here, twice the bytes of float16. The
# gain grows with the number of blocks: the longer the row of products, the fewer the gaps.

# %% [markdown] tags=["lang:zh"] stem="ratio_words" en_sha="25c88439"
# 公布的时间没有说明形状和芯片，所以只能比较比值，不能比较微秒。我们的比值小一些：这里分数以 float32 交接，字节数是 float16 的两倍。块越多，收益越大：连着做的矩阵乘越多，空隙越少。

# %% [markdown] tags=["lang:en", "lecture"] stem="recap"
# ## Recap
#
# - A bubble has a cause: the flag it waits for. In turn, each kind of core waits for the other.
# - Products in a row and softmaxes in a row save waiting, no operation.
# - Each thing under way needs a slot; the factor of each block is kept.
#
# **Exercise:** [d4.fill_bubbles](../../exercises/day4/fill_bubbles.ipynb).

# %% [markdown] tags=["lang:zh", "lecture"] stem="recap" en_sha="746a6486"
# ## 小结
#
# - 每个气泡都有原因：它等的那个标志。轮流工作时，两种核互相等待。
# - 矩阵乘连着做，softmax 连着做，省下的是等待，不是运算。
# - 每份在途的数据都要一个槽；每块的系数要记下来。
#
# **练习：** [d4.fill_bubbles](../../../exercises/zh/day4/fill_bubbles.ipynb)。

# %% tags=["golden"] stem="golden"
# What the text says holds in the outputs.
assert serial_right
assert ahead_right
assert after[0] < before[0]
assert set(after[1] - before[1]) == {"copy"}
assert not before[1] - after[1]
assert before[2] == after[2]
assert product_2.end_cycle < softmax_1.start_cycle
assert {finding.diagnostic.code for finding in cramped.last_launch.findings} == {"TL522"}
assert spent(one_flag)[0] == after[0]
ratios = [cycles[S, False] / cycles[S, True] for S in (256, 1024, 1536)]
assert 1 < ratios[0] < min(ratios[1:])
assert max(ratios) < 44.9 / 22.28
