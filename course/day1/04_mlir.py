# ---
# jupyter:
#   tlcourse:
#     id: d1.mlir
#     title: "1.4 MLIR, read from your own kernel"
#     title_zh: "1.4 MLIR：从自己的内核读起"
#     track: more
#     minutes: 45
#     needs: [d1.automatics]
# ---

# %% [markdown] tags=["lang:en", "lecture"] stem="goals"
# # 1.4 MLIR, read from your own kernel
#
# *more, 45 minutes, needs lesson 1.3*
#
# You will be able to
# - say why a framework for compilers was needed, and what it does not do,
# - find dialect, operation, type, attribute and pass in the IR of a kernel,
# - follow relu(a + b) from tosa through linalg, memref and scf to llvm,
# - say at which level two operations are fused, and why not later.

# %% [markdown] tags=["lang:zh", "lecture"] stem="goals" en_sha="3d8a465d"
# # 1.4 MLIR：从自己的内核读起
#
# *进阶内容，45 分钟，先修 1.3 节*
#
# 学完后你能够
# - 说出为什么需要一个编写编译器的框架，以及它不做什么；
# - 在内核的 IR 中找到方言、运算、类型、属性和 pass；
# - 跟着 relu(a + b) 从 tosa 经过 linalg、memref、scf 走到 llvm；
# - 说出两个运算在哪一层融合，以及为什么不能更晚。

# %% tags=["setup"] stem="imports"
import os

os.environ["TILELANG_ASCEND_MODE"] = "Developer"
from tlcourse import check, hint, answer, progress, show_passes, show_timeline, show_memory
import tilelang
import tilelang.language as T
import torch

# %% [markdown] tags=["lang:en"] stem="speed_words"
# ## The end of free speed
#
# **Moore's law**, as it is told: the number of transistors on a chip doubles about every two
# years. For decades the clock rose as well, and old programs became faster on their own. Six
# known chips, with their published figures: which of the two still grows?

# %% [markdown] tags=["lang:zh"] stem="speed_words" en_sha="d68f9400"
# ## 免费的提速结束了
#
# **摩尔定律**（Moore's law）的通常说法：芯片上的晶体管数大约每两年翻一倍。几十年里时钟频率也在升高，旧程序不用改就会变快。下面是六款有名的芯片和公布的数字：两者之中，哪一个还在增长？

# %% tags=["kp:K017", "kp:K018"] stem="speed"
from math import log2

CHIPS = {  # year: name, transistors, clock in kHz
    1971: ("Intel 4004", 2_300, 740),
    1978: ("Intel 8086", 29_000, 5_000),
    1989: ("Intel 486", 1_200_000, 25_000),
    2000: ("Pentium 4", 42_000_000, 1_500_000),
    2006: ("Core 2 Duo", 291_000_000, 2_930_000),
    2020: ("Apple M1", 16_000_000_000, 3_200_000),
}


def growth(first, last):  # how many times as many transistors, as fast a clock
    return [round(CHIPS[last][column] / CHIPS[first][column]) for column in (1, 2)]


doubling = (2020 - 1971) / log2(CHIPS[2020][1] / CHIPS[1971][1])
print(f"transistors doubled every {doubling:.1f} years")
for years in ((1971, 2000), (2000, 2020)):
    print(years, "transistors x {:,}, clock x {:,}".format(*growth(*years)))

# %% tags=["lang:en"] stem="show_speed"
from tlcourse.widgets.bars import BarView

since = dict(zip(("transistors", "clock"), growth(2000, 2020), strict=True))
BarView("What became of a chip from 2000 to 2020, in multiples", since, "x", look="M")

# %% tags=["lang:zh"] stem="show_speed" en_sha="2be90b1e"
from tlcourse.widgets.bars import BarView

since = dict(zip(("晶体管", "时钟"), growth(2000, 2020), strict=True))
BarView("2000 到 2020 年芯片的变化（倍数）", since, "倍", look="M", language="zh")

