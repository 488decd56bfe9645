# ---
# jupyter:
#   tlcourse:
#     id: d1.npuir
#     title: "1.5 AscendNPU IR through MiniCV"
#     title_zh: "1.5 通过 MiniCV 认识 AscendNPU IR"
#     track: core
#     minutes: 45
#     needs: [d1.automatics]
# ---

# %% [markdown] tags=["lang:en", "lecture"] stem="goals"
# # 1.5 AscendNPU IR through MiniCV
#
# *core, 45 minutes, needs lesson 1.3*
#
# You will be able to
# - follow one kernel through three stations of the compiler,
# - say what each **dialect** of AscendNPU IR is for: HIVM, HFusion, HACC, annotation, scope,
# - find addresses, flags and launch facts in the text, and name the pass that put them there,
# - tell which front ends enter where.

# %% [markdown] tags=["lang:zh", "lecture"] stem="goals" en_sha="3d10e8ae"
# # 1.5 通过 MiniCV 认识 AscendNPU IR
#
# *核心内容，45 分钟，先修 1.3 节*
#
# 学完后你能够
# - 跟着一个内核走过编译器的三站；
# - 说出 AscendNPU IR 的各个**方言**（dialect）做什么：HIVM、HFusion、HACC、annotation、scope；
# - 在文本中找到地址、标志和启动信息，并说出是哪个 pass 放进去的；
# - 说出各种前端从哪里进入。

# %% tags=["setup"] stem="imports"
import os

os.environ["TILELANG_ASCEND_MODE"] = "Developer"
from tlcourse import check, hint, answer, progress, show_passes, show_timeline, show_memory
import tilelang
import tilelang.language as T
import torch

# %% [markdown] tags=["lang:en", "lecture"] stem="stations_words"
# ## Three stations
#
# AscendNPU IR is a compiler framework on **MLIR**: a kernel stays in one kind of text from the
# front end to the last step, and what it says becomes more detailed on the way. A dialect is a
# box of operations that belong together; its name stands in front of the dot. Which dialects come
# and go between the stations?

# %% [markdown] tags=["lang:zh", "lecture"] stem="stations_words" en_sha="1cbf86ea"
# ## 三站
#
# AscendNPU IR 是建立在 **MLIR** 上的编译器框架：从前端到最后一步，内核都写成同一种文本，内容越来越具体。方言是一组相关的运算，名字写在点号前面。在三站之间，哪些方言出现，哪些消失？

# %% tags=["kp:K012"] stem="stations"
import re
from tlcourse.examples.minicv import minicv_developer

os.environ["TILELANG_ASCEND_DEVICE_NAME"] = "Ascend910B1"
function = minicv_developer(128, 128, 128, 64, 64, 64)
minicv = tilelang.compile(function, target="npuir", out_idx=[2, 3])
unit = torch.eye(128, dtype=torch.float16).npu()
launch = minicv.launch(unit, unit)
trace = minicv.trace()
PLACE = re.compile(r" loc\([^)]*\)")
after = {shot.pass_name: PLACE.sub("", trace.texts[shot.text_id]) for shot in trace.snapshots}
stations = {
    "front end": after["codegen"],
    "after the split": after["hivm-split-mix-kernel"],
    "last": PLACE.sub("", trace.texts[trace.snapshots[-1].text_id]),
}


# %% tags=["kp:K022", "kp:K042"] stem="dialects"
def dialects(text):  # how many operations of each dialect
    found = re.findall(r"^ *(?:%\S+ = )?(\w+)\.\w", text, re.MULTILINE)
    return {name: found.count(name) for name in sorted(set(found)) if name != "builtin"}


for name, text in stations.items():
    print(f"{name:15}", dialects(text))

# %% tags=["lang:en"] stem="show_stations"
from tlcourse.widgets.bars import BarView

BarView("Lines of IR at the three stations", {n: t.count("\n") for n, t in stations.items()})

# %% tags=["lang:zh"] stem="show_stations" en_sha="53e290d8"
from tlcourse.widgets.bars import BarView

lines = [text.count("\n") for text in stations.values()]
BarView(
    "三站的 IR 行数", dict(zip(("前端", "拆分之后", "最后"), lines, strict=True)), language="zh"
)

