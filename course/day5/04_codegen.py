# ---
# jupyter:
#   tlcourse:
#     id: d5.codegen
#     title: "5.4 From MLIR to the back half, and its switches"
#     title_zh: "5.4 从 MLIR 到后半段，以及它的开关"
#     track: more
#     minutes: 35
#     needs: [d1.npuir]
# ---

# %% [markdown] tags=["lang:en", "lecture"] stem="goals"
# # 5.4 From MLIR to the back half, and its switches
#
# *more, 35 minutes, needs lesson 1.5*
#
# You will be able to
# - say what happens between the generated MLIR and the compiler of the back half,
# - read the command line that upstream gives to **bishengir-compile**,
# - turn five switches, and say what each changes,
# - tell a switch that costs time from one that breaks the kernel.

# %% [markdown] tags=["lang:zh", "lecture"] stem="goals" en_sha="46aa0e20"
# # 5.4 从 MLIR 到后半段，以及它的开关
#
# *进阶内容，35 分钟，先修 1.5 节*
#
# 学完后你能够
# - 说出从生成 MLIR 到后半段编译器之间发生什么；
# - 读懂上游交给 **bishengir-compile** 的命令行；
# - 拨动五个开关，并说出各改变什么；
# - 区分只费时间的开关和会弄坏内核的开关。

# %% tags=["setup"] stem="imports"
import os

os.environ["TILELANG_ASCEND_MODE"] = "Developer"
from tlcourse import check, hint, answer, progress, show_passes, show_timeline, show_memory
import tilelang
import tilelang.language as T
import torch

# %% tags=["lang:en", "lecture"] stem="show_path"
from tlcourse.widgets.flow import FlowView

FlowView(
    "Behind the front end",
    {
        "tladapter (upstream)": [
            "canonicalize",
            "adapt-triton-kernel",
            "cv-split: empty",
            "vectorize: empty",
        ],
        "bishengir-compile": ["split, plan, flags", "HIVM, executable"],
        "hivmc": ["binary for the device"],
        "here": ["our passes, or bishengir-opt", "stop at HIVM, simulate"],
    },
)

# %% tags=["lang:zh", "lecture"] stem="show_path" en_sha="c8f118e3"
from tlcourse.widgets.flow import FlowView

FlowView(
    "前端之后",
    {
        "tladapter（上游）": [
            "canonicalize",
            "adapt-triton-kernel",
            "cv-split：空",
            "vectorize：空",
        ],
        "bishengir-compile": ["拆分、规划、标志", "可执行的 HIVM"],
        "hivmc": ["设备的二进制"],
        "这里": ["我们的 pass 或 bishengir-opt", "停在 HIVM，模拟执行"],
    },
    language="zh",
)

# %% [markdown] tags=["lang:en", "lecture"] stem="adapter_words"
# ## Two small passes
#
# Upstream runs two passes of its **tladapter** on the generated MLIR: `canonicalize`, which
# computes what is known, and `adapt-triton-kernel`. Two more, for the cube/vector split and for
# vectors, have names there and empty bodies. The real work begins behind: one command.

# %% [markdown] tags=["lang:zh", "lecture"] stem="adapter_words" en_sha="bcb5d5d8"
# ## 两个小 pass
#
# 上游在生成的 MLIR 上运行自己的 **tladapter** 中的两个 pass：`canonicalize` 把已知的值先算出来，另一个是 `adapt-triton-kernel`。还有两个 pass，用于 cube/vector 拆分和向量化，只有名字，内容是空的。真正的工作在后面的一条命令里。

# %% tags=["kp:K220"] stem="adapter"
from tlcourse.examples.minicv import minicv_developer


def compiled(**switches):
    configs = {f"npuir.{name}": value for name, value in switches.items()}
    function = minicv_developer(M=128, N=256, K=256)
    return tilelang.compile(function, target="npuir", out_idx=[2, 3], pass_configs=configs)


kernel = compiled()
steps = kernel.trace().snapshots
place = [one.pass_name for one in steps].index("codegen")
for one in steps[place : place + 3]:
    print(f"{one.pass_name:42} {sum(one.op_counts.values())} operations, {one.status}")

# %% [markdown] tags=["lang:en"] stem="command_words"
# This is the command as upstream builds it, for Developer and for Expert. The file holds the MLIR.
# The first two switches come from `pass_configs`. Two are always there. Our own run goes the same
# way with the embedded passes, or with `bishengir-opt` where it is installed, and stops at HIVM.

