# ---
# jupyter:
#   tlcourse:
#     id: d1.chip
#     title: "1.1 The chip on one page"
#     title_zh: "1.1 一页看懂芯片"
#     track: core
#     minutes: 35
#     needs: [d1.first_kernel]
# ---

# %% [markdown] tags=["lang:en", "lecture"] stem="goals"
# # 1.1 The chip on one page
#
# *core, 35 minutes, needs lesson 1.0*
#
# You will be able to
# - name the cores of a **group**, and the memories that belong to each,
# - say for a copy whether a path exists, and which **pipe** carries it,
# - follow a vector addition and a matrix product through the chip,
# - tell why the two kinds of core meet in global memory only.

# %% [markdown] tags=["lang:zh", "lecture"] stem="goals" en_sha="5c61182d"
# # 1.1 一页看懂芯片
#
# *核心内容，35 分钟，先修 1.0 节*
#
# 学完后你能够
# - 说出一个**核组**（group）里有哪些核，每个核有哪些内存；
# - 判断一次拷贝有没有通路，由哪条**流水线**（pipe）搬运；
# - 跟着一次向量加法和一次矩阵乘走过芯片；
# - 说明为什么两种核只能在全局内存里碰面。

# %% tags=["setup"] stem="imports"
import os

os.environ["TILELANG_ASCEND_MODE"] = "Expert"
from tlcourse import check, hint, answer, progress, show_passes, show_timeline, show_memory
import tilelang
import tilelang.language as T
import torch

# %% [markdown] tags=["lang:en", "lecture"] stem="parts"
# ## The parts
#
# The chip has many groups of three cores: one **cube core** (AIC), which multiplies matrices, and
# two **vector cores** (AIV). The figure shows one group beside **global memory** (GM), which all
# share through the cache **L2**. A coloured box is a memory, an arrow is a path for data.

# %% [markdown] tags=["lang:zh", "lecture"] stem="parts" en_sha="220e8f45"
# ## 各个部件
#
# 芯片上有许多核组，每组三个核：一个做矩阵乘的 **cube 核**（AIC）和两个 **vector 核**（AIV）。图中是一个核组，旁边是**全局内存**（GM），所有核组经由缓存 **L2** 共用它。有颜色的方框是内存，箭头是数据的通路。

# %% tags=["lang:en", "lecture", "kp:K093"] stem="show_chip"
from tlcourse.chips import CHIPS
from tlcourse.widgets.chip import ChipView

os.environ["TILELANG_ASCEND_DEVICE_NAME"] = "Ascend910B1"
chip = CHIPS["Ascend910B1"]
ChipView(chip)

# %% tags=["lang:zh", "lecture", "kp:K093"] stem="show_chip" en_sha="132faf0a"
from tlcourse.chips import CHIPS
from tlcourse.widgets.chip import ChipView

os.environ["TILELANG_ASCEND_DEVICE_NAME"] = "Ascend910B1"
chip = CHIPS["Ascend910B1"]
ChipView(chip, language="zh")

# %% [markdown] tags=["lang:en"] stem="sizes"
# ## How large
#
# The sizes come from the chip's data. A memory of a core holds thousands of times less than GM,
# so a kernel works tile by tile. Other chips of the family have the same cores and the same
# memories; what differs is how many groups there are. Change the name above and draw it again.

# %% [markdown] tags=["lang:zh"] stem="sizes" en_sha="51d4f1be"
# ## 有多大
#
# 这些大小取自芯片参数。核内每块内存的容量都不到 GM 的千分之一，所以内核要一块一块地处理数据。同系列的其他芯片有同样的核和同样的内存，不同的是核组的个数。把上面单元格里的芯片名换一个，再画一次。

# %% stem="numbers"
for space, name in {"cbuf": "L1", "ca": "L0A", "cb": "L0B", "cc": "L0C", "ub": "UB"}.items():
    print(f"{name:4}{chip.sizes_bytes[space] // 1024:5} KiB in each core that has it")
groups = {name: CHIPS[name].core_groups for name in ("Ascend910B1", "Ascend910B3")}
print("groups:", groups)

# %% tags=["lang:en"] stem="show_groups"
from tlcourse.widgets.bars import BarView

BarView("Groups of cores, by chip", groups, look="CUBE")

