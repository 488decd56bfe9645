# ---
# jupyter:
#   tlcourse:
#     id: d2.parallel
#     title: "2.7 What becomes of T.Parallel"
#     title_zh: "2.7 T.Parallel 变成了什么"
#     track: more
#     minutes: 35
#     needs: [d2.row_ops]
# ---

# %% [markdown] tags=["lang:en", "lecture"] stem="goals"
# # 2.7 What becomes of T.Parallel
#
# *more, 35 minutes, needs lesson 2.6*
#
# You will be able to
# - name the vector operations that an element formula becomes, before you compile it,
# - say what `T.if_then_else` costs, and why,
# - tell a loop that **vectorises** from one that stays scalar, and from one that is not allowed,
# - read the compiler's own note on each loop, and mend the loop.

# %% [markdown] tags=["lang:zh", "lecture"] stem="goals" en_sha="a74a5aa8"
# # 2.7 T.Parallel 变成了什么
#
# *进阶内容，35 分钟，先修 2.6 节*
#
# 学完后你能够
# - 在编译之前，说出一个逐元素公式会变成哪些向量运算；
# - 说出 `T.if_then_else` 的代价和原因；
# - 区分能**向量化**（vectorise）的循环、保持标量的循环和不允许的循环；
# - 读懂编译器给每个循环写下的注记，并据此改好循环。

# %% tags=["setup"] stem="imports"
import os

os.environ["TILELANG_ASCEND_MODE"] = "Developer"
from tlcourse import check, hint, answer, progress, show_passes, show_timeline, show_memory
import tilelang
import tilelang.language as T
import torch

# %% [markdown] tags=["lang:en", "lecture"] stem="element_words"
# ## One formula, one kernel
#
# The kernel below takes its formula as a Python function. It is called once, while the kernel is
# traced, with one element of each tile. Later the pass `NpuLoopVectorize` looks at the whole loop,
# and leaves a **note** that says what became of it. First formula: `a + b`.

# %% [markdown] tags=["lang:zh", "lecture"] stem="element_words" en_sha="2a4b1f31"
# ## 一个公式，一个内核
#
# 下面的内核把公式当作 Python 函数传进来。追踪内核时它只被调用一次，参数是每个数据块的一个元素。之后，pass `NpuLoopVectorize` 查看整个循环，并留下一条**注记**（note），说明循环变成了什么。第一个公式：`a + b`。


# %% tags=["lecture", "kp:K008", "kp:K122", "kp:K124", "kp:K125"] stem="element"
os.environ["TILELANG_ASCEND_DEVICE_NAME"] = "Ascend910B1"  # all times are of this chip
M, N = 16, 64


def elementwise(formula, columns=N):
    @T.prim_func
    def kernel(
        A: T.Tensor((M, N), "float32"), B: T.Tensor((M, N), "float32"),
        R: T.Tensor((M, 1), "float32"), C: T.Tensor((M, N), "float32"),
    ):  # fmt: skip
        with T.Kernel(1, is_npu=True) as (cid, _):
            a, b = T.alloc_shared((M, N), "float32"), T.alloc_shared((M, N), "float32")
            r = T.alloc_shared((M, 1), "float32")
            T.copy(A, a)
            T.copy(B, b)
            T.copy(R, r)
            for i, j in T.Parallel(M, columns):
                b[i, j] = formula(a[i, j], b[i, j], r[i, 0])
            T.copy(b, C)

    return tilelang.compile(kernel, target="npuir", out_idx=[3])


def notes(kernel):  # what NpuLoopVectorize says of each loop
    shots = kernel.trace().snapshots
    return next(shot.notes for shot in shots if shot.pass_name == "NpuLoopVectorize")


adding = elementwise(lambda a, b, r: a + b)
A, B = (torch.randn(M, N, generator=torch.Generator().manual_seed(s)) for s in (0, 1))
R = A.amax(dim=1, keepdim=True)
right = torch.equal(adding(A.npu(), B.npu(), R.npu()).cpu(), A + B)
print("right:", right, " note:", notes(adding)[0])

# %% tags=["lang:en"] stem="show_passes"
show_passes(adding)

# %% tags=["lang:zh"] stem="show_passes" en_sha="a3296b5b"
show_passes(adding, language="zh")

# %% [markdown] tags=["lang:en"] stem="table_words"
# Choose `NpuLoopVectorize` in the list: before it a loop over elements, behind it one `tl.vadd`.
# Drill: write the operations that these become: `a / b`, `exp(a)`, `1 / a`, `a * r` where `r` has
# one column, `sigmoid(a)`. A hint: no vector division takes a number in front.