# %% [markdown] tags=["lang:en"] stem="address_words"
# ## Where is the address?
#
# `A_sh` was asked for in the front end's text. At which byte of L1 does it lie? Look for an
# address at the first station. What will you find there?

# %% [markdown] tags=["lang:zh"] stem="address_words" en_sha="24d7b036"
# ## 地址在哪里？
#
# `A_sh` 在前端的文本里就申请了。它在 L1 的第几个字节？到第一站的文本里找地址。你会找到什么？

# %% tags=["lang:en"] stem="p1"
answer("d1.npuir.p1", "?")  # a: address 0  b: an address, and a flag  c: neither

# %% tags=["lang:zh"] stem="p1" en_sha="60238208"
answer("d1.npuir.p1", "?", language="zh")  # a：地址 0  b：一个地址和一个标志  c：都没有

# %% tags=["reveal", "kp:K044", "kp:K046", "kp:K054", "kp:K055", "kp:K057"] stem="addresses"
WORDS = ("hivm.hir.pointer_cast", "hivm.hir.set_flag", "hivm.hir.nd2nz", "hivm.hir.mmadL1")
counts = {name: {word: text.count(word) for word in WORDS} for name, text in stations.items()}
for name, found in counts.items():
    print(f"{name:15}", *found.values())
for line in stations["last"].splitlines():
    if "%A_sh_copy" in line and "pointer_cast" in line:
        print(line.strip())
print(next(line for line in stations["front end"].splitlines() if "hivm.hir.mmad" in line).strip())

# %% [markdown] tags=["lang:en"] stem="levels"
# The front end says *what* is computed, on tiles without a place. The last text says *where* and
# *when*: a `pointer_cast` for each copy of a tile, its address space, the layout as small squares
# of 16 by 16, `nd2nz` to fill it, flags between the pipes. In between stand about thirty passes.

# %% [markdown] tags=["lang:zh"] stem="levels" en_sha="7d99f0e0"
# 前端只说计算*什么*，数据块还没有位置。最后的文本说明*在哪里*、*什么时候*：每份数据块有一个 `pointer_cast`，写明地址空间和 16 乘 16 小方块的布局，用 `nd2nz` 填充，流水线之间有标志。两者之间大约有三十个 pass。

# %% tags=["lang:en", "lecture", "kp:K026", "kp:K045"] stem="show_passes"
show_passes(minicv)

# %% tags=["lang:zh", "lecture", "kp:K026", "kp:K045"] stem="show_passes" en_sha="491731d9"
show_passes(minicv, language="zh")

# %% [markdown] tags=["lang:en", "lecture"] stem="who_words"
# ## Who put it there?
#
# Nine sights in the last text. For each, the cell looks for the first pass behind which it is
# there. Four of them you know from lesson 1.3. Guess the pass that makes two functions of one
# before you run the cell.

# %% [markdown] tags=["lang:zh", "lecture"] stem="who_words" en_sha="36cabbbf"
# ## 是谁放进去的？
#
# 最后的文本里有九样东西。下面的单元格为每一样找出它第一次出现在哪个 pass 之后。其中四样在 1.3 节见过。运行之前先猜一猜：是哪个 pass 把一个函数变成了两个？

# %% tags=["lecture", "kp:K047", "kp:K048", "kp:K056", "kp:K058", "kp:K059", "kp:K061"] stem="who"
SIGHTS = {
    "addresses": "pointer_cast",
    "flags of a core": "hivm.hir.set_flag",
    "flags between cores": "hivm.hir.sync_block_set",
    "two functions": "@minicv_mix_aiv",
    "place of the hand-over": "memref_ext.alloc_workspace",
    "halves of the rows": "get_sub_block_idx",
    "two copies in turns": "A_sh_copy1",
    "layout of the cube": "16x16xf16",
    "workspace bytes": "infer_workspace_shape_function",
}
who = {}
for sight, word in SIGHTS.items():
    shots = (shot for shot in trace.snapshots if word in trace.texts[shot.text_id])
    who[sight] = next(shots).pass_name
    print(f"{sight:23}{who[sight]}")

