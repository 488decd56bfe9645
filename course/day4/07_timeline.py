# ---
# jupyter:
#   tlcourse:
#     id: d4.timeline
#     title: "4.7 Reading a timeline, name by name"
#     title_zh: "4.7 逐个名字读时间线"
#     track: more
#     minutes: 35
#     needs: [d4.vectors_l0c]
# ---

# %% [markdown] tags=["lang:en", "lecture"] stem="goals"
# # 4.7 Reading a timeline, name by name
#
# *more, 35 minutes, needs lesson 4.5*
#
# You will be able to
# - say which route the instructions of each **pipe** take, and their names on the chip,
# - tell work from waiting on a lane, and name the flag behind a wait,
# - write the files that the profiler of the chip writes, from the simulator.

# %% [markdown] tags=["lang:zh", "lecture"] stem="goals" en_sha="8c398d5a"
# # 4.7 逐个名字读时间线
#
# *进阶内容，35 分钟，先修 4.5 节*
#
# 学完后你能够
# - 说出每条**流水线**（pipe）的指令走哪条路，在芯片上叫什么名字；
# - 在泳道上区分工作和等待，并说出等待背后的标志；
# - 用模拟器写出芯片的性能分析工具所写的那些文件。

# %% tags=["setup"] stem="imports"
import os

os.environ["TILELANG_ASCEND_MODE"] = "Expert"
from tlcourse import check, hint, answer, progress, show_passes, show_timeline, show_memory
import tilelang
import tilelang.language as T
import torch

# %% [markdown] tags=["lang:en", "lecture"] stem="kernel_words"
# ## One kernel, many lanes
#
# The specimen is FlashAttention by hand, S = 512, D = 128, with both vector cores. `profile` times
# it without computing a number: shapes are enough. From here on cycles count. Look at the lanes
# first, then go through the names.

# %% [markdown] tags=["lang:zh", "lecture"] stem="kernel_words" en_sha="026945df"
# ## 一个内核，许多泳道
#
# 样本是手写的 FlashAttention，S = 512，D = 128，用到两个 vector 核。`profile` 只计时，不计算数值：给出形状就够了。从这里开始周期数很重要。先看泳道，再逐个看名字。

# %% tags=["kp:K185"] stem="profiled"
from tlcourse.examples.flash_attention_expert import flash_attention_expert

os.environ["TILELANG_ASCEND_DEVICE_NAME"] = "Ascend910B1"  # all times are of this chip
function = flash_attention_expert(1, 512, 128)
kernel = tilelang.compile(function, target="npuir", out_idx=[3])
shapes = [(1, 512, 128)] * 3 + [(8, 64, 64), (8, 64, 64), (8, 64, 128)]
timeline = kernel.profile(*shapes)
print(
    f"{timeline.cycles:,} cycles, {timeline.launch_cycles:,} of them before the first instruction"
)

# %% tags=["lang:en", "lecture"] stem="show_timeline"
show_timeline(timeline)

# %% tags=["lang:zh", "lecture"] stem="show_timeline" en_sha="032aebf8"
show_timeline(timeline, language="zh")

# %% [markdown] tags=["lang:en", "lecture"] stem="route_words"
# ## One pipe, one route?
#
# The course's announcement shows MTE2 as "GM to UB", beside the instruction
# MOVE_OUT_TO_L1_MULTI_ND2NZ. Both cannot be the whole story. Which memories does MTE2 fill in this
# kernel?

# %% [markdown] tags=["lang:zh", "lecture"] stem="route_words" en_sha="9390c6b4"
# ## 一条流水线只走一条路？
#
# 课程预告把 MTE2 写成“GM 到 UB”，旁边的指令却是 MOVE_OUT_TO_L1_MULTI_ND2NZ。两者不可能都完整。在这个内核里，MTE2 把数据搬进哪些内存？

# %% tags=["lang:en"] stem="p1"
answer("d4.timeline.p1", "?")  # a: UB alone  b: L1 alone  c: by the core, L1 or UB

# %% tags=["lang:zh"] stem="p1" en_sha="c1ea4ece"
answer("d4.timeline.p1", "?", language="zh")  # a：只有 UB  b：只有 L1  c：cube 核 L1，vector 核 UB