# %% [markdown] tags=["lang:zh"] stem="table_words" en_sha="cafc7692"
# 在列表里选 `NpuLoopVectorize`：之前是对元素的循环，之后是一条 `tl.vadd`。小练习：写出这些公式会变成的运算：`a / b`、`exp(a)`、`1 / a`、`a * r`（`r` 只有一列）、`sigmoid(a)`。提示：没有哪条向量除法的前面可以直接放一个数。

# %% tags=["lang:en"] stem="drill1"
answer("d2.parallel.drill1", "?")  # for example: vdiv; vexp; ...

# %% tags=["lang:zh"] stem="drill1" en_sha="6a0444b3"
answer("d2.parallel.drill1", "?", language="zh")  # 例如：vdiv; vexp; ...

# %% tags=["reveal", "lecture", "kp:K126", "kp:K127", "kp:K128", "kp:K130"] stem="table"
formulas = {
    "a + b": lambda a, b, r: a + b,
    "a - b": lambda a, b, r: a - b,
    "a * b": lambda a, b, r: a * b,
    "a / b": lambda a, b, r: a / b,
    "exp(a)": lambda a, b, r: T.exp(a),
    "1 / a": lambda a, b, r: 1.0 / a,
    "a * r": lambda a, b, r: a * r,
    "sigmoid(a)": lambda a, b, r: T.sigmoid(a),
    "1 / (1 + exp(-a))": lambda a, b, r: 1.0 / (1.0 + T.exp(-a)),
}


def became(kernel):
    return notes(kernel)[0].split("became ")[1]


table = {name: became(elementwise(formula)) for name, formula in formulas.items()}
for name, ops in table.items():
    print(f"{name:18} {ops}")

# %% tags=["lang:en"] stem="show_sigmoid"
sigmoid = elementwise(formulas["sigmoid(a)"])
show_timeline(sigmoid.profile((M, N), (M, N), (M, 1)))

# %% tags=["lang:zh"] stem="show_sigmoid" en_sha="a41502c8"
sigmoid = elementwise(formulas["sigmoid(a)"])
show_timeline(sigmoid.profile((M, N), (M, N), (M, 1)), language="zh")

# %% [markdown] tags=["lang:en"] stem="table_rule"
# `vbrc` **broadcasts**: it fills a tile with a number, or repeats a column across a row. A sigmoid
# is recognised even when written out. The chip has no sigmoid, though: a later pass makes four
# instructions of `vsigmoid`, and these stand on lane V above.

# %% [markdown] tags=["lang:zh"] stem="table_rule" en_sha="0dae7f44"
# `vbrc` 做**广播**（broadcast）：用一个数填满数据块，或者把一列沿行重复。sigmoid 即使展开来写也会被认出。不过芯片没有 sigmoid 指令：后面的 pass 把 `vsigmoid` 变成四条指令，就是上图 V 泳道里的那四条。

# %% tags=["kp:K131"] stem="comparisons"
comparisons = {
    "a < b": lambda a, b, r: T.if_then_else(a < b, a, b),
    "a <= b": lambda a, b, r: T.if_then_else(a <= b, a, b),
    "a > b": lambda a, b, r: T.if_then_else(a > b, a, b),
    "a >= b": lambda a, b, r: T.if_then_else(a >= b, a, b),
    "a == b": lambda a, b, r: T.if_then_else(a == b, a, b),
    "a != b": lambda a, b, r: T.if_then_else(a != b, a, b),
}


def text_after(kernel, name):
    trace = kernel.trace()
    return next(trace.texts[s.text_id] for s in trace.snapshots if s.pass_name == name)


def vcmp(kernel):  # mode and operands of the comparison
    text = text_after(kernel, "NpuLoopVectorize")
    return next(line for line in text.splitlines() if "vcmp" in line).split("tl.")[1].split(" :")[0]


compared = {name: vcmp(elementwise(formula)) for name, formula in comparisons.items()}
for name, op in compared.items():
    print(f"{name:6} {op})")

# %% [markdown] tags=["lang:en", "lecture"] stem="choice_words"
# ## Two branches
#
# Six comparisons, four modes: `a > b` has become `b < a`, with the operands turned round. The
# answers, one bit an element, go to `T.if_then_else`. Say the first branch is dear, `exp(a)`, and
# the second one cheap, `b * b`. In three runs no element, half, and all of them are positive. In
# which does `exp` take the longest?