# %% [markdown] tags=["lang:en"] stem="facts_words"
# ## Facts that are no operations
#
# Who calls whom, and with what, is written in attributes. **HACC** marks host and device
# functions and the arguments of a launch. **annotation** hangs a wish on a value, and a later
# pass fulfils it. **scope** marks a stretch of text for one kind of core; it comes from Expert
# kernels.

# %% [markdown] tags=["lang:zh"] stem="facts_words" en_sha="9ead9a84"
# ## 不是运算的事实
#
# 谁调用谁、带什么参数，写在属性里。**HACC** 标出主机函数和设备函数，以及启动的参数。**annotation** 给一个值挂上一个要求，由后面的 pass 去完成。**scope** 标出属于某一种核的一段文本，它来自 Expert 内核。

# %% tags=["kp:K063", "kp:K064", "kp:K065", "kp:K066"] stem="facts"
from tlcourse.examples.minicv import minicv_expert

os.environ["TILELANG_ASCEND_MODE"] = "Expert"
by_hand = tilelang.compile(minicv_expert(128, 128, 128, 64, 64, 64), target="npuir", out_idx=[2, 3])
os.environ["TILELANG_ASCEND_MODE"] = "Developer"
expert = by_hand.trace()


def different(pattern, text):
    return sorted(set(re.findall(pattern, text)))


print("HACC:", *different(r"#hacc\.\w+<\w+>", stations["last"]))
print("annotation:", *different(r"annotation\.mark \S+ \{[^}]*\}", "".join(after.values()))[:2])
print("scope:", *different(r'tl\.scope "\w+"', expert.texts[expert.snapshots[0].text_id]))

# %% tags=["lang:en"] stem="show_memory"
show_memory(minicv)

# %% tags=["lang:zh"] stem="show_memory" en_sha="f67625d6"
show_memory(minicv, language="zh")

# %% [markdown] tags=["lang:en"] stem="hfusion_words"
# ## HFusion, which this path leaves out
#
# **HFusion** extends linalg by operations on whole tensors and fuses chains of them. TileLang
# says tiles itself, so its kernels never pass through HFusion; those of other front ends do. Here
# is exp(a) * b, then relu, as a text for a host function. How many kernels will it become?

# %% [markdown] tags=["lang:zh"] stem="hfusion_words" en_sha="73d3a8ac"
# ## HFusion：这条路径不经过它
#
# **HFusion** 在 linalg 上增加对整个张量的运算，并把一串运算融合起来。TileLang 自己写明数据块，所以它的内核不经过 HFusion；其他前端的会经过。下面是主机函数的文本：exp(a) * b，再取 relu。它会变成几个内核？

# %% tags=["lang:en"] stem="p2"
answer("d1.npuir.p2", "?")  # a: three  b: one  c: none, MiniCV passes through HFusion instead

# %% tags=["lang:zh"] stem="p2" en_sha="049fc6bd"
answer("d1.npuir.p2", "?", language="zh")  # a：三个  b：一个  c：没有，经过 HFusion 的是 MiniCV

# %% tags=["setup", "kp:K014", "kp:K043", "kp:K049"] stem="chain"
S = "tensor<32x7xf32>"
CHAIN = f"""
func.func @chain(%a: {S}, %b: {S}) -> {S} attributes {{hacc.entry,
    hacc.function_kind = #hacc.function_kind<HOST>,
    hfusion.fusion_kind = #hfusion.fusion_kind<PURE_ELEMWISE>}} {{
  %e = tensor.empty() : {S}
  %0 = linalg.elemwise_unary {{fun = #linalg.unary_fn<exp>}} ins(%a : {S}) outs(%e : {S}) -> {S}
  %1 = linalg.elemwise_binary {{fun = #linalg.binary_fn<mul>}} ins(%0, %b : {S}, {S}) outs(%e : {S}) -> {S}
  %2 = hfusion.elemwise_unary {{fun = #hfusion.unary_fn<relu>}} ins(%1 : {S}) outs(%e : {S}) -> {S}
  return %2 : {S}
}}"""

