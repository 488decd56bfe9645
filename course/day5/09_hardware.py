# ---
# jupyter:
#   tlcourse:
#     id: d5.hardware
#     title: "5.9 To real hardware"
#     title_zh: "5.9 走向真实硬件"
#     track: core
#     minutes: 15
#     needs: [d5.deepseek]
# ---

# %% [markdown] tags=["lang:en", "lecture"] stem="goals"
# # 5.9 To real hardware
#
# *core, 15 minutes, needs lesson 5.8*
#
# You will be able to
# - say what must be installed on a machine with an NPU, and what stays as it is,
# - set the mode, and recognise what happens when it is not set,
# - say what may differ there: times, core groups, checks,
# - lint your kernels for what rests on the simulator alone.

# %% [markdown] tags=["lang:zh", "lecture"] stem="goals" en_sha="f59eb66e"
# # 5.9 走向真实硬件
#
# *核心内容，15 分钟，先修 5.8 节*
#
# 学完后你能够
# - 说出带 NPU 的机器上要安装什么，什么保持不变；
# - 设置模式，并能认出没有设置时的现象；
# - 说出在硬件上哪些可能不同：时间、核组数、检查；
# - 用 lint 检查自己的内核是否依赖模拟器独有的行为。

# %% tags=["setup"] stem="imports"
import os

os.environ["TILELANG_ASCEND_MODE"] = "Developer"
from tlcourse import check, hint, answer, progress, show_passes, show_timeline, show_memory
import tilelang
import tilelang.language as T
import torch

# %% tags=["lang:en", "lecture"] stem="show_machines"
from tlcourse.widgets.flow import FlowView

FlowView(
    "The same kernel here and there",
    {
        "your notebook": ["import cell", "kernel", "a.npu()"],
        "here": ["tlcourse", "torch", "simulated chip"],
        "there, to build": ["tilelang-mlir-ascend", "CANN, bishengir-compile", "g++, torch_npu"],
        "there, to run a package": ["torch", "torch_npu"],
    },
)

# %% tags=["lang:zh", "lecture"] stem="show_machines" en_sha="1c7073b3"
from tlcourse.widgets.flow import FlowView

FlowView(
    "同一个内核，这里和那里",
    {
        "你的笔记本": ["导入单元格", "内核", "a.npu()"],
        "这里": ["tlcourse", "torch", "模拟芯片"],
        "那里，构建时": ["tilelang-mlir-ascend", "CANN、bishengir-compile", "g++、torch_npu"],
        "那里，运行算子包": ["torch", "torch_npu"],
    },
    language="zh",
)

# %% [markdown] tags=["lang:en", "lecture"] stem="mode_words"
# ## The mode is in the environment
#
# The import cell stays as it is. Where the real `tilelang` is installed, `from tlcourse import ..`
# leaves it alone. The mode stays too: it is read from `TILELANG_ASCEND_MODE` when a kernel is
# compiled. Suppose that you start a script on the other machine and forget the variable. Which mode
# does your MiniCV get?

# %% [markdown] tags=["lang:zh", "lecture"] stem="mode_words" en_sha="5cb8cfe3"
# ## 模式在环境变量里
#
# 导入单元格保持不变。装有真实的 `tilelang` 时，`from tlcourse import ..` 不会动它。设置模式的方式也不变：编译内核时从 `TILELANG_ASCEND_MODE` 读取。假设你在另一台机器上运行脚本，忘了设置这个变量。你的 MiniCV 会得到哪种模式？

# %% tags=["lang:en"] stem="p1"
answer("d5.hardware.p1", "?")  # a: Developer  b: Expert  c: the one it was written for

# %% tags=["lang:zh"] stem="p1" en_sha="8249f680"
answer("d5.hardware.p1", "?", language="zh")  # a：Developer  b：Expert  c：编写时的那种

# %% tags=["reveal", "lecture"] stem="unset"
from tlcourse.diagnostics import TLError
from tlcourse.examples.flash_attention import flash_attention
from tlcourse.examples.minicv import minicv_developer

del os.environ["TILELANG_ASCEND_MODE"]
try:
    tilelang.compile(minicv_developer(M=256, N=256, K=256), target="npuir", out_idx=[2, 3]).trace()
except TLError as problem:
    unset = problem.diagnostic
    print(unset.code, unset.what)
    print("fix:", unset.fix)
os.environ["TILELANG_ASCEND_MODE"] = "Developer"
minicv = tilelang.compile(minicv_developer(M=256, N=256, K=256), target="npuir", out_idx=[2, 3])
print("with the mode set, it runs on:", minicv.mix_mode)