# %% [markdown] tags=["lang:en", "lecture"] stem="many_words"
# ## Many kinds of chip, one compiler for each
#
# Transistors that make no clock faster were spent on units for one kind of work each: the cube
# core of our chip multiplies, the vector core does the rest. That is **heterogeneous** hardware.
# If each front end had a compiler of its own for each chip, how many would that be?

# %% [markdown] tags=["lang:zh", "lecture"] stem="many_words" en_sha="5f32c496"
# ## 芯片种类很多，每种一个编译器
#
# 不能再提高时钟的晶体管，被用来做专门的单元：我们芯片的 cube 核做乘法，vector 核做其余的事。这就是**异构**（heterogeneous）硬件。如果每个前端为每种芯片都写一个编译器，一共要多少个？

# %% tags=["kp:K019", "kp:K020"] stem="many"
from tlcourse.examples.minicv import minicv_developer

os.environ["TILELANG_ASCEND_DEVICE_NAME"] = "Ascend910B1"
M, N, K = 256, 256, 256  # set other sizes, and run the lesson again
minicv = tilelang.compile(minicv_developer(M, N, K), target="npuir", out_idx=[2, 3])
timeline = minicv.launch(torch.ones(M, K).half().npu(), torch.ones(K, N).half().npu()).timeline
busy = {(lane.agent, lane.pipe): lane.busy_cycles for lane in timeline.lanes}
products = 128 * N * K / busy["aic", "M"]  # block 0 has 128 rows of C
exponents = 64 * N / busy["aiv0", "V"]  # and each vector core half of them
print(
    f"a busy cycle: {products:.0f} products in the cube core, {exponents:.0f} exp in a vector core"
)
FRONT_ENDS = ["PyTorch", "JAX", "ONNX", "Triton", "TileLang", "C++"]
TARGETS = ["CPU", "GPU", "NPU", "TPU", "DSP", "FPGA"]
each = len(FRONT_ENDS) * len(TARGETS)
shared = len(FRONT_ENDS) + len(TARGETS)
print(f"{each} compilers, or {shared} halves that meet in one kind of text")

# %% tags=["lang:en", "kp:K021"] stem="drill1"
answer("d1.mlir.drill1", "?")  # MLIR  a: makes chips faster  b: makes compilers easier to write

# %% tags=["lang:zh", "kp:K021"] stem="drill1" en_sha="003b070d"
answer("d1.mlir.drill1", "?", language="zh")  # MLIR  a：让芯片变快  b：让编译器容易写

# %% [markdown] tags=["lang:en", "lecture"] stem="mlir_words"
# ## Your kernel as a specimen
#
# **MLIR** is such a text, and the tools to write compilers on it. It changes how compilers are
# written; it makes no chip faster. Its operations stand in boxes, the **dialects**; the name of
# the box stands before the dot. MiniCV of lesson 1.0 is one function. How many dialects does it
# use, fresh from the front end?

# %% [markdown] tags=["lang:zh", "lecture"] stem="mlir_words" en_sha="adfe72aa"
# ## 以自己的内核为标本
#
# **MLIR** 就是这样一种文本，再加上用它编写编译器的工具。它改变的是编译器的写法，不会让芯片变快。它的运算放在一个个盒子里，即**方言**（dialect），盒子的名字写在点号前面。1.0 节的 MiniCV 是一个函数。刚离开前端时，它用到几个方言？

# %% tags=["lang:en"] stem="p1"
answer("d1.mlir.p1", "?")  # a: one, its own level's  b: two neighbours  c: six or more

# %% tags=["lang:zh"] stem="p1" en_sha="6b9e87ed"
answer("d1.mlir.p1", "?", language="zh")  # a：一个，本层的  b：相邻的两个  c：六个以上

# %% tags=["reveal", "lecture", "kp:K022"] stem="dialects"
import re


def dialects(text):  # how many operations of each dialect
    found = re.findall(r'^ *(?:%[^=]*= )?"?(\w+)\.\w', text, re.MULTILINE)
    return {name: found.count(name) for name in dict.fromkeys(found) if name != "builtin"}


trace = minicv.trace()
after = {shot.pass_name: trace.texts[shot.text_id] for shot in trace.snapshots}
specimen = after["codegen"]
print(dialects(specimen))
print("last:", dialects(after["hivm-enable-multi-buffer"]))

