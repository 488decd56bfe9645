# ---
# jupyter:
#   tlcourse:
#     id: d3.clinic
#     title: "3.4 Debugging clinic"
#     title_zh: "3.4 调试门诊"
#     track: core
#     minutes: 45
#     needs: [d3.flash]
# ---

# %% [markdown] tags=["lang:en", "lecture"] stem="goals"
# # 3.4 Debugging clinic
#
# *core, 45 minutes, needs lesson 3.3*
#
# You will be able to
# - tell three classes of faults apart: **precision**, **compile** and **run**,
# - look into a running kernel with `T.print` and find where NaN is born,
# - read an error in its four parts, and a finding with its two lines,
# - set a flag by hand, and say what happens when nobody waits for it.

# %% [markdown] tags=["lang:zh", "lecture"] stem="goals" en_sha="58a5d1f7"
# # 3.4 调试门诊
#
# *核心内容，45 分钟，先修 3.3 节*
#
# 学完后你能够
# - 区分三类故障：**精度**（precision）、**编译**（compile）和**运行**（run）；
# - 用 `T.print` 查看运行中的内核，找到 NaN 产生的地方；
# - 读懂报错的四个部分，以及一条发现（finding）中的两行代码；
# - 手写一个标志，并说出没有流水线等它时会怎样。

# %% tags=["setup"] stem="imports"
import os

os.environ["TILELANG_ASCEND_MODE"] = "Developer"
from tlcourse import check, hint, answer, progress, show_passes, show_timeline, show_memory
import tilelang
import tilelang.language as T
import torch

# %% [markdown] tags=["lang:en", "lecture"] stem="patient_words"
# ## First patient: it runs, and it is wrong
#
# FlashAttention for texts that are padded on the **left**: the first `pad` keys are no words and
# get minus infinity, as in lesson 3.3. 64 queries, 192 keys in three tiles. It passed its test
# with `pad` = 0 and 40. Then somebody sent a text with 64 padded keys.

# %% [markdown] tags=["lang:zh", "lecture"] stem="patient_words" en_sha="93a35274"
# ## 第一位病人：能运行，但结果错
#
# 用于**左侧**填充文本的 FlashAttention：前 `pad` 个键不是词，像 3.3 节那样得到负无穷。64 个查询，192 个键分三块。`pad` = 0 和 40 的测试都通过了。后来有人送来一段左侧填充了 64 个键的文本。

# %% tags=["setup"] stem="inputs"
os.environ["TILELANG_ASCEND_DEVICE_NAME"] = "Ascend910B1"  # all times are of this chip
generator = torch.Generator().manual_seed(0)
Q, K, V = (torch.randn(n, 64, generator=generator).half() for n in (64, 192, 192))


def reference(pad):
    scores = Q.float() @ K.float().T / 8
    scores[:, :pad] = -torch.inf
    return scores.softmax(-1) @ V.float()


# %% tags=["lang:en"] stem="show_tiles"
from tlcourse.widgets.grid import MatrixTiles

MatrixTiles(64, 192, 64, 64, block=0)  # the first tile of keys: all of it is padding

# %% tags=["lang:zh"] stem="show_tiles" en_sha="fc281c02"
from tlcourse.widgets.grid import MatrixTiles

MatrixTiles(64, 192, 64, 64, block=0, language="zh")  # 第一块键：全是填充


