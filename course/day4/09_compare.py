# ---
# jupyter:
#   tlcourse:
#     id: d4.compare
#     title: "4.9 Compare with the compiler"
#     title_zh: "4.9 与编译器比较"
#     track: more
#     minutes: 35
#     needs: [d4.bubbles]
# ---

# %% [markdown] tags=["lang:en", "lecture"] stem="goals"
# # 4.9 Compare with the compiler
#
# *more, 35 minutes, needs lesson 4.8*
#
# You will be able to
# - name the **pass** that does what each of your six steps did by hand,
# - compare two programs by what they count, not by their lines,
# - say where the compiler cuts a loop, and what its flags pay for.

# %% [markdown] tags=["lang:zh", "lecture"] stem="goals" en_sha="29106e7c"
# # 4.9 与编译器比较
#
# *进阶内容，35 分钟，先修 4.8 节*
#
# 学完后你能够
# - 说出你手工做的六步各由哪个 **pass** 完成；
# - 按数量而不是逐行比较两个程序；
# - 说出编译器在哪里切开循环，以及它的标志换来了什么。

# %% tags=["setup"] stem="imports"
import os

os.environ["TILELANG_ASCEND_MODE"] = "Developer"
from tlcourse import check, hint, answer, progress, show_passes, show_timeline, show_memory
import tilelang
import tilelang.language as T
import torch

# %% [markdown] tags=["lang:en", "lecture"] stem="both_words"
# ## Two texts of one operator
#
# Left, FlashAttention as on day 3: tiles, products, a loop, no core named. Right, the six steps of
# this day by hand: memories, workspaces, scopes, flags, halves of rows. Same sizes, same inputs.
# First: are the numbers the same, and how long does each take on the simulated chip?

# %% [markdown] tags=["lang:zh", "lecture"] stem="both_words" en_sha="37a7f5e3"
# ## 同一个算子的两种写法
#
# 一种是第 3 天的 FlashAttention：数据块、矩阵乘、循环，不指明任何核。另一种是今天手工做的六步：内存、工作区、scope、标志、各一半的行。大小相同，输入相同。先看数值是否相同，在模拟芯片上各用多久。

# %% tags=["lecture"] stem="both"
os.environ["TILELANG_ASCEND_DEVICE_NAME"] = "Ascend910B1"  # all sizes and times are of this chip
from tlcourse.examples.flash_attention import flash_attention
from tlcourse.examples.flash_attention_expert import flash_attention_expert

S, D = 512, 128
generator = torch.Generator().manual_seed(0)
Q, K, V = (torch.randn(1, S, D, generator=generator).half() for _ in range(3))
want = torch.nn.functional.scaled_dot_product_attention(Q.float(), K.float(), V.float())


def measured(mode, function, **configs):
    os.environ["TILELANG_ASCEND_MODE"] = mode
    kernel = tilelang.compile(function, target="npuir", out_idx=[3], pass_configs=configs)
    shapes = [(tuple(map(int, p.extents)), getattr(torch, p.dtype)) for p in kernel.params[4:]]
    spaces = [torch.zeros(shape, dtype=dtype).npu() for shape, dtype in shapes]
    launch = kernel.launch(Q.npu(), K.npu(), V.npu(), *spaces)
    error = (launch.outputs[0].cpu().float() - want).abs().max().item()
    print(f"right: {error < 1e-3}, findings: {len(launch.findings)},", end=" ")
    print(f"cycles: {launch.timeline.cycles:,}")
    return kernel


yours = measured("Expert", flash_attention_expert(heads=1, S=S, D=D))
its = measured("Developer", flash_attention(heads=1, S=S, D=D))

# %% tags=["lang:en", "lecture"] stem="show_both"
show_timeline(yours, its)

# %% tags=["lang:zh", "lecture"] stem="show_both" en_sha="13ad97df"
show_timeline(yours, its, language="zh")

# %% [markdown] tags=["lang:en", "lecture"] stem="steps_words"
# ## Your steps, its passes
#
# The compiler's version is ahead this time; the rest of the lesson finds out by what. Begin with a
# list: after each pass, which kinds of op became more? The table below puts your six steps beside
# the pass that added what you wrote by hand.