# %% tags=["reveal", "kp:K050", "kp:K051", "kp:K052"] stem="fused"
from tlcourse.pipeline.opt import run_opt
from tlcourse.pipeline.registry import read_passes

fused = run_opt(CHAIN, read_passes("hfusion-fuse-ops"))
flat = run_opt(fused, read_passes("hfusion-flatten-ops"))
hivm = run_opt(flat, read_passes("convert-hfusion-to-hivm"))
kernels = different(r"@(\w+)\(.*function_kind<DEVICE>", fused)
print("kernels:", kernels, " calls in the host function:", fused.count("func.call"))
print(
    "flat:", flat.count("elemwise"), "operations,", flat.count("expand_shape"), "way back to 32x7"
)
print("then:", *different(r"hivm\.hir\.\w+", hivm))

# %% [markdown] tags=["lang:en"] stem="fused_rule"
# One kernel. Its rows are laid end to end, and between the operations no shape is changed back:
# pairs of reshapes cancel. Then each tensor operation becomes one of HIVM. In the real compiler
# more passes bring `arith`, `math` and torch operations into HFusion; a kernel in bf16 shows next
# how a type is **legalised**.

# %% [markdown] tags=["lang:zh"] stem="fused_rule" en_sha="a9712f19"
# 只有一个内核。张量的各行首尾相接，运算之间不再变回原来的形状：成对的变形互相抵消。然后每个张量运算变成一条 HIVM 运算。在真实编译器中，还有 pass 把 `arith`、`math` 和 torch 的运算转进 HFusion；接下来用一个 bf16 内核看类型怎样**合法化**（legalise）。


# %% tags=["kp:K053"] stem="bf16"
@tilelang.jit(out_idx=[1], target="npuir")
def doubled(N=256):
    @T.prim_func
    def kernel(A: T.Tensor((N,), "bfloat16"), C: T.Tensor((N,), "bfloat16")):
        with T.Kernel(1, is_npu=True) as (cid, _):
            a = T.alloc_shared((N,), "bfloat16")
            T.copy(A, a)
            T.vadd(a, a, a)
            T.copy(a, C)

    return kernel


steps = doubled().trace()
number = next(s.index for s in steps.snapshots if s.pass_name == "LegalizeNpuirBF16")
legal = []
for shot in steps.snapshots[number - 1 : number + 1]:
    words = different(r"tl\.v\w+ ins\([^:]*: memref<256x(\w+)", steps.texts[shot.text_id])
    legal.append((words, steps.texts[shot.text_id].count("tl.vcast")))
    print(shot.pass_name, "adds in:", *words, " casts:", legal[-1][1])

# %% tags=["lang:en"] stem="show_casts"
BarView("Casts around the bf16 addition", {"before": legal[0][1], "after": legal[1][1]}, look="UB")

# %% tags=["lang:zh"] stem="show_casts" en_sha="d75a45c2"
BarView(
    "bf16 加法前后的类型转换", {"之前": legal[0][1], "之后": legal[1][1]}, look="UB", language="zh"
)

# %% [markdown] tags=["lang:en"] stem="more_words"
# ## What else is in the box
#
# A look-up instead of a belief: is there a pass with `schedule` in its name, and one for
# pipelining cube and vector work? A **custom** operation is a call by name, with the pipe that it
# runs on. And four things serve debugging: places in the source, prints, checks, a profile.

# %% [markdown] tags=["lang:zh"] stem="more_words" en_sha="155eef44"
# ## 还有什么
#
# 不凭印象，去查：有没有名字里带 `schedule` 的 pass？有没有让 cube 和 vector 的工作重叠的 pass？**自定义**（custom）运算是按名字的调用，并写明在哪条流水线上执行。另有四样东西用于调试：源码位置、打印、检查、性能剖析。