# %% tags=["lang:en"] stem="show_dialects"
BarView("Operations of each dialect in one function of MiniCV", dialects(specimen), look="GM")

# %% tags=["lang:zh"] stem="show_dialects" en_sha="89befa6a"
BarView("MiniCV 的一个函数里各方言的运算个数", dialects(specimen), look="GM", language="zh")

# %% [markdown] tags=["lang:en"] stem="apart_words"
# ## Four words for a line, one for a step
#
# An **operation** has operands and results, each of a **type**; an **attribute** is a fact fixed
# at compile time. A **pass** rewrites the text. The next cell takes MiniCV's product apart, and
# then looks for the pass that turns tensors, which are values, into memory.

# %% [markdown] tags=["lang:zh"] stem="apart_words" en_sha="85f7e231"
# ## 描述一行用四个词，描述一步用一个词
#
# 一个**运算**（operation）有操作数和结果，各有一个**类型**（type）；**属性**（attribute）是编译时就确定的事实。**pass** 改写文本。下面的单元格拆开 MiniCV 的乘积，然后找出是哪个 pass 把张量（它们是值）变成内存。

# %% tags=["kp:K023", "kp:K024", "kp:K025", "kp:K026"] stem="apart"
from tlcourse.dialects.text import from_text

module = from_text(specimen)
product = next(op for op in module.walk() if op.name == "hivm.hir.mmadL1")
print("operation:", product.name)
for operand in product.operands[:2]:
    print("operand:", operand.name_hint, "of type", operand.type)
print("result of type", product.results[0].type)
function = next(op for op in module.walk() if op.name == "func.func")
print("attribute:", function.attributes["hivm.func_core_type"])
texts = [(shot.pass_name, trace.texts[shot.text_id]) for shot in trace.snapshots]
start = [name for name, _ in texts].index("codegen")
to_memory = next(name for name, text in texts[start:] if "tensor.empty" not in text)
print("pass behind which no tensor is left:", to_memory)

# %% [markdown] tags=["lang:en", "lecture"] stem="way_words"
# ## All the way down, in small steps
#
# A way to a CPU shows how dialects take turns. relu(a + b) on 4x8 numbers begins in tosa, where a
# network says what it computes, and ends in llvm. Each pass takes down the ops of one level and
# leaves the rest. Step through it; the cell above the figure checks the numbers behind each pass.

# %% [markdown] tags=["lang:zh", "lecture"] stem="way_words" en_sha="8b776cee"
# ## 一小步一小步走到底
#
# 一条通往 CPU 的路能看出各方言怎样接力。4x8 的 relu(a + b) 从 tosa 开始，网络在这一层说明要算什么；最后到 llvm。每个 pass 只把一层的运算往下降（lowering），其余不动。逐步查看；图上方的单元格在每个 pass 之后都检查数值。

# %% tags=["kp:K032", "kp:K033"] stem="way"
from tlcourse import lower

way = lower()
a, b = (torch.randn(4, 8, generator=torch.Generator().manual_seed(s)) for s in (0, 1))
steps = way.check(a, b)
sizes = {"input": sum(dialects(way.after("input")).values())}
for step in steps:
    if step.state == "unchanged":
        continue
    found = dialects(way.after(step.pass_name))
    sizes[step.pass_name] = sum(found.values())
    print(f"{step.pass_name:28} numbers {step.state}", found)
print("right:", torch.equal(way.run(a, b)[0], (a + b).relu()))

# %% tags=["lang:en", "lecture"] stem="show_way"
show_passes(way)

# %% tags=["lang:zh", "lecture"] stem="show_way" en_sha="2f2286c3"
show_passes(way, language="zh")

# %% [markdown] tags=["lang:en"] stem="cards_words"
# ## A card for each level
#
# The dialects are no rungs of a ladder: on the way up to five stand in one function. Each
# is a place where something is easy to say. linalg is the bridge: the same `linalg.generic` works
# on tensors and on memory, and its maps already tell the loops. Behind scf little is left to say.

