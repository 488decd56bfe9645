# ---
# jupyter:
#   tlcourse:
#     id: d3.online
#     title: "3.2 Online softmax"
#     title_zh: "3.2 在线 softmax"
#     track: core
#     minutes: 40
#     needs: [d3.attention]
# ---

# %% [markdown] tags=["lang:en", "lecture"] stem="goals"
# # 3.2 Online softmax
#
# *core, 40 minutes, needs lesson 3.1*
#
# You will be able to
# - compute a softmax from blocks, each of which is seen once,
# - say what the **correction factor** corrects, and how large it can be,
# - show that the result equals the plain softmax,
# - write it as a kernel that keeps a maximum and a denominator.

# %% [markdown] tags=["lang:zh", "lecture"] stem="goals" en_sha="664ec975"
# # 3.2 在线 softmax
#
# *核心内容，40 分钟，先修 3.1 节*
#
# 学完后你能够
# - 分块计算 softmax，每块只看一次；
# - 说明**修正系数**（correction factor）修正什么，它能有多大；
# - 证明结果与普通的 softmax 相等；
# - 把它写成内核，一路保存最大值和分母。

# %% tags=["setup"] stem="imports"
import os

os.environ["TILELANG_ASCEND_MODE"] = "Developer"
from tlcourse import check, hint, answer, progress, show_passes, show_timeline, show_memory
import tilelang
import tilelang.language as T
import torch

# %% [markdown] tags=["lang:en", "lecture"] stem="hand_words"
# ## Six numbers by hand
#
# The row is 1, 3 | 2, 5 | 4, 0, in three blocks. Softmax needs the maximum of all, but it is known
# only at the end. So carry two numbers: `m`, the largest so far, and `l`, the sum of `exp(x - m)`
# so far. When a block brings a larger `m`, what was summed is too large by a known factor.

# %% [markdown] tags=["lang:zh", "lecture"] stem="hand_words" en_sha="a7deadd0"
# ## 用六个数手算
#
# 这一行是 1, 3 | 2, 5 | 4, 0，分成三块。softmax 需要整行的最大值，但要到最后才知道。于是一路保存两个数：`m` 是到目前为止的最大值，`l` 是到目前为止 `exp(x - m)` 的和。某一块带来更大的 `m` 时，已有的和就偏大了，而偏大的倍数是已知的。

# %% tags=["lecture", "kp:K150", "kp:K151", "kp:K152", "kp:K153", "kp:K154"] stem="by_hand"
row = torch.tensor([1.0, 3, 2, 5, 4, 0])
m, l = torch.tensor(-torch.inf), torch.tensor(0.0)
factors = []
print("block    block max  new max  factor  old l * factor  block sum       l")
for block in row.split(2):
    block_max = block.max()
    new_max = torch.maximum(m, block_max)
    factor = torch.exp(m - new_max)
    history, block_sum = l * factor, torch.exp(block - new_max).sum()
    m, l = new_max, history + block_sum
    factors.append(factor.item())
    shown = (block_max, new_max, factor, history, block_sum, l)
    print(
        f"{block.tolist()!s:12}", "{:5.0f} {:8.0f} {:8.4f} {:14.4f} {:11.4f} {:8.4f}".format(*shown)
    )
print(f"plain: max {row.max():.0f}, denominator {torch.exp(row - row.max()).sum():.4f}")

# %% [markdown] tags=["lang:en"] stem="factor_words"
# ## How large can the factor be?
#
# The factor was 0 in front of the first block, since nothing had been summed. Then the maximum
# grew from 3 to 5, and in the last block it did not grow. Take any row, in any blocks. Between
# which numbers does the correction factor always lie?

# %% [markdown] tags=["lang:zh"] stem="factor_words" en_sha="7a7bdccd"
# ## 系数能有多大？
#
# 处理第一块时系数是 0，因为之前什么也没有累加。然后最大值从 3 变成 5；最后一块里它没有变。任取一行，任意分块，修正系数总在哪两个数之间？

# %% tags=["lang:en"] stem="p1"
answer("d3.online.p1", "?")  # a: 0 and 1  b: 1 and infinity  c: it can be any number above 0

