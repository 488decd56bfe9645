# ---
# jupyter:
#   tlcourse:
#     id: d4.caches_workspace
#     title: "4.1 Steps 1 and 2: caches and workspace"
#     title_zh: "4.1 第 1、2 步：缓存与工作区"
#     track: core
#     minutes: 35
#     needs: [d3.flash]
# ---

# %% [markdown] tags=["lang:en", "lecture"] stem="goals"
# # 4.1 Steps 1 and 2: caches and workspace
#
# *core, 35 minutes, needs lesson 3.3*
#
# Today you split FlashAttention over the two kinds of core by hand, in six steps. Here you will be
# able to
# - give each tile the memory that its user needs,
# - carry a tile from one kind of core to the other through a **workspace** in GM,
# - say why each block needs a slice of its own.

# %% [markdown] tags=["lang:zh", "lecture"] stem="goals" en_sha="eaf4edf6"
# # 4.1 第 1、2 步：缓存与工作区
#
# *核心内容，35 分钟，先修 3.3 节*
#
# 今天你用六步把 FlashAttention 亲手拆到两种核上。学完本节后你能够
# - 给每个数据块选择使用者需要的内存；
# - 经由 GM 里的**工作区**（workspace），把数据块从一种核交给另一种核；
# - 说明为什么每个逻辑块都要有自己的一片工作区。

# %% tags=["setup"] stem="imports"
import os

os.environ["TILELANG_ASCEND_MODE"] = "Expert"
from tlcourse import check, hint, answer, progress, show_passes, show_timeline, show_memory
import tilelang
import tilelang.language as T
import torch

# %% [markdown] tags=["lang:en"] stem="mode_words"
# ## The other mode
#
# The line above now says **Expert**: the words stay, but the compiler decides less. On day 1 it
# looked at who uses an `alloc_shared` tile and chose a place. Where does such a tile lie in
# Expert mode, when the next line takes `exp` of it?

# %% [markdown] tags=["lang:zh"] stem="mode_words" en_sha="659be092"
# ## 另一种模式
#
# 上面那一行现在写着 **Expert**：写法不变，但由编译器决定的事情变少了。第 1 天，编译器先看谁使用 `alloc_shared` 的数据块，再选位置。在 Expert 模式下，如果下一行对这样的数据块取 `exp`，它会在哪里？

# %% tags=["lang:en"] stem="p1"
answer("d4.caches_workspace.p1", "?")  # a: in UB, as its user needs  b: in L1  c: in L0C

# %% tags=["lang:zh"] stem="p1" en_sha="d2fa00ea"
answer("d4.caches_workspace.p1", "?", language="zh")  # a：在 UB，随使用者而定  b：在 L1  c：在 L0C

# %% tags=["reveal", "lecture", "kp:K005"] stem="shared_tile"
from tlcourse.diagnostics import TLError

os.environ["TILELANG_ASCEND_DEVICE_NAME"] = "Ascend910B1"  # all sizes are of this chip


@T.prim_func
def shared_tile(A: T.Tensor((64, 64), "float32"), C: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, _):
        a = T.alloc_shared((64, 64), "float32")
        T.copy(A, a)
        T.vexp(a, a)
        T.copy(a, C)


def refusal(compile_it):
    try:
        return compile_it()
    except TLError as problem:
        return problem.diagnostic


refused = refusal(lambda: tilelang.compile(shared_tile, target="npuir", out_idx=[1]).program())
print(refused.code, refused.what)
print("fix:", refused.fix)

# %% [markdown] tags=["lang:en", "lecture"] stem="step1_words"
# ## Step 1: a memory for each tile
#
# In Expert mode `alloc_shared` is L1, whatever comes next. You choose: `alloc_L1` for operands of
# `T.gemm`, `alloc_L0C` for its result, `alloc_ub` for all that the vector cores touch. Read the
# FlashAttention of lesson 3.3 with this question: which of its tiles have two users?