# %% [markdown] tags=["lang:zh", "lecture"] stem="choice_words" en_sha="817b38bb"
# ## 两个分支
#
# 六种比较只有四种方式：`a > b` 变成了 `b < a`，两个操作数对调。比较结果每个元素占一位，交给 `T.if_then_else`。设第一个分支贵，是 `exp(a)`；第二个便宜，是 `b * b`。三次运行里，正的元素分别是零个、一半、全部。哪一次 `exp` 用的时间最长？

# %% tags=["lang:en"] stem="p1"
answer("d2.parallel.p1", "?")  # a: where all are positive  b: where half are  c: the same in all

# %% tags=["lang:zh"] stem="p1" en_sha="616a2efe"
answer("d2.parallel.p1", "?", language="zh")  # a：全部为正时  b：一半为正时  c：三次都一样

# %% tags=["reveal", "lecture", "kp:K129"] stem="branches"
choice = elementwise(lambda a, b, r: T.if_then_else(a > 0.0, T.exp(a), b * b))
print(became(choice))
seen = {}
for name, tile in {"none": -A.abs(), "half": A, "all": A.abs()}.items():
    launch = choice.launch(tile.npu(), B.npu(), R.npu())
    want = torch.where(tile > 0, tile.exp(), B * B)
    exp = next(i for i in launch.timeline.instructions if i.op == "vexp")
    seen[name] = exp.operations, exp.end_cycle - exp.start_cycle
    right = torch.allclose(launch.outputs[0].cpu(), want, atol=1e-4, rtol=1e-4)
    print(f"{name:4} {(tile > 0).sum():4} positive; exp of {seen[name][0]} elements, "
          f"{seen[name][1]} cycles; right {right}")  # fmt: skip

logarithm = elementwise(lambda a, b, r: T.if_then_else(a > 0.0, T.log(a), 0.0))
logs = logarithm.launch(A.npu(), B.npu(), R.npu())
print("NaN in C:", logs.outputs[0].cpu().isnan().sum().item(), " findings:", len(logs.findings))

# %% tags=["lang:en", "reveal"] stem="show_choice"
show_timeline(choice)

# %% tags=["lang:zh", "reveal"] stem="show_choice" en_sha="1707e518"
show_timeline(choice, language="zh")

# %% [markdown] tags=["lang:en"] stem="choice_rule"
# A vector instruction works on the whole tile: **both branches are computed for all elements**, and
# `vsel` picks. So a choice costs the sum of its branches, whatever the data. The logarithm of
# negative numbers was computed, too; its NaN were dropped by the selection.

# %% [markdown] tags=["lang:zh"] stem="choice_rule" en_sha="920b9d60"
# 一条向量指令处理整个数据块：**两个分支对所有元素都要计算**，然后由 `vsel` 挑选。所以不管数据如何，选择的代价是两个分支之和。负数的对数也算了，得到的 NaN 在挑选时被丢掉。

# %% [markdown] tags=["lang:en", "lecture"] stem="scalar_words"
# ## Wrong first: three loops
#
# 256 numbers in one row. First loop: two statements in its body. Second: an index that is
# computed, `c[N - 1 - i]`, which turns the row round. Third: a running sum, where each element
# needs the one before it. All three stand under `T.Parallel`. Which become vector operations?

# %% [markdown] tags=["lang:zh", "lecture"] stem="scalar_words" en_sha="aeff2620"
# ## 先看错的：三个循环
#
# 一行 256 个数。第一个循环：循环体里有两条语句。第二个：下标要计算，`c[N - 1 - i]`，把一行倒过来。第三个：累加和，每个元素要用前一个元素。三个都写在 `T.Parallel` 下面。哪些会变成向量运算？

# %% tags=["lang:en"] stem="p2"
answer("d2.parallel.p2", "?")  # a: all three  b: the first two  c: none

# %% tags=["lang:zh"] stem="p2" en_sha="19bc52e5"
answer("d2.parallel.p2", "?", language="zh")  # a：三个都会  b：前两个  c：一个也不会


