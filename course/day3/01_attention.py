# ---
# jupyter:
#   tlcourse:
#     id: d3.attention
#     title: "3.1 Attention, stage by stage"
#     title_zh: "3.1 一步一步看注意力"
#     track: core
#     minutes: 35
#     needs: [d2.row_ops]
# ---

# %% [markdown] tags=["lang:en", "lecture"] stem="goals"
# # 3.1 Attention, stage by stage
#
# *core, 35 minutes, needs lesson 2.6*
#
# You will be able to
# - write **attention** in five stages, first in torch, then as a chain of kernels,
# - say what the scale is for, and measure it,
# - find a softmax along the wrong axis by its sums,
# - count what the matrix of scores costs, and say why it need not exist.

# %% [markdown] tags=["lang:zh", "lecture"] stem="goals" en_sha="89e0bb49"
# # 3.1 一步一步看注意力
#
# *核心内容，35 分钟，先修 2.6 节*
#
# 学完后你能够
# - 分五步写出**注意力**（attention）：先用 torch，再写成依次启动的几个内核；
# - 说明缩放有什么用，并测量它；
# - 从各行之和看出 softmax 取错了轴；
# - 算出分数矩阵要占多少内存，并说明为什么它不必存在。

# %% tags=["setup"] stem="imports"
import os

os.environ["TILELANG_ASCEND_MODE"] = "Developer"
from tlcourse import check, hint, answer, progress, show_passes, show_timeline, show_memory
import tilelang
import tilelang.language as T
import torch

# %% [markdown] tags=["lang:en", "lecture"] stem="stages_words"
# ## Five stages
#
# 256 queries look at 256 keys, one head, D = 64. Stage 1: **scores**, each query by each key.
# 2: a **scale**. 3: a **mask** hides what may not be seen, here the future. 4: softmax of each
# row. 5: the weights times V. The announcement of the course counts four and lists these five.

# %% [markdown] tags=["lang:zh", "lecture"] stem="stages_words" en_sha="542245a6"
# ## 五步
#
# 256 个查询对 256 个键，一个头，D = 64。第 1 步：**分数**（score），每个查询与每个键做点积。第 2 步：**缩放**（scale）。第 3 步：**掩码**（mask）遮住不许看的部分，这里是后面的键。第 4 步：每行取 softmax。第 5 步：权重乘以 V。课程预告说是四步，列出来的却是这五步。

# %% tags=["lecture", "kp:K140", "kp:K141", "kp:K142", "kp:K143", "kp:K144"] stem="in_torch"
S, D = 256, 64
generator = torch.Generator().manual_seed(0)
Q, K, V = (torch.randn(S, D, generator=generator).half().float() for _ in range(3))


def attention(Q, K, V, scale=D**-0.5, axis=-1, causal=False):
    scores = Q @ K.T  # (S, S)
    scores = scores * scale
    if causal:
        future = torch.ones(S, S, dtype=torch.bool).triu(1)
        scores = scores.masked_fill(future, -torch.inf)
    weights = scores.softmax(axis)
    return weights @ V, weights  # (S, D)


O, weights = attention(Q, K, V)
O_torch = torch.nn.functional.scaled_dot_product_attention(Q[None], K[None], V[None])[0]
O_causal, causal_weights = attention(Q, K, V, causal=True)
print("as torch:", torch.allclose(O, O_torch, atol=1e-4, rtol=1e-4))
print("weight of the future under the mask:", causal_weights.triu(1).abs().sum().item())

# %% [markdown] tags=["lang:en"] stem="scale_words"
# ## Is the scale cosmetic?
#
# A score is a sum of 64 products, so it varies by about 8. The scale brings it back to 1. How
# evenly a row spreads its weights is measured by its **entropy**: 8 bits when all 256 keys weigh
# the same, 0 when one key takes all. How many bits remain without the scale?

# %% [markdown] tags=["lang:zh"] stem="scale_words" en_sha="9a0b2cc5"
# ## 缩放只是装饰吗？
#
# 一个分数是 64 个乘积之和，所以标准差约为 8。缩放把它变回 1。一行的权重分布得有多均匀，用**熵**（entropy）来衡量：256 个键权重相同时是 8 比特，一个键占去全部权重时是 0。不做缩放，还剩多少比特？

# %% tags=["lang:en"] stem="p1"
answer("d3.attention.p1", "?")  # a: about 7, as with it  b: about 4  c: about 1

# %% tags=["lang:zh"] stem="p1" en_sha="d12713c5"
answer("d3.attention.p1", "?", language="zh")  # a：约 7，与缩放时一样  b：约 4  c：约 1


# %% tags=["reveal", "kp:K148"] stem="entropy"
def entropy_bits(weights):  # mean over the rows
    return (
        torch.special.entr(weights).sum(dim=-1).mean().item() / torch.log(torch.tensor(2.0)).item()
    )