# %% [markdown] tags=["lang:zh", "lecture"] stem="step1_words" en_sha="9a331451"
# ## 第 1 步：给每个数据块选内存
#
# 在 Expert 模式下，`alloc_shared` 就是 L1，不管后面做什么。由你来选：`T.gemm` 的操作数用 `alloc_L1`，结果用 `alloc_L0C`，vector 核读写的一切用 `alloc_ub`。带着一个问题重读 3.3 节的 FlashAttention：哪些数据块有两个使用者？

# %% tags=["kp:K175", "kp:K046"] stem="users"
users = {
    "q": "gemm", "k": "gemm", "v": "gemm", "p": "vector, then gemm",
    "s": "gemm, then vector", "pv": "gemm, then vector",
    "o": "vector", "m": "vector", "l": "vector", "x": "vector", "factor": "vector",
}  # fmt: skip
for name, who in users.items():
    operand = "L1" if name in "qkvp" else "L0C"
    print(f"{name:7}{who:19}", {"gemm": operand, "vector": "UB"}.get(who, f"UB and {operand}"))
both = [name for name, who in users.items() if "then" in who]

# %% tags=["lang:en"] stem="show_chip"
from tlcourse.chips import CHIPS
from tlcourse.widgets.chip import ChipView

ChipView(CHIPS["Ascend910B1"])

# %% tags=["lang:zh"] stem="show_chip" en_sha="f8309f99"
from tlcourse.chips import CHIPS
from tlcourse.widgets.chip import ChipView

ChipView(CHIPS["Ascend910B1"], language="zh")

# %% [markdown] tags=["lang:en"] stem="cross_words"
# Three tiles have two users, and no memory serves both. `p` is made by the vector cores and read
# by `T.gemm`: so two tiles, one in UB and one in L1, and a copy from the one to the other. That is
# a first idea; try it.

# %% [markdown] tags=["lang:zh"] stem="cross_words" en_sha="74d3ff7d"
# 三个数据块有两个使用者，而没有一种内存两者都能用。`p` 由 vector 核产生，由 `T.gemm` 读取：那就要两个数据块，一个在 UB，一个在 L1，再从前者拷贝到后者。这是最初的想法，试一试。


# %% tags=["lecture", "kp:K178"] stem="direct"
def direct():
    @T.prim_func
    def kernel(A: T.Tensor((64, 64), "float16")):
        with T.Kernel(1, is_npu=True) as (cid, _):
            p_ub = T.alloc_ub((64, 64), "float16")
            p_l1 = T.alloc_L1((64, 64), "float16")
            T.copy(A, p_ub)
            T.copy(p_ub, p_l1)

    return kernel


crossing = refusal(direct)
print(crossing.code, crossing.what)
print("why:", crossing.why)
print("fix:", crossing.fix)

# %% [markdown] tags=["lang:en", "lecture"] stem="step2_words"
# ## Step 2: a workspace between them
#
# UB and L1 belong to two different cores; what both reach is GM. So the maker stores the tile to a
# tensor in GM, a **workspace**, and the reader loads it. Scores, weights and weighted values need
# one each. They are parameters behind Q, K, V and O: the caller gives memory, not values.

# %% [markdown] tags=["lang:zh", "lecture"] stem="step2_words" en_sha="7bd2899e"
# ## 第 2 步：中间放一个工作区
#
# UB 和 L1 属于两个不同的核，两者都能访问的只有 GM。所以产生的一方把数据块写到 GM 里的一个张量，即**工作区**，读取的一方再载入。分数、权重和加权后的值各要一个。它们是排在 Q、K、V、O 之后的参数：调用者提供的是内存，不是数值。


# %% tags=["kp:K177"] stem="hand_over"
from tlcourse.examples.flash_attention import online_softmax as weights


@T.macro
def hand_over(tile, space, copy_of_it):
    """From one kind of core to the other."""
    T.copy(tile, space)
    T.copy(space, copy_of_it)