# %% [markdown] tags=["lang:zh"] stem="cards_words" en_sha="07e65911"
# ## 每一层一张卡片
#
# 方言不是梯子的横档：途中，一个函数里最多同时有五个方言。每个方言都是方便表达某件事的地方。linalg 是桥梁：同一个 `linalg.generic` 既用于张量，也用于内存，它的下标映射已经说明了循环。在 scf 之后，能表达的就不多了。

# %% tags=["kp:K027", "kp:K028", "kp:K029", "kp:K031"] stem="cards"
CARDS = {  # level: a pass behind which it is read, an op of it, what you come here for
    "tosa": ("input", "tosa.add", "what a network computes"),
    "linalg": ("tosa-to-linalg", "linalg.generic", "which elements meet"),
    "memref": ("one-shot-bufferize", "memref.alloc", "where elements lie"),
    "scf": ("convert-linalg-to-loops", "scf.for", "in what order"),
    "llvm": ("convert-to-llvm", "llvm.fadd", "with which addresses"),
}
for level, (behind_pass, op, reason) in CARDS.items():
    line = next(line for line in way.after(behind_pass).splitlines() if op in line)
    print(f"{level}: you come here to say {reason}\n    {line.strip()[:88]}")
generic = [way.after(name).count("linalg.generic") for name in ("cse", "one-shot-bufferize")]
jumps = way.after("convert-scf-to-cf"), way.after("convert-to-llvm")
pairs = (("cf.cond_br", "llvm.cond_br"), ("arith.addf", "llvm.fadd"), ("memref.load", "llvm.load"))
for upper, lower_op in pairs:
    print(upper, jumps[0].count(upper), "->", lower_op, jumps[1].count(lower_op))

# %% tags=["lang:en"] stem="show_cards"
from tlcourse.widgets.flow import FlowView

FlowView(
    "You come to each dialect to say ..",
    {level: [op, reason] for level, (_, op, reason) in CARDS.items()},
    look="UB",
)

# %% tags=["lang:zh"] stem="show_cards" en_sha="5a60a7a9"
from tlcourse.widgets.flow import FlowView

REASONS = ["网络算什么", "哪些元素相遇", "元素放在哪里", "什么次序", "用哪些地址"]
FlowView(
    "来到每个方言，是为了说明……",
    {
        level: [card[1], reason]
        for (level, card), reason in zip(CARDS.items(), REASONS, strict=True)
    },
    look="UB",
    language="zh",
)

# %% [markdown] tags=["lang:en"] stem="scf_words"
# ## The three shapes of scf
#
# scf has a `for` with bounds, an `if`, and a `while` whose end is not known before. The next text
# halves each number until it is at most 1, and lifts small ones to 0.5. The pass
# `convert-scf-to-cf` makes jumps of them. Ours leaves a `while` as it is; the real compiler turns it
# into jumps as well.

# %% [markdown] tags=["lang:zh"] stem="scf_words" en_sha="6ac2eefd"
# ## scf 的三种形状
#
# scf 有带上下界的 `for`、有 `if`，还有事先不知道何时结束的 `while`。下面的文本把每个数反复减半，直到不超过 1，再把小于 0.5 的数提到 0.5。`convert-scf-to-cf` 这个 pass 把它们变成跳转。我们的版本不动 `while`；真实编译器把它也变成跳转。

# %% tags=["kp:K030"] stem="scf"
from tlcourse.pipeline.opt import run_opt
from tlcourse.pipeline.registry import read_passes

HALVE = """func.func @halve(%y: memref<4xf32>, %n: index, %half: f32, %one: f32) {
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  scf.for %i = %i0 to %n step %i1 {
    %x = memref.load %y[%i] : memref<4xf32>
    %r = scf.while (%v = %x) : (f32) -> f32 {
      %big = arith.cmpf ogt, %v, %one : f32
      scf.condition(%big) %v : f32
    } do { ^bb0(%w: f32):
      %h = arith.mulf %w, %half : f32
      scf.yield %h : f32 }
    %small = arith.cmpf olt, %r, %half : f32
    %s = scf.if %small -> (f32) { scf.yield %half : f32 } else { scf.yield %r : f32 }
    memref.store %s, %y[%i] : memref<4xf32>
  }
  return
}"""
jumping = run_opt(HALVE, read_passes("convert-scf-to-cf"))
for word in ("scf.for", "scf.if", "scf.while", "cf.cond_br"):
    print(f"{word:11} {len(re.findall(rf'(?<!s){word}', HALVE))} -> {jumping.count(word)}")

