# ---
# jupyter:
#   tlcourse:
#     id: d2.memory
#     title: "2.2 Where tiles live"
#     title_zh: "2.2 数据块放在哪里"
#     track: more
#     minutes: 30
#     needs: [d1.automatics]
# ---

# %% [markdown] tags=["lang:en", "lecture"] stem="goals"
# # 2.2 Where tiles live
#
# *more, 30 minutes, needs lesson 1.3*
#
# You will be able to
# - say in which memory `alloc_shared` and `alloc_fragment` land, and who decides,
# - read a memory map: places, sizes, and from when to when a tile is needed,
# - find out why a tile does not fit, and what to do,
# - load a tile once and use it several times.

# %% [markdown] tags=["lang:zh", "lecture"] stem="goals" en_sha="a5af1e0f"
# # 2.2 数据块放在哪里
#
# *进阶内容，30 分钟，先修 1.3 节*
#
# 学完后你能够
# - 说出 `alloc_shared` 和 `alloc_fragment` 落在哪个内存，由谁决定；
# - 读懂内存图：位置、大小，以及数据块从何时用到何时；
# - 找出数据块放不下的原因，以及怎么办；
# - 把一个数据块载入一次，使用多次。

# %% tags=["setup"] stem="imports"
import os

os.environ["TILELANG_ASCEND_MODE"] = "Developer"
from tlcourse import check, hint, answer, progress, show_passes, show_timeline, show_memory
import tilelang
import tilelang.language as T
import torch

# %% [markdown] tags=["lang:en", "lecture"] stem="request_words"
# ## Two requests, several memories
#
# In Developer mode `T.alloc_shared` asks for a tile that data is brought into, and
# `T.alloc_fragment` for a tile that results are computed in. Neither names a memory. In this product the
# two factors are shared and the sum is a fragment. Look where the compiler puts them.

# %% [markdown] tags=["lang:zh", "lecture"] stem="request_words" en_sha="703f0576"
# ## 两种申请，几种内存
#
# 在 Developer 模式里，`T.alloc_shared` 申请存放输入的数据块，`T.alloc_fragment` 申请存放计算结果的数据块。两者都不写内存的名字。在下面的矩阵乘里，两个因子用 shared，累加的和用 fragment。看看编译器把它们放在哪里。


# %% tags=["lecture", "kp:K089"] stem="product"
@tilelang.jit(out_idx=[2], target="npuir")
def product(M=64, N=64, K=64):
    @T.prim_func
    def multiply(
        A: T.Tensor((M, K), "float16"),
        B: T.Tensor((K, N), "float16"),
        C: T.Tensor((M, N), "float32"),
    ):
        with T.Kernel(1, is_npu=True) as (cid, _):
            a = T.alloc_shared((M, K), "float16")
            b = T.alloc_shared((K, N), "float16")
            c = T.alloc_fragment((M, N), "float32")
            T.copy(A, a)
            T.copy(B, b)
            T.gemm(a, b, c, initC=True)
            T.copy(c, C)

    return multiply


os.environ["TILELANG_ASCEND_DEVICE_NAME"] = "Ascend910B1"  # all sizes are of this chip
SPACES = {"cbuf": "L1", "cc": "L0C", "ub": "UB"}  # as the compiler says, as we say


def tiles_of(kernel):  # name of a tile: its memory and its place there
    maps = kernel.program().memory
    return {tile.name: (SPACES[part.space], tile) for part in maps for tile in part.buffers}


multiplied = product()
unit = torch.eye(64).half().npu()
print("right:", torch.equal(multiplied(unit, unit).cpu(), torch.eye(64)))
for name, (memory, tile) in tiles_of(multiplied).items():
    print(name, memory, f"{tile.size_bytes:,} B at {tile.offset_bytes:,}")

# %% tags=["lang:en"] stem="show_product"
show_memory(multiplied)