# %% tags=["lang:en", "reveal"] stem="show_timeline"
show_timeline(minicv.profile((256, 256), (256, 256)))

# %% tags=["lang:zh", "reveal"] stem="show_timeline" en_sha="09335983"
show_timeline(minicv.profile((256, 256), (256, 256)), language="zh")

# %% [markdown] tags=["lang:en"] stem="run_words"
# Unset means Expert, and there a Developer kernel's tiles lie in the wrong memories. For a package
# that was precompiled even the mode is settled: it is stored in its metadata. To **run** one takes
# torch, and torch_npu on hardware; none of the compiler's modules. A fresh Python shows it.

# %% [markdown] tags=["lang:zh"] stem="run_words" en_sha="b5ef6261"
# 没有设置就是 Expert，这时 Developer 内核的数据块会落到错误的内存。预编译的算子包连模式也已定好，存在元数据里。**运行**它只需要 torch，在硬件上再加 torch_npu，不需要编译器的任何模块。用一个新的 Python 进程来验证。

# %% tags=["kp:K238"] stem="modules"
import subprocess
import sys

CODE = """import sys, torch
from tlcourse.examples import mini_ops
y = mini_ops.softmax(torch.ones(3, 64).half())
asked = ("torch", "xdsl", "tilelang", "tlcourse.passes", "tlcourse.language")
print(*(f"{name}:{name in sys.modules}" for name in asked))"""
path = os.pathsep.join(sys.path)
run = subprocess.run(
    [sys.executable, "-c", CODE],
    env=os.environ | {"PYTHONPATH": path},
    capture_output=True,
    text=True,
)
loaded = dict(pair.split(":") for pair in run.stdout.split())
for name, is_loaded in loaded.items():
    print(f"{name:20} {'loaded' if is_loaded == 'True' else 'not needed'}")

# %% [markdown] tags=["lang:en", "lecture"] stem="time_words"
# ## What may differ
#
# Numbers agree within the rounding of a dtype; the last digits need not. Races, reads of unwritten
# memory and accesses out of bounds are reported **only here**; a chip says nothing. And times: ours
# are simulated. Take MiniCV with 24 blocks. A chip with 24 core groups, and one with 20: which
# figure will be the same?

# %% [markdown] tags=["lang:zh", "lecture"] stem="time_words" en_sha="a00804d8"
# ## 什么可能不同
#
# 数值在数据类型的舍入范围内一致，最后几位不必相同。竞争、读取未写过的内存、越界访问，**只有这里**会报告，芯片不会报错。还有时间：这里的都是模拟值。取 24 个逻辑块的 MiniCV。一种芯片有 24 个核组，另一种有 20 个：哪个数字会相同？

# %% tags=["lang:en"] stem="p2"
answer("d5.hardware.p2", "?")  # a: cycles  b: rounds of blocks  c: bytes of the result

# %% tags=["lang:zh"] stem="p2" en_sha="41251804"
answer("d5.hardware.p2", "?", language="zh")  # a：周期数  b：轮数  c：结果的字节数

# %% tags=["reveal"] stem="chips"
from tlcourse.chips import CHIPS