# %% tags=["reveal", "lecture", "kp:K123"] stem="three_loops"
def one_row(form, N=256):
    @T.prim_func
    def kernel(X: T.Tensor((N,), "float32"), Y: T.Tensor((N,), "float32")):
        with T.Kernel(1, is_npu=True) as (cid, _):
            a, c = T.alloc_shared((N,), "float32"), T.alloc_shared((N,), "float32")
            T.copy(X, a)
            T.copy(X, c)
            if form == "two statements":
                for i in T.Parallel(N):
                    a[i] = a[i] * 2.0
                    c[i] = a[i] + 1.0
            if form == "two loops":
                for i in T.Parallel(N):
                    a[i] = a[i] * 2.0
                for i in T.Parallel(N):
                    c[i] = a[i] + 1.0
            if form == "turned":
                for i in T.Parallel(N):
                    c[N - 1 - i] = a[i]
            if form == "running sum":
                for i in T.Parallel(N - 1):
                    c[i + 1] = c[i] + a[i + 1]
            if form == "T.cumsum":
                T.cumsum(a, c, dim=0)
            T.copy(c, Y)

    return tilelang.compile(kernel, target="npuir", out_idx=[1])


wrong_first = {form: one_row(form) for form in ("two statements", "turned", "running sum")}
for form, kernel in wrong_first.items():
    print(f"{form:15}", *notes(kernel))

# %% [markdown] tags=["lang:en"] stem="price_words"
# None. The last loop is worse than slow. `T.Parallel` promises that **no iteration uses what another
# one writes**; a running sum breaks the promise. Our simulator keeps the order, so its numbers are
# right; upstream may read old ones. `differences` tells where a kernel leans on that. Now the price.

# %% [markdown] tags=["lang:zh"] stem="price_words" en_sha="66ffbbb9"
# 一个也没有。最后一个不只是慢。`T.Parallel` 承诺**任何一次迭代都不用别的迭代写入的值**；累加和违背了这个承诺。我们的模拟器保持次序，所以数值是对的；上游可能读到旧值。`differences` 会指出内核哪里依赖这一点。再看代价。

# %% tags=["kp:K123"] stem="price"
from tlcourse.jit.differences import differences

loops = wrong_first | {form: one_row(form) for form in ("two loops", "T.cumsum")}
X = torch.rand(256, generator=torch.Generator().manual_seed(2))
wants = {"turned": X.flip(0), "running sum": X.cumsum(0), "T.cumsum": X.cumsum(0)}
cycles, exact, rules = {}, {}, {}
for form, kernel in loops.items():
    launch = kernel.launch(X.npu())
    want = wants.get(form, 2 * X + 1)
    exact[form] = torch.allclose(launch.outputs[0].cpu(), want, atol=1e-4, rtol=1e-4)
    cycles[form] = launch.timeline.cycles - launch.timeline.launch_cycles
    rules[form] = [one.rule for one in differences(kernel).differences]
    print(f"{form:15} right {exact[form]}, {cycles[form]:6,} cycles, leans on {rules[form]}")

# %% tags=["lang:en"] stem="show_price"
from tlcourse.widgets.bars import BarView

BarView("Cycles for one row of 256, without the launch", cycles, "cycles", look="S")

# %% tags=["lang:zh"] stem="show_price" en_sha="1366af3b"
from tlcourse.widgets.bars import BarView

forms = ("两条语句", "倒序", "累加和", "两个循环", "T.cumsum")
BarView(
    "一行 256 个数的周期数，不含启动",
    dict(zip(forms, cycles.values(), strict=True)),
    "个周期",
    look="S",
    language="zh",
)

# %% [markdown] tags=["lang:en", "lecture"] stem="price_rule"
# A scalar loop reads and writes its elements one by one on pipe S. The cure is in the text: **one
# statement a loop, plain loop variables as indices of the store, no iteration that waits for
# another**. Where the order is meant, there is a call for it: `T.cumsum` here, a reduction
# elsewhere.

# %% [markdown] tags=["lang:zh", "lecture"] stem="price_rule" en_sha="2a1900a3"
# 标量循环在流水线 S 上一个一个地读写元素。改法就在代码里：**每个循环一条语句，存入时下标只用循环变量，迭代之间互不等待**。确实需要先后次序时，有专门的调用：这里是 `T.cumsum`，别处是归约。

# %% [markdown] tags=["lang:en"] stem="flat_words"
# ## A tile becomes one row
#
# A 16x64 tile that is used whole lies in one piece. **AutoFlatten**, the pass `hivm-flatten-ops`,
# joins its two dimensions: one long row, fewer instructions to set up. Then the same loop over the
# left half of the columns only, where the piece has gaps.