# %% tags=["lang:zh"] stem="show_product" en_sha="13178cdc"
show_memory(multiplied, language="zh")

# %% [markdown] tags=["lang:en", "lecture"] stem="fragment_words"
# ## The same request elsewhere
#
# On a GPU a fragment lies in the registers of threads. Here the sum of a product is in L0C, the
# cube core's memory for results. The next kernel has no product at all: it takes `exp` of a shared tile into
# a fragment. Where will that fragment lie?

# %% [markdown] tags=["lang:zh", "lecture"] stem="fragment_words" en_sha="47bac785"
# ## 同样的申请，换个地方
#
# 在 GPU 上，fragment 放在线程的寄存器里。这里矩阵乘累加的和在 L0C，即 cube 核存放结果的内存。下一个内核完全没有矩阵乘：它对 shared 数据块取 `exp`，放进 fragment。这个 fragment 会在哪里？

# %% tags=["lang:en"] stem="p1"
answer("d2.memory.p1", "?")  # a: in registers  b: in L0C  c: in UB

# %% tags=["lang:zh"] stem="p1" en_sha="1dde9d1f"
answer("d2.memory.p1", "?", language="zh")  # a：寄存器  b：L0C  c：UB


# %% tags=["reveal", "lecture", "kp:K091"] stem="vector"
@tilelang.jit(out_idx=[1], target="npuir")
def exponents(M=64, N=64):
    @T.prim_func
    def take_exp(A: T.Tensor((M, N), "float32"), C: T.Tensor((M, N), "float32")):
        with T.Kernel(1, is_npu=True) as (cid, _):
            a = T.alloc_shared((M, N), "float32")
            c = T.alloc_fragment((M, N), "float32")
            T.copy(A, a)
            T.vexp(a, c)
            T.copy(c, C)

    return take_exp


taken = exponents()
A = torch.rand(64, 64, generator=torch.Generator().manual_seed(0))
print("right:", torch.allclose(taken(A.npu()).cpu(), A.exp(), atol=1e-4, rtol=1e-4))
for name, (memory, tile) in tiles_of(taken).items():
    print(name, memory, f"{tile.size_bytes:,} B at {tile.offset_bytes:,}")

# %% [markdown] tags=["lang:en"] stem="decide_words"
# In UB, and so is the shared tile. The compiler looks at **who uses a tile**: the cube core multiplies
# from L1 into L0C, a vector core works in UB only. Registers are nowhere to be asked for. Both
# words are requests; the rule below is read from the two kernels.

# %% [markdown] tags=["lang:zh"] stem="decide_words" en_sha="320b247c"
# 在 UB，shared 数据块也在那里。编译器看的是**谁使用数据块**：cube 核从 L1 取数，乘积写到 L0C；vector 核只在 UB 里工作。寄存器无处可以申请。这两个调用都只是申请；下面的规则就是从这两个内核里读出来的。

# %% tags=["kp:K093"] stem="syntax"
ASKED = {"a": "alloc_shared", "b": "alloc_shared", "c": "alloc_fragment"}
rule = {}
for core, kernel in {"cube": multiplied, "vector": taken}.items():
    for name, (memory, _) in tiles_of(kernel).items():
        rule[ASKED[name], core] = memory
for (asked, core), memory in sorted(rule.items()):
    print(f"T.{asked:14} used by the {core:6} core -> {memory}")

# %% tags=["lang:en", "kp:K093"] stem="show_chip"
from tlcourse import show_chip

show_chip(multiplied)

# %% tags=["lang:zh", "kp:K093"] stem="show_chip" en_sha="3658d0ab"
from tlcourse import show_chip

show_chip(multiplied, language="zh")

# %% [markdown] tags=["lang:en"] stem="temporary_words"
# ## Temporaries, and when they live
#
# What is needed between two operations is a **temporary**. It costs space only from the operation that
# writes it first to the one that reads it last. The map has memory on one axis and the kernel's operations on
# the other: two tiles may share bytes if they do not share time.

