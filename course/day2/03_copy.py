# ---
# jupyter:
#   tlcourse:
#     id: d2.copy
#     title: "2.3 T.copy and its six traits"
#     title_zh: "2.3 T.copy 的六个特点"
#     track: core
#     minutes: 40
#     needs: [d2.anatomy]
# ---

# %% [markdown] tags=["lang:en", "lecture"] stem="goals"
# # 2.3 T.copy and its six traits
#
# *core, 40 minutes, needs lesson 2.1*
#
# You will be able to
# - move a tile between global memory, shared tiles and fragments,
# - write slices on either side, and say where the extent comes from,
# - copy the ragged tiles at the edge of a matrix of any size,
# - say which DMA a copy becomes, and when it converts.

# %% [markdown] tags=["lang:zh", "lecture"] stem="goals" en_sha="9035e799"
# # 2.3 T.copy 的六个特点
#
# *核心内容，40 分钟，先修 2.1 节*
#
# 学完后你能够
# - 在全局内存、shared 数据块和 fragment 之间搬运数据块；
# - 在任意一边写切片，并说出大小取自哪里；
# - 拷贝任意大小的矩阵边缘上不规则的数据块；
# - 说出一次拷贝变成哪种 DMA，以及它什么时候转换类型。

# %% tags=["setup"] stem="imports"
import os

os.environ["TILELANG_ASCEND_MODE"] = "Developer"
from tlcourse import check, hint, answer, progress, show_passes, show_timeline, show_memory
import tilelang
import tilelang.language as T
import torch

# %% [markdown] tags=["lang:en"] stem="slices_words"
# ## Between GM and the core, by slices
#
# A matrix of 100 rows and 200 columns, in tiles of 64 by 64. `A[bx : bx + 64, by : by + 64]` is a
# slice as in NumPy, and `a` is a whole tile: one side may give the extent for both. The kernel
# takes the tile to a fragment and back, to show that each pair of places has its copy.

# %% [markdown] tags=["lang:zh"] stem="slices_words" en_sha="0d914074"
# ## 用切片在 GM 和核之间拷贝
#
# 一个 100 行 200 列的矩阵，数据块 64 乘 64。`A[bx : bx + 64, by : by + 64]` 是与 NumPy 一样的切片，`a` 是整个数据块：只要有一边写明大小就够了。内核把数据块拷到 fragment 再拷回来，说明每一对位置之间都能拷贝。


# %% tags=["lecture", "kp:K094", "kp:K095", "kp:K096", "kp:K100"] stem="by_tiles"
@tilelang.jit(out_idx=[1], target="npuir")
def by_tiles(M, N, block=64):
    n_num = T.ceildiv(N, block)

    @T.prim_func
    def move(A: T.Tensor((M, N), "float32"), C: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(M, block) * n_num, is_npu=True) as (cid, _):
            bx = cid // n_num * block
            by = cid % n_num * block
            a = T.alloc_shared((block, block), "float32")
            f = T.alloc_fragment((block, block), "float32")
            T.copy(A[bx : bx + block, by : by + block], a)
            T.copy(a, f)
            T.copy(f, C[bx : bx + block, by : by + block])

    return move


def matrix(M, N):
    return torch.randn(M, N, generator=torch.Generator().manual_seed(M))


whole = matrix(128, 192)
print("whole tiles:", torch.equal(by_tiles(128, 192)(whole.npu()).cpu(), whole))

# %% tags=["lang:en"] stem="show_tiles"
from tlcourse.widgets.grid import MatrixTiles

MatrixTiles(100, 200, 64, 64, block=2)

# %% tags=["lang:zh"] stem="show_tiles" en_sha="226c25e9"
from tlcourse.widgets.grid import MatrixTiles

MatrixTiles(100, 200, 64, 64, block=2, language="zh")

# %% [markdown] tags=["lang:en", "lecture"] stem="past_words"
# ## Past the end
#
# The grid is rounded up, so blocks at the right and at the lower edge reach over the matrix: their
# slice goes to column 255 of 200. In NumPy such a slice is cut short. What will `T.copy` do?

# %% [markdown] tags=["lang:zh", "lecture"] stem="past_words" en_sha="59d4bf5d"
# ## 超出末尾
#
# 网格向上取整，所以右边缘和下边缘的块会超出矩阵：它们的切片一直到第 255 列，而矩阵只有 200 列。在 NumPy 里，这样的切片会被截短。`T.copy` 会怎样？

# %% tags=["lang:en"] stem="p1"
answer("d2.copy.p1", "?")  # a: cut the slice short  b: copy what lies behind  c: fill with zeros

# %% tags=["lang:zh"] stem="p1" en_sha="5b6a958e"
answer("d2.copy.p1", "?", language="zh")  # a：截短切片  b：拷贝后面的内存  c：补零

