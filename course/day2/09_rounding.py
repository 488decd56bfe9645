# ---
# jupyter:
#   tlcourse:
#     id: d2.rounding
#     title: "2.9 Rounding, bf16 and why the tolerance is what it is"
#     title_zh: "2.9 舍入、bf16，以及容差为什么是这样"
#     track: more
#     minutes: 30
#     needs: [d2.fusion]
# ---

# %% [markdown] tags=["lang:en", "lecture"] stem="goals"
# # 2.9 Rounding, bf16 and why the tolerance is what it is
#
# *more, 30 minutes, needs lesson 2.4*
#
# You will be able to
# - say how far apart the numbers of float16 and bfloat16 stand, and what each is good for,
# - predict how a half is **rounded**,
# - find the casts that bf16 arithmetic takes,
# - judge an error by a bound that has a reason, and say when a **tolerance** is worth nothing.

# %% [markdown] tags=["lang:zh", "lecture"] stem="goals" en_sha="7a5923bc"
# # 2.9 舍入、bf16，以及容差为什么是这样
#
# *进阶内容，30 分钟，先修 2.4 节*
#
# 学完后你能够
# - 说出 float16 和 bfloat16 的数相隔多远，各适合做什么；
# - 预测恰好一半的数怎样**舍入**（round）；
# - 找到 bf16 运算所需的类型转换；
# - 用有依据的误差界判断误差，并说出**容差**（tolerance）什么时候毫无价值。

# %% tags=["setup"] stem="imports"
import os

os.environ["TILELANG_ASCEND_MODE"] = "Developer"
from tlcourse import check, hint, answer, progress, show_passes, show_timeline, show_memory
import tilelang
import tilelang.language as T
import torch

# %% [markdown] tags=["lang:en", "lecture"] stem="line_words"
# ## How many numbers are there?
#
# Both formats have 16 bits. float16 spends 10 of them on digits and 5 on the exponent; bfloat16, the
# newer one, made for neural networks, spends 7 and 8. Which of the two has more numbers between 100
# and 104?

# %% [markdown] tags=["lang:zh", "lecture"] stem="line_words" en_sha="8d7d9a77"
# ## 一共有多少个数？
#
# 两种格式都是 16 位。float16 用 10 位表示尾数，5 位表示指数；bfloat16 较新，为神经网络而设计，分别用 7 位和 8 位。在 100 和 104 之间，哪一种的数更多？

# %% tags=["lang:en"] stem="p1"
answer("d2.rounding.p1", "?")  # a: bfloat16  b: float16  c: both have as many

# %% tags=["lang:zh"] stem="p1" en_sha="5d8aa2e4"
answer("d2.rounding.p1", "?", language="zh")  # a：bfloat16  b：float16  c：一样多

# %% tags=["reveal", "lecture"] stem="spacing"
patterns = torch.arange(-(2**15), 2**15, dtype=torch.int32).to(torch.int16)
marks = {}
for name in ("float16", "bfloat16"):
    values = patterns.view(getattr(torch, name)).double()
    marks[name] = sorted(values[values.isfinite()].tolist())
steps = {}
for low in (1, 100, 3000):
    for name, values in marks.items():
        above = [value for value in values if value >= low]
        steps[name, low] = above[1] - above[0]
    print(f"from {low:4}: float16 in steps of {steps['float16', low]:g}, "
          f"bfloat16 of {steps['bfloat16', low]:g}")  # fmt: skip
largest = {name: values[-1] for name, values in marks.items()}
print("largest number:", {name: f"{value:.3g}" for name, value in largest.items()})

# %% tags=["lang:en", "reveal"] stem="show_line"
from tlcourse.widgets.ticks import TickView

TickView("Numbers from 100 to 104", marks, 100, 104)

# %% tags=["lang:zh", "reveal"] stem="show_line" en_sha="c0c1acaf"
from tlcourse.widgets.ticks import TickView

TickView("100 到 104 之间的数", marks, 100, 104, language="zh")

# %% [markdown] tags=["lang:en"] stem="line_rule"
# float16 is eight times as fine; bfloat16 reaches as far as float32. `exp(12)` is infinite in the
# one and rough in the other. So bf16 is safe from overflow and poor in digits. The spacing grows
# with the number: **eps**, half the spacing at 1, is the error of one rounding as a share of the
# number.