# %% tags=["reveal", "kp:K192", "kp:K193", "kp:K194", "kp:K195", "kp:K198"] stem="names"
on_chip = {
    ("aic.MTE2", "nd2nz"): ("GM to L1", "MOVE_OUT_TO_L1_MULTI_ND2NZ"),
    ("aic.MTE1", "load_l0"): ("L1 to L0A, L0B", "not named in the announcement"),
    ("aic.M", "mmadL1"): ("L0A, L0B to L0C", "MMAD"),
    ("aic.FIX", "fixpipe"): ("L0C to GM", "FIX_L0C_TO_DST"),
    ("aiv0.MTE2", "load"): ("GM to UB", "not named in the announcement"),
    ("aiv0.V", "vexp"): ("UB to UB", "VEXP"),
    ("aiv0.V", "vsub"): ("UB to UB", "VSUB"),
    ("aiv0.MTE3", "store"): ("UB to GM", "MOV_SRC_TO_DST_ALIGN"),
}
seen = {(f"{i.agent}.{i.pipe}", i.op) for i in timeline.instructions}
for (lane, op), (route, name) in on_chip.items():
    print(f"{lane:10}{op:9}{route:17}{name}", "" if (lane, op) in seen else "(not in this kernel)")

# %% [markdown] tags=["lang:en"] stem="route_rule"
# MTE2 brings tiles from GM into a core: on the cube core to L1, where ND2NZ turns rows into the
# squares that the matrix unit wants; on a vector core to UB. MTE1, missing in the announcement,
# goes on from L1 to L0A and L0B. Rule: **a pipe's name says nothing without its core.**

# %% [markdown] tags=["lang:zh"] stem="route_rule" en_sha="321edd26"
# MTE2 把数据块从 GM 搬进一个核：在 cube 核上搬到 L1，ND2NZ 在途中把行排成矩阵单元需要的小方块；在 vector 核上搬到 UB。预告里没有的 MTE1 再把数据从 L1 搬到 L0A 和 L0B。规则：**不说是哪种核，流水线的名字就没有意义。**

# %% [markdown] tags=["lang:en", "lecture"] stem="wait_words"
# ## Work or waiting?
#
# A colleague reads a lane from its first to its last instruction and calls all of that busy: MTE2
# of the cube core seems to load without a pause, so faster loads would help. How much of that span
# is work?

# %% [markdown] tags=["lang:zh", "lecture"] stem="wait_words" en_sha="e23d4c84"
# ## 工作还是等待？
#
# 一位同事从泳道的第一条指令看到最后一条，认为整段都在忙：cube 核的 MTE2 好像一直在载入，那么载入快一些就有用。这一段里有多少是工作？

# %% tags=["lang:en"] stem="p2"
answer("d4.timeline.p2", "?")  # a: almost all  b: about half  c: less than half

# %% tags=["lang:zh"] stem="p2" en_sha="d8e38ca6"
answer("d4.timeline.p2", "?", language="zh")  # a：几乎全部  b：大约一半  c：不到一半

# %% tags=["reveal", "lecture", "kp:K197"] stem="busy"
share = {}
for lane in timeline.lanes:
    mine = [i for i in timeline.instructions if (i.agent, i.pipe) == (lane.agent, lane.pipe)]
    if mine and lane.agent != "aiv1":
        span = max(i.end_cycle for i in mine) - min(i.start_cycle for i in mine)
        share[f"{lane.agent}.{lane.pipe}"] = round(100 * lane.busy_cycles / span)
print("work in % of the lane's span:", share)
gaps = [gap for gap in timeline.bubbles if gap.lane == "aic.MTE2"]
for gap in sorted(gaps, key=lambda gap: gap.start_cycle - gap.end_cycle)[:3]:
    print(f"{gap.end_cycle - gap.start_cycle:,} cycles: {gap.cause}")
for op in ("set_flag", "wait_flag"):
    lines = [line.text for line in kernel.instructions() if line.op == op and line.agent == "aic"]
    print(f"{len(lines)} in the cube's program, the first one: {lines[0]}")

# %% tags=["lang:en"] stem="show_share"
from tlcourse.widgets.bars import BarView

BarView("Work in each lane's span", share, "%", look="MTE2")

# %% tags=["lang:zh"] stem="show_share" en_sha="ffca3297"
from tlcourse.widgets.bars import BarView

BarView("各泳道的跨度里有多少工作", share, "%", look="MTE2", language="zh")