@T.macro
def start(m, l, o):
    T.vbrc(-T.infinity("float32"), m)
    T.vbrc(0.0, l)
    T.vbrc(0.0, o)


# %% tags=["kp:K176", "kp:K177"] stem="two_steps"
def two_steps(S=512, D=128, block=64, f16="float16", f32="float32"):
    wide, square, column, blocks = (block, D), (block, block), (block, 1), S // block

    @T.prim_func
    def attention(
        Q: T.Tensor((S, D), f16), K: T.Tensor((S, D), f16), V: T.Tensor((S, D), f16),
        O: T.Tensor((S, D), f16), SW: T.Tensor((blocks, block, block), f32),
        PW: T.Tensor((blocks, block, block), f16), VW: T.Tensor((blocks, block, D), f32),
    ):  # fmt: skip
        with T.Kernel(blocks, is_npu=True) as (cid, _):
            q, k, v = T.alloc_L1(wide, f16), T.alloc_L1(wide, f16), T.alloc_L1(wide, f16)
            s, pv = T.alloc_L0C(square, f32), T.alloc_L0C(wide, f32)
            p = T.alloc_L1(square, f16)
            p_ub = T.alloc_ub(square, f16)
            s_ub, pv_ub = T.alloc_ub(square, f32), T.alloc_ub(wide, f32)
            o, o16 = T.alloc_ub(wide, f32), T.alloc_ub(wide, f16)
            m, l, x = T.alloc_ub(column, f32), T.alloc_ub(column, f32), T.alloc_ub(column, f32)
            sums, factor = T.alloc_ub(column, f32), T.alloc_ub(column, f32)
            T.copy(Q[cid * block : (cid + 1) * block, :], q)
            start(m, l, o)
            for j in T.serial(blocks):
                T.copy(K[j * block : (j + 1) * block, :], k)
                T.gemm(q, k, s, initC=True, b_transpose=True)
                hand_over(s, SW[cid, :, :], s_ub)
                T.vmul(s_ub, D**-0.5, s_ub)
                weights(s_ub, m, l, factor, x, sums)
                T.vcast(s_ub, p_ub, round_mode="rint")
                hand_over(p_ub, PW[cid, :, :], p)
                T.copy(V[j * block : (j + 1) * block, :], v)
                T.gemm(p, v, pv, initC=True)
                hand_over(pv, VW[cid, :, :], pv_ub)
                T.vmul(o, factor, o)
                T.vadd(o, pv_ub, o)
            T.vdiv(o, l, o)
            T.vcast(o, o16, round_mode="rint")
            T.copy(o16, O[cid * block : (cid + 1) * block, :])

    return attention


# %% tags=["kp:K176"] stem="asked"
import math
import re

function = two_steps()
spaces = [
    torch.zeros(8, 64, columns, dtype=dtype).npu()
    for columns, dtype in ((64, torch.float32), (64, torch.float16), (128, torch.float32))
]
names = {"shared": "L1", "L1": "L1", "L0C": "L0C", "ub": "UB"}  # in this mode shared is L1
asked = dict.fromkeys(names.values(), 0)
for memory, shape, dtype in re.findall(r'alloc_(\w+)\(\(([\d, ]+)\), "(\w+)"', function.script()):
    asked[names[memory]] += math.prod(map(int, shape.split(","))) * (4 if dtype == "float32" else 2)
asked["GM"] = sum(space[0].numel() * space.element_size() for space in spaces)
print(asked)

# %% tags=["lang:en"] stem="show_asked"
from tlcourse.widgets.bars import BarView

BarView("Bytes that one block asks for, by memory", asked, "B", look="L1")

# %% tags=["lang:zh"] stem="show_asked" en_sha="a4f706ac"
from tlcourse.widgets.bars import BarView

BarView("一个逻辑块在各内存中申请的字节", asked, "B", look="L1", language="zh")