# %% [markdown] tags=["lang:zh"] stem="flat_words" en_sha="44a3115b"
# ## 数据块变成一行
#
# 整块使用的 16x64 数据块在内存里是连续的。**AutoFlatten**，即 pass `hivm-flatten-ops`，把它的两个维度合并：变成很长的一行，需要设置的指令更少。然后只对左半边的列做同样的循环，那里就有空隙了。


# %% tags=["kp:K068"] stem="flatten"
def vadd_types(kernel, name):  # the shape that the addition works on
    lines = text_after(kernel, name).splitlines()
    line = next(line for line in lines if "hivm.hir.vadd" in line)
    return line.split("memref<")[1].split("xf32")[0]


half = elementwise(formulas["a + b"], columns=N // 2)
names = [shot.pass_name for shot in adding.trace().snapshots]
before = names[names.index("hivm-flatten-ops") - 1]
flat = {name: vadd_types(adding, name) for name in (before, "hivm-flatten-ops")}
print("whole tile:", flat)
print("half of it:", notes(half)[0])
spent = {}
for name, kernel in {"whole": adding, "half": half}.items():
    kernel(A.npu(), B.npu(), R.npu())
    work = [i for i in kernel.last_launch.timeline.instructions if i.op == "vadd"]
    spent[name] = len(work), sum(i.end_cycle - i.start_cycle for i in work)
    print(f"{name:5}: {spent[name][0]} vadd, {spent[name][1]} cycles")

# %% tags=["lang:en"] stem="show_half"
show_timeline(half)

# %% tags=["lang:zh"] stem="show_half" en_sha="de5ed014"
show_timeline(half, language="zh")

# %% [markdown] tags=["lang:en"] stem="flat_rule"
# Half of the work takes many times as long: a row at a time, since the rows of a half tile do not
# touch each other. Work on whole tiles, and give a narrow result a narrow tile of its own.

# %% [markdown] tags=["lang:zh"] stem="flat_rule" en_sha="67daec4f"
# 一半的工作却用了许多倍的时间：只能一次一行，因为半个数据块的各行并不相连。所以要对整个数据块做运算；结果较窄时，给它一个同样窄的数据块。

# %% [markdown] tags=["lang:en", "lecture"] stem="recap"
# ## Recap
#
# - One statement over whole tiles becomes vector operations; the note of the pass says which.
# - `if_then_else` computes both branches and selects.
# - Several statements and computed store indices stay scalar; dependent iterations are not allowed.
#
# **Exercises:** [d2.sigmoid_where](../../exercises/day2/sigmoid_where.ipynb) and
# [d2.which_vectorise](../../exercises/day2/which_vectorise.ipynb).

# %% [markdown] tags=["lang:zh", "lecture"] stem="recap" en_sha="5c6ec374"
# ## 小结
#
# - 对整个数据块的一条语句会变成向量运算；pass 的注记说明是哪些。
# - `if_then_else` 两个分支都计算，再挑选。
# - 多条语句、存入下标要计算的循环保持标量；迭代之间有依赖是不允许的。
#
# **练习：** [d2.sigmoid_where](../../../exercises/zh/day2/sigmoid_where.ipynb) 和
# [d2.which_vectorise](../../../exercises/zh/day2/which_vectorise.ipynb)。

# %% tags=["golden"] stem="golden"
# What the text says holds in the outputs.
assert right
assert table["1 / a"] == "vbrc, vdiv"
assert table["a * r"] == "copy, vbrc, vmul"
assert table["sigmoid(a)"] == table["1 / (1 + exp(-a))"] == "vsigmoid"
assert [i.op for i in sigmoid.profile((M, N), (M, N), (M, 1)).instructions if i.pipe == "V"] == [
    "vmul", "vexp", "vadd", "vrec"
]  # fmt: skip
assert compared["a > b"] == 'vcmp "lt" ins(%b, %a'
assert len({op.split()[1] for op in compared.values()}) == 4
assert became(choice) == "vcmp, vexp, vmul, vselect"
assert len(set(seen.values())) == 1
assert seen["none"][0] == M * N
assert not logs.outputs[0].cpu().isnan().any()
assert not logs.findings
assert all("kept scalar" in notes(kernel)[0] for kernel in wrong_first.values())
assert all(exact.values())
assert [form for form, rule in rules.items() if rule] == ["running sum"]
assert min(cycles["two statements"], cycles["turned"]) > 10 * cycles["two loops"]
assert 4 * cycles["T.cumsum"] < cycles["running sum"]
assert list(flat.values()) == ["16x64", "1024"]
assert spent["half"][0] == 16
assert spent["half"][1] > 5 * spent["whole"][1]