# %% [markdown] tags=["lang:en"] stem="wait_rule"
# The longest gaps of that lane end with a store of a vector core: it stands in a WAIT_FLAG until
# the weights are there. A faster MTE2 would only wait longer. SET_FLAG and WAIT_FLAG take almost no
# time themselves; the gap behind a WAIT_FLAG is somebody else's work.

# %% [markdown] tags=["lang:zh"] stem="wait_rule" en_sha="f2d9773d"
# 这条泳道最长的空隙，都要等到 vector 核的一次写出才结束：它停在 WAIT_FLAG 上，直到权重到达。MTE2 再快也只是等得更久。SET_FLAG 和 WAIT_FLAG 本身几乎不花时间；WAIT_FLAG 处的空隙，是别的流水线在工作。

# %% [markdown] tags=["lang:en"] stem="scalar_words"
# ## The rest of the names
#
# On the chip the lane S, the scalar unit, shows MOVK and INSERT_XD: they put constants and bit
# fields into registers, as arguments of the instructions to come. Our timeline does not draw them
# one by one; it has a cost for issuing. Where does that cost show?

# %% [markdown] tags=["lang:zh"] stem="scalar_words" en_sha="c5890b00"
# ## 其余的名字
#
# 在芯片上，标量单元的泳道 S 里有 MOVK 和 INSERT_XD：它们把常数和位域放进寄存器，作为后面指令的参数。我们的时间线不逐条画出它们，只给指令的发射计一份时间。这份时间在哪里看得到？

# %% tags=["kp:K196"] stem="issue"
issued = [gap for gap in timeline.bubbles if gap.cause == "issue"]
cost = sum(gap.end_cycle - gap.start_cycle for gap in issued if gap.lane == "aiv0.V")
print(f"{len(issued)} gaps wait for the issue of an instruction; on aiv0.V {cost:,} cycles in all")

# %% [markdown] tags=["lang:en", "lecture"] stem="files_words"
# ## The files of the profiler
#
# On the chip's tool chain `msprof op simulator` runs a program and writes a folder. `tlcourse
# profile` writes the same tree from our simulator: one folder for each core, with tables of
# instructions and a trace that Perfetto opens. Times are simulated in both.

# %% [markdown] tags=["lang:zh", "lecture"] stem="files_words" en_sha="bff7e3da"
# ## 性能分析工具的文件
#
# 在芯片的工具链里，`msprof op simulator` 运行一个程序并写出一个目录。`tlcourse profile` 用我们的模拟器写出同样的目录树：每个核一个目录，里面有指令表和可以用 Perfetto 打开的 trace。两者的时间都是模拟的。

# %% tags=["kp:K191"] stem="profile"
import tempfile
from pathlib import Path

from tlcourse.jit.profiled import profile_of
from tlcourse.profile import write_profile

made = profile_of(kernel, shapes, chip="Ascend910B1", block=None, cold=False)
folder = write_profile(made, Path(tempfile.mkdtemp()) / "profile")
files = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
print("msprof op simulator --output=DIR python3 flash.py    # there")
print("tlcourse profile flash.py:flash --out DIR            # here")
print(*(name for name in files if "core0" in name), sep="\n")

# %% [markdown] tags=["lang:en", "lecture"] stem="recap"
# ## Recap
#
# - A lane belongs to a pipe of a core: MTE2 fills L1 there and UB here.
# - A gap is no work; the record names the instruction that ends it.
# - `msprof op simulator` and `tlcourse profile` write the same tree.
#
# **Next:** [4.8 Fill the bubbles](08_bubbles.ipynb), where the gaps are put to use.

# %% [markdown] tags=["lang:zh", "lecture"] stem="recap" en_sha="114fbbcf"
# ## 小结
#
# - 一条泳道属于某个核的一条流水线：MTE2 在 cube 核上写入 L1，在 vector 核上写入 UB。
# - 空隙不是工作；记录里写着它等到哪条指令结束。
# - `msprof op simulator` 和 `tlcourse profile` 写出同样的目录树。
#
# **下一节：** [4.8 填满气泡](08_bubbles.ipynb)，把这些空隙利用起来。

# %% tags=["golden"] stem="golden"
# What the text says holds in the outputs.
assert set(on_chip) <= seen
assert share["aic.MTE2"] < 50
longest = sorted(gaps, key=lambda gap: gap.start_cycle - gap.end_cycle)[:3]
assert all(gap.cause.startswith("store on MTE3 of vector core") for gap in longest)
assert issued
assert any(name.endswith("trace.json") for name in files)