# %% [markdown] tags=["lang:zh"] stem="temporary_words" en_sha="26137709"
# ## 临时数据块存在多久
#
# 只在两个运算之间用到的，是**临时数据块**（temporary）。它只在第一次写它的运算到最后一次读它的运算之间占空间。内存图的一个轴是内存，另一个轴是内核的运算：两个数据块只要时间上不重叠，就可以共用字节。


# %% tags=["kp:K092"] stem="temporaries"
def chain(rows, N=256):
    @T.prim_func
    def steps(A: T.Tensor((rows, N), "float32"), C: T.Tensor((rows, N), "float32")):
        with T.Kernel(1, is_npu=True) as (cid, _):
            a = T.alloc_shared((rows, N), "float32")
            square = T.alloc_fragment((rows, N), "float32")
            power = T.alloc_fragment((rows, N), "float32")
            total = T.alloc_fragment((rows, N), "float32")
            T.copy(A, a)
            T.vmul(a, a, square)
            T.vexp(square, power)
            T.vadd(power, a, total)
            T.copy(total, C)

    return tilelang.compile(steps, target="npuir", out_idx=[1])


small = chain(64)
X = torch.rand(64, 256, generator=torch.Generator().manual_seed(1))
want = (X * X).exp() + X
print("right:", torch.allclose(small(X.npu()).cpu(), want, atol=1e-4, rtol=1e-4))
for name, (memory, tile) in tiles_of(small).items():
    print(f"{name:7} {memory} at {tile.offset_bytes:6,}, lives from {tile.first} to {tile.last}")
asked = sum(tile.size_bytes for _, tile in tiles_of(small).values())
used = max(tile.offset_bytes + tile.size_bytes for _, tile in tiles_of(small).values())
print(f"asked for {asked:,} B, used {used:,} B")

# %% tags=["lang:en", "lecture"] stem="show_chain"
show_memory(small)

# %% tags=["lang:zh", "lecture"] stem="show_chain" en_sha="518fb62c"
show_memory(small, language="zh")

# %% [markdown] tags=["lang:en", "lecture"] stem="full_words"
# ## Goes wrong: a tile that does not fit
#
# A single 256x256 f32 tile, as one might take it on a larger chip. The report names the memory, what is
# asked and what it holds; below it stands the map of all tiles alive at that line. The real compiler
# tells the same two numbers in bits, without names.

# %% [markdown] tags=["lang:zh", "lecture"] stem="full_words" en_sha="9c9a74dd"
# ## 出错：放不下的数据块
#
# 一个 256x256 的 f32 数据块，在更大的芯片上也许可以。报告写出是哪块内存、申请多少、容量多少；下面的图列出这一行上存活的所有数据块。真实编译器报的是同样两个数，但以比特为单位，没有名字。

# %% tags=["lecture"] stem="full"
from tlcourse.diagnostics import TLError

try:
    exponents(256, 256).program()
except TLError as problem:
    full = problem.diagnostic
    print(full.code, full.what)
    print(full.why)