# %% [markdown] tags=["lang:zh", "lecture"] stem="steps_words" en_sha="dfaf2c07"
# ## 你的步骤，它的 pass
#
# 这一次编译器的版本更快；本节余下的内容找出原因。从一张清单开始：每个 pass 之后，哪些种类的运算变多了？下面的表把你的六步与添加同样内容的 pass 并列。

# %% tags=["lecture", "kp:K059"] stem="steps"
STEPS = {
    "insert-workspace-for-mix-cv": "2 workspaces in GM",
    "hivm-split-mix-kernel": "3 a program for each kind of core",
    "hivm-cross-core-gss": "4 flags between the cores",
    "hivm-bind-sub-block": "5 each vector core its half",
    "hivm-infer-mem-scope": "1 a memory for each tile",
    "hivm-inline-fixpipe": "6 results leave L0C by FIX alone",
}
added, before = {}, {}
for snapshot in its.trace().snapshots:
    more = {
        name.rpartition(".")[2]: count - before.get(name, 0)
        for name, count in snapshot.op_counts.items()
        if count > before.get(name, 0) and name.startswith(("hivm", "func", "memref_ext"))
    }
    if snapshot.pass_name in STEPS and snapshot.pass_name not in added:
        added[snapshot.pass_name] = more
        print(f"{STEPS[snapshot.pass_name]:34}{snapshot.pass_name:29}{more}")
    before = snapshot.op_counts

# %% tags=["lang:en"] stem="show_split"
show_passes(its)

# %% tags=["lang:zh"] stem="show_split" en_sha="6747b0d1"
show_passes(its, language="zh")

# %% [markdown] tags=["lang:en"] stem="flags_words"
# ## Who needs fewer flags?
#
# Your text has three hand-overs and a flag for each: scores, weights, values. The compiler found
# the same three workspaces. So how many lines that set a flag between the cores has its program,
# compared with your three?

# %% [markdown] tags=["lang:zh"] stem="flags_words" en_sha="215f2b9c"
# ## 谁用的标志少？
#
# 你的程序有三次交接，每次一个标志：分数、权重、加权后的值。编译器找到了同样的三个工作区。那么与你的三行相比，它的程序里有多少行在核之间置起标志？

# %% tags=["lang:en"] stem="p1"
answer("d4.compare.p1", "?")  # a: fewer  b: as many  c: more

# %% tags=["lang:zh"] stem="p1" en_sha="3ccf7fea"
answer("d4.compare.p1", "?", language="zh")  # a：更少  b：一样多  c：更多

# %% tags=["reveal", "lecture"] stem="flags"
from collections import Counter


def counted(kernel):
    return Counter(line.op for line in kernel.instructions())


mine, made = counted(yours), counted(its)
for op in ("sync_block_set", "set_flag", "pipe_barrier"):
    print(f"{op:16}{mine[op]:4} by hand,{made[op]:4} by the compiler")

# %% tags=["lang:en"] stem="show_flags"
from tlcourse.widgets.bars import BarView

rows = {"by hand": mine["sync_block_set"], "by the compiler": made["sync_block_set"]}
BarView("Lines that set a flag between the cores", rows, look="FIX")

# %% tags=["lang:zh"] stem="show_flags" en_sha="f5b621c8"
from tlcourse.widgets.bars import BarView

rows = {"手写": mine["sync_block_set"], "编译器": made["sync_block_set"]}
BarView("在核之间置起标志的行数", rows, look="FIX", language="zh")

# %% [markdown] tags=["lang:en"] stem="flags_rule"
# Many more. Part of them say "this slot of the workspace may be written again". You needed none of
# those: in your order a round passes through the other kind of core before its slot comes back.
# Flags cost little; waiting costs. What do its flags buy?

# %% [markdown] tags=["lang:zh"] stem="flags_rule" en_sha="9a7a40ab"
# 多得多。其中一部分表示“工作区的这个槽可以再次写入”。你一个也不需要：按你的次序，槽被再次使用之前，数据已经到另一种核上走过一趟。标志花的时间不多，等待才费时间。它的标志换来了什么？