bits = {
    name: entropy_bits(attention(Q, K, V, scale)[1])
    for name, scale in {"with": D**-0.5, "without": 1.0}.items()
}
largest = attention(Q, K, V, 1.0)[1].amax(dim=-1).median().item()
print({name: round(value, 1) for name, value in bits.items()}, "bits of 8")
print(f"without it, half of the rows give one key more than {largest:.0%}")

# %% tags=["lang:en"] stem="show_entropy"
from tlcourse.widgets.bars import BarView

tenths = {name: round(10 * value) for name, value in bits.items()}
BarView("Entropy of a row, in tenths of a bit, with and without the scale", tenths, look="UB")

# %% tags=["lang:zh"] stem="show_entropy" en_sha="b8005f54"
from tlcourse.widgets.bars import BarView

tenths = dict(zip(("缩放", "不缩放"), (round(10 * value) for value in bits.values()), strict=True))
BarView("一行的熵，单位 0.1 比特", tenths, look="UB", language="zh")

# %% [markdown] tags=["lang:en"] stem="axis_words"
# ## The wrong axis
#
# Softmax works along an axis. Along the wrong one nothing crashes, and the shape is right. But a
# row of weights is a distribution: it must add up to 1. Look at the sums of both before you trust
# either.

# %% [markdown] tags=["lang:zh"] stem="axis_words" en_sha="d0de6a10"
# ## 取错了轴
#
# softmax 沿一个轴进行。取错了轴，程序不会崩溃，形状也对。但一行权重是一个概率分布，加起来必须等于 1。先看两种取法的各行之和，再决定相信哪一种。

# %% tags=["kp:K143"] stem="axis"
wrong_O, wrong = attention(Q, K, V, axis=0)
sums = {
    name: w.sum(dim=-1)
    for name, w in {"along the keys": weights, "along the queries": wrong}.items()
}
for name, values in sums.items():
    print(f"{name:18} rows add up to {values.min():.2f} ... {values.max():.2f}")

# %% [markdown] tags=["lang:en", "lecture"] stem="chain_words"
# ## As a chain of kernels
#
# With what day 2 gave you: a product of Q by the transposed K (`b_transpose=True`), the softmax of
# rows, a product with V. Three launches. What passes from one to the next goes through global
# memory: scores and weights, each of S by S numbers.

# %% [markdown] tags=["lang:zh", "lecture"] stem="chain_words" en_sha="aa943474"
# ## 写成三个内核
#
# 用第 2 天学过的写法：Q 乘 K 的转置（`b_transpose=True`），各行取 softmax，再乘 V，一共启动三次。从一个内核传到下一个的数据要经过全局内存：分数和权重，各有 S 乘 S 个数。