capacity = taken.program().memory[0].capacity_bytes
tile_bytes = 256 * 256 * 4
print(f"in bits: {8 * tile_bytes:,} of {8 * capacity:,}")
print("rows that fit, with one tile:", capacity // (256 * 4))

# %% tags=["lang:en"] stem="show_full"
from tlcourse.widgets.bars import BarView

BarView("A 256x256 f32 tile and UB", {"the tile": tile_bytes, "UB": capacity}, "B", look="UB")

# %% tags=["lang:zh"] stem="show_full" en_sha="5cabecc0"
from tlcourse.widgets.bars import BarView

BarView(
    "256x256 的 f32 数据块和 UB",
    {"数据块": tile_bytes, "UB": capacity},
    "B",
    look="UB",
    language="zh",
)

# %% [markdown] tags=["lang:en"] stem="row_words"
# ## Rows of 32 bytes
#
# Data moves in pieces of 32 bytes. The next kernel cuts a window of 64 rows and N columns of f16 out of
# a wider matrix. At N = 16 a row has just 32 bytes, and the tile has 2,048. How many bytes of UB does it
# take at N = 17?

# %% [markdown] tags=["lang:zh"] stem="row_words" en_sha="cde920f4"
# ## 每行 32 字节
#
# 数据以 32 字节为单位搬运。下一个内核从更宽的矩阵里切出一个窗口，64 行、N 列，f16。N = 16 时，一行正好 32 字节，数据块是 2,048 字节。N = 17 时，它在 UB 里占多少字节？

# %% tags=["lang:en"] stem="p2"
answer("d2.memory.p2", "?")  # a: 2,176, that is 64 x 17 x 2  b: 2,048  c: 4,096

# %% tags=["lang:zh"] stem="p2" en_sha="8735922f"
answer("d2.memory.p2", "?", language="zh")  # a：2,176，即 64 x 17 x 2  b：2,048  c：4,096


# %% tags=["reveal"] stem="rows"
@tilelang.jit(out_idx=[1], target="npuir")
def window(N, M=64, width=200):
    @T.prim_func
    def cut(A: T.Tensor((M, width), "float16"), C: T.Tensor((M, N), "float16")):
        with T.Kernel(1, is_npu=True) as (cid, _):
            a = T.alloc_shared((M, N), "float16")
            T.copy(A[:, 0:N], a)
            T.vexp(a, a)
            T.copy(a, C)

    return cut


taken_bytes = {}
for N in (16, 17, 32, 33):
    taken_bytes[N] = max(tile.size_bytes for _, tile in tiles_of(window(N)).values())
    print(
        f"N = {N}: a row of {N * 2} B gets {taken_bytes[N] // 64} B, the tile {taken_bytes[N]:,} B"
    )

# %% tags=["lang:en", "reveal"] stem="show_rows"
BarView(
    "UB for 64 rows of N f16 numbers", {f"N = {n}": b for n, b in taken_bytes.items()}, "B", "UB"
)

# %% tags=["lang:zh", "reveal"] stem="show_rows" en_sha="01935f77"
row_bars = {f"N = {n}": b for n, b in taken_bytes.items()}
BarView("64 行、每行 N 个 f16 数占用的 UB", row_bars, "B", "UB", language="zh")

# %% [markdown] tags=["lang:en"] stem="row_rule"
# A row of 34 bytes is given 64: each row starts at a multiple of 32. A tile whose rows lie end to end in GM as
# well is moved as one piece and needs no gaps. Rule: **choose row lengths that are multiples of 32
# bytes**, 16 numbers in f16 or 8 in f32.

# %% [markdown] tags=["lang:zh"] stem="row_rule" en_sha="f41275e2"
# 34 字节的一行分到 64 字节：每行都从 32 的倍数开始。如果数据块的各行在 GM 里也首尾相接，就整块搬运，不需要空隙。规则：**让行长是 32 字节的倍数**，即 f16 的 16 个数，f32 的 8 个数。

# %% [markdown] tags=["lang:en", "lecture"] stem="reuse_words"
# ## Loaded once, used four times
#
# On-chip memory is there so that data is fetched once. Four row tiles of A are multiplied by the same B.
# In one version `T.copy(B, b)` stands in the loop, in the other one line above it. Same numbers; how many
# bytes come from GM?

# %% [markdown] tags=["lang:zh", "lecture"] stem="reuse_words" en_sha="32c81283"
# ## 载入一次，使用四次
#
# 有了片上内存，数据就只需取一次。A 的四个行块都乘同一个 B。一个版本里 `T.copy(B, b)` 写在循环里，另一个版本写在循环上面一行。数值相同；各从 GM 读了多少字节？


# %% tags=["kp:K090"] stem="reuse"
def strips(once, M=256, N=64, K=256, block=64):
    @T.prim_func
    def multiply(
        A: T.Tensor((M, K), "float16"),
        B: T.Tensor((K, N), "float16"),
        C: T.Tensor((M, N), "float32"),
    ):
        with T.Kernel(1, is_npu=True) as (cid, _):
            a = T.alloc_shared((block, K), "float16")
            b = T.alloc_shared((K, N), "float16")
            c = T.alloc_fragment((block, N), "float32")
            if once:
                T.copy(B, b)
            for i in T.serial(M // block):
                if not once:
                    T.copy(B, b)
                T.copy(A[i * block : (i + 1) * block, :], a)
                T.gemm(a, b, c, initC=True)
                T.copy(c, C[i * block : (i + 1) * block, :])

    return tilelang.compile(multiply, target="npuir", out_idx=[2])


P, Q = torch.eye(256).half().npu(), torch.rand(256, 64).half().npu()
launches = {"four times": strips(False).launch(P, Q), "once": strips(True).launch(P, Q)}
read = {}
for name, launch in launches.items():
    work = launch.timeline.instructions
    read[name] = sum(one.bytes for one in work if one.pipe == "MTE2")
    print(f"B loaded {name}: {read[name]:,} B from GM, {launch.timeline.cycles:,} cycles")

# %% tags=["lang:en"] stem="show_reuse"
BarView("Bytes from GM, with B loaded", read, "B", look="MTE2")

# %% tags=["lang:zh"] stem="show_reuse" en_sha="63a458da"
read_zh = dict(zip(("四次", "一次"), read.values(), strict=True))
BarView("从 GM 读取的字节，B 载入", read_zh, "B", look="MTE2", language="zh")

# %% [markdown] tags=["lang:en", "lecture"] stem="recap"
# ## Recap
#
# - `alloc_shared` lands in L1 or UB, `alloc_fragment` in L0C or UB: the use decides.
# - Tiles share bytes when they do not share time; rows start at multiples of 32 bytes.
# - What is used again is loaded once, outside of the loop.
#
# **Exercises:** [d1.where_it_lands](../../exercises/day1/where_it_lands.ipynb),
# [d1.largest_tile](../../exercises/day1/largest_tile.ipynb). **Next:** lesson 2.3.

# %% [markdown] tags=["lang:zh", "lecture"] stem="recap" en_sha="2072e928"
# ## 小结
#
# - `alloc_shared` 落在 L1 或 UB，`alloc_fragment` 落在 L0C 或 UB：由用途决定。
# - 时间上不重叠的数据块可以共用字节；每行从 32 字节的倍数开始。
# - 要重复使用的数据，在循环之外载入一次。
#
# **练习：** [d1.where_it_lands](../../../exercises/zh/day1/where_it_lands.ipynb)，[d1.largest_tile](../../../exercises/zh/day1/largest_tile.ipynb)。**接下来：** 2.3 节。

# %% tags=["golden"] stem="golden"
# What the text says holds in the outputs.
assert rule == {
    ("alloc_shared", "cube"): "L1",
    ("alloc_fragment", "cube"): "L0C",
    ("alloc_shared", "vector"): "UB",
    ("alloc_fragment", "vector"): "UB",
}
assert asked == 4 * 64 * 256 * 4
assert used < asked
assert full.code == "TL301"
assert f"{tile_bytes:,} B of UB, which holds {capacity:,} B" in full.what
assert taken_bytes == {16: 2048, 17: 4096, 32: 4096, 33: 6144}
assert read["four times"] - read["once"] == 3 * 256 * 64 * 2
assert launches["once"].timeline.cycles < launches["four times"].timeline.cycles
assert torch.equal(launches["once"].outputs[0].cpu(), launches["four times"].outputs[0].cpu())
assert not any(launch.findings for launch in launches.values())