# %% [markdown] tags=["lang:zh"] stem="line_rule" en_sha="04cd18a3"
# float16 的间隔只有 bfloat16 的八分之一；bfloat16 能表示的范围与 float32 一样大。`exp(12)` 在前者里是无穷大，在后者里只是粗糙。所以 bf16 不容易溢出，但有效位数少。间隔随数的大小增长：**eps** 是 1 处间隔的一半，即一次舍入的误差与数本身之比。

# %% [markdown] tags=["lang:en"] stem="halves_words"
# ## Exactly half
#
# A number between two neighbours goes to the nearer one. But 2.5 has two nearest integers.
# `T.vcast` takes a `round_mode`: `rint` is the usual one. Drill: what do `rint`, `round` and
# `floor(x + 0.5)` make of -1.5, 0.5 and 2.5? Write nine integers.

# %% [markdown] tags=["lang:zh"] stem="halves_words" en_sha="6d659c44"
# ## 恰好一半
#
# 两个相邻数之间的数取较近的一个。但是 2.5 有两个一样近的整数。`T.vcast` 有参数 `round_mode`，常用的是 `rint`。小练习：`rint`、`round` 和 `floor(x + 0.5)` 把 -1.5、0.5、2.5 变成什么？写出九个整数。

# %% tags=["lang:en"] stem="drill1"
answer("d2.rounding.drill1", "?")  # rint ...; round ...; floor ...

# %% tags=["lang:zh"] stem="drill1" en_sha="d3f0a5a5"
answer("d2.rounding.drill1", "?", language="zh")  # rint ...; round ...; floor ...


# %% tags=["reveal"] stem="halves"
def to_integers(mode, half=0.0, N=8):
    @T.prim_func
    def kernel(X: T.Tensor((N,), "float32"), Y: T.Tensor((N,), "int32")):
        with T.Kernel(1, is_npu=True) as (cid, _):
            x, y = T.alloc_shared((N,), "float32"), T.alloc_shared((N,), "int32")
            T.copy(X, x)
            T.vadd(x, half, x)
            T.vcast(x, y, round_mode=mode)
            T.copy(y, Y)

    return tilelang.compile(kernel, target="npuir", out_idx=[1])


X = torch.tensor([-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 3.5, 0.49999997])
print("x               ", [round(value, 8) for value in X.tolist()])
integers = {}
for name, kernel in {
    "rint": to_integers("rint"),
    "round": to_integers("round"),
    "floor(x + 0.5)": to_integers("floor", 0.5),
}.items():
    integers[name] = kernel(X.npu()).cpu().tolist()
    print(f"{name:16}", integers[name])

# %% [markdown] tags=["lang:en"] stem="halves_rule"
# `rint` takes the even one, so halves do not drift to one side; `round` goes away from zero, `floor`
# of x + 0.5 upwards. The last one is a trap twice: below 0.5 it gives 1, since the sum itself was
# rounded. Torch rounds as `rint` does, and so does `T.copy` from float32 to float16.

# %% [markdown] tags=["lang:zh"] stem="halves_rule" en_sha="cb9f6580"
# `rint` 取偶数，所以一半的数不会偏向一边；`round` 远离零，`floor(x + 0.5)` 总是向上。最后一种还有一个陷阱：略小于 0.5 的数也得 1，因为加法本身先舍入了。torch 的舍入与 `rint` 一样，`T.copy` 从 float32 到 float16 也一样。


# %% tags=["lecture", "kp:K053"] stem="bf16"
def square_plus(dtype="bfloat16", N=256):
    @T.prim_func
    def kernel(A: T.Tensor((N,), dtype), C: T.Tensor((N,), dtype)):
        with T.Kernel(1, is_npu=True) as (cid, _):
            a, c = T.alloc_shared((N,), dtype), T.alloc_shared((N,), dtype)
            T.copy(A, a)
            T.vmul(a, a, c)
            T.vadd(c, a, c)
            T.copy(c, C)

    return tilelang.compile(kernel, target="npuir", out_idx=[1])