# %% stem="padded"
@tilelang.jit(out_idx=[3], target="npuir")
def padded(pad, S=192, D=64, block=64, lowest=-T.infinity("float32"), look=False):
    square, column, hidden = (block, block), (block, 1), -T.infinity("float32")

    @T.prim_func
    def attention(
        Q: T.Tensor((block, D), "float16"), K: T.Tensor((S, D), "float16"),
        V: T.Tensor((S, D), "float16"), O: T.Tensor((block, D), "float16"),
    ):  # fmt: skip
        with T.Kernel(1, is_npu=True) as (cid, _):
            q, k = T.alloc_shared((block, D), "float16"), T.alloc_shared((block, D), "float16")
            v, p = T.alloc_shared((block, D), "float16"), T.alloc_shared(square, "float16")
            pv, o = T.alloc_fragment((block, D), "float32"), T.alloc_fragment((block, D), "float32")
            s, x = T.alloc_fragment(square, "float32"), T.alloc_fragment(column, "float32")
            m, l = T.alloc_shared(column, "float32"), T.alloc_shared(column, "float32")
            factor = T.alloc_shared(column, "float32")
            T.copy(Q, q)
            start(m, l, o, lowest)
            for j in T.serial(S // block):
                T.copy(K[j * block : (j + 1) * block, :], k)
                T.copy(V[j * block : (j + 1) * block, :], v)
                T.gemm(q, k, s, initC=True, b_transpose=True)
                T.vmul(s, D**-0.5, s)
                for a, b in T.Parallel(block, block):
                    s[a, b] = T.if_then_else(j * block + b < pad, hidden, s[a, b])
                weights(s, m, l, x, factor)
                if look:
                    T.print(m[0:1, :], "max")
                    T.print(factor[0:1, :], "factor")
                    T.print(l[0:1, :], "denominator")
                T.copy(s, p)
                T.gemm(p, v, pv, initC=True)
                T.vmul(o, factor, o)
                T.vadd(o, pv, o)
            T.vdiv(o, l, o)
            T.copy(o, O)

    return attention


# %% stem="macros"
@T.macro
def start(m, l, o, lowest):
    """Nothing is seen yet: the maximum is the lowest number."""
    T.vbrc(lowest, m)
    T.vbrc(0.0, l)
    T.vbrc(0.0, o)


@T.macro
def weights(s, m, l, x, factor):
    """The online softmax of lesson 3.2."""
    T.reduce_max(s, x, dim=1)
    T.vmax(m, x, x)
    T.vsub(m, x, factor)
    T.vexp(factor, factor)
    T.copy(x, m)
    T.vsub(s, m, s)
    T.vexp(s, s)
    T.reduce_sum(s, x, dim=1)
    T.vmul(l, factor, l)
    T.vadd(l, x, l)


# %% tags=["lecture", "kp:K166"] stem="examine"
def examine(pad, **settings):
    launch = padded(pad, **settings).launch(Q.npu(), K.npu(), V.npu())
    O = launch.outputs[0].cpu().float()
    right = (O - reference(pad)).abs().max().item() < 1e-3
    return right, int(O.isnan().sum()), launch.findings


for pad in (0, 40, 64):
    right, nans, _ = examine(pad)
    print(f"pad {pad:2}: right {right}, {nans} of {64 * 64} elements are NaN")

# %% tags=["lang:en"] stem="show_nans"
from tlcourse.widgets.bars import BarView

counted = {f"{pad} padded keys": examine(pad)[1] for pad in (0, 40, 64, 100)}
BarView("Elements of O that are NaN, by padding, as given", counted, look="UB")

# %% tags=["lang:zh"] stem="show_nans" en_sha="06ebbe14"
from tlcourse.widgets.bars import BarView

counted = {f"{pad} 个填充键": examine(pad)[1] for pad in (0, 40, 64, 100)}
BarView("按填充数量：原内核的 O 中 NaN 的个数", counted, look="UB", language="zh")

# %% [markdown] tags=["lang:en", "lecture"] stem="born_words"
# **Precision** class: it compiles, it runs, the numbers are wrong. Everything in O is NaN, and O is
# written by the quotient. But is that where NaN was born? Ask for the first wrong number: first in
# the order of the work, not in the order in which you see it.

# %% [markdown] tags=["lang:zh", "lecture"] stem="born_words" en_sha="e2c2f307"
# 这是**精度**类：能编译，能运行，数值错。O 里全是 NaN，而 O 由最后的除法写出。可是 NaN 就是在那里产生的吗？要找第一个错误的数：按计算的先后，而不是按你看到的先后。

# %% tags=["lang:en"] stem="p1"
answer("d3.clinic.p1", "?")  # first NaN: a: the quotient  b: T.gemm of p and v  c: the first trip

# %% tags=["lang:zh"] stem="p1" en_sha="450602c5"
answer("d3.clinic.p1", "?", language="zh")  # 第一个 NaN： a：商  b：矩阵乘 T.gemm  c：第一次循环里

# %% tags=["reveal", "lecture", "kp:K167"] stem="look"
import contextlib
import io
import re


def stages(**settings):  # what T.print says of row 0, trip by trip
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        padded(64, look=True, **settings).launch(Q.npu(), K.npu(), V.npu(), execution="functional")
    return re.findall(r"\] (\w+)\s+\[\[ *(\S+?) *\]\]", said.getvalue())


said = stages()
scores = (Q.float() @ K.float().T / 8)[0].masked_fill(torch.arange(192) < 64, -torch.inf)
print("trip  what         kernel     torch")
for number, (what, value) in enumerate(said):
    trip, seen = number // 3, scores[: number // 3 * 64 + 64]
    want = {"max": seen.max(), "denominator": (seen - scores.max()).exp().sum()}.get(what)
    print(f"{trip:4}  {what:12} {value:10}", "" if want is None else f"{want:.4f}")

# %% [markdown] tags=["lang:en"] stem="born_rule"
# Read it from the top. In the first trip all keys are hidden: the maximum stays minus infinity,
# and `m - x` is infinity less infinity, which is no number. From there NaN goes into the
# denominator, which is multiplied by 0 in the next trip; but 0 times NaN is NaN. The report of the
# launch names the same line.

# %% [markdown] tags=["lang:zh"] stem="born_rule" en_sha="8c78a0b1"
# 从上往下读。第一次循环里所有键都被遮住：最大值仍是负无穷，`m - x` 就是无穷减无穷，不是数。NaN 由此进入分母；下一次循环虽然乘以 0，但 0 乘 NaN 还是 NaN。这次启动的报告指出的是同一行。

# %% tags=["kp:K071"] stem="finding"
right, nans, findings = examine(64)
for finding in findings:
    found = finding.diagnostic
    line = found.labels[0].span.line
    print(found.code, found.what)
    print("  line", line, "of the cell:", found.labels[0].text)
mended = {pad: examine(pad, lowest=-1e30) for pad in (0, 40, 64, 100)}
print("lowest = -1e30:", {pad: right for pad, (right, _, _) in mended.items()})

# %% tags=["lang:en"] stem="show_mended"
show_timeline(padded(64, lowest=-1e30))

# %% tags=["lang:zh"] stem="show_mended" en_sha="244b8911"
show_timeline(padded(64, lowest=-1e30), language="zh")

# %% [markdown] tags=["lang:en"] stem="mended_words"
# A very low number in place of minus infinity mends it: the difference is 0, the factor 1, the
# denominator stays 0. You have four helps by now: places in the source, print, checks, and the
# profile above. One warning about print: upstream takes shared tiles and tensors only and refuses a
# fragment. Copy it to a shared tile first. Our `lint` says so, although the simulator prints both.

# %% [markdown] tags=["lang:zh"] stem="mended_words" en_sha="a163aaaf"
# 用一个绝对值很大的负数代替负无穷就好了：差是 0，系数是 1，分母仍是 0。你现在有四种手段：源码位置、打印、检查，以及上面的时间线（profile）。打印要注意：上游只接受 shared 数据块和张量，拒绝 fragment，要先拷贝到 shared 数据块。模拟器两种都能打印，但我们的 `lint` 会指出来。


# %% tags=["kp:K167"] stem="fragment"
from tlcourse.jit.differences import differences


def look_at(into_shared):
    @T.prim_func
    def kernel(X: T.Tensor((64, 64), "float32"), Y: T.Tensor((64, 1), "float32")):
        with T.Kernel(1, is_npu=True) as (cid, _):
            x, m = T.alloc_shared((64, 64), "float32"), T.alloc_fragment((64, 1), "float32")
            see = T.alloc_shared((64, 1), "float32")
            T.copy(X, x)
            T.reduce_max(x, m, dim=1)
            T.copy(m, see)
            T.print(see if into_shared else m, "max")
            T.copy(m, Y)

    return tilelang.compile(kernel, target="npuir", out_idx=[1])


reports = {copied: differences(look_at(copied)).differences for copied in (False, True)}
for copied, report in reports.items():
    print("copied first:" if copied else "fragment:", [one.rule for one in report])
print(reports[False][0].diagnostic.fix)

# %% [markdown] tags=["lang:en", "lecture"] stem="compile_words"
# ## Second patient: it does not compile
#
# **Compile** class. Three kernels: a shape, a dtype, a misspelt call. An error has four parts: what
# is wrong, the line with a mark, why, and a fix. Check in this order: the call's name and
# arguments, the dtypes, the shapes. The message says which of the three it is.

# %% [markdown] tags=["lang:zh", "lecture"] stem="compile_words" en_sha="9ec5a3a7"
# ## 第二位病人：不能编译
#
# **编译**类。三个内核：一个形状错，一个数据类型错，一个函数名拼错。报错有四个部分：错误是什么、带标记的那一行、为什么、怎样改。按这个次序检查：函数名和参数、数据类型、形状。报错会说明是哪一种。


# %% tags=["kp:K168"] stem="broken"
def wrong_shape():
    @T.prim_func
    def kernel(A: T.Tensor((64, 128), "float16"), C: T.Tensor((64, 64), "float32")):
        with T.Kernel(1, is_npu=True) as (cid, _):
            a, b = T.alloc_shared((64, 128), "float16"), T.alloc_shared((64, 128), "float16")
            c = T.alloc_fragment((64, 64), "float32")
            T.copy(A, a)
            T.copy(A, b)
            T.gemm(a, b, c, initC=True)
            T.copy(c, C)


def wrong_dtype():
    @T.prim_func
    def kernel(A: T.Tensor((64, 128), "float16"), C: T.Tensor((64, 128), "float32")):
        with T.Kernel(1, is_npu=True) as (cid, _):
            a, c = T.alloc_shared((64, 128), "float16"), T.alloc_shared((64, 128), "float32")
            T.copy(A, a)
            T.vexp(a, a)
            T.vadd(a, a, c)
            T.copy(c, C)


def wrong_call():
    @T.prim_func
    def kernel(A: T.Tensor((64, 128), "float32"), C: T.Tensor((64, 128), "float32")):
        with T.Kernel(1, is_npu=True) as (cid, _):
            a = T.alloc_shared((64, 128), "float32")
            T.copy(A, a)
            T.vexpp(a, a)
            T.copy(a, C)


# %% tags=["lecture", "kp:K169"] stem="refused"
from tlcourse.diagnostics import TLError

refused = {}
for attempt in (wrong_shape, wrong_dtype, wrong_call):
    try:
        attempt()
    except TLError as problem:
        refused[attempt.__name__] = problem.diagnostic
        print(f"{attempt.__name__}: {problem.diagnostic.code}, {problem.diagnostic.what}")
        print("   fix:", problem.diagnostic.fix)

# %% tags=["lang:en"] stem="show_shapes"
from tlcourse.widgets.tiles import TileView

TileView(64, 64, 128)

# %% tags=["lang:zh"] stem="show_shapes" en_sha="cad90bcd"
from tlcourse.widgets.tiles import TileView

TileView(64, 64, 128, language="zh")

# %% [markdown] tags=["lang:en"] stem="compile_rule"
# The picture shows what the first message asks for: the columns of A meet the rows of B. Nothing
# was compiled or run here; the text alone was read. Rule: **read the first line and the fix, mend
# one thing, try again.**

# %% [markdown] tags=["lang:zh"] stem="compile_rule" en_sha="eb1d044c"
# 图中就是第一条报错所要求的：A 的列数要等于 B 的行数。这里既没有编译，也没有运行，只读入了文本。规则：**先读第一行和改法，改一处，再试。**

# %% [markdown] tags=["lang:en"] stem="tail_words"
# ## Third patient: the end of the tensor
#
# **Run** class: it compiles, and goes wrong while it runs. Here two blocks of 64 rows take a tensor
# of 100. A chip touches whatever lies beside it and says nothing. The simulator checks each
# access, and its finding names the line, the block and how far it reaches.

# %% [markdown] tags=["lang:zh"] stem="tail_words" en_sha="95892fa3"
# ## 第三位病人：张量的末尾
#
# **运行**类：能编译，运行时出错。这里两个各 64 行的逻辑块处理 100 行的张量。芯片会读写旁边的数据，而且不报错。模拟器检查每次访问，它的发现会指出哪一行、哪个逻辑块、超出多少。


# %% tags=["kp:K170", "kp:K171"] stem="overrun"
@tilelang.jit(out_idx=[1], target="npuir")
def exp_rows(M, N, rows=64):
    @T.prim_func
    def kernel(X: T.Tensor((M, N), "float32"), Y: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(M, rows), is_npu=True) as (cid, _):
            x = T.alloc_shared((rows, N), "float32")
            T.copy(X[cid * rows : (cid + 1) * rows, :], x)
            T.vexp(x, x)
            T.copy(x, Y[cid * rows : (cid + 1) * rows, :])

    return kernel


overrun = exp_rows(100, 128).launch(torch.zeros(100, 128).npu()).findings
for finding in overrun:
    found = finding.diagnostic
    print(found.code, found.what)
    print(*(f"  line {label.span.line}: {label.text}" for label in found.labels), sep="\n")
    print("  fix:", found.fix)

# %% tags=["lang:en"] stem="show_rows"
MatrixTiles(100, 128, 64, 128, block=0)

# %% tags=["lang:zh"] stem="show_rows" en_sha="97ac2d49"
MatrixTiles(100, 128, 64, 128, block=0, language="zh")

# %% [markdown] tags=["lang:en", "lecture"] stem="flags_words"
# ## Fourth patient: a flag that nobody waits for
#
# The pipes of a core run side by side. A **flag** orders two of them: one pipe does `T.set_flag`
# after its work, the other does `T.wait_flag` before its own. In Developer mode the compiler writes
# all flags. This Expert kernel has them by hand, and the automatic ones are off. `T.rs` says on
# which pipe a call stands.

# %% [markdown] tags=["lang:zh", "lecture"] stem="flags_words" en_sha="9aaec4c4"
# ## 第四位病人：没有流水线等待的标志
#
# 一个核的各条流水线并行工作。**标志**（flag）规定其中两条的先后：一条做完后执行 `T.set_flag`，另一条开始前执行 `T.wait_flag`。在 Developer 模式下，所有标志由编译器插入。这个 Expert 内核的标志是手写的，自动插入已关闭。`T.rs` 说明一个调用在哪条流水线上。


# %% stem="by_hand"
def add_by_hand(N=256, block=256, wait=True):
    @T.prim_func
    def add(
        A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32"), C: T.Tensor((N,), "float32")
    ):  # fmt: skip
        with T.Kernel(N // block, is_npu=True) as (cid, _):
            a, b = T.alloc_ub((block,), "float32"), T.alloc_ub((block,), "float32")
            c = T.alloc_ub((block,), "float32")
            with T.rs("PIPE_MTE2"):
                T.copy(A[cid * block : (cid + 1) * block], a)
                T.copy(B[cid * block : (cid + 1) * block], b)
                T.set_flag("PIPE_V", 0)
            with T.rs("PIPE_V"):
                T.wait_flag("PIPE_MTE2", 0)
                T.vadd(a, b, c)
                T.set_flag("PIPE_MTE3", 0)
            with T.rs("PIPE_MTE3"):
                if wait:
                    T.wait_flag("PIPE_V", 0)
                T.copy(c, C[cid * block : (cid + 1) * block])

    return add


# %% [markdown] tags=["lang:en"] stem="race_words"
# With `wait=False` the store no longer waits for the addition. Some runs go well all the same, by
# luck of the moment: the addition just happens to be ready. The seed of a launch chooses among the
# orders that the chip allows. Take a run whose numbers are right. What does its report say?

# %% [markdown] tags=["lang:zh"] stem="race_words" en_sha="f68a6b68"
# `wait=False` 时，写回不再等加法。有些运行碰巧仍然正确：加法恰好已经做完。启动时的种子决定采用芯片允许的哪一种次序。取一次数值正确的运行，它的报告会说什么？

# %% tags=["lang:en"] stem="p2"
answer("d3.clinic.p2", "?")  # a: nothing, the run was right  b: a race  c: it stops before the end

# %% tags=["lang:zh"] stem="p2" en_sha="9d7a0f33"
answer("d3.clinic.p2", "?", language="zh")  # a：什么都没有，运行正确  b：竞争  c：没到结尾就停下

# %% tags=["reveal", "lecture", "kp:K172"] stem="race"
os.environ["TILELANG_ASCEND_MODE"] = "Expert"
by_hand = {"npuir.disable_hivm_auto_inject_sync": True}
kernels = {
    wait: tilelang.compile(
        add_by_hand(wait=wait), target="npuir", out_idx=[2], pass_configs=by_hand
    )
    for wait in (True, False)
}
os.environ["TILELANG_ASCEND_MODE"] = "Developer"
A, B = torch.arange(256.0), torch.ones(256)
wrong, races = {}, {}
for wait, kernel in kernels.items():
    runs = [kernel.launch(A.npu(), B.npu(), seed=seed) for seed in range(6)]
    wrong[wait] = [int((run.outputs[0].cpu() != A + B).sum()) for run in runs]
    races[wait] = [len(run.findings) for run in runs]
    print("waits" if wait else "waits not", "wrong elements:", wrong[wait], "races:", races[wait])
lucky = runs[wrong[False].index(0)]
race = lucky.findings[0].diagnostic
print(race.code, race.what)
print("fix:", race.fix)

# %% tags=["lang:en", "reveal"] stem="show_timeline"
show_timeline(kernels[True], kernels[False])

# %% tags=["lang:zh", "reveal"] stem="show_timeline" en_sha="ae691146"
show_timeline(kernels[True], kernels[False], language="zh")

# %% [markdown] tags=["lang:en"] stem="race_rule"
# The report does not ask whether the numbers came out right; it asks whether an order was
# guaranteed. Some runs had all elements right, and each run reports the race. On the lower timeline
# the store begins before the addition has ended. Rule: **a launch that ends and is right proves
# nothing about its order.**

# %% [markdown] tags=["lang:zh"] stem="race_rule" en_sha="a56804fc"
# 报告看的不是数值是否碰巧正确，而是次序有没有保证。有几次运行所有元素都对，但每次运行都报告了竞争。在下面那条时间线上，加法还没结束，写回就开始了。规则：**一次启动正常结束、结果也对，并不能证明次序有保证。**

# %% [markdown] tags=["lang:en", "lecture"] stem="recap"
# ## Recap
#
# - Precision: find the first wrong number in the order of the work; `T.print` a shared tile.
# - Compile: name, dtypes, shapes; the error has the line, the reason and a fix.
# - Run: read every finding, even when the numbers are right.
#
# **Exercises:** [d3.precision_bug](../../exercises/day3/precision_bug.ipynb),
# [d3.compile_bug](../../exercises/day3/compile_bug.ipynb) and
# [d3.runtime_bug](../../exercises/day3/runtime_bug.ipynb).

# %% [markdown] tags=["lang:zh", "lecture"] stem="recap" en_sha="7881571e"
# ## 小结
#
# - 精度：按计算的先后找第一个错误的数；用 `T.print` 打印 shared 数据块。
# - 编译：函数名、数据类型、形状；报错里有行号、原因和改法。
# - 运行：每条发现都要读，即使数值正确。
#
# **练习：** [d3.precision_bug](../../../exercises/zh/day3/precision_bug.ipynb)、
# [d3.compile_bug](../../../exercises/zh/day3/compile_bug.ipynb) 和
# [d3.runtime_bug](../../../exercises/zh/day3/runtime_bug.ipynb)。

# %% tags=["golden"] stem="golden"
# What the text says holds in the outputs.
assert examine(40)[0]
assert nans == 64 * 64
assert [value for _, value in said[:3]] == ["-inf", "nan", "nan"]
assert [finding.diagnostic.code for finding in findings] == ["TL509"]
assert line == 14  # T.vsub(m, x, factor)
assert all(right and not found for right, _, found in mended.values())
assert [one.rule for one in reports[False]] == ["print-fragment"]
assert not reports[True]
assert [found.code for found in refused.values()] == ["TL132", "TL124", "TL105"]
assert {finding.diagnostic.code for finding in overrun} >= {"TL501"}
assert not any(wrong[True] + races[True])
assert min(wrong[False]) == 0 < max(wrong[False])
assert all(races[False])
assert race.code == "TL521"