# %% [markdown] tags=["lang:en"] stem="run_words"
# Two things are new beside the places: the running output stays in UB, and each product starts
# afresh with `initC=True`; step 6 shows why. Nobody says yet which core does which line. So the
# chip cannot run this, and the **functional** executor does, line by line in the order of your text.

# %% [markdown] tags=["lang:zh"] stem="run_words" en_sha="0840b457"
# 除了位置，还有两点是新的：累计输出留在 UB，每次矩阵乘用 `initC=True` 重新开始；第 6 步说明原因。现在还没有指明哪一行由哪种核执行，所以芯片还不能运行它，只能由**功能执行器**（functional）按文本顺序逐行运行。

# %% tags=["lecture"] stem="run"
generator = torch.Generator().manual_seed(0)
Q, K, V = (torch.randn(512, 128, generator=generator).half() for _ in range(3))
wide = (x.float()[None] for x in (Q, K, V))
want = torch.nn.functional.scaled_dot_product_attention(*wide)[0]
kernel = tilelang.compile(function, target="npuir", out_idx=[3])
launch = kernel.launch(*(x.npu() for x in (Q, K, V)), *spaces, execution="functional")
error = (launch.outputs[0].cpu().float() - want).abs().max().item()
print("within 1e-3 of torch:", error < 1e-3)
one_core = refusal(kernel.program)
print("on the chip:", one_core.code, one_core.what)

# %% [markdown] tags=["lang:en", "lecture"] stem="slice_words"
# ## One slice for all?
#
# `SW[cid, :, :]` is one slice for each block. It is used again in every trip; could all blocks
# share a single one? A smaller kernel asks this: each of eight blocks stores its tile to the
# workspace, loads it back and takes `exp`. With one slice for all: what happens on the chip?

# %% [markdown] tags=["lang:zh", "lecture"] stem="slice_words" en_sha="fc80349d"
# ## 所有逻辑块共用一片？
#
# `SW[cid, :, :]` 给每个逻辑块一片，每次循环都重复使用。所有逻辑块能不能共用一片？用一个更小的内核来试：八个逻辑块各自把数据块写到工作区，再读回来取 `exp`。全都共用一片时，芯片上会怎样？

# %% tags=["lang:en"] stem="p2"
answer("d4.caches_workspace.p2", "?")  # a: right, one after another  b: a race  c: refused

# %% tags=["lang:zh"] stem="p2" en_sha="92021710"
answer("d4.caches_workspace.p2", "?", language="zh")  # a：正确，一个接一个  b：竞争  c：被拒绝


# %% tags=["reveal", "kp:K177"] stem="slices"
def there_and_back(slice_of):
    @T.prim_func
    def kernel(
        A: T.Tensor((512, 64), "float32"),
        C: T.Tensor((512, 64), "float32"),
        W: T.Tensor((8, 64, 64), "float32"),
    ):
        with T.Kernel(8, is_npu=True) as (cid, _):
            a = T.alloc_ub((64, 64), "float32")
            b = T.alloc_ub((64, 64), "float32")
            T.copy(A[cid * 64 : (cid + 1) * 64, :], a)
            T.copy(a, W[cid * slice_of, :, :])
            T.copy(W[cid * slice_of, :, :], b)
            T.vexp(b, b)
            T.copy(b, C[cid * 64 : (cid + 1) * 64, :])

    return tilelang.compile(kernel, target="npuir", out_idx=[1])


A, W = torch.rand(512, 64, generator=generator), torch.zeros(8, 64, 64).npu()
found = {}
for name, one in {"shared": there_and_back(0), "own": there_and_back(1)}.items():
    for execution in ("functional", "simulator"):
        run = one.launch(A.npu(), W, execution=execution)
        right = torch.allclose(run.outputs[0].cpu(), A.exp(), atol=1e-4, rtol=1e-4)
        found[name, execution] = [finding.diagnostic.code for finding in run.findings]
        print(f"{name:7} {execution:11} right: {right}", found[name, execution])