# %% tags=["lang:zh"] stem="p1" en_sha="f27177da"
answer("d3.online.p1", "?", language="zh")  # a：0 和 1  b：1 和无穷大  c：可以是任何正数


# %% tags=["reveal", "kp:K152", "kp:K157"] stem="any_split"
def online(row, sizes, start=-torch.inf):  # maximum, denominator, and the factors on the way
    m, l, factors = torch.tensor(start), torch.tensor(0.0, dtype=row.dtype), []
    for block in row.split(sizes):
        new_max = torch.maximum(m, block.max())
        factors.append(torch.exp(m - new_max).item())
        l = l * factors[-1] + torch.exp(block - new_max).sum()
        m = new_max
    return m, l, factors


generator = torch.Generator().manual_seed(0)
long_row = 3 * torch.randn(512, generator=generator, dtype=torch.float64)
long_row = long_row.roll(-1 - int(long_row.argmax()))  # the largest comes last
agree, seen = [], []
for _ in range(50):
    cuts = sorted(set(torch.randint(1, 512, (7,), generator=generator).tolist()))
    sizes = [b - a for a, b in zip([0, *cuts], [*cuts, 512])]
    m, l, factors = online(long_row, sizes)
    plain = torch.exp(long_row - long_row.max()).sum()
    agree.append(torch.isclose(l, plain, rtol=1e-12).item())
    seen += factors
print(f"{sum(agree)} of 50 random splits agree; factors from {min(seen):.0f} to {max(seen):.0f}")

# %% [markdown] tags=["lang:en"] stem="proof"
# The proof takes three lines. Let `m'` be the new maximum. Of what was summed, each term
# `exp(x - m)` times `exp(m - m')` is `exp(x - m')`. So after each block `l` is the sum of
# `exp(x - m')` over all that was seen, and `m'` never falls: the factor is at most 1. **The order
# of the blocks does not matter.**

# %% [markdown] tags=["lang:zh"] stem="proof" en_sha="25359fb2"
# 证明只要三句。设 `m'` 为新的最大值。已经求和的每一项 `exp(x - m)` 乘以 `exp(m - m')` 就是 `exp(x - m')`。所以处理完每一块，`l` 都等于已处理的全部 `exp(x - m')` 之和，而 `m'` 从不变小：系数至多为 1。**块的先后次序无关紧要。**

# %% tags=["lang:en", "lecture"] stem="show_denominator"
from tlcourse.widgets.bars import BarView

running = {}
for blocks in range(1, 9):
    m, l, _ = online(long_row[: 64 * blocks], [64] * blocks)
    running[f"after block {blocks}"] = round(l.item() * 10)
BarView("Denominator of a row of 512, in tenths, block by block", running, look="VECTOR")

# %% tags=["lang:zh", "lecture"] stem="show_denominator" en_sha="df5f824e"
from tlcourse.widgets.bars import BarView

running = {}
for blocks in range(1, 9):
    m, l, _ = online(long_row[: 64 * blocks], [64] * blocks)
    running[f"第 {blocks} 块之后"] = round(l.item() * 10)
BarView("512 个数的一行，逐块的分母，单位 0.1", running, look="VECTOR", language="zh")

# %% [markdown] tags=["lang:en", "lecture"] stem="wrong_words"
# ## Two plausible slips
#
# The first version leaves the factor out: it adds the block sums as they are. The second lets the
# maximum start at 0 instead of minus infinity. Both are tried on a row around 0 and on a row
# around -200. Which of them will you notice?

# %% [markdown] tags=["lang:zh", "lecture"] stem="wrong_words" en_sha="e21c93a0"
# ## 两个看上去合理的错误
#
# 第一个版本漏掉系数，直接把各块的和加起来。第二个版本让最大值从 0 而不是负无穷开始。两者都在 0 附近的一行和 -200 附近的一行上运行。哪个错误会在结果中显露出来？

# %% tags=["lang:en"] stem="p2"
answer("d3.online.p2", "?")  # a: both on both rows  b: the second on the low row only  c: neither