# %% tags=["kp:K013", "kp:K060", "kp:K069", "kp:K070", "kp:K071"] stem="lookup"
names = {s.pass_name for shots in (trace, expert) for s in shots.snapshots}
lookup = {word: sorted(n for n in names if word in n) for word in ("schedule", "pipelining")}
print(lookup, "of", len(names), "passes")
TILE = "memref<64xf32, #hivm.address_space<ub>>"
CUSTOM = f"""func.func @f(%a: {TILE}, %b: {TILE}) {{
  hivm.hir.custom {{hivm.tcore_type = #hivm.tcore_type<VECTOR>, hivm.pipe = #hivm.pipe<PIPE_V>, symbol = "my_gelu"}} "gelu" ins(%a : {TILE}) outs(%b : {TILE})
  return
}}"""
print(different(r'custom.*"(\w+)" ins', run_opt(CUSTOM, read_passes("cse"))), "is called by name")
places = trace.texts[trace.snapshots[-1].text_id].count(" loc(")
print(places > 100, len(launch.findings), launch.timeline.cycles > 0)  # places, checks, profile

# %% tags=["lang:en"] stem="show_timeline"
show_timeline(minicv)

# %% tags=["lang:zh"] stem="show_timeline" en_sha="65aa97be"
show_timeline(minicv, language="zh")

# %% [markdown] tags=["lang:en", "lecture", "kp:K015", "kp:K016"] stem="doors"
# ## Who enters where
#
# TileLang enters with HIVM operations on tiles, and Triton with linalg and memref; PyTorch comes
# by way of Torch-MLIR with linalg on tensors, and takes the way through HFusion. All end in the
# same HIVM text. AscendNPU IR is developed in the open; judge its state by its
# [repository](https://gitcode.com/Ascend/AscendNPU-IR). It is one of the domain uses of MLIR.

# %% [markdown] tags=["lang:zh", "lecture", "kp:K015", "kp:K016"] stem="doors" en_sha="dcfaf6cb"
# ## 谁从哪里进入
#
# TileLang 以数据块上的 HIVM 运算进入，Triton 以 linalg 和 memref 进入；PyTorch 经由 Torch-MLIR，以张量上的 linalg 进入，走 HFusion 这条路。最后都是同样的 HIVM 文本。AscendNPU IR 公开开发，现状请看它的[仓库](https://gitcode.com/Ascend/AscendNPU-IR)。它是 MLIR 的领域应用之一。

# %% tags=["kp:K072"] stem="entries"
entries = {"TileLang": stations["front end"], "a tensor front end": CHAIN}
for name, text in entries.items():
    print(f"{name:20}", [d for d in ("hivm", "linalg", "hfusion") if f"{d}." in text])

# %% [markdown] tags=["lang:en", "lecture"] stem="recap"
# ## Recap
#
# - One kind of text from front end to chip; HIVM says tiles, moves and flags, HACC who is called.
# - Addresses, layouts, flags and the split come from passes, each with a name that you can look up.
# - Kernels in TileLang skip HFusion; texts on whole tensors pass through it.
#
# **Exercise:** [d1.name_that_pass](../../exercises/day1/name_that_pass.ipynb).

# %% [markdown] tags=["lang:zh", "lecture"] stem="recap" en_sha="8ab81f97"
# ## 小结
#
# - 从前端到芯片只有一种文本；HIVM 说明数据块、搬运和标志，HACC 说明谁被调用。
# - 地址、布局、标志和拆分都来自 pass，每个 pass 都有可以查到的名字。
# - TileLang 内核不经过 HFusion；写成整个张量运算的文本会经过它。
#
# **练习：** [d1.name_that_pass](../../../exercises/zh/day1/name_that_pass.ipynb)。

# %% tags=["golden"] stem="golden"
# What the text says holds in the outputs.
assert counts["front end"]["hivm.hir.pointer_cast"] == counts["front end"]["hivm.hir.set_flag"] == 0
assert counts["last"]["hivm.hir.pointer_cast"] > 0 < counts["last"]["hivm.hir.set_flag"]
assert 25 <= len([s for s in trace.snapshots if s.phase == "npuir"]) <= 45
assert who["two functions"] == "hivm-split-mix-kernel"
assert who["addresses"] == "hivm-plan-memory"
assert who["halves of the rows"] == "hivm-bind-sub-block"
assert kernels == ["chain_0"]
assert flat.count("expand_shape") == 1
assert [casts > 0 for _, casts in legal] == [False, True]
assert lookup == {"schedule": [], "pipelining": ["cv-pipelining"]}
assert not launch.findings