# %% [markdown] tags=["lang:zh"] stem="command_words" en_sha="d39f85af"
# 这是上游为 Developer 和 Expert 构造的命令。文件里是 MLIR。前两个开关来自 `pass_configs`，另有两个总是存在。本课程走同样的流程，用内置的 pass；装有 `bishengir-opt` 时也可以用它。两者都停在 HIVM。


# %% tags=["kp:K221"] stem="command"
def command(mode, multi_buffer=True, no_sync=False):
    words = ["bishengir-compile", "kernel.npuir"]
    words.append(f"--enable-auto-multi-buffer={str(multi_buffer).lower()}")
    words.append(f"--disable-hivm-auto-inject-sync={str(no_sync).lower()}")
    words += ["--enable-triton-kernel-compile=true", "--enable-hivm-compile=true"]
    if mode == "Expert":
        words.append("--disable-hivm-tensor-compile=true")
    return [*words, "-o", "kernel"]


for mode in ("Developer", "Expert"):
    print(f"{mode}:", *command(mode), sep="\n  ")

# %% [markdown] tags=["lang:en", "lecture"] stem="board_words"
# ## The switch-board
#
# Each line below compiles MiniCV with one switch turned, counts operations of the last IR, and asks
# the simulator for the time. One of them takes the flags inside a core away. What will the numbers
# say of it?

# %% [markdown] tags=["lang:zh", "lecture"] stem="board_words" en_sha="41e41275"
# ## 开关面板
#
# 下面每一行编译一次 MiniCV，只拨动一个开关，数出最后一份 IR 里的运算，再由模拟器给出时间。其中一个开关去掉了核内的标志。这一行的结果会怎样？

# %% tags=["lang:en"] stem="p1"
answer("d5.codegen.p1", "?")  # without flags: a: slower, right  b: faster, a fault  c: not compiled

# %% tags=["lang:zh"] stem="p1" en_sha="e3027276"
answer(
    "d5.codegen.p1", "?", language="zh"
)  # 去掉标志： a：更慢但正确  b：更快但有故障  c：不能编译

# %% tags=["reveal", "lecture", "kp:K062", "kp:K222"] stem="board"
BOARD = {
    "as it is": {},
    "no multi-buffer": {"enable_auto_multi_buffer": False},
    "no sub-block": {"enable_auto_bind_sub_block": False},
    "older sync solver": {"enable_hivm_graph_sync_solver": False},
    "no flags in a core": {"disable_hivm_auto_inject_sync": True},
    "no flags between": {"disable_auto_inject_block_sync": True},
}
WORDS = ("pointer_cast", "set_flag", "sync_block_set", "get_sub_block_idx")
A, B = torch.ones(128, 256).half(), torch.full((256, 256), 1 / 256).half()
seen, timelines = {}, {}
print(f"{'':20}{'buffers':>8}{'flags':>7}{'between':>8}{'halves':>7}{'cycles':>8}  findings")
for name, switches in BOARD.items():
    made = compiled(**switches)
    counts = made.trace().snapshots[-1].op_counts
    row = [counts.get(f"hivm.hir.{word}", 0) for word in WORDS]
    launch = made.launch(A.npu(), B.npu())
    timelines[name] = launch.timeline
    seen[name] = (*row, launch.timeline.cycles, len(launch.findings))
    print(f"{name:20}{row[0]:8}{row[1]:7}{row[2]:8}{row[3]:7}{seen[name][4]:8}  {seen[name][5]}")

# %% tags=["lang:en", "reveal"] stem="show_cycles"
from tlcourse.widgets.bars import BarView

BarView("Cycles of MiniCV with one switch turned", {n: row[4] for n, row in seen.items()}, look="M")

# %% tags=["lang:zh", "reveal"] stem="show_cycles" en_sha="4214a31a"
from tlcourse.widgets.bars import BarView

BarView(
    "拨动一个开关后 MiniCV 的周期数",
    {n: row[4] for n, row in seen.items()},
    look="M",
    language="zh",
)

# %% [markdown] tags=["lang:en"] stem="board_rule"
# Multi-buffering changes buffers and flags, and costs at most time. Without sub-block binding both
# vector cores do all of the work and write it twice: slower, and reported, since the order is open.
# Without flags the kernel is **faster and wrong**. Rule: **after turning a switch read the findings,
# not the time alone.**

# %% [markdown] tags=["lang:zh"] stem="board_rule" en_sha="f0326e98"
# 多缓冲改变缓冲区和标志，最多影响时间。没有子块绑定，两个 vector 核都做全部工作，结果写两遍：更慢，而且因为先后不定会被报告。没有标志的内核**更快，但是错的**。规则：**拨动开关之后要读发现，不能只看时间。**

# %% tags=["lang:en"] stem="show_timeline"
show_timeline(timelines["as it is"], timelines["no sub-block"])

