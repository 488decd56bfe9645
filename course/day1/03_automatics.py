# ---
# jupyter:
#   tlcourse:
#     id: d1.automatics
#     title: "1.3 Five things the compiler does for you"
#     title_zh: "1.3 编译器替你做的五件事"
#     track: core
#     minutes: 50
#     needs: [d1.chip]
# ---

# %% [markdown] tags=["lang:en", "lecture"] stem="goals"
# # 1.3 Five things the compiler does for you
#
# *core, 50 minutes, needs lesson 1.1*
#
# You will be able to
# - read a line of IR: operation, operands, types, attributes,
# - name the five things that Developer mode leaves to the compiler: vector operations, places,
#   reuse of memory, double buffers, synchronisation,
# - switch them off, and see in IR, memory or time what they did.

# %% [markdown] tags=["lang:zh", "lecture"] stem="goals" en_sha="bbd93e91"
# # 1.3 编译器替你做的五件事
#
# *核心内容，50 分钟，先修 1.1 节*
#
# 学完后你能够
# - 读懂一行 IR：运算、操作数、类型、属性；
# - 说出 Developer 模式交给编译器的五件事：向量化、放置、内存复用、双缓冲、同步；
# - 把它们关掉，并在 IR、内存图或时间线上看出它们做了什么。

# %% tags=["setup"] stem="imports"
import os

os.environ["TILELANG_ASCEND_MODE"] = "Developer"
from tlcourse import check, hint, answer, progress, show_passes, show_timeline, show_memory
import tilelang
import tilelang.language as T
import torch

# %% [markdown] tags=["lang:en"] stem="loop_words"
# ## One: a loop over elements becomes one operation
#
# This addition says what happens to one element; `T.Parallel` says that all of them may be done
# at once. A vector core works on 256 bytes in one step. Who turns the loop into vector work? Step
# through the passes and look for the one behind which the loop is gone.

# %% [markdown] tags=["lang:zh"] stem="loop_words" en_sha="e19acb32"
# ## 一：逐元素循环变成一条运算
#
# 这个加法只写出一个元素怎么算；`T.Parallel` 表示所有元素可以同时算。vector 核一步处理 256 字节。是谁把循环变成了向量运算？逐个查看 pass，找出在哪一个之后循环不见了。