legal = square_plus()
trace = legal.trace()
number = next(s.index for s in trace.snapshots if s.pass_name == "LegalizeNpuirBF16")
casts = {}
for shot in (trace.snapshots[number - 1], trace.snapshots[number], trace.snapshots[-1]):
    text = trace.texts[shot.text_id]
    casts[shot.pass_name] = sum(shot.op_counts.get(op, 0) for op in ("tl.vcast", "hivm.hir.vcast"))
    print(f"after {shot.pass_name:20} {casts[shot.pass_name]} casts")

A = torch.randn(256, generator=torch.Generator().manual_seed(0)).bfloat16()
C = legal(A.npu()).cpu()
once = (A.float() * A.float() + A.float()).bfloat16()
each = A * A + A
print("as if rounded once:", torch.equal(C, once), " as torch, op by op:", torch.equal(C, each))

# %% tags=["lang:en"] stem="show_bf16"
show_passes(legal)

# %% tags=["lang:zh"] stem="show_bf16" en_sha="d1c66449"
show_passes(legal, language="zh")

# %% [markdown] tags=["lang:en"] stem="bf16_rule"
# The vector unit does not compute in bf16. `LegalizeNpuirBF16` **legalises** the two operations: it
# casts to float32, computes, casts back. What nobody reads in bf16 is not cast back in the end, so
# the chain rounds once. Torch rounds after each operation: both are right, and they differ.

# %% [markdown] tags=["lang:zh"] stem="bf16_rule" en_sha="da34d1d8"
# vector 单元不用 bf16 计算。`LegalizeNpuirBF16` 把这两个运算**合法化**（legalise）：转成 float32，计算，再转回去。没有人以 bf16 读取的中间结果最终不会转回去，所以这一串只舍入一次。torch 每个运算都舍入：两者都对，但不相等。

# %% [markdown] tags=["lang:en", "lecture"] stem="tolerance_words"
# ## A wide tolerance
#
# So results differ a little, and a test must allow for it. Somebody tests a softmax of rows of 4096
# with `torch.allclose(y, want, atol=1e-2)`. It has never failed: a good sign? Which of three
# results passes: the right one, all zeros, every element 1/4096?

# %% [markdown] tags=["lang:zh", "lecture"] stem="tolerance_words" en_sha="2e800fe9"
# ## 很宽的容差
#
# 所以结果会略有不同，测试必须允许这一点。有人用 `torch.allclose(y, want, atol=1e-2)` 测试每行 4096 个数的 softmax。它从没失败过：这是好事吗？三个结果里哪些能通过：正确的、全零的、每个元素都是 1/4096 的？

# %% tags=["lang:en"] stem="p2"
answer("d2.rounding.p2", "?")  # a: the right one alone  b: the right one and 1/4096  c: all three

# %% tags=["lang:zh"] stem="p2" en_sha="9708153e"
answer("d2.rounding.p2", "?", language="zh")  # a：只有正确的  b：正确的和 1/4096  c：三个都通过

# %% tags=["reveal", "lecture"] stem="allclose"
long_rows = torch.randn(16, 4096, generator=torch.Generator().manual_seed(1))
want = long_rows.double().softmax(dim=1)
candidates = {
    "right, in float32": long_rows.softmax(dim=1),
    "all zeros": torch.zeros(16, 4096),
    "1/4096": torch.full((16, 4096), 1 / 4096),
}
scale = want * (1 + long_rows.amax(dim=1, keepdim=True) - long_rows)  # S
passes, in_bounds = {}, {}
for name, y in candidates.items():
    passes[name] = torch.allclose(y.double(), want, atol=1e-2)
    in_bounds[name] = ((y.double() - want).abs() / (2**-24 * scale)).max().item()
    found = "within 4" if in_bounds[name] <= 4 else f"{in_bounds[name]:.0e}"
    print(f"{name:18} allclose {passes[name]}, largest error {found} eps S")

# %% [markdown] tags=["lang:en", "lecture"] stem="bound_words"
# The largest weight is below 1e-2, so everything passes. An error must be measured in the size of
# what was rounded: **|y - r| <= c eps S**. r is the result in float64, S the sizes that went into
# the element. For softmax exp multiplies the error of its difference; for a product S is the sum of
# |a||b|. Our checks use c = 4 for float32, 2 for 16 bits.