# %% tags=["lang:zh"] stem="show_timeline" en_sha="25a17491"
show_timeline(timelines["as it is"], timelines["no sub-block"], language="zh")

# %% [markdown] tags=["lang:en", "lecture"] stem="always_words"
# ## The two that are always there
#
# `--enable-triton-kernel-compile` and `--enable-hivm-compile` are never left out. What would
# happen? Not here, but with bishengir-compile 1.2.0 MiniCV 128x128x128 was compiled in four ways,
# up to the last IR; a record of what came out stands in the next cells. Which way still gives a
# kernel that can be run?

# %% [markdown] tags=["lang:zh", "lecture"] stem="always_words" en_sha="2c759e1f"
# ## 总是存在的两个
#
# `--enable-triton-kernel-compile` 和 `--enable-hivm-compile` 从不省略。省略会怎样？这里不现场编译：事先用 bishengir-compile 1.2.0，按四种方式把 MiniCV 128x128x128 编译到最后一份 IR，下面的单元格里是结果的记录。哪些方式仍能得到可运行的内核？

# %% tags=["lang:en"] stem="p2"
answer("d5.codegen.p2", "?")  # a: all four  b: only those with triton on and hivm not off  c: none

# %% tags=["lang:zh"] stem="p2" en_sha="f11014b9"
answer(
    "d5.codegen.p2", "?", language="zh"
)  # a：四种都行  b：只有 triton 开、hivm 未关的  c：都不行

# %% tags=["reveal", "kp:K223", "kp:K224"] stem="record"
# Recorded with bishengir-compile 1.2.0: lines, host functions, workspace left open, addresses, flags.
RECORD = {
    "both on": (142, 2, 0, 6, 8),
    "triton left out": (128, 0, 2, 6, 8),
    "hivm left out": (142, 2, 0, 6, 8),
    "hivm=false": (47, 0, 0, 0, 0),
}
print(f"{'':17}{'lines':>6}{'host':>6}{'open':>6}{'addresses':>11}{'flags':>7}  can run")
can_run = {}
for name, (lines, host, left_open, addresses, flags) in RECORD.items():
    can_run[name] = bool(host and addresses and flags and not left_open)
    print(f"{name:17}{lines:6}{host:6}{left_open:6}{addresses:11}{flags:7}  {can_run[name]}")

# %% [markdown] tags=["lang:en"] stem="always_rule"
# The first one makes what a launcher asks for: functions that tell the size of the workspace and
# the kind of cores, and a place for it in memory. It is named after Triton, whose way of launching
# upstream follows. The second is on unless it is set to false; then nothing is split, placed or
# synchronised.

# %% [markdown] tags=["lang:zh"] stem="always_rule" en_sha="6b11b2c0"
# 第一个开关生成启动器要查询的内容：给出工作区大小和核种类的函数，以及工作区在内存中的位置。它以 Triton 命名，因为上游沿用了 Triton 的启动方式。第二个默认打开；如果设为 false，就既不拆分，也不分配地址，也不插入同步。

# %% [markdown] tags=["lang:en", "lecture"] stem="recap"
# ## Recap
#
# - Two small passes, then one command with switches; here the same way up to HIVM.
# - Multi-buffering changes time; sub-block and sync switches change what is right.
# - Two switches are always passed: without them there is no kernel to launch.
#
# **Exercise:** [d5.options](../../exercises/day5/options.ipynb).

# %% [markdown] tags=["lang:zh", "lecture"] stem="recap" en_sha="7590a903"
# ## 小结
#
# - 两个小 pass，然后是一条带开关的命令；本课程走同样的流程，直到 HIVM。
# - 多缓冲的开关影响时间；子块和同步的开关影响正确性。
# - 有两个开关总是传入：把它们关掉，就得不到可启动的内核。
#
# **练习：** [d5.options](../../../exercises/zh/day5/options.ipynb)。

# %% tags=["golden"] stem="golden"
# What the text says holds in the outputs.
usual = seen["as it is"]
assert seen["no multi-buffer"][0] < usual[0]
assert seen["no sub-block"][3] < usual[3]
assert seen["no sub-block"][4] > usual[4]
assert seen["no flags in a core"][1] == 0
assert seen["no flags between"][2] == 0
assert seen["no flags in a core"][4] < usual[4]
assert all(seen[name][5] for name in ("no flags in a core", "no flags between", "no sub-block"))
assert not any(seen[n][5] for n in ("as it is", "no multi-buffer", "older sync solver"))
assert can_run == {
    "both on": True,
    "triton left out": False,
    "hivm left out": True,
    "hivm=false": False,
}