# %% [markdown] tags=["lang:en", "lecture"] stem="fuse_words"
# ## The right level for an idea
#
# Two linalg ops become one behind `linalg-fuse-elementwise-ops`: the sum is never stored, and one
# nest of loops does it all. A colleague tidies the pipeline up and puts this pass behind
# `convert-linalg-to-loops`. The numbers stay right. How many nests of loops will there be?

# %% [markdown] tags=["lang:zh", "lecture"] stem="fuse_words" en_sha="d4be0931"
# ## 每种优化都有合适的层
#
# 经过 `linalg-fuse-elementwise-ops`，两个 linalg 运算变成一个：加法的结果不再存入内存，一个循环嵌套做完一切。有位同事整理 pass 流水线，把这个 pass 挪到 `convert-linalg-to-loops` 之后。数值仍然正确。会有几个循环嵌套？

# %% tags=["lang:en"] stem="p2"
answer("d1.mlir.p2", "?")  # a: one, as before  b: three  c: none, the pass is refused

# %% tags=["lang:zh"] stem="p2" en_sha="b7be0efb"
answer("d1.mlir.p2", "?", language="zh")  # a：一个，和以前一样  b：三个  c：没有，这个 pass 被拒绝

# %% tags=["reveal", "lecture", "kp:K028", "kp:K035"] stem="late"
FUSE, LOOPS = "linalg-fuse-elementwise-ops,", "convert-linalg-to-loops,"
swapped = lower(passes=way.passes.replace(FUSE, "").replace(LOOPS, LOOPS + FUSE))
ways = {"fused at linalg": way, "fused at scf": swapped}
costs = {}
for name, one in ways.items():
    text = one.after("cse")
    nests = text.count("scf.for") // 2
    costs[name] = (nests, 32 * (text.count("memref.load") + text.count("memref.store")))
    print(f"{name:16} {nests} nests, {costs[name][1]} loads and stores")
states = {step.pass_name: step.state for step in swapped.check(a, b)}
print("the pass behind the loops:", states["linalg-fuse-elementwise-ops"])
print("the numbers stay right:", torch.equal(swapped.run(a, b)[0], (a + b).relu()))

# %% tags=["lang:en"] stem="show_late"
BarView("Loads and stores of relu(a + b) on 32 numbers", {n: c for n, (_, c) in costs.items()})

# %% tags=["lang:zh"] stem="show_late" en_sha="c1d99f1d"
counts_zh = dict(
    zip(("在 linalg 层融合", "在 scf 层融合"), (c for _, c in costs.values()), strict=True)
)
BarView("32 个数的 relu(a + b) 的读写次数", counts_zh, language="zh")

# %% [markdown] tags=["lang:en"] stem="late_rule"
# At linalg two maps are compared, and they are equal. Behind the loops one would have to prove
# that two nests have the same bounds and that nothing between them touches the buffer; the pass
# finds nothing to do. Rule: **optimise where the fact you need is still written down.** A compiler
# with few fixed levels jumps over such places.

# %% [markdown] tags=["lang:zh"] stem="late_rule" en_sha="6426d12e"
# 在 linalg 层，只需比较两个映射，而它们相等。变成循环之后，就要证明两个嵌套的边界相同，中间没有别的东西碰过缓冲区；这个 pass 找不到可做的事。规则：**在所需的事实还写着的地方优化**。层数固定而又少的编译器，会从这些地方一跃而过。

# %% tags=["kp:K034"] stem="jump"
from itertools import pairwise

kept = list(sizes.values())
small = max(later / earlier for earlier, later in pairwise(kept))
whole = kept[-1] / kept[0]
print("operations on the way:", kept)
print(f"largest small step: x {small:.1f}; in one jump: x {whole:.1f}")