wide = tilelang.compile(
    minicv_developer(M=512, N=768, K=256, block_M=128, block_N=128), target="npuir", out_idx=[2, 3]
)
shapes, blocks = [(512, 256), (256, 768)], (512 // 128) * (768 // 128)
times = {name: wide.profile(*shapes, chip=name) for name in ("Ascend910B1", "Ascend910B4")}
rounds = {name: -(-blocks // CHIPS[name].core_groups) for name in times}
for name, timeline in times.items():
    print(
        f"{name}: {CHIPS[name].core_groups} groups, {blocks} blocks in {rounds[name]} round(s), {timeline.cycles:,} cycles"
    )

# %% tags=["lang:en", "reveal"] stem="show_times"
from tlcourse.widgets.bars import BarView

BarView("Simulated cycles of one launch", {n: t.cycles for n, t in times.items()}, look="M")

# %% tags=["lang:zh", "reveal"] stem="show_times" en_sha="a0736e84"
from tlcourse.widgets.bars import BarView

BarView("一次启动的模拟周期数", {n: t.cycles for n, t in times.items()}, look="M", language="zh")

# %% [markdown] tags=["lang:en"] stem="profile_words"
# On hardware the profiler is `msprof op simulator` for the pipes of a core, and `msprof op` for the
# real chip. It writes a folder `OPPROF_..` with traces and tables. `tlcourse profile FILE:KERNEL
# --out DIR` writes the same tree, so what you learned to read here is what you will read there.

# %% [markdown] tags=["lang:zh"] stem="profile_words" en_sha="4f78bf97"
# 在硬件上，看一个核的各条流水线用 `msprof op simulator`，看真实芯片用 `msprof op`。它写出 `OPPROF_..` 目录，里面有 trace 和表格。`tlcourse profile FILE:KERNEL --out DIR` 写出同样的目录结构，所以在这里学会的读法，到硬件上同样适用。

# %% tags=["kp:K191"] stem="profile"
import tempfile
from pathlib import Path
from tlcourse.jit.profiled import profile_of
from tlcourse.profile import write_profile

made = profile_of(wide, shapes, chip="Ascend910B1", block=None, cold=False)
folder = write_profile(made, Path(tempfile.mkdtemp()) / "profile")
files = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
print("msprof op simulator --output=DIR python3 minicv.py    # there")
print("tlcourse profile minicv.py:minicv --out DIR           # here")
print(folder.name.split("_")[0], *(f"  {name}" for name in files if name.count("/") < 2), sep="\n")

# %% [markdown] tags=["lang:en", "lecture"] stem="lint_words"
# ## The last check
#
# Upstream does a few things otherwise; docs/differences.md lists them. The **lint** looks for them
# in your kernel: `tlcourse ir FILE:KERNEL --lint`. Here it reads MiniCV, FlashAttention, and a
# kernel that prints a fragment.

# %% [markdown] tags=["lang:zh", "lecture"] stem="lint_words" en_sha="f72f99b2"
# ## 最后的检查
#
# 上游有几处行为与这里不同，docs/differences.md 列出了它们。**lint** 在你的内核里查找这些地方：`tlcourse ir FILE:KERNEL --lint`。这里用它检查 MiniCV、FlashAttention，以及一个打印 fragment 的内核。

# %% stem="lint"
from tlcourse.jit.differences import differences


@T.prim_func
def prints(X: T.Tensor((64, 64), "float32"), Y: T.Tensor((64, 1), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, _):
        x, m = T.alloc_shared((64, 64), "float32"), T.alloc_fragment((64, 1), "float32")
        T.copy(X, x)
        T.reduce_max(x, m, dim=1)
        T.print(m, "max")
        T.copy(m, Y)


attention = tilelang.compile(flash_attention(heads=1, S=256), target="npuir", out_idx=[3])
printing = tilelang.compile(prints, target="npuir", out_idx=[1])
linted = {}
for kernel in (minicv, attention, printing):
    report = differences(kernel)
    linted[report.kernel] = [one.rule for one in report.differences]
    print(f"{report.kernel:16} {linted[report.kernel] or 'nothing rests on the simulator'}")

# %% tags=["lang:en"] stem="show_lint"
found = {name: len(rules) for name, rules in linted.items()}
BarView("Places that rest on a difference from upstream", found, look="UB")

# %% tags=["lang:zh"] stem="show_lint" en_sha="13fe6672"
found = {name: len(rules) for name, rules in linted.items()}
BarView("依赖与上游差别的地方", found, look="UB", language="zh")

# %% [markdown] tags=["lang:en", "lecture"] stem="recap"
# ## What you can do now
#
# - Write kernels in two modes, see them through the compiler, split them over the cores by hand.
# - Read times, find what a core waits for, ship an operator and put it into a model.
# - On hardware: same text, mode in the environment, other times, fewer checks. If a result differs,
#   report the kernel, its shapes and both outputs.

# %% [markdown] tags=["lang:zh", "lecture"] stem="recap" en_sha="a5571190"
# ## 你现在能做什么
#
# - 用两种模式写内核，跟着它走完编译过程，亲手把它分到各个核上。
# - 读懂时间线，找到核在等什么，发布算子并把它接入模型。
# - 在硬件上：文本不变，模式在环境变量里，时间不同，检查更少。结果不同时，请报告内核、形状和两边的输出。

# %% tags=["golden"] stem="golden"
# What the text says holds in the outputs.
assert unset.code.startswith("TL2")
assert loaded["torch"] == "True"
assert {name for name, is_loaded in loaded.items() if is_loaded == "True"} == {"torch"}
assert list(rounds.values()) == [1, 2]
assert times["Ascend910B1"].cycles != times["Ascend910B4"].cycles
assert any(name.startswith("simulator/") for name in files)
assert linted["minicv"] == linted["flash_attention"] == []
assert linted["prints"] == ["print-fragment"]