# %% [markdown] tags=["lang:en", "lecture"] stem="cut_words"
# ## Where does it cut the loop?
#
# Your loop takes one block of keys all the way: scores, softmax, values, sum. Until the first
# softmax has begun its exponential, your cube core has finished one product. How many has the cube
# core of the compiler's program?

# %% [markdown] tags=["lang:zh", "lecture"] stem="cut_words" en_sha="3949f326"
# ## 它在哪里切开循环？
#
# 你的循环让一块键走完全程：分数、softmax、加权后的值、求和。第一个 softmax 开始取指数之前，你的 cube 核做完了一个矩阵乘。编译器的程序里，cube 核做完了几个？

# %% tags=["lang:en"] stem="p2"
answer("d4.compare.p2", "?")  # a: one, the loop is the same  b: several  c: all eight

# %% tags=["lang:zh"] stem="p2" en_sha="3f0d8b5e"
answer("d4.compare.p2", "?", language="zh")  # a：一个，循环相同  b：几个  c：全部八个


# %% tags=["reveal", "lecture", "kp:K060"] stem="cut"
def products_ahead(kernel):
    shown = kernel.last_launch.timeline.instructions
    first = min(i.start_cycle for i in shown if i.op == "vexp")
    return sum(i.op == "mmadL1" and i.end_cycle < first for i in shown)


print("products before the first exp:", products_ahead(yours), "and", products_ahead(its))
(pipelined,) = (s for s in its.trace().snapshots if s.pass_name == "cv-pipelining")
previous = its.trace().snapshots[pipelined.index - 1]
loops = [s.op_counts["scf.for"] for s in (previous, pipelined)]
print(f"{pipelined.pass_name}: {loops[0]} loop became {loops[1]}")
function = flash_attention(heads=1, S=S, D=D)
uncut = measured("Developer", function, **{"npuir.enable_auto_multi_buffer": False})
print("without it:", products_ahead(uncut), "product,", counted(uncut)["sync_block_set"], "sets")

# %% tags=["lang:en"] stem="show_uncut"
show_timeline(uncut, its)

# %% tags=["lang:zh"] stem="show_uncut" en_sha="0d455dd3"
show_timeline(uncut, its, language="zh")

# %% [markdown] tags=["lang:en"] stem="cut_rule"
# `cv-pipelining` cuts the loop at each hand-over, into rounds of several trips: first the scores of
# all trips of a round, then all softmaxes. That is the order of lesson 4.8, found by a pass. It
# needs a slot of the workspace for each trip under way, and flags that say when a slot is free.

# %% [markdown] tags=["lang:zh"] stem="cut_rule" en_sha="125a09b1"
# `cv-pipelining` 在每次交接处切开循环，并把几次迭代合成一轮：先做完这一轮里所有的分数，再做所有的 softmax。这就是 4.8 节的次序，由一个 pass 找到。它要为每次在途的迭代准备工作区的一个槽，还要用标志说明槽何时空闲。

# %% [markdown] tags=["lang:en"] stem="halves_words"
# ## Halves of rows, copies of tiles
#
# Step 5 gave each vector core its half of the rows. `hivm-bind-sub-block`, announced as
# AutoSubTiling, does it by asking for the core's number and cutting the tiles. Multi-buffering
# gives a tile two addresses. Look for both in the record.

# %% [markdown] tags=["lang:zh"] stem="halves_words" en_sha="2b5fa79a"
# ## 各一半的行，数据块的副本
#
# 第 5 步把行分给两个 vector 核，各一半。`hivm-bind-sub-block`（课程预告中称为 AutoSubTiling）的做法是取得核的编号，再切开数据块。多缓冲则给一个数据块两个地址。在记录里把两者都找出来。

# %% tags=["kp:K061", "kp:K062"] stem="halves"
print("hivm-bind-sub-block adds", added["hivm-bind-sub-block"])