# %% tags=["lang:en"] stem="show_jump"
FlowView(
    f"Three fixed levels: one jump makes {kept[-1]} operations of {kept[0]}",
    {
        "graph": ["add, relu", "fuse here"],
        "instructions": ["malloc, icmp, br", "loops are jumps", "too late to fuse"],
        "binary": ["bytes"],
    },
    look="L1",
)

# %% tags=["lang:zh"] stem="show_jump" en_sha="15ed1641"
FlowView(
    f"固定的三层：一跃之后，{kept[0]} 个运算变成 {kept[-1]} 个",
    {
        "图": ["add, relu", "在这里融合"],
        "指令": ["malloc, icmp, br", "循环成了跳转", "太晚，不能融合"],
        "二进制": ["字节"],
    },
    look="L1",
    language="zh",
)

# %% [markdown] tags=["lang:en"] stem="reuse_words"
# ## Written once, used at every level
#
# `canonicalize` drops what nobody uses, `cse` lets the second of two equal ops take the first
# one's result. Neither knows tosa or scf; both ask each op what it reads and writes. The text below says
# one sum twice and one result for nobody. The same two passes stand at three places.

# %% [markdown] tags=["lang:zh"] stem="reuse_words" en_sha="5dda9546"
# ## 写一次，各层都能用
#
# `canonicalize` 去掉没人用的运算，`cse` 让两个相同运算中的第二个直接用第一个的结果。它们都不认识 tosa 或 scf，只问每个运算读什么、写什么。下面的文本里，同一个加法写了两次，还有一个结果没人用。这两个 pass 放在三个地方。

# %% tags=["kp:K036"] stem="reuse"
S = "tensor<4x8xf32>"
TWICE = f"""func.func @twice(%a: {S}, %b: {S}) -> {S} {{
  %0 = tosa.add %a, %b : ({S}, {S}) -> {S}
  %1 = tosa.add %a, %b : ({S}, {S}) -> {S}
  %2 = tosa.exp %1 : ({S}) -> {S}
  %3 = tosa.maximum %0, %1 : ({S}, {S}) -> {S}
  return %3 : {S}
}}"""
TIDY = "canonicalize,cse,"
BUFFERS = next(part for part in re.findall(r"one-shot[^}]*},[\w-]+,", way.passes))
tidy = lower(TWICE, f"{TIDY}func.func(tosa-to-linalg),{TIDY}{BUFFERS}{LOOPS}{TIDY}".rstrip(","))
snapshots = tidy.trace()
counts = [sum(dialects(snapshots.texts[s.text_id]).values()) for s in snapshots.snapshots]
names = [shot.pass_name for shot in snapshots.snapshots]
saved = {}
for place, level in zip(
    (i for i, n in enumerate(names) if n == "cse"), ("tosa", "linalg", "scf"), strict=True
):
    saved[level] = (counts[place - 2], counts[place])
    print(f"{level:7} {counts[place - 2]} operations -> {counts[place]}")
both = sorted(set(after) & {name for name in re.findall(r"[\w-]+", way.passes)})
print("in MiniCV's pipeline and in this one:", both)

# %% [markdown] tags=["lang:en"] stem="box_words"
# ## Reading box: who else builds on it
#
# **Torch-MLIR** brings PyTorch programs in, **ONNX-MLIR** ONNX files. **IREE** takes models from
# data centre to phone in one file. **CIRCT** designs circuits and writes Verilog. **Polygeist**
# raises C and C++ to loops that a compiler understands. One line of each, in some order: whose is it?

# %% [markdown] tags=["lang:zh"] stem="box_words" en_sha="46005040"
# ## 延伸阅读：还有谁建在 MLIR 之上
#
# **Torch-MLIR** 接入 PyTorch 程序，**ONNX-MLIR** 接入 ONNX 文件。**IREE** 把模型打包成一个文件，从数据中心到手机都能用。**CIRCT** 设计电路，生成 Verilog。**Polygeist** 把 C 和 C++ 提升为编译器看得懂的循环。下面每个项目一行，次序打乱：各是谁的？