# %% [markdown] tags=["lang:zh", "lecture"] stem="bound_words" en_sha="0913db93"
# 最大的权重都小于 1e-2，所以什么都能通过。误差要用被舍入的量的大小来衡量：**|y - r| <= c eps S**。r 是 float64 的结果，S 是参与这个元素的各数的大小。对 softmax，exp 会放大减法的误差；对矩阵乘，S 是 |a||b| 之和。我们的检查里，float32 用 c = 4，16 位类型用 c = 2。


# %% tags=["kp:K087"] stem="gemms"
def product(form, M=64, N=64, K=2048, block=64):
    @T.prim_func
    def kernel(
        A: T.Tensor((M, K), "float16"), B: T.Tensor((K, N), "float16"),
        C: T.Tensor((M, N), "float16"),
    ):  # fmt: skip
        with T.Kernel(1, is_npu=True) as (cid, _):
            a, b = T.alloc_shared((M, block), "float16"), T.alloc_shared((block, N), "float16")
            c = T.alloc_fragment((M, N), "float32")
            part, total = T.alloc_shared((M, N), "float16"), T.alloc_shared((M, N), "float16")
            T.clear(total)
            for k in T.serial(K // block - (form == "last block missing")):
                T.copy(A[:, k * block : (k + 1) * block], a)
                T.copy(B[k * block : (k + 1) * block, :], b)
                if form == "rounded each trip":
                    T.gemm(a, b, c, initC=True)
                    T.copy(c, part)
                    T.vadd(total, part, total)
                else:
                    T.gemm(a, b, c, initC=(k == 0))
            if form == "rounded each trip":
                T.copy(total, C)
            else:
                T.copy(c, C)

    return tilelang.compile(kernel, target="npuir", out_idx=[2])


# %% tags=["lecture", "kp:K087"] stem="bounds"
generator = torch.Generator().manual_seed(2)
P, Q = (torch.randn(shape, generator=generator).half() for shape in ((64, 2048), (2048, 64)))
r, S, eps = P.double() @ Q.double(), P.double().abs() @ Q.double().abs(), 2**-11
per_element, whole = {}, {}
for form in ("right", "last block missing", "rounded each trip"):
    y = product(form)(P.npu(), Q.npu()).cpu().double()
    per_element[form] = ((y - r).abs() / (eps * S)).max().item()
    whole[form] = ((y - r).norm() / (eps * r.norm())).item()
    print(f"{form:18}  element by element {per_element[form]:7.2f} of 2"
          f"   as a whole {whole[form]:7.2f} of 1")  # fmt: skip

# %% tags=["lang:en"] stem="show_bounds"
from tlcourse.widgets.bars import BarView

percent = {form: round(100 * value) for form, value in whole.items() if value < 10}
BarView("Error of the whole, in percent of eps (limit 100)", percent, "%", look="L0C")

# %% tags=["lang:zh"] stem="show_bounds" en_sha="1640a032"
from tlcourse.widgets.bars import BarView

percent = [round(100 * value) for value in whole.values() if value < 10]
forms = dict(zip(("正确", "每次循环都舍入"), percent, strict=True))
BarView("整体误差，占 eps 的百分比（上限 100）", forms, "%", look="L0C", language="zh")

# %% [markdown] tags=["lang:en"] stem="bound_rule"
# A lost block is far outside either limit. Rounding in each trip, an **accumulator** in f16, stays
# inside the first: S is large, because it cannot know that terms cancel. The second limit, the error
# of all elements together, finds it: one rounding makes about 0.4 eps, many make more. Rule: **a
# bound has a reason, or it is no test.**

# %% [markdown] tags=["lang:zh"] stem="bound_rule" en_sha="782945f6"
# 漏掉一个块，误差远远超出两个界限。每次循环都舍入，即用 f16 作**累加器**（accumulator），却在第一个界限以内：S 很大，因为它不知道各项会相互抵消。第二个界限，即所有元素合起来的误差，能发现它：一次舍入约为 0.4 eps，多次就更多。规则：**误差界要有依据，否则不是测试。**

# %% [markdown] tags=["lang:en"] stem="six_words"
# ## Drill: rounding or bug?
#
# Six results, each with its error in eps S. Write six letters, r for rounding or b for bug: y1 was
# rounded to bf16; y2 sums from the other end; y3 leaves out one of 1024 terms; y4 is exp of an
# input rounded to f16; y5 is 1% too large; y6 swapped two equal rows.

# %% [markdown] tags=["lang:zh"] stem="six_words" en_sha="a8fff4aa"
# ## 小练习：舍入还是错误？
#
# 六个结果，每个给出以 eps S 计的误差。写六个字母，r 表示舍入，b 表示错误：y1 舍入成 bf16；y2 从另一头开始求和；y3 在 1024 项里漏掉一项；y4 是先舍入成 f16 再取 exp；y5 大了 1%；y6 交换了两个相同的行。

# %% tags=["lang:en"] stem="drill2"
answer("d2.rounding.drill2", "?")  # for example: rrbbrb

# %% tags=["lang:zh"] stem="drill2" en_sha="3ccb9564"
answer("d2.rounding.drill2", "?", language="zh")  # 例如：rrbbrb


# %% tags=["reveal"] stem="six"
def ratio(y, want, eps, S):
    return ((y.double() - want.double()).abs() / (eps * S.double())).max().item()


x = torch.randn(64, 1024, generator=torch.Generator().manual_seed(3))
total, sizes, e = x.double().sum(1), x.double().abs().sum(1), x.double().exp()
backwards = torch.zeros(64)
for column in reversed(range(1024)):
    backwards += x[:, column]
twins = torch.cat([x[:1], x[:1], x[2:]])
six = {
    "y1": ratio(x.bfloat16(), x, 2**-8, x.abs()),
    "y2": ratio(backwards, total, 2**-24, sizes),
    "y3": ratio(x[:, 1:].sum(1), total, 2**-24, sizes),
    "y4": ratio(x.half().double().exp(), e, 2**-11, e * (1 + x.abs())),
    "y5": ratio(1.01 * x, x, 2**-24, x.abs()),
    "y6": ratio(twins[[1, 0, *range(2, 64)]], twins, 2**-24, twins.abs()),
}
limits = {"y1": 2, "y2": 4, "y3": 4, "y4": 2, "y5": 4, "y6": 4}
verdicts = {name: "r" if six[name] <= limits[name] else "b" for name in six}
for name, value in six.items():
    print(f"{name}: {value:9,.1f} of {limits[name]} {verdicts[name]}")

# %% [markdown] tags=["lang:en", "lecture"] stem="recap"
# ## Recap
#
# - float16 is finer, bfloat16 reaches farther; bf16 arithmetic goes through float32.
# - Halves go to the even number under `rint`; other modes push to one side.
# - An error counts in eps S, with a reason for S; a wide absolute tolerance accepts zeros.
#
# **Next:** day 3. Every check of this course uses the bound of this lesson.

# %% [markdown] tags=["lang:zh", "lecture"] stem="recap" en_sha="ac4bfe94"
# ## 小结
#
# - float16 更精细，bfloat16 范围更大；bf16 的运算经过 float32。
# - `rint` 把恰好一半的数舍入到偶数；其他方式会偏向一边。
# - 误差以 eps S 计，而 S 要有依据；很宽的绝对容差连全零也接受。
#
# **接下来：** 第 3 天。本课程的每次检查都用这一节的误差界。

# %% tags=["golden"] stem="golden"
# What the text says holds in the outputs.
assert all(steps["bfloat16", low] == 8 * steps["float16", low] for low in (1, 100, 3000))
assert torch.tensor(12.0).exp().half().isinf()
assert torch.tensor(12.0).exp().bfloat16().isfinite()
assert integers["rint"] == [-2, -2, 0, 0, 2, 2, 4, 0] == X.round().int().tolist()
assert integers["round"] == [-3, -2, -1, 1, 2, 3, 4, 0]
assert integers["floor(x + 0.5)"] == [-2, -1, 0, 1, 2, 3, 4, 1]
assert list(casts.values()) == [0, 3, 2]
assert torch.equal(C, once)
assert not torch.equal(C, each)
assert all(passes.values())
assert want.max() < 1e-2
assert in_bounds["right, in float32"] <= 4 < min(in_bounds["all zeros"], in_bounds["1/4096"])
assert (
    per_element["right"] < per_element["rounded each trip"] < 2 < per_element["last block missing"]
)
assert whole["right"] < 0.5 < 1 < whole["rounded each trip"] < whole["last block missing"]
assert "".join(verdicts.values()) == "rrbrbr"