# %% tags=["lang:zh"] stem="p2" en_sha="8506c918"
answer(
    "d3.online.p2", "?", language="zh"
)  # a：两者在两行上都错  b：第二个只在 -200 那行错  c：都没有错


# %% tags=["reveal", "lecture", "kp:K156"] stem="slips"
def no_factor(row):
    m, l = torch.tensor(-torch.inf), torch.tensor(0.0)
    for block in row.split(64):
        m = torch.maximum(m, block.max())
        l = l + torch.exp(block - m).sum()
    return l


rows = {"around 0": long_row.float(), "around -200": long_row.float() - 200}
right = {name: online(values, [64] * 8)[1].item() for name, values in rows.items()}
for name, values in rows.items():
    zero_start = online(values, [64] * 8, start=0.0)[1].item()
    print(
        f"{name:11} right {right[name]:5.2f}  no factor {no_factor(values):6.2f}  start at 0 {zero_start:.2f}"
    )
high = online(long_row.float() + 300, [64] * 8)[1].item()
print("around +300:", f"{high:.2f}")

# %% [markdown] tags=["lang:en"] stem="slips_rule"
# Without the factor the sum is wrong wherever the maximum grows on the way. Started at 0, the maximum of a low row stays 0:
# all terms vanish, and the quotient will be 0 by 0. On rows that reach above 0 the second slip
# does not show. With both right, a row around 300 is as good as one around 0: nothing overflows.

# %% [markdown] tags=["lang:zh"] stem="slips_rule" en_sha="2a7a3043"
# 漏掉系数时，只要最大值在途中变大，和就是错的。从 0 开始时，-200 附近那一行的最大值停在 0：各项都变成 0，最后的商是 0 除以 0。在有正数的行上，第二个错误看不出来。两处都写对时，300 附近的一行也和 0 附近的一行一样准确，不会溢出。

# %% [markdown] tags=["lang:en", "lecture"] stem="kernel_words"
# ## As a kernel
#
# 64 rows of 512 numbers around 300, in blocks of 64 columns. `m` and `l` stay in the core through
# the loop; of each block only its maximum and its sum are kept. Each number of the input is read
# once. The lines follow the columns of the table above.

# %% [markdown] tags=["lang:zh", "lecture"] stem="kernel_words" en_sha="d56c71d7"
# ## 写成内核
#
# 64 行，每行 512 个 300 附近的数，每块 64 列。`m` 和 `l` 在整个循环中留在核内；每一块只留下最大值与和。输入的每个数只读一次。代码的各行与上面表格的各列对应。