# %% tags=["kp:K037", "kp:K038", "kp:K039", "kp:K040", "kp:K041"] stem="box"
LINES = {
    1: "%s = comb.add %a, %b : i32",
    2: '%s = "onnx.Add"(%a, %b) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>',
    3: "%x = affine.load %a[%i, %j] : memref<4x8xf32>",
    4: "%s = torch.aten.add.Tensor %a, %b, %one : !torch.vtensor<[4,8],f32>, ...",
    5: "%s = flow.dispatch @relu_add::@run(%a, %b) : (tensor<4x8xf32>, tensor<4x8xf32>) -> ...",
}
PROJECTS = {  # input, entry dialect, output
    "Torch-MLIR": ("PyTorch", "torch", "linalg, tosa"),
    "ONNX-MLIR": ("ONNX file", "onnx", "library"),
    "IREE": ("tosa, torch ..", "flow", "module file"),
    "CIRCT": ("hardware text", "comb", "Verilog"),
    "Polygeist": ("C, C++", "affine", "llvm, GPU"),
}
for number, line in LINES.items():
    print(number, line)
owner = {
    n: next(p for p, e in PROJECTS.items() if e[1] in dialects(text)) for n, text in LINES.items()
}

# %% tags=["lang:en"] stem="drill2"
answer("d1.mlir.drill2", "?")  # five letters T O I C P, in the order of the lines

# %% tags=["lang:zh"] stem="drill2" en_sha="385c392d"
answer("d1.mlir.drill2", "?", language="zh")  # 五个字母 T O I C P，按各行的次序

# %% tags=["lang:en"] stem="show_box"
HEADS = ("project", "input", "entry dialect", "output")
columns = zip(*((name, *words) for name, words in PROJECTS.items()), strict=True)
FlowView("Who brings what into MLIR", dict(zip(HEADS, columns, strict=True)), look="UB")

# %% tags=["lang:zh"] stem="show_box" en_sha="a1f1f501"
HEADS = ("项目", "输入", "入口方言", "输出")
columns = zip(*((name, *words) for name, words in PROJECTS.items()), strict=True)
FlowView("谁把什么带进 MLIR", dict(zip(HEADS, columns, strict=True)), look="UB", language="zh")

# %% [markdown] tags=["lang:en", "lecture"] stem="recap"
# ## Recap
#
# - MLIR is one kind of text with many dialects, and passes that are written once.
# - tosa says what, linalg which elements, memref where, scf in what order, llvm with which addresses.
# - Fuse at linalg: behind the loops the needed fact is gone.
#
# **Exercise:** [d1.lower_to_scf](../../exercises/day1/lower_to_scf.ipynb).

# %% [markdown] tags=["lang:zh", "lecture"] stem="recap" en_sha="1952807f"
# ## 小结
#
# - MLIR 是同一种文本，其中有许多方言，pass 只需写一次。
# - tosa 说算什么，linalg 说哪些元素，memref 说放在哪里，scf 说什么次序，llvm 说用哪些地址。
# - 在 linalg 层融合：变成循环之后，所需的事实就没有了。
#
# **练习：** [d1.lower_to_scf](../../../exercises/zh/day1/lower_to_scf.ipynb)。

# %% tags=["golden"] stem="golden"
# What the text says holds in the outputs.
assert 1.5 < doubling < 2.5
assert growth(1971, 2000)[1] > 1000 > 100 < growth(2000, 2020)[0]
assert growth(2000, 2020)[1] < 3
assert products > 100 * exponents
assert (each, shared) == (36, 12)
assert len(dialects(specimen)) >= 6
assert to_memory == "one-shot-bufferize"
assert all(step.state in ("same", "unchanged") for step in steps)
assert max(len(dialects(way.after(s.pass_name))) for s in steps) == 5  # func among them
assert generic[1] == 1
assert [costs[name][0] for name in costs] == [1, 3]
assert states["linalg-fuse-elementwise-ops"] == "unchanged"
assert whole > 2 * small
assert all(less < more for more, less in saved.values())
assert {"cse", "one-shot-bufferize"} <= set(both)
assert sorted(owner.values()) == sorted(PROJECTS)