# %% tags=["kp:K140", "kp:K141", "kp:K144"] stem="products"
@tilelang.jit(out_idx=[2], target="npuir")
def product(M, N, K, transposed, scale, stored, block=64):
    rows_B = (N, K) if transposed else (K, N)

    @T.prim_func
    def multiply(
        A: T.Tensor((M, K), "float16"),
        B: T.Tensor(rows_B, "float16"),
        C: T.Tensor((M, N), stored),
    ):
        with T.Kernel((M // block) * (N // block), is_npu=True) as (cid, _):
            bx = cid // (N // block) * block
            by = cid % (N // block) * block
            a = T.alloc_shared((block, K), "float16")
            c = T.alloc_fragment((block, block), "float32")
            s = T.alloc_fragment((block, block), "float32")
            T.copy(A[bx : bx + block, :], a)
            if transposed:
                b = T.alloc_shared((block, K), "float16")
                T.copy(B[by : by + block, :], b)
                T.gemm(a, b, c, initC=True, b_transpose=True)
            else:
                v = T.alloc_shared((K, block), "float16")
                T.copy(B[:, by : by + block], v)
                T.gemm(a, v, c, initC=True)
            T.vmul(c, scale, s)
            T.copy(s, C[bx : bx + block, by : by + block])

    return multiply


# %% tags=["kp:K143"] stem="chain"
@tilelang.jit(out_idx=[1], target="npuir")
def row_softmax(M, N, rows=16):
    @T.prim_func
    def softmax(A: T.Tensor((M, N), "float32"), C: T.Tensor((M, N), "float16")):
        with T.Kernel(M // rows, is_npu=True) as (cid, _):
            a = T.alloc_shared((rows, N), "float32")
            m = T.alloc_shared((rows, 1), "float32")
            T.copy(A[cid * rows : (cid + 1) * rows, :], a)
            T.reduce_max(a, m, dim=1)
            for i, j in T.Parallel(rows, N):
                a[i, j] = T.exp(a[i, j] - m[i, 0])
            T.reduce_sum(a, m, dim=1)
            for i, j in T.Parallel(rows, N):
                a[i, j] = a[i, j] / m[i, 0]
            T.copy(a, C[cid * rows : (cid + 1) * rows, :])

    return softmax


q, k, v = (x.half().npu() for x in (Q, K, V))
stage_scores = product(S, S, D, True, D**-0.5, "float32")
stage_softmax, stage_values = row_softmax(S, S), product(S, D, S, False, 1.0, "float32")
scores = stage_scores(q, k)
chained = stage_values(stage_softmax(scores), v)
print("chain equal to torch:", torch.allclose(chained.cpu(), O_torch, atol=1e-3, rtol=1e-3))

# %% tags=["lang:en"] stem="show_scores"
show_timeline(stage_scores)

# %% tags=["lang:zh"] stem="show_scores" en_sha="4cac1cf1"
show_timeline(stage_scores, language="zh")

# %% [markdown] tags=["lang:en", "lecture"] stem="memory_words"
# ## Twice the length
#
# Q, K, V and O have S rows of D numbers. The scores have S rows of S numbers. A text twice as long
# is to be read. What does the whole matrix of scores need then?

# %% [markdown] tags=["lang:zh", "lecture"] stem="memory_words" en_sha="0417e591"
# ## 长度加倍
#
# Q、K、V 和 O 各有 S 行，每行 D 个数。分数有 S 行，每行 S 个数。现在要处理一段两倍长的文本。整个分数矩阵占的内存是原来的几倍？与 Q、K、V 相比又怎样？

# %% tags=["lang:en"] stem="p2"
answer("d3.attention.p2", "?")  # a: twice the memory  b: four times  c: as much as before

# %% tags=["lang:zh"] stem="p2" en_sha="ac9325e2"
answer("d3.attention.p2", "?", language="zh")  # a：两倍内存  b：四倍  c：和之前一样

# %% tags=["reveal", "lecture", "kp:K149"] stem="bytes"
mib = {}
for length in (1024, 2048, 4096, 8192, 16384, 32768):
    whole, inputs = 4 * length * length, 4 * 2 * length * D
    mib[f"S = {length}"] = whole // 2**20
    print(
        f"S = {length:5}: scores {whole / 2**20:6.0f} MiB, Q K V O together {inputs / 2**20:4.1f} MiB"
    )
tile_kib = 4 * 64 * 64 // 1024
print(f"one tile of scores, 64 x 64, at any S: {tile_kib} KiB")

# %% tags=["lang:en", "reveal"] stem="show_bytes"
BarView("Scores in float32, one head", mib, "MiB", look="GM")

# %% tags=["lang:zh", "reveal"] stem="show_bytes" en_sha="eda5d06c"
BarView("float32 的分数，一个头", mib, "MiB", look="GM", language="zh")

# %% [markdown] tags=["lang:en", "lecture"] stem="never_words"
# ## What never needs to exist
#
# A block of 64 queries needs its own rows of scores, and these only tile by tile: multiply a tile,
# use it, forget it. **FlashAttention** never builds the matrix; it carries a softmax along that is
# corrected on the way. How this comes out right is the next lesson.

# %% [markdown] tags=["lang:zh", "lecture"] stem="never_words" en_sha="c2a930cb"
# ## 不必存在的东西
#
# 负责 64 个查询的一个逻辑块只需要自己那 64 行分数，而且一次只要一个数据块：算出来，用完就丢。**FlashAttention** 从不建立整个矩阵；它逐块推进 softmax，边算边修正。为什么结果仍然正确，下一节说明。

# %% tags=["lang:en", "kp:K145", "kp:K146", "kp:K147"] stem="show_tile"
from tlcourse.widgets.grid import MatrixTiles

MatrixTiles(S, S, 64, 64, block=6)

# %% tags=["lang:zh", "kp:K145", "kp:K146", "kp:K147"] stem="show_tile" en_sha="89c310f5"
from tlcourse.widgets.grid import MatrixTiles

MatrixTiles(S, S, 64, 64, block=6, language="zh")

# %% [markdown] tags=["lang:en", "lecture"] stem="recap"
# ## Recap
#
# - Scores, scale, mask, softmax, times V: five stages, and three kernels when chained.
# - Without the scale the softmax picks single keys; rows of weights must add up to 1.
# - The scores grow with S times S, a tile of them does not.
#
# **Next:** lesson 3.2, online softmax.

# %% [markdown] tags=["lang:zh", "lecture"] stem="recap" en_sha="17b04552"
# ## 小结
#
# - 分数、缩放、掩码、softmax、乘 V：五步，可以写成依次启动的三个内核。
# - 不缩放时，softmax 几乎只选中个别的键；每行权重之和必须是 1。
# - 整个分数矩阵随 S 的平方增长，一个分数数据块的大小不变。
#
# **接下来：** 3.2 节，在线 softmax。

# %% tags=["golden"] stem="golden"
# What the text says holds in the outputs.
assert torch.allclose(O, O_torch, atol=1e-4, rtol=1e-4)
assert causal_weights.triu(1).abs().sum() == 0
assert bits["with"] > 7
assert 0.5 < bits["without"] < 2
assert torch.allclose(sums["along the keys"], torch.ones(S), atol=1e-4, rtol=1e-4)
assert sums["along the queries"].max() > 1.5
assert torch.allclose(chained.cpu(), O_torch, atol=1e-3, rtol=1e-3)
assert mib["S = 2048"] == 4 * mib["S = 1024"]
assert tile_kib == 16