# %% tags=["kp:K150", "kp:K151", "kp:K152", "kp:K153", "kp:K154"] stem="kernel"
@tilelang.jit(out_idx=[1, 2], target="npuir")
def online_kernel(M, N, rows=16, block=64):
    @T.prim_func
    def two_numbers(
        X: T.Tensor((M, N), "float32"),
        top: T.Tensor((M, 1), "float32"),
        total: T.Tensor((M, 1), "float32"),
    ):
        with T.Kernel(M // rows, is_npu=True) as (cid, _):
            x = T.alloc_shared((rows, block), "float32")
            m = T.alloc_fragment((rows, 1), "float32")
            l = T.alloc_fragment((rows, 1), "float32")
            new_max = T.alloc_fragment((rows, 1), "float32")
            factor = T.alloc_fragment((rows, 1), "float32")
            block_sum = T.alloc_fragment((rows, 1), "float32")
            T.vbrc(-T.infinity("float32"), m)
            T.vbrc(0.0, l)
            for k in T.serial(N // block):
                T.copy(X[cid * rows : (cid + 1) * rows, k * block : (k + 1) * block], x)
                T.reduce_max(x, new_max, dim=1)
                T.vmax(m, new_max, new_max)
                T.vsub(m, new_max, factor)
                T.vexp(factor, factor)
                T.copy(new_max, m)
                T.vsub(x, m, x)
                T.vexp(x, x)
                T.reduce_sum(x, block_sum, dim=1)
                T.vmul(l, factor, l)
                T.vadd(l, block_sum, l)
            T.copy(m, top[cid * rows : (cid + 1) * rows, :])
            T.copy(l, total[cid * rows : (cid + 1) * rows, :])

    return two_numbers


# %% stem="run_kernel"
X = 300 + torch.randn(64, 512, generator=torch.Generator().manual_seed(1))
kernel = online_kernel(64, 512)
top, total = (tensor.cpu() for tensor in kernel(X.npu()))
want = torch.exp(X - X.amax(1, keepdim=True)).sum(1, keepdim=True)
print("maximum:", torch.equal(top, X.amax(1, keepdim=True)))
print("denominator:", torch.allclose(total, want, atol=1e-4, rtol=1e-4))

# %% tags=["lang:en"] stem="show_memory"
show_memory(kernel)

# %% tags=["lang:zh"] stem="show_memory" en_sha="663b09e1"
show_memory(kernel, language="zh")

# %% [markdown] tags=["lang:en"] stem="output_words"
# ## And the output
#
# Attention wants the weights times V, not the denominator alone. The running output `o` is a sum
# of `exp(x - m)` times rows of V, so the same factor mends it: `o = o * factor + p @ v`. Divided by
# `l` at the end, it is the softmax times V. Six numbers once more, with one column of V.

# %% [markdown] tags=["lang:zh"] stem="output_words" en_sha="9a71440c"
# ## 还有输出
#
# 注意力要的是权重乘以 V，不只是分母。累计输出 `o` 是各个 `exp(x - m)` 乘以 V 对应行再求和，所以同一个系数也能修正它：`o = o * factor + p @ v`。最后除以 `l`，就是 softmax 乘以 V。再用那六个数算一遍，配上 V 的一列。

# %% tags=["kp:K155"] stem="output"
values = torch.tensor([1.0, 0, 2, 1, 3, 5])
m, l, o = torch.tensor(-torch.inf), torch.tensor(0.0), torch.tensor(0.0)
for block, v in zip(row.split(2), values.split(2), strict=True):
    new_max = torch.maximum(m, block.max())
    factor, p = torch.exp(m - new_max), torch.exp(block - new_max)
    m, l, o = new_max, l * factor + p.sum(), o * factor + p @ v
print(f"online {o / l:.4f}, plain {row.softmax(0) @ values:.4f}")

# %% [markdown] tags=["lang:en", "lecture"] stem="recap"
# ## Recap
#
# - Carry `m` and `l`; when `m` grows, all that was summed is multiplied by `exp(m - m')`.
# - The factor lies between 0 and 1, and the result is the plain softmax, in any order of blocks.
# - `m` starts at minus infinity; the same factor mends the running output.
#
# **Exercise:** [d3.online_softmax](../../exercises/day3/online_softmax.ipynb), for any width; then
# [d3.which_mutant](../../exercises/day3/which_mutant.ipynb).

# %% [markdown] tags=["lang:zh", "lecture"] stem="recap" en_sha="079b26ca"
# ## 小结
#
# - 一路保存 `m` 和 `l`；`m` 变大时，已有的和都乘以 `exp(m - m')`。
# - 系数在 0 和 1 之间；无论块的次序如何，结果都是普通的 softmax。
# - `m` 从负无穷开始；同一个系数也修正累计输出。
#
# **练习：** [d3.online_softmax](../../../exercises/zh/day3/online_softmax.ipynb)，行宽任意；然后做 [d3.which_mutant](../../../exercises/zh/day3/which_mutant.ipynb)。

# %% tags=["golden"] stem="golden"
# What the text says holds in the outputs.
assert all(agree)
assert 0 <= min(seen) <= max(seen) <= 1
assert abs(right["around 0"] - right["around -200"]) < 1e-3
assert no_factor(rows["around 0"]) > 1.2 * right["around 0"]
assert online(rows["around -200"], [64] * 8, start=0.0)[1] == 0
assert abs(online(rows["around 0"], [64] * 8, start=0.0)[1] - right["around 0"]) < 1e-4
assert abs(high - right["around 0"]) < 1e-2
assert torch.allclose(total, want, atol=1e-4, rtol=1e-4)
assert torch.allclose(o / l, row.softmax(0) @ values)
