# ---
# jupyter:
#   tlcourse:
#     id: d3.flash
#     title: "3.3 FlashAttention forward"
#     title_zh: "3.3 FlashAttention 前向"
#     track: core
#     minutes: 50
#     needs: [d3.online, d2.fusion]
# ---

# %% [markdown] tags=["lang:en", "lecture"] stem="goals"
# # 3.3 FlashAttention forward
#
# *core, 50 minutes, needs lessons 3.2 and 2.4*
#
# You will be able to
# - write **FlashAttention** as one kernel: products, online softmax, running output,
# - say which lines work on the cube core and which on the vector cores,
# - mask keys that do not exist,
# - count what it keeps, and say why it is faster although it computes more.

# %% [markdown] tags=["lang:zh", "lecture"] stem="goals" en_sha="ac3da064"
# # 3.3 FlashAttention 前向
#
# *核心内容，50 分钟，先修 3.2 节和 2.4 节*
#
# 学完后你能够
# - 把 **FlashAttention** 写成一个内核：矩阵乘、在线 softmax、累计输出；
# - 说出哪些行在 cube 核上，哪些在 vector 核上；
# - 遮住不存在的键；
# - 算出它要保存多少数据，并说明为什么它算得更多却更快。

# %% tags=["setup"] stem="imports"
import os

os.environ["TILELANG_ASCEND_MODE"] = "Developer"
from tlcourse import check, hint, answer, progress, show_passes, show_timeline, show_memory
import tilelang
import tilelang.language as T
import torch

# %% [markdown] tags=["lang:en", "lecture"] stem="plan_words"
# ## The plan
#
# One block owns 64 queries. Keys and values pass by in tiles of 64. For each tile: `T.gemm` for
# the scores, the online softmax of lesson 3.2, `T.gemm` for the weights times V, and the running
# output. You think in tiles and blocks; threads do not occur. S = 512, D = 128.

# %% [markdown] tags=["lang:zh", "lecture"] stem="plan_words" en_sha="35541bcd"
# ## 计划
#
# 一个逻辑块负责 64 个查询。键和值每 64 个一块，依次处理。对每一块：用 `T.gemm` 求分数，做 3.2 节的在线 softmax，用 `T.gemm` 求权重乘 V，再更新累计输出。这里只需考虑数据块和逻辑块，没有线程。S = 512，D = 128。

# %% tags=["setup"] stem="inputs"
os.environ["TILELANG_ASCEND_DEVICE_NAME"] = "Ascend910B1"  # all times are of this chip


def inputs(S, D=128):
    generator = torch.Generator().manual_seed(0)
    return [torch.randn(S, D, generator=generator).half() for _ in range(3)]


def reference(Q, K, V):
    wide = (x.float()[None] for x in (Q, K, V))
    return torch.nn.functional.scaled_dot_product_attention(*wide)[0]


def error(got, want):
    return (got.cpu().float() - want).abs().max().item()


# %% tags=["lang:en"] stem="show_tile"
from tlcourse.widgets.grid import MatrixTiles

MatrixTiles(512, 512, 64, 64, block=10)

# %% tags=["lang:zh"] stem="show_tile" en_sha="1ba9adbe"
from tlcourse.widgets.grid import MatrixTiles

MatrixTiles(512, 512, 64, 64, block=10, language="zh")

# %% [markdown] tags=["lang:en"] stem="softmax_words"
# ## Stage 1: three holes
#
# Here is the softmax of one tile as a **macro**, a piece of kernel text with a name. In the loop
# that uses it three lines are missing: how the denominator `l`, the output `o` and the final
# quotient are formed. You know the factor from lesson 3.2. Write them down before you go on.

# %% [markdown] tags=["lang:zh"] stem="softmax_words" en_sha="61a74d1a"
# ## 第 1 步：三个空
#
# 下面把一个数据块的 softmax 写成**宏**（macro），即一段有名字的内核文本。使用它的循环里缺三行：分母 `l`、输出 `o` 和最后的商怎样得到。系数在 3.2 节已经讲过。先写下来，再往下看。