# %% tags=["reveal", "lecture", "kp:K095"] stem="past_end"
A = matrix(100, 200)
launch = by_tiles(100, 200).launch(A.npu())
for finding in launch.findings:
    print(finding.diagnostic.code, finding.diagnostic.what)
print("NumPy:", tuple(A.numpy()[0:64, 192:256].shape))

# %% [markdown] tags=["lang:en"] stem="past_rule"
# A DMA knows addresses, not matrices: behind column 199 comes the next row. The load reads it, the
# store writes over what another block made. Rule: **no slice is cut short for you; give each copy
# the extent that is there**, with `T.min` on both sides.

# %% [markdown] tags=["lang:zh"] stem="past_rule" en_sha="0c0140f8"
# DMA 只认地址，不认矩阵：第 199 列之后就是下一行。载入会读到它，写回会覆盖别的逻辑块写好的数据。规则：**没有谁替你截短切片；每次拷贝都要写明实际存在的大小**，两边都用 `T.min`。


# %% tags=["kp:K096", "kp:K098", "kp:K100"] stem="ragged"
def ragged(stored):
    @tilelang.jit(out_idx=[1], target="npuir")
    def factory(N, block=64):
        M = T.symbolic("M")
        n_num = T.ceildiv(N, block)

        @T.prim_func
        def move(A: T.Tensor((M, N), "float32"), C: T.Tensor((M, N), stored)):
            with T.Kernel(T.ceildiv(M, block) * n_num, is_npu=True) as (cid, _):
                bx = cid // n_num * block
                by = cid % n_num * block
                rows = T.min(block, M - bx)
                columns = T.min(block, N - by)
                a = T.alloc_shared((block, block), stored)
                T.copy(A[bx : bx + rows, by : by + columns], a[0:rows, 0:columns])
                T.copy(a[0:rows, 0:columns], C[bx : bx + rows, by : by + columns])

        return move

    return factory


moving = ragged("float32")(200)
heights = {}
for M in (1, 64, 100, 300):
    trial = moving.launch(matrix(M, 200).npu())
    heights[M] = torch.equal(trial.outputs[0].cpu(), matrix(M, 200)) and not trial.findings
print(heights)

# %% [markdown] tags=["lang:en"] stem="symbol"
# `M = T.symbolic("M")` leaves the number of rows open: the kernel was compiled once and took four
# heights. In the IR `M` is an argument, and the extents of the copies are values computed from it.

# %% [markdown] tags=["lang:zh"] stem="symbol" en_sha="dfcf939c"
# `M = T.symbolic("M")` 让行数保持未定：内核只编译一次，就能处理四种高度。在 IR 里 `M` 是一个参数，拷贝的大小是由它算出来的值。逐个查看 pass，找到这些值。

# %% tags=["lang:en"] stem="show_passes"
show_passes(moving)

# %% tags=["lang:zh"] stem="show_passes" en_sha="b41eb147"
show_passes(moving, language="zh")

# %% [markdown] tags=["lang:en", "lecture"] stem="cast_words"
# ## A cast on the way
#
# Now the tile is float16, A stays float32. In Developer mode the copy converts. `1 + 2**-11` lies
# exactly between two float16 numbers, 1 and `1 + 2**-10`. What will be stored, for it and for
# `1 + 3 * 2**-11`?

# %% [markdown] tags=["lang:zh", "lecture"] stem="cast_words" en_sha="166ff334"
# ## 拷贝途中的类型转换
#
# 现在数据块是 float16，A 仍是 float32。在 Developer 模式下，拷贝会转换类型。`1 + 2**-11` 正好在两个 float16 数 1 和 `1 + 2**-10` 的中间。它会存成什么？`1 + 3 * 2**-11` 又会存成什么？

# %% tags=["lang:en"] stem="p2"
answer("d2.copy.p2", "?")  # a: both cut off  b: both rounded up  c: each to the even neighbour

# %% tags=["lang:zh"] stem="p2" en_sha="99c010b6"
answer("d2.copy.p2", "?", language="zh")  # a：都截断  b：都进位  c：各取偶数的邻居

# %% tags=["reveal", "kp:K099"] stem="cast"
halves = torch.tensor([[1 + 2**-11, 1 + 3 * 2**-11]]).repeat(1, 100)
rounded = ragged("float16")(200)(halves.npu()).cpu()
print([(value - 1) * 2**10 for value in rounded[0, :2].tolist()], "in units of 2**-10 above 1")
print("as torch rounds:", torch.equal(rounded, halves.half()))

# %% [markdown] tags=["lang:en"] stem="expert_words"
# It rounds, and in the middle to the even neighbour, as torch does. In Expert mode a copy moves
# bytes and nothing else: the same two dtypes are refused there, and `T.vcast` converts a tile in
# UB. The message names the line.