# %% tags=["lang:zh"] stem="show_groups" en_sha="0ca0e269"
from tlcourse.widgets.bars import BarView

BarView("各芯片的核组个数", groups, look="CUBE", language="zh")

# %% [markdown] tags=["lang:en"] stem="vector_words"
# ## A vector addition on its way
#
# This lesson is in Expert mode, where each tile names its memory: `T.alloc_ub` asks for a place in
# **UB**, the memory of a vector core. The text says `T.copy` in both directions. Which pipes will
# carry the copies? Compare with the arrows of the figure.

# %% [markdown] tags=["lang:zh"] stem="vector_words" en_sha="cf35cd11"
# ## 跟着一次向量加法走
#
# 这一节用 Expert 模式，每个数据块都写明所在的内存：`T.alloc_ub` 申请 vector 核的内存 **UB** 里的一块。代码里两个方向都写 `T.copy`。这些拷贝会由哪些流水线搬运？与图中的箭头比较。


# %% tags=["kp:K097"] stem="vector_add"
@tilelang.jit(out_idx=[2], target="npuir")
def vector_add(N, block=256):
    @T.prim_func
    def add(
        A: T.Tensor((N,), "float32"),
        B: T.Tensor((N,), "float32"),
        C: T.Tensor((N,), "float32"),
    ):
        with T.Kernel(N // block, is_npu=True) as (cid, _):
            a_ub = T.alloc_ub((block,), "float32")
            b_ub = T.alloc_ub((block,), "float32")
            T.copy(A[cid * block : (cid + 1) * block], a_ub)
            T.copy(B[cid * block : (cid + 1) * block], b_ub)
            T.vadd(a_ub, b_ub, b_ub)
            T.copy(b_ub, C[cid * block : (cid + 1) * block])

    return add


def work(kernel):  # which core did what on which pipe
    record = kernel.last_launch.timeline.instructions
    return sorted({(i.agent[:3], i.pipe, i.op) for i in record if i.pipe != "S"})


adding = vector_add(4096)
A, B = (torch.arange(4096.0).npu() for _ in range(2))
print("right:", torch.equal(adding(A, B).cpu(), 2 * A.cpu()))
vector_work = work(adding)
print(*vector_work, sep="\n")

# %% tags=["lang:en"] stem="show_vector"
ChipView(chip, adding.last_launch.timeline, "vector_add")

# %% tags=["lang:zh"] stem="show_vector" en_sha="e0cb4fa2"
ChipView(chip, adding.last_launch.timeline, "vector_add", language="zh")

# %% [markdown] tags=["lang:en", "lecture"] stem="cube_words"
# ## A matrix product on its way
#
# The same `T.copy` line stands in a matrix product of 128x128x128, but its tiles lie in **L1**.
# From there the operands go on to **L0A** and **L0B**; the cube unit reads both, and adds into
# **L0C**. Look for the pipe that fills L1, and for the one that empties L0C.

# %% [markdown] tags=["lang:zh", "lecture"] stem="cube_words" en_sha="2262b0ec"
# ## 跟着一次矩阵乘走
#
# 128x128x128 的矩阵乘里也写着同样的 `T.copy`，但数据块在 **L1**。操作数从那里再搬到 **L0A** 和 **L0B**；cube 单元读这两处，把结果累加到 **L0C**。找出填充 L1 的流水线，以及把 L0C 搬空的流水线。

# %% tags=["kp:K097", "kp:K198"] stem="product"
from tlcourse.examples.gemm import gemm_expert

product = tilelang.compile(gemm_expert(128, 128, 128, 128, 128, 64), target="npuir", out_idx=[2])
X = torch.eye(128, dtype=torch.float16).npu()
print("right:", torch.equal(product(X, X).cpu(), torch.eye(128)))
cube_work = work(product)
print(*cube_work, sep="\n")

# %% tags=["lang:en", "lecture"] stem="show_cube"
ChipView(chip, product.last_launch.timeline, "gemm")

# %% tags=["lang:zh", "lecture"] stem="show_cube" en_sha="dc221571"
ChipView(chip, product.last_launch.timeline, "gemm", language="zh")

# %% [markdown] tags=["lang:en"] stem="two_loads"
# MTE2 brings data in on both kinds of core, but not by the same instruction: `load` fills UB,
# `nd2nz` fills L1 and sorts the elements into the small squares that the cube unit reads. MTE1
# goes from L1 to L0A and L0B. You wrote `T.copy`; the memories at its two ends chose the rest.

# %% [markdown] tags=["lang:zh"] stem="two_loads" en_sha="9b42bd1c"
# 两种核都由 MTE2 把数据搬进来，但指令不同：`load` 填充 UB；`nd2nz` 填充 L1，同时把元素排成 cube 单元要读的小方块。MTE1 把数据从 L1 搬到 L0A 和 L0B。你只写了 `T.copy`，其余由两端的内存决定。

# %% [markdown] tags=["lang:en", "lecture"] stem="join"
# ## From UB to L1?
#
# A vector core has prepared an operand for a product. It lies in UB, the product wants it in L1.
# On the page they are a hand's breadth apart. What will become of `T.copy(a_ub, a_l1)`?

# %% [markdown] tags=["lang:zh", "lecture"] stem="join" en_sha="a65d2196"
# ## 从 UB 到 L1？
#
# vector 核为矩阵乘准备好了一个操作数。它现在在 UB 里，而矩阵乘要它在 L1 里。在图上两者离得很近。`T.copy(a_ub, a_l1)` 会怎样？

# %% tags=["lang:en"] stem="p1"
answer("d1.chip.p1", "?")  # a: one copy by MTE1  b: a copy, but a slow one  c: it is refused

# %% tags=["lang:zh"] stem="p1" en_sha="47e821fc"
answer("d1.chip.p1", "?", language="zh")  # a：由 MTE1 拷贝  b：能拷贝，但很慢  c：被拒绝


# %% tags=["reveal", "lecture", "kp:K178", "kp:K184"] stem="refused"
def from_ub_to(alloc):
    @T.prim_func
    def move(A: T.Tensor((64, 64), "float16"), C: T.Tensor((64, 64), "float16")):
        with T.Kernel(1, is_npu=True) as (cid, _):
            a_ub = T.alloc_ub((64, 64), "float16")
            other = alloc((64, 64), "float16")
            T.copy(A, a_ub)
            T.copy(a_ub, other)
            T.copy(a_ub, C)

    return move


from tlcourse.diagnostics import TLError

refusals = []
for alloc in (T.alloc_L1, T.alloc_L0C):
    try:
        tilelang.compile(from_ub_to(alloc), target="npuir", out_idx=[1])
    except TLError as problem:
        refusals.append(problem.diagnostic)
        print(problem.diagnostic.code, problem.diagnostic.what)
print(refusals[0].why)

# %% [markdown] tags=["lang:en"] stem="meet"
# No path leads from UB to L1, nor from UB to L0C: into L0C only the cube unit writes. What one
# kind of core hands to the other goes through GM, in a place that is called a **workspace**. In
# Developer mode the compiler adds it; on day 4 you place it yourself.

# %% [markdown] tags=["lang:zh"] stem="meet" en_sha="a722fba2"
# 没有从 UB 到 L1 的通路，也没有从 UB 到 L0C 的通路：只有 cube 单元写 L0C。一种核交给另一种核的数据要经过 GM，放在称为**工作区**（workspace）的地方。Developer 模式下由编译器加入；第 4 天由你自己安排。

# %% [markdown] tags=["lang:en"] stem="block_words"
# ## What one block runs on
#
# MiniCV multiplies and takes `exp`. A launch with 16 blocks is recorded, and one of the blocks is
# looked at. On how many cores did this block run?

# %% [markdown] tags=["lang:zh"] stem="block_words" en_sha="a77ca512"
# ## 一个逻辑块用到什么
#
# MiniCV 做矩阵乘，再取 `exp`。记录一次有 16 个逻辑块的启动，再看其中的一个块。这个块在几个核上运行？

# %% tags=["lang:en"] stem="p2"
answer("d1.chip.p2", "?")  # a: on one core  b: on the three of a group  c: on all of the chip

# %% tags=["lang:zh"] stem="p2" en_sha="685d03b1"
answer("d1.chip.p2", "?", language="zh")  # a：一个核  b：一个核组的三个核  c：芯片上所有的核

# %% tags=["reveal"] stem="three_cores"
os.environ["TILELANG_ASCEND_MODE"] = "Developer"  # MiniCV as lesson 1.0 showed it
from tlcourse.examples.minicv import minicv_developer

minicv = tilelang.compile(minicv_developer(512, 1024, 128), target="npuir", out_idx=[2, 3])
minicv(torch.ones(512, 128).half().npu() / 128, torch.ones(128, 1024).half().npu())
record = minicv.last_launch.timeline
cores = sorted({i.agent for i in record.instructions if i.block == record.instructions[0].block})
print("the block ran on", ", ".join(cores))

# %% tags=["lang:en", "reveal"] stem="show_three"
ChipView(chip, record, "MiniCV")

# %% tags=["lang:zh", "reveal"] stem="show_three" en_sha="b510d9ba"
ChipView(chip, record, "MiniCV", language="zh")

# %% [markdown] tags=["lang:en"] stem="drill"
# ## Drill
#
# Twelve copies. For each, say the pipe that carries it, or `none`. Cover the last lines of the
# output of the next cell, and look at the figure instead.

# %% [markdown] tags=["lang:zh"] stem="drill" en_sha="529735d2"
# ## 小练习
#
# 十二次拷贝。说出每一次由哪条流水线搬运；没有通路就说 `none`。先遮住下一个单元格输出的右边一列，只看图来回答，再对照输出的结果。

# %% tags=["lang:en"] stem="drill1"
answer("d1.chip.drill1", "?")  # your twelve words, such as MTE2, none, ...

# %% tags=["lang:zh"] stem="drill1" en_sha="42bef86b"
answer("d1.chip.drill1", "?", language="zh")  # 十二个词，例如 MTE2, none, ...

# %% tags=["reveal", "kp:K178"] stem="twelve"
from tlcourse.widgets.chip import PATHS
from tlcourse.widgets.palette import pipe

carriers = {(path.source, path.target): pipe(path.pipe).label for path in PATHS}
spaces = {"GM": "gm", "L1": "cbuf", "L0A": "ca", "L0B": "cb", "L0C": "cc", "UB": "ub"}
drill = ["GM L1", "GM UB", "L1 L0A", "L1 L0B", "L1 UB", "UB L1", "UB GM", "UB UB", "UB L0C"]
solved = {}
for pair in [*drill, "L0C GM", "L0C UB", "GM L0A"]:
    source, target = pair.split()
    solved[pair] = carriers.get((spaces[source], spaces[target]), "none")
    print(f"{source:>3} -> {target:3}   {solved[pair]}")

# %% [markdown] tags=["lang:en", "lecture"] stem="recap"
# ## Recap
#
# - A group is one cube core with L1, L0A, L0B, L0C, and two vector cores with a UB each.
# - `T.copy` is one word; the memories at its ends decide the pipe: MTE2, MTE1, FIXP, MTE3.
# - Cube and vector cores share GM only, and a block with both kinds of work uses all three cores.
#
# **Next:** lesson 1.3, what the compiler does for you.

# %% [markdown] tags=["lang:zh", "lecture"] stem="recap" en_sha="a8c536b6"
# ## 小结
#
# - 一个核组是一个 cube 核（L1、L0A、L0B、L0C）加两个 vector 核（各有一个 UB）。
# - `T.copy` 只有一种写法；由哪条流水线搬运，取决于两端的内存：MTE2、MTE1、FIXP、MTE3。
# - cube 核和 vector 核只共用 GM；两种工作都有的块会用到三个核。
#
# **接下来：** 1.3 节，编译器替你做的事。

# %% tags=["golden"] stem="golden"
# What the text says holds in the outputs.
assert groups == {"Ascend910B1": 24, "Ascend910B3": 20}
assert min(chip.hbm_bytes // size for size in chip.sizes_bytes.values()) > 1000
assert vector_work == [("aiv", "MTE2", "load"), ("aiv", "MTE3", "store"), ("aiv", "V", "vadd")]
assert ("aic", "MTE2", "nd2nz") in cube_work
assert {core for core, _, _ in cube_work} == {"aic"}
assert {pipe for _, pipe, _ in cube_work} == {"MTE2", "MTE1", "M", "FIX"}
assert [refusal.code for refusal in refusals] == ["TL203", "TL203"]
assert cores == ["aic", "aiv0", "aiv1"]
assert list(solved.values()).count("none") == 5