# %% tags=["kp:K159", "kp:K147"] stem="macro"
@T.macro
def weights(s, m, new_max, factor):
    """Turns scores into exp(s - m) with m brought up to date; factor is exp(old m - new m)."""
    T.reduce_max(s, new_max, dim=1)
    T.vmax(m, new_max, new_max)
    T.vsub(m, new_max, factor)
    T.vexp(factor, factor)
    T.copy(new_max, m)
    T.vsub(s, m, s)
    T.vexp(s, s)


@T.macro
def start(m, l, o):
    """Nothing is seen yet."""
    T.vbrc(-T.infinity("float32"), m)
    T.vbrc(0.0, l)
    T.vbrc(0.0, o)


# %% tags=["lang:en"] stem="drill1"
answer("d3.flash.drill1", "?")  # your three lines, with ; between them

# %% tags=["lang:zh"] stem="drill1" en_sha="dfdc83ea"
answer("d3.flash.drill1", "?", language="zh")  # 你的三行，用分号隔开


# %% tags=["reveal", "lecture", "kp:K145", "kp:K146", "kp:K158", "kp:K160", "kp:K161", "kp:K162"] stem="flash"
@tilelang.jit(out_idx=[3], target="npuir")
def flash(S, D=128, block=64, pipelined=True):
    trips = S // block

    @T.prim_func
    def attention(
        Q: T.Tensor((S, D), "float16"), K: T.Tensor((S, D), "float16"),
        V: T.Tensor((S, D), "float16"), O: T.Tensor((S, D), "float16"),
    ):  # fmt: skip
        with T.Kernel(S // block, is_npu=True) as (cid, _):
            q = T.alloc_shared((block, D), "float16")
            k = T.alloc_shared((block, D), "float16")
            v = T.alloc_shared((block, D), "float16")
            p = T.alloc_shared((block, block), "float16")
            s = T.alloc_fragment((block, block), "float32")
            pv = T.alloc_fragment((block, D), "float32")
            o = T.alloc_fragment((block, D), "float32")
            m = T.alloc_fragment((block, 1), "float32")
            l = T.alloc_fragment((block, 1), "float32")
            x = T.alloc_fragment((block, 1), "float32")  # of this trip: maximum, then sum
            factor = T.alloc_fragment((block, 1), "float32")
            T.copy(Q[cid * block : (cid + 1) * block, :], q)
            start(m, l, o)
            for j in T.Pipelined(trips, num_stages=2) if pipelined else T.serial(trips):
                T.copy(K[j * block : (j + 1) * block, :], k)
                T.gemm(q, k, s, initC=True, b_transpose=True)
                T.vmul(s, D**-0.5, s)
                weights(s, m, x, factor)
                T.reduce_sum(s, x, dim=1)
                T.vmul(l, factor, l)
                T.vadd(l, x, l)  # l = l * factor + sum
                T.copy(s, p)
                T.copy(V[j * block : (j + 1) * block, :], v)
                T.gemm(p, v, pv, initC=True)
                T.vmul(o, factor, o)
                T.vadd(o, pv, o)  # o = o * factor + p @ v
            T.vdiv(o, l, o)
            T.copy(o, O[cid * block : (cid + 1) * block, :])

    return attention


# %% tags=["lecture"] stem="run_flash"
Q, K, V = inputs(512)
kernel = flash(512)
O = kernel(Q.npu(), K.npu(), V.npu())
print("within 1e-3 of torch:", error(O, reference(Q, K, V)) < 1e-3)

# %% tags=["lang:en", "lecture"] stem="show_timeline"
show_timeline(kernel)

# %% tags=["lang:zh", "lecture"] stem="show_timeline" en_sha="f8645fc1"
show_timeline(kernel, language="zh")

# %% [markdown] tags=["lang:en"] stem="cores_words"
# The two products and the loads of K and V run on the cube core, all other lines of the loop on the
# vector cores. You wrote no hand-over: `T.copy(s, p)` and the fragments tell the compiler what must cross, and it goes
# through GM. Compare the lanes: each kind of core waits for the other. Day 4 fills these gaps.

# %% [markdown] tags=["lang:zh"] stem="cores_words" en_sha="de68d49a"
# 两次矩阵乘和 K、V 的载入在 cube 核上，循环的其他行都在 vector 核上。交接不用你写：编译器从 `T.copy(s, p)` 和各个 fragment 看出哪些数据要交给另一种核，这些数据经由 GM。比较各条泳道：两种核互相等待。这些空隙留到第 4 天来填。

# %% [markdown] tags=["lang:en", "lecture"] stem="gain_words"
# ## Where is the gain?
#
# The chain of lesson 3.1 computes the scores once, takes one softmax, multiplies once. This kernel
# does all that, and rescales `o` and `l` in each trip besides. For long texts it is the faster
# one all the same. Why?

# %% [markdown] tags=["lang:zh", "lecture"] stem="gain_words" en_sha="d89f6107"
# ## 收益在哪里？
#
# 3.1 节的三个内核只算一次分数，取一次 softmax，乘一次 V。这个内核也要做这些，每次循环还要修正 `o` 和 `l`。可是文本长时它更快。为什么？先回答，再看两者在 S 增大时需要多少内存、多少时间。

# %% tags=["lang:en"] stem="p1"
answer("d3.flash.p1", "?")  # a: fewer operations  b: no S by S matrix is kept  c: more threads

# %% tags=["lang:zh"] stem="p1" en_sha="151f0fc8"
answer("d3.flash.p1", "?", language="zh")  # a：运算更少  b：不保存 S 乘 S 的矩阵  c：线程更多

# %% tags=["reveal", "kp:K163", "kp:K164"] stem="gain"
from tlcourse.examples import attention_chain as chain


def last_only(function):
    return tilelang.compile(function, target="npuir", out_idx=[-1])


def chain_cycles(S):
    scores, softmax = last_only(chain.scores(S, 128)), last_only(chain.row_softmax(S, rows=4))
    times_V = last_only(chain.values(S, 128))
    runs = (
        scores.profile((S, 128), (S, 128)),
        softmax.profile((S, S)),
        times_V.profile((S, S), (S, 128)),
    )
    return sum(run.cycles for run in runs)


# %% tags=["reveal"] stem="gain_by_length"
kept, spent = {}, {}
for S in (512, 2048, 4096):
    attention = flash(S)
    workspace = int(attention.program().workspace_bytes_per_block) * (S // 64)
    kept[S] = (4 + 2) * S * S / 2**20, workspace / 2**20  # scores f32 and weights f16; workspace
    spent[S] = chain_cycles(S), attention.profile(*[(S, 128)] * 3).cycles
    print(
        f"S = {S}: kept {kept[S][0]:5.1f} and {kept[S][1]:4.1f} MiB, cycles {spent[S][0]:9,} and {spent[S][1]:7,}"
    )

# %% tags=["lang:en", "reveal"] stem="show_gain"
from tlcourse.widgets.bars import BarView

names = ("chain", "FlashAttention")
rows = {f"{name}, S = {S}": round(kept[S][i]) for S in (2048, 4096) for i, name in enumerate(names)}
BarView("Memory between the stages", rows, "MiB", look="GM")

# %% tags=["lang:zh", "reveal"] stem="show_gain" en_sha="e886dff7"
from tlcourse.widgets.bars import BarView

names = ("三个内核", "FlashAttention")
rows = {f"{name}，S = {S}": round(kept[S][i]) for S in (2048, 4096) for i, name in enumerate(names)}
BarView("各步之间的内存", rows, "MiB", look="GM", language="zh")

# %% [markdown] tags=["lang:en"] stem="gain_rule"
# It computes more and keeps less. On this chip tiles cross from core to core through GM, so bytes
# do travel; but in a workspace of fixed size for each block, which is used again in every trip and
# stays in L2. Scores and weights of the chain grow with S times S. At S = 512 both take about the
# same time here; at S = 4096 the one kernel is ahead.

# %% [markdown] tags=["lang:zh"] stem="gain_rule" en_sha="2cd9630a"
# 它算得更多，存得更少。在这种芯片上，数据块要经过 GM 在核之间交接，所以数据还是要搬运；但每个逻辑块的工作区大小固定，每次循环重复使用，一直在 L2 里。三个内核的分数和权重则随 S 的平方增长。在这里，S = 512 时两者用时相近；S = 4096 时单个内核更快。

# %% [markdown] tags=["lang:en"] stem="pipelined_words"
# ## T.Pipelined or T.serial?
#
# Many FlashAttention kernels say `T.Pipelined(.., num_stages=2)` for the loop over keys. What does
# it change here? Both forms are compiled, and their MLIR compared line by line.

# %% [markdown] tags=["lang:zh"] stem="pipelined_words" en_sha="734d26f1"
# ## T.Pipelined 还是 T.serial？
#
# 许多 FlashAttention 内核把遍历键的循环写成 `T.Pipelined(.., num_stages=2)`。它在这里会改变什么？两种写法都编译一次，逐行比较 MLIR，再比较周期数。


# %% tags=["kp:K165"] stem="pipelined"
def mlir(kernel):  # what code generation gives, without places in the source
    trace = kernel.trace()
    text = next(trace.texts[s.text_id] for s in trace.snapshots if s.pass_name == "codegen")
    return [line.split(" loc(")[0] for line in text.splitlines()]


serial = flash(512, pipelined=False)
serial(Q.npu(), K.npu(), V.npu())
cycles = [k.last_launch.timeline.cycles for k in (kernel, serial)]
print("same MLIR:", mlir(kernel) == mlir(serial), " same cycles:", cycles[0] == cycles[1])

# %% tags=["lang:en"] stem="show_passes"
show_passes(kernel)

# %% tags=["lang:zh"] stem="show_passes" en_sha="b3a56ae9"
show_passes(kernel, language="zh")

# %% [markdown] tags=["lang:en", "lecture"] stem="tail_words"
# ## Keys that do not exist
#
# Now S = 500. The last tile holds 52 keys, and 12 rows of it are not loaded. A first idea: clear
# the tile before, so that these keys are zero, and zero times anything is zero. Is that harmless?

# %% [markdown] tags=["lang:zh", "lecture"] stem="tail_words" en_sha="88066abb"
# ## 不存在的键
#
# 现在 S = 500。最后一个数据块只装 52 个键，还有 12 行没有载入。最初的想法：先把数据块清零，让这些键等于零，零乘任何数都是零。这样没有害处吗？

# %% tags=["lang:en"] stem="p2"
answer("d3.flash.p2", "?")  # a: harmless  b: O is wrong  c: the simulator stops

# %% tags=["lang:zh"] stem="p2" en_sha="13d6909d"
answer("d3.flash.p2", "?", language="zh")  # a：无害  b：O 错误  c：模拟器会停下


# %% tags=["reveal", "lecture", "kp:K142"] stem="tails"
@tilelang.jit(out_idx=[3], target="npuir")
def flash_tails(S, D=128, block=64, masked=True):
    column, hidden = (block, 1), -T.infinity("float32") if masked else 0.0

    @T.prim_func
    def attention(
        Q: T.Tensor((S, D), "float16"), K: T.Tensor((S, D), "float16"),
        V: T.Tensor((S, D), "float16"), O: T.Tensor((S, D), "float16"),
    ):  # fmt: skip
        with T.Kernel(T.ceildiv(S, block), is_npu=True) as (cid, _):
            here = T.min(block, S - cid * block)
            q = T.alloc_shared((block, D), "float16")
            k = T.alloc_shared((block, D), "float16")
            v, p = T.alloc_shared((block, D), "float16"), T.alloc_shared((block, block), "float16")
            s = T.alloc_fragment((block, block), "float32")
            pv, o = T.alloc_fragment((block, D), "float32"), T.alloc_fragment((block, D), "float32")
            m, l = T.alloc_fragment(column, "float32"), T.alloc_fragment(column, "float32")
            x, factor = T.alloc_fragment(column, "float32"), T.alloc_fragment(column, "float32")
            T.copy(Q[cid * block : cid * block + here, :], q[0:here, :])
            start(m, l, o)
            for j in T.serial(T.ceildiv(S, block)):
                width = T.min(block, S - j * block)
                T.copy(K[j * block : j * block + width, :], k[0:width, :])
                T.copy(V[j * block : j * block + width, :], v[0:width, :])
                T.gemm(q, k, s, initC=True, b_transpose=True)
                T.vmul(s, D**-0.5, s)
                for a, b in T.Parallel(block, block):
                    s[a, b] = T.if_then_else(b < width, s[a, b], hidden)
                weights(s, m, x, factor)
                T.reduce_sum(s, x, dim=1)
                T.vmul(l, factor, l)
                T.vadd(l, x, l)
                T.copy(s, p)
                T.gemm(p[:, 0:width], v[0:width, :], pv, initC=True)
                T.vmul(o, factor, o)
                T.vadd(o, pv, o)
            T.vdiv(o, l, o)
            T.copy(o[0:here, :], O[cid * block : cid * block + here, :])

    return attention


# %% tags=["reveal"] stem="run_tails"
ragged = inputs(500)
want = reference(*ragged)
launches = {
    masked: flash_tails(500, masked=masked).launch(*(x.npu() for x in ragged))
    for masked in (False, True)
}
for masked, launch in launches.items():
    print(
        "masked" if masked else "zero scores",
        error(launch.outputs[0], want) < 1e-3,
        len(launch.findings),
    )
missing = (
    torch.softmax((ragged[0].float() @ ragged[1].float().T) * 128**-0.5, -1) @ ragged[2].float()
)
print("torch without padding:", error(missing, want) < 1e-3)

# %% tags=["lang:en"] stem="show_memory"
show_memory(kernel)

# %% tags=["lang:zh"] stem="show_memory" en_sha="663b09e1"
show_memory(kernel, language="zh")

# %% [markdown] tags=["lang:en"] stem="tail_rule"
# A score of 0 is no absence: `exp(0 - m)` enters the denominator, and the real keys get less than
# their share. No finding comes, since every number was written; the numbers alone tell. What must
# not count gets minus infinity, for which exp gives exactly 0. Rule: **mask before the softmax.**

# %% [markdown] tags=["lang:zh"] stem="tail_rule" en_sha="611941ff"
# 分数为 0 并不等于没有这个键：`exp(0 - m)` 会进入分母，真正的键分到的权重就少了。模拟器没有任何发现，因为每个数都写过；只有数值能看出错误。不该计入的要设为负无穷，它的 exp 正好是 0。规则：**在 softmax 之前加掩码。**

# %% [markdown] tags=["lang:en", "lecture"] stem="recap"
# ## Recap
#
# - Per tile of keys: scores, online softmax, weights times V; `l` and `o` share one factor.
# - It keeps no S by S matrix and is faster than the chain; `T.Pipelined` changes nothing here.
# - Keys that do not exist are masked with minus infinity before the softmax.
#
# **Exercise:** [d3.flash_attention](../../exercises/day3/flash_attention.ipynb), from a blank page,
# then [d3.causal](../../exercises/day3/causal.ipynb).

# %% [markdown] tags=["lang:zh", "lecture"] stem="recap" en_sha="3550f2c5"
# ## 小结
#
# - 每块键：分数、在线 softmax、权重乘 V；`l` 和 `o` 共用一个系数。
# - 它不保存 S 乘 S 的矩阵，比三个内核快；`T.Pipelined` 在这里什么都不改变。
# - 不存在的键在 softmax 之前用负无穷作掩码。
#
# **练习：** [d3.flash_attention](../../../exercises/zh/day3/flash_attention.ipynb)，从零写起，然后做 [d3.causal](../../../exercises/zh/day3/causal.ipynb)。

# %% tags=["golden"] stem="golden"
# What the text says holds in the outputs.
assert error(O, reference(Q, K, V)) < 1e-3
assert spent[4096][1] < spent[4096][0]
assert spent[4096][1] / spent[4096][0] < spent[512][1] / spent[512][0]
assert kept[4096][0] == 4 * kept[2048][0] > 5 * kept[4096][1]
assert kept[4096][1] == 2 * kept[2048][1]
assert mlir(kernel) == mlir(serial)
assert cycles[0] == cycles[1]
assert error(launches[False].outputs[0], want) > 1e-3 > error(launches[True].outputs[0], want)
assert (500 % 64, 64 - 500 % 64) == (52, 12)
assert not launches[False].findings
assert not launches[True].findings