# %% [markdown] tags=["lang:zh"] stem="expert_words" en_sha="db825593"
# 它做舍入；正好在中间时，取尾数末位为偶数的邻居，与 torch 一样。在 Expert 模式下，拷贝只搬字节：同样的两种类型会被拒绝，要用 `T.vcast` 在 UB 里转换数据块。报错信息会指出是哪一行。

# %% tags=["kp:K099"] stem="expert"
from tlcourse.diagnostics import TLError


@T.prim_func
def by_hand(A: T.Tensor((64, 64), "float32"), C: T.Tensor((64, 64), "float16")):
    with T.Kernel(1, is_npu=True) as (cid, _):
        a_ub = T.alloc_ub((64, 64), "float16")
        T.copy(A, a_ub)
        T.copy(a_ub, C)


os.environ["TILELANG_ASCEND_MODE"] = "Expert"
try:
    tilelang.compile(by_hand, target="npuir", out_idx=[1])(matrix(64, 64).npu())
except TLError as problem:
    refused = problem.diagnostic
    print(refused.code, refused.what)
    print(refused.fix)
os.environ["TILELANG_ASCEND_MODE"] = "Developer"

# %% [markdown] tags=["lang:en", "lecture"] stem="dma_words"
# ## One word, several DMAs
#
# The last trait: the line says what moves, the use of the tile says how. In the kernel above a
# load fills UB for a vector core. Put the same line in front of a product, and it fills L1 for the
# cube core, in squares. The records of both launches tell.

# %% [markdown] tags=["lang:zh", "lecture"] stem="dma_words" en_sha="31bc49c4"
# ## 一种写法，几种 DMA
#
# 最后一个特点：这一行只说搬什么，怎么搬由数据块的用途决定。上面的内核里，载入为 vector 核填充 UB。把同样的一行放在矩阵乘前面，它就为 cube 核填充 L1，并排成小方块。两次启动的记录会给出答案。

# %% tags=["kp:K097"] stem="dmas"
from tlcourse.examples.gemm import gemm

product = tilelang.compile(gemm(128, 128, 128, 64, 64, 64), target="npuir", out_idx=[2])
unit = torch.eye(128, dtype=torch.float16).npu()
product(unit, unit)


def loads(kernel):  # what MTE2 did, and on which kind of core
    record = kernel.last_launch.timeline.instructions
    return sorted({(i.agent[:3], i.op) for i in record if i.pipe == "MTE2"})


print("copying:", loads(moving), " product:", loads(product))

# %% tags=["lang:en", "lecture"] stem="show_chip"
from tlcourse.chips import CHIPS
from tlcourse.widgets.chip import ChipView

ChipView(CHIPS["Ascend910B1"], product.last_launch.timeline, "gemm")

# %% tags=["lang:zh", "lecture"] stem="show_chip" en_sha="965ecbd9"
from tlcourse.chips import CHIPS
from tlcourse.widgets.chip import ChipView

ChipView(CHIPS["Ascend910B1"], product.last_launch.timeline, "gemm", language="zh")

# %% [markdown] tags=["lang:en", "lecture"] stem="recap"
# ## Recap
#
# - GM, shared and fragment in any pair; slices on either side, the extent from the one that has it.
# - A slice past the end is not cut short: give `T.min` extents, also with a symbolic size.
# - Developer mode converts on the way and rounds to even; the DMA follows from the places.
#
# **Exercise:** [d2.copy_tails](../../exercises/day2/copy_tails.ipynb), a window of a matrix.

# %% [markdown] tags=["lang:zh", "lecture"] stem="recap" en_sha="23472543"
# ## 小结
#
# - GM、shared 和 fragment 任意两者之间都能拷贝；切片可以写在任意一边，大小取自写明的一边。
# - 超出末尾的切片不会被截短：大小用 `T.min`，尺寸是符号时也一样。
# - Developer 模式在途中转换类型，向偶数舍入；DMA 的种类由两端的位置决定。
#
# **练习：** [d2.copy_tails](../../../exercises/zh/day2/copy_tails.ipynb)，矩阵的一个窗口。

# %% tags=["golden"] stem="golden"
# What the text says holds in the outputs.
assert {"TL501"} <= {finding.diagnostic.code for finding in launch.findings}
assert A.numpy()[0:64, 192:256].shape == (64, 8)
assert heights == dict.fromkeys((1, 64, 100, 300), True)
assert [(value - 1) * 2**10 for value in rounded[0, :2].tolist()] == [0, 2]
assert torch.equal(rounded, halves.half())
assert refused.code == "TL213"
assert loads(moving) == [("aiv", "load")]
assert loads(product) == [("aic", "nd2nz")]