print(there_and_back(0).launch(A.npu(), W).findings[0].diagnostic.what)

# %% [markdown] tags=["lang:en"] stem="slice_rule"
# In program order the shared slice is right: one block has read before the next one writes. On
# the chip eight core groups run at the same time, and nobody keeps them apart. The numbers may be
# right by luck; the finding comes each time. Rule: **one slice of workspace for each block.**

# %% [markdown] tags=["lang:zh"] stem="slice_rule" en_sha="187c3438"
# 按文本顺序执行，共用一片是对的：前一个逻辑块读完，后一个才写。在芯片上，八个核组同时运行，彼此没有任何约束。数值可能碰巧正确，而发现每次都会报出。规则：**每个逻辑块有自己的一片工作区。**

# %% [markdown] tags=["lang:en"] stem="map_words"
# ## Where four steps lead
#
# This is the memory of the same kernel when the next steps are done, as the planner lays it out:
# tiles of the cube core in L1 and L0C, halves of rows in UB. The tiles with two users occur twice,
# once on each side of the workspace.

# %% [markdown] tags=["lang:zh"] stem="map_words" en_sha="1ccd2717"
# ## 后面几步做完之后
#
# 下面是后面几步做完之后同一个内核的内存图，由内存规划排布：cube 核的数据块在 L1 和 L0C，两个 vector 核各有一半的行在 UB。有两个使用者的数据块出现两次，工作区的两边各一次。

# %% tags=["lang:en"] stem="show_memory"
from tlcourse.examples.flash_attention_expert import flash_attention_expert

finished = tilelang.compile(flash_attention_expert(1, 512, 128), target="npuir", out_idx=[3])
finished(*(x.npu()[None] for x in (Q, K, V)), *spaces)
show_memory(finished)

# %% tags=["lang:zh"] stem="show_memory" en_sha="2795e098"
from tlcourse.examples.flash_attention_expert import flash_attention_expert

finished = tilelang.compile(flash_attention_expert(1, 512, 128), target="npuir", out_idx=[3])
finished(*(x.npu()[None] for x in (Q, K, V)), *spaces)
show_memory(finished, language="zh")

# %% [markdown] tags=["lang:en", "lecture"] stem="recap"
# ## Recap
#
# - Expert mode takes you at your word: `alloc_L1`, `alloc_L0C`, `alloc_ub`; `alloc_shared` is L1.
# - No path joins UB and L1: a tile with two users is two tiles and a workspace in GM.
# - Each block has a slice of its own.
#
# **Exercise:** [d4.workspace](../../exercises/day4/workspace.ipynb). Next: two cores.

# %% [markdown] tags=["lang:zh", "lecture"] stem="recap" en_sha="dddaeb61"
# ## 小结
#
# - Expert 模式完全照你写的做：`alloc_L1`、`alloc_L0C`、`alloc_ub`；`alloc_shared` 就是 L1。
# - UB 和 L1 之间没有通路：有两个使用者的数据块要变成两个，中间加一个 GM 里的工作区。
# - 每个逻辑块有自己的一片工作区。
#
# **练习：** [d4.workspace](../../../exercises/zh/day4/workspace.ipynb)。下一节：两种核。

# %% tags=["golden"] stem="golden"
# What the text says holds in the outputs.
assert refused.code == "TL211"
assert both == ["p", "s", "pv"]
assert crossing.code == "TL203"
assert error < 1e-3
assert one_core.code == "TL212"
assert found["shared", "functional"] == []
assert found["shared", "simulator"] == ["TL523"]
assert found["own", "simulator"] == []
planned = {plan.space: [tile.name for tile in plan.buffers] for plan in finished.last_launch.memory}
assert {"s", "pv"} <= set(planned["cc"])
assert {"sv", "weights", "values"} <= set(planned["ub"])