def rows_of(kernel, tile, space):  # bytes of the tile, and how many copies of it lie there
    (plan,) = (plan for plan in kernel.last_launch.memory if plan.space == space)
    return [b.size_bytes for b in plan.buffers if b.name.partition("[")[0] == tile]


whole = 64 * 64 * 4  # 64 x 64 float32, as the text asks for
print("scores in UB:", rows_of(its, "s", "ub")[0], "of", whole, "bytes")
print("copies of k in L1:", len(rows_of(yours, "k", "cbuf")), len(rows_of(its, "k", "cbuf")))
pipes = {line.op: line.pipes for line in its.instructions() if line.agent == "aic"}
for op in ("nd2nz", "mmadL1", "fixpipe"):
    print(f"{op:8} runs on", ", ".join(pipes[op]))

# %% tags=["lang:en"] stem="show_plan"
show_memory(its)

# %% tags=["lang:zh"] stem="show_plan" en_sha="6ce31832"
show_memory(its, language="zh")

# %% [markdown] tags=["lang:en"] stem="lines_words"
# ## Wrong first: line by line
#
# A colleague lays the two lists of instructions side by side and compares line 1 with line 1, line
# 2 with line 2. One extra flag at the top, and everything below it seems to differ. Sorted and
# counted, the same two lists tell another story.

# %% [markdown] tags=["lang:zh"] stem="lines_words" en_sha="b9d88418"
# ## 先看错误的做法：逐行比较
#
# 一位同事把两份指令列表并排放好，第 1 行对第 1 行，第 2 行对第 2 行。上面只要多一个标志，下面的一切看起来就都不同。把同样的两份列表排序、计数，结论就不一样了。

# %% stem="lines"
lists = [[line.op for line in kernel.instructions()] for kernel in (yours, its)]
equal = sum(a == b for a, b in zip(*lists, strict=False))
print(f"by line number: {equal} of {len(lists[0])} lines agree")
sync = {line.op for kernel in (yours, its) for line in kernel.instructions() if line.is_sync}
work = [Counter(op for op in ops if op not in sync) for ops in lists]
shared = (work[0] & work[1]).total()
print(f"counted, without sync: {shared} of {work[0].total()} agree")
print("more in the compiler's:", dict(work[1] - work[0]))

# %% [markdown] tags=["lang:en", "lecture"] stem="recap"
# ## Recap
#
# - Each of your six steps has a pass; the record shows what each added.
# - Compare counts: workspaces, flags, work, cycles. Lines tell nothing.
# - The compiler cuts the loop into rounds, pays with slots and flags, and gains the waiting.
#
# Words: [glossary](../../docs/glossary.md). **Exercise:**
# [d4.fill_bubbles](../../exercises/day4/fill_bubbles.ipynb).

# %% [markdown] tags=["lang:zh", "lecture"] stem="recap" en_sha="13e3a4da"
# ## 小结
#
# - 你的六步各有一个 pass；记录里看得到每个 pass 添加了什么。
# - 比较数量：工作区、标志、运算、周期。逐行比较说明不了什么。
# - 编译器把循环切成几轮，代价是槽和标志，换来更少的等待。
#
# 术语见[术语表](../../../docs/glossary.md)。**练习：**[d4.fill_bubbles](../../../exercises/zh/day4/fill_bubbles.ipynb)。

# %% tags=["golden"] stem="golden"
# What the text says holds in the outputs.
assert set(added) == set(STEPS)
assert added["insert-workspace-for-mix-cv"] == {"alloc_workspace": 3}
assert mine["sync_block_set"] == 3
assert made["sync_block_set"] > 2 * mine["sync_block_set"]
assert its.last_launch.timeline.cycles < yours.last_launch.timeline.cycles
assert its.last_launch.timeline.cycles < uncut.last_launch.timeline.cycles
assert products_ahead(yours) == products_ahead(uncut) == 1
assert 1 < products_ahead(its) < 8
assert loops[0] == 1
assert loops[1] > 1
assert added["hivm-bind-sub-block"] == {"get_sub_block_idx": 1}
assert rows_of(its, "s", "ub")[0] == whole // 2
assert equal < len(lists[0]) / 2
assert shared >= 0.9 * work[0].total()