# %% tags=["kp:K004", "kp:K008"] stem="element_add"
@tilelang.jit(out_idx=[2], target="npuir")
def element_add(N, block=256):
    @T.prim_func
    def add(
        A: T.Tensor((N,), "float32"),
        B: T.Tensor((N,), "float32"),
        C: T.Tensor((N,), "float32"),
    ):
        with T.Kernel(N // block, is_npu=True) as (cid, _):
            a = T.alloc_shared((block,), "float32")
            b = T.alloc_shared((block,), "float32")
            T.copy(A[cid * block : (cid + 1) * block], a)
            T.copy(B[cid * block : (cid + 1) * block], b)
            for i in T.Parallel(block):
                b[i] = a[i] + b[i]
            T.copy(b, C[cid * block : (cid + 1) * block])

    return add


os.environ["TILELANG_ASCEND_DEVICE_NAME"] = "Ascend910B1"  # all sizes and times are of this chip
adding = element_add(4096)
A, B = (torch.arange(4096.0).npu() for _ in range(2))
print("right:", torch.equal(adding(A, B).cpu(), 2 * A.cpu()))

# %% tags=["lang:en", "lecture", "kp:K026", "kp:K124"] stem="show_passes"
show_passes(adding)

# %% tags=["lang:zh", "lecture", "kp:K026", "kp:K124"] stem="show_passes" en_sha="a3296b5b"
show_passes(adding, language="zh")

# %% [markdown] tags=["lang:en", "lecture"] stem="key"
# ## A key for reading
#
# The compiler is a chain of **passes**; each takes the kernel as text, its **IR**, and gives it
# back changed. A line holds an **operation**, then its **operands** after `ins` and `outs`, then
# the **type** of each after the colon. What stands in angle brackets after `#` is an
# **attribute**: a fact that was fixed at compile time.

# %% [markdown] tags=["lang:zh", "lecture"] stem="key" en_sha="0f859a1e"
# ## 怎样读 IR
#
# 编译器是一串 **pass**：每个 pass 读入内核的文本，即 **IR**，改动后再交出来。一行里有一个**运算**（operation，也译作“操作”），`ins` 和 `outs` 之后是**操作数**（operand），冒号之后是各自的**类型**（type）。`#` 后面尖括号里的是**属性**（attribute）：编译时就确定的事实。

# %% tags=["kp:K023", "kp:K024", "kp:K025", "kp:K125"] stem="read_lines"
trace = adding.trace()
after = {shot.pass_name: trace.texts[shot.text_id] for shot in trace.snapshots}


def line_with(text, word):  # first line that holds the word, without its place in the source
    found = (line.split(" loc(")[0].strip() for line in text.splitlines() if word in line)
    return next(found, "no " + word)


loop = [line_with(after[name], "tl.for") for name in ("BindTarget", "NpuLoopVectorize")]
print(*loop, sep="\n")
print(line_with(after["NpuLoopVectorize"], "tl.vadd"))
print(line_with(after["annotation-lowering"], "hivm.hir.vadd"))

# %% [markdown] tags=["lang:en"] stem="place_words"
# ## Two: a place for each tile
#
# `alloc_shared` and `alloc_fragment` ask for a tile and name no memory. Here seven tiles of 32 KiB
# are used by the vector core, so all of them lie in UB, fragments too. In a matrix product a
# fragment lies in L0C and a shared tile in L1: the use decides.

# %% [markdown] tags=["lang:zh"] stem="place_words" en_sha="3e46b8b4"
# ## 二：给每个数据块安排位置
#
# `alloc_shared` 和 `alloc_fragment` 只申请数据块，不写内存的名字。这里 vector 核用到七个 32 KiB 的数据块，所以它们都在 UB，fragment 也一样。在矩阵乘里，fragment 在 L0C，shared 数据块在 L1：由用途决定。


# %% tags=["kp:K007", "kp:K055", "kp:K089", "kp:K091"] stem="chain"
def chain(rows, M=384, N=256):
    @T.prim_func
    def kernel(
        A: T.Tensor((M, N), "float32"),
        B: T.Tensor((M, N), "float32"),
        C: T.Tensor((M, N), "float32"),
    ):
        with T.Kernel(M // rows, is_npu=True) as (cid, _):
            top = cid * rows
            a = T.alloc_shared((rows, N), "float32")
            b = T.alloc_shared((rows, N), "float32")
            t1 = T.alloc_fragment((rows, N), "float32")
            t2 = T.alloc_fragment((rows, N), "float32")
            t3 = T.alloc_fragment((rows, N), "float32")
            t4 = T.alloc_fragment((rows, N), "float32")
            t5 = T.alloc_fragment((rows, N), "float32")
            T.copy(A[top : top + rows, :], a)
            T.copy(B[top : top + rows, :], b)
            T.vmul(a, b, t1)
            T.vabs(t1, t2)
            T.vsqrt(t2, t3)
            T.vadd(t3, a, t4)
            T.vexp(t4, t5)
            T.copy(t5, C[top : top + rows, :])

    return tilelang.compile(kernel, target="npuir", out_idx=[2])


P, Q = (torch.rand(384, 256, generator=torch.Generator().manual_seed(s)) for s in (0, 1))
chained = chain(32)
want = ((P * Q).abs().sqrt() + P).exp()
print("right:", torch.allclose(chained(P.npu(), Q.npu()).cpu(), want, atol=1e-4, rtol=1e-4))

# %% tags=["lang:en", "lecture"] stem="show_chain"
show_memory(chained)

# %% tags=["lang:zh", "lecture"] stem="show_chain" en_sha="5515fcd8"
show_memory(chained, language="zh")

# %% [markdown] tags=["lang:en"] stem="reuse_words"
# ## Three: memory used again
#
# Seven tiles, two places. `t1` is read for the last time when `t2` is written, so `t2` takes its
# place; this is the pass `hivm-plan-memory`. Without it each tile would need its own place. How
# many rows may a tile have, with and without?

# %% [markdown] tags=["lang:zh"] stem="reuse_words" en_sha="07cc4924"
# ## 三：内存复用
#
# 七个数据块，两个位置。写 `t2` 时，`t1` 最后一次被读，所以 `t2` 用它的位置；这是 `hivm-plan-memory` 这个 pass 的工作。没有它，每个数据块都要有自己的位置。有复用和没有复用时，数据块最多各有多少行？

# %% tags=["kp:K009", "kp:K057"] stem="largest"
from tlcourse.diagnostics import TLError


def peak_and_sum(kernel):  # bytes of UB in use at most, and of all tiles together
    tiles = kernel.program().memory[0].buffers
    sizes = [tile.size_bytes for tile in tiles]
    return max(tile.offset_bytes + tile.size_bytes for tile in tiles), sum(sizes)


peak, together = peak_and_sum(chained)
UB = chained.program().memory[0].capacity_bytes
rows = {"with reuse": UB // (peak // 32), "each its own place": UB // (together // 32)}
print(f"32 rows: {peak:,} B at most, {together:,} B together")
print(rows)
print("96 rows:", peak_and_sum(chain(96))[0], "of", UB)
try:
    chain(128)
except TLError as problem:
    print(problem.diagnostic.code, problem.diagnostic.what)

# %% tags=["lang:en"] stem="show_rows"
from tlcourse.widgets.bars import BarView

BarView("Rows of a tile that fit UB", rows, look="UB")

# %% tags=["lang:zh"] stem="show_rows" en_sha="effbc8ff"
from tlcourse.widgets.bars import BarView

rows_zh = dict(zip(("有复用", "各占一处"), rows.values(), strict=True))
BarView("UB 放得下的数据块行数", rows_zh, look="UB", language="zh")

# %% [markdown] tags=["lang:en", "lecture"] stem="buffer_words"
# ## Four: the next tile is on its way
#
# One block takes `exp` of 64 tiles in a loop: load, compute, store. While the vector unit works,
# MTE2 could bring the next tile, if there were a second place for it. `T.Pipelined` stands in
# many TileLang kernels for this. Three stages instead of a plain loop: what will change?

# %% [markdown] tags=["lang:zh", "lecture"] stem="buffer_words" en_sha="2210c46d"
# ## 四：下一个数据块已经在路上
#
# 一个逻辑块在循环里对 64 个数据块取 `exp`：载入、计算、写回。vector 单元工作时，MTE2 本可以把下一个数据块搬进来，只要有第二个位置。许多 TileLang 内核为此使用 `T.Pipelined`。把普通循环换成三级流水，会有什么变化？

# %% tags=["lang:en"] stem="p1"
answer("d1.automatics.p1", "?")  # a: three copies of the tile  b: fewer cycles  c: nothing

# %% tags=["lang:zh"] stem="p1" en_sha="f39a3f3a"
answer("d1.automatics.p1", "?", language="zh")  # a：数据块有三份  b：周期变少  c：什么都不变


# %% tags=["reveal", "kp:K010"] stem="stream"
def stream(loop, **configs):
    @T.prim_func
    def kernel(A: T.Tensor((1024, 512), "float32"), C: T.Tensor((1024, 512), "float32")):
        with T.Kernel(1, is_npu=True) as (cid, _):
            for i in loop(64):
                a = T.alloc_shared((16, 512), "float32")
                T.copy(A[i * 16 : i * 16 + 16, :], a)
                T.vexp(a, a)
                T.copy(a, C[i * 16 : i * 16 + 16, :])

    kernel = tilelang.compile(kernel, target="npuir", out_idx=[1], pass_configs=configs)
    kernel(torch.rand(1024, 512, generator=torch.Generator().manual_seed(0)).npu())
    return kernel


def three_stages(trips):
    return T.Pipelined(trips, num_stages=3)


def copies(kernel):
    return len(kernel.program().memory[0].buffers)


plain, staged = stream(T.serial), stream(three_stages)
single = stream(T.serial, **{"npuir.enable_auto_multi_buffer": False})
cycles = {name: k.last_launch.timeline.cycles for name, k in
          {"T.serial": plain, "T.Pipelined": staged, "one buffer": single}.items()}  # fmt: skip
print(cycles, "copies:", copies(plain), copies(staged), copies(single))

# %% [markdown] tags=["lang:en"] stem="buffer_rule"
# `T.Pipelined` is a remark on this path: the IR behind it is the same. Two copies of the tile are
# the work of another pass, `hivm-enable-multi-buffer`, and it treats every loop alike. Its switch
# is in the compiler's options; the lanes below show the same loop without and with it.

# %% [markdown] tags=["lang:zh"] stem="buffer_rule" en_sha="eeedee4f"
# 在这条编译路径上，`T.Pipelined` 只是一个注记：最后的 IR 与普通循环完全相同。数据块变成两份，是另一个 pass（`hivm-enable-multi-buffer`）做的，它对所有循环一视同仁。它的开关在编译选项里；下面两张图是同一个循环，先关后开。

# %% tags=["lang:en"] stem="show_single"
show_timeline(single)

# %% tags=["lang:zh"] stem="show_single" en_sha="c0a9d9a7"
show_timeline(single, language="zh")

# %% tags=["lang:en", "lecture"] stem="show_plain"
show_timeline(plain)

# %% tags=["lang:zh", "lecture"] stem="show_plain" en_sha="5aeb807e"
show_timeline(plain, language="zh")

# %% [markdown] tags=["lang:en", "lecture"] stem="sync_words"
# ## Five: nobody starts too early
#
# The pipes of a core run side by side. That `exp` follows the load in your text means nothing to
# them: a **flag** must tell the vector unit that the data are there. The compiler sets all flags.
# Switch that off in a kernel of one tile. How often will C be wrong, in ten runs?

# %% [markdown] tags=["lang:zh", "lecture"] stem="sync_words" en_sha="23f7f81b"
# ## 五：谁也不会抢跑
#
# 一个核的各条流水线是并行的。代码里 `exp` 写在载入之后，但流水线并不管这个先后：必须由**标志**（flag）告诉 vector 单元数据已到。所有标志都由编译器设置。在只有一个数据块的内核里关掉这项功能：运行十次，C 会错几次？

# %% tags=["lang:en"] stem="p2"
answer("d1.automatics.p2", "?")  # a: never  b: now and then  c: each time

# %% tags=["lang:zh"] stem="p2" en_sha="e15d6b28"
answer("d1.automatics.p2", "?", language="zh")  # a：从不  b：有时  c：每次


# %% tags=["reveal", "kp:K058"] stem="no_flags"
@tilelang.jit(
    out_idx=[1], target="npuir", pass_configs={"npuir.disable_hivm_auto_inject_sync": True}
)
def without_flags(N=256):
    @T.prim_func
    def kernel(A: T.Tensor((N,), "float32"), C: T.Tensor((N,), "float32")):
        with T.Kernel(1, is_npu=True) as (cid, _):
            a = T.alloc_shared((N,), "float32")
            T.copy(A, a)
            T.vexp(a, a)
            T.copy(a, C)

    return kernel


part = torch.rand(256, generator=torch.Generator().manual_seed(0))
runs = [without_flags().launch(part.npu(), seed=seed) for seed in range(10)]
right = [torch.allclose(r.outputs[0].cpu(), part.exp(), atol=1e-4, rtol=1e-4) for r in runs]
print(f"C is right in {sum(right)} runs of {len(runs)}")
print("runs with findings:", sum(bool(run.findings) for run in runs))
for finding in runs[0].findings:
    print(finding.diagnostic.code, finding.diagnostic.what)

# %% [markdown] tags=["lang:en"] stem="sync_rule"
# Each `seed` is another order in which a chip might really do it. In some of them the numbers are
# right by luck; the finding comes in all, with the two lines that touch. Rule: **a right result
# proves no synchronisation.** Between the two kinds of core flags are needed too, and have a
# switch of their own.

# %% [markdown] tags=["lang:zh"] stem="sync_rule" en_sha="4f75f6fa"
# 每个 `seed` 是芯片上真的可能出现的另一种先后次序。有些次序下数值碰巧是对的；而模拟器每次都有发现，并指出相互冲突的两行。规则：**结果正确不能证明同步正确**。两种核之间同样需要标志，它们有自己的开关。

# %% tags=["kp:K011"] stem="between_cores"
from tlcourse.examples.minicv import minicv_developer

function = minicv_developer(128, 128, 128, 64, 64, 64)
off = {"npuir.disable_auto_inject_block_sync": True}
split = tilelang.compile(function, target="npuir", out_idx=[2, 3], pass_configs=off)
unit = torch.eye(128, dtype=torch.float16).npu()
between = split.launch(unit, unit).findings
for finding in between:
    print(finding.diagnostic.code, finding.diagnostic.what)
flags = {}
for name, kernel in {
    "switched off": split,
    "as usual": tilelang.compile(function, target="npuir"),
}.items():
    shots = kernel.trace()
    flags[name] = shots.texts[shots.snapshots[-1].text_id].count("hivm.hir.sync_block_set")
print(flags)

# %% tags=["lang:en"] stem="show_flags"
BarView("Flags between the cores of MiniCV", flags, look="FIXP")

# %% tags=["lang:zh"] stem="show_flags" en_sha="3299c36e"
flags_zh = dict(zip(("关掉", "照常"), flags.values(), strict=True))
BarView("MiniCV 的核间标志个数", flags_zh, look="FIXP", language="zh")

# %% [markdown] tags=["lang:en", "lecture"] stem="recap"
# ## Recap
#
# - Developer mode leaves five things to the compiler: vector operations, places, reuse, double
#   buffers, flags. In Expert mode places and flags are yours.
# - Each is the work of a pass with a name; its IR, memory map or timeline shows what it did.
# - `T.Pipelined` changes nothing here, and right numbers prove no synchronisation.
#
# **Exercise:** [d1.largest_tile](../../exercises/day1/largest_tile.ipynb).

# %% [markdown] tags=["lang:zh", "lecture"] stem="recap" en_sha="7405068f"
# ## 小结
#
# - Developer 模式把五件事交给编译器：向量化、放置、复用、双缓冲、标志。Expert 模式下，放置和标志由你负责。
# - 每件事都由一个有名字的 pass 完成；IR、内存图或时间线会显示它做了什么。
# - `T.Pipelined` 在这里什么都不改变；数值正确不能证明同步正确。
#
# **练习：** [d1.largest_tile](../../../exercises/zh/day1/largest_tile.ipynb)。


# %% tags=["golden"] stem="golden"
# What the text says holds in the outputs.
def bare(kernel):
    shots = kernel.trace()
    lines = shots.texts[shots.snapshots[-1].text_id].splitlines()
    return [line.split(" loc(")[0] for line in lines]


assert loop[0].startswith("tl.for")
assert loop[1] == "no tl.for"
assert len({tile.offset_bytes for tile in chained.program().memory[0].buffers}) == 2
assert (peak, together) == (2 * 32 * 1024, 7 * 32 * 1024)
assert rows["with reuse"] >= 96 > rows["each its own place"]
assert bare(plain) == bare(staged)
assert cycles["T.serial"] == cycles["T.Pipelined"] < cycles["one buffer"]
assert (copies(plain), copies(single)) == (2, 1)
assert 0 < sum(right) < len(runs)
assert all(run.findings for run in runs)
assert [finding.diagnostic.code for finding in between] == ["TL522"]
assert flags["switched off"] < flags["as usual"]
