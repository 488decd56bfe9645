# ---
# jupyter:
#   tlcourse:
#     id: d1.first_kernel
#     title: "1.0 First kernel in ten minutes"
#     title_zh: "1.0 十分钟写出第一个内核"
#     track: core
#     minutes: 20
#     needs: []
# ---

# %% [markdown] tags=["lang:en", "lecture"] stem="goals"
# # 1.0 First kernel in ten minutes
#
# *core, 20 minutes, needs nothing but Python*
#
# You will be able to
# - write a **kernel** that adds two vectors, and run it,
# - say what a **block** does, and choose how many there are,
# - tell what the compiler reads once from what the chip does at each launch,
# - read the first sentence of a report, and mend the kernel that it speaks of.

# %% [markdown] tags=["lang:zh", "lecture"] stem="goals" en_sha="09fdf6d6"
# # 1.0 十分钟写出第一个内核
#
# *核心内容，20 分钟，只需要会 Python*
#
# 学完后你能够
# - 写一个把两个向量相加的**内核**（kernel，昇腾文档里也叫核函数），并运行它；
# - 说出一个**逻辑块**（block）做什么，并决定块的个数；
# - 分清哪些内容编译器只读一次，哪些工作芯片每次启动都要做；
# - 读懂报告的第一句话，并修好它所指的内核。

# %% tags=["setup"] stem="imports"
import os

os.environ["TILELANG_ASCEND_MODE"] = "Developer"
from tlcourse import check, hint, answer, progress, show_passes, show_timeline, show_memory
import tilelang
import tilelang.language as T
import torch

# %% [markdown] tags=["lang:en", "lecture"] stem="task"
# ## The task
#
# C = A + B for two vectors in **global memory** (GM). No core computes there: a part of a vector,
# a **tile**, is copied into a core, added, and copied back. The second line of the cell above says
# how much the compiler decides for you; lesson 1.2 compares the modes.

# %% [markdown] tags=["lang:zh", "lecture"] stem="task" en_sha="fe63d0f0"
# ## 任务
#
# 对**全局内存**（global memory，GM）里的两个向量计算 C = A + B。核（core）不能直接在那里计算：要先把向量的一段，即一个**数据块**（tile），拷贝到核内，相加，再拷贝回去。上面单元格里设置模式的那一行决定编译器替你做多少事；1.2 节会比较各种模式。

# %% tags=["setup"] stem="inputs"
os.environ["TILELANG_ASCEND_DEVICE_NAME"] = "Ascend910B1"  # all times are of this chip


def vectors(N):
    generator = torch.Generator().manual_seed(N)
    return [torch.randn(N, generator=generator).npu() for _ in range(2)]


A, B = vectors(4096)
C_torch = A.cpu() + B.cpu()

# %% [markdown] tags=["lang:en"] stem="kernel_words"
# ## The kernel
#
# `T.Kernel(blocks)` starts that many blocks. They run the same text; `cid` is the number of the
# block, so each one takes another tile. Between the two copies in and the copy out stands one
# vector operation. Which elements does block 3 add?

# %% [markdown] tags=["lang:zh"] stem="kernel_words" en_sha="1b3f6eef"
# ## 内核
#
# `T.Kernel(blocks)` 启动 `blocks` 个逻辑块。它们执行同一段代码；`cid` 是逻辑块的编号，所以每个逻辑块处理不同的数据块。两次拷入和一次拷出之间，是一条向量运算。3 号块相加的是哪些元素？


# %% tags=["lecture", "kp:K001", "kp:K105"] stem="kernel"
@tilelang.jit(out_idx=[2], target="npuir")
def vector_add(N, blocks=16, block=256):
    @T.prim_func
    def add(
        A: T.Tensor((N,), "float32"),
        B: T.Tensor((N,), "float32"),
        C: T.Tensor((N,), "float32"),
    ):
        with T.Kernel(blocks, is_npu=True) as (cid, _):
            start = cid * block
            a = T.alloc_shared((block,), "float32")
            b = T.alloc_shared((block,), "float32")
            c = T.alloc_shared((block,), "float32")
            T.copy(A[start : start + block], a)
            T.copy(B[start : start + block], b)
            T.vadd(a, b, c)
            T.copy(c, C[start : start + block])

    return add


# %% tags=["lecture"] stem="run"
kernel = vector_add(4096)
C = kernel(A, B)
print("equal to torch:", torch.equal(C.cpu(), C_torch))
print("block 3 adds:", torch.equal(C.cpu()[768:1024], C_torch[768:1024]))

# %% [markdown] tags=["lang:en"] stem="places"
# `vector_add(4096)` made the kernel, `kernel(A, B)` ran it: here on a simulated chip, on hardware
# the same two lines use the real one. The figure shows the core's own memory, **UB**. You asked
# for three tiles and named no addresses; the compiler chose them, and gave `c` the place of a tile
# that is read for the last time.

# %% [markdown] tags=["lang:zh"] stem="places" en_sha="9619ba74"
# `vector_add(4096)` 生成内核，`kernel(A, B)` 运行它：这里是在模拟的芯片上；在真实硬件上，同样的两行会使用真正的芯片。图中是核自己的内存 **UB**（Unified Buffer，统一缓冲区）。你申请了三个数据块，没有写地址；地址由编译器选定，并且 `c` 占用了一个不再被读取的数据块的位置。

# %% tags=["lang:en"] stem="show_places"
show_memory(kernel)

# %% tags=["lang:zh"] stem="show_places" en_sha="663b09e1"
show_memory(kernel, language="zh")

# %% [markdown] tags=["lang:en", "lecture"] stem="change"
# ## Change the formula
#
# Now A + factor * B, where `factor` is a Python variable beside the kernel. The kernel is made
# while `factor` is 2. Then `factor` becomes 10, and the kernel runs. Which value does it use?
# Answer first, then run the next cells.

# %% [markdown] tags=["lang:zh", "lecture"] stem="change" en_sha="0b546a37"
# ## 改公式
#
# 现在计算 A + factor * B，其中 `factor` 是内核旁边的一个 Python 变量。生成内核时 `factor` 是 2，然后把 `factor` 改成 10，再运行内核。它用的是哪个值？先回答，再运行下面的单元格。

# %% tags=["lang:en"] stem="p1"
answer("d1.first_kernel.p1", "?")  # a: 2  b: 10  c: 2 the first time, 10 after that

# %% tags=["lang:zh"] stem="p1" en_sha="f478620e"
answer("d1.first_kernel.p1", "?", language="zh")  # a：2  b：10  c：第一次 2，以后 10


# %% tags=["reveal"] stem="scaled"
@tilelang.jit(out_idx=[2], target="npuir")
def scaled_add(N, block=256):
    @T.prim_func
    def add(
        A: T.Tensor((N,), "float32"),
        B: T.Tensor((N,), "float32"),
        C: T.Tensor((N,), "float32"),
    ):
        with T.Kernel(N // block, is_npu=True) as (cid, _):
            start = cid * block
            a = T.alloc_shared((block,), "float32")
            b = T.alloc_shared((block,), "float32")
            T.copy(A[start : start + block], a)
            T.copy(B[start : start + block], b)
            T.vmul(b, factor, b)
            T.vadd(a, b, b)
            T.copy(b, C[start : start + block])

    return add


factor = 2.0
scaled = scaled_add(4096)
factor = 10.0
used = {value: torch.equal(scaled(A, B).cpu(), A.cpu() + value * B.cpu()) for value in (2, 10)}
print(used)

# %% [markdown] tags=["lang:en"] stem="read_once"
# The body of a kernel is not run by Python. It is read once, when `scaled_add(4096)` is called,
# and becomes a text for the compiler. What Python knows at that moment, like `factor` and `block`,
# goes in as a number. Rule: **Python writes the kernel, the chip runs it.**

# %% [markdown] tags=["lang:zh"] stem="read_once" en_sha="c190ea43"
# 内核的函数体不由 Python 执行。调用 `scaled_add(4096)` 时，函数体被读取一次，变成交给编译器的文本。Python 此刻已知的值，例如 `factor` 和 `block`，会作为常数写进去。规则：**Python 写出内核，芯片运行内核。**

# %% tags=["lang:en"] stem="show_scaled"
show_passes(scaled)

# %% tags=["lang:zh"] stem="show_scaled" en_sha="8148e599"
show_passes(scaled, language="zh")

# %% [markdown] tags=["lang:en"] stem="no_store"
# ## Break it: no store
#
# Leave out the last copy. The sum is made, and stays in UB. Nothing crashes, neither here nor on
# a chip. `launch` returns the outputs together with the **findings** of the simulator. Read the
# first sentence: what is said of C, and of how much of it?

# %% [markdown] tags=["lang:zh"] stem="no_store" en_sha="f7d18411"
# ## 弄坏它：不写回
#
# 去掉最后一次拷贝。加法算完了，结果却留在 UB 里。无论在这里还是在芯片上，程序都不会崩溃。`launch` 返回输出，同时返回模拟器的**发现**（finding）。读第一句话：它说 C 怎么了，涉及多少个元素？


# %% stem="without_store"
@tilelang.jit(out_idx=[2], target="npuir")
def forgetful_add(N, block=256):
    @T.prim_func
    def add(
        A: T.Tensor((N,), "float32"),
        B: T.Tensor((N,), "float32"),
        C: T.Tensor((N,), "float32"),
    ):
        with T.Kernel(N // block, is_npu=True) as (cid, _):
            a = T.alloc_shared((block,), "float32")
            b = T.alloc_shared((block,), "float32")
            T.copy(A[cid * block : cid * block + block], a)
            T.copy(B[cid * block : cid * block + block], b)
            T.vadd(a, b, b)

    return add


forgotten = forgetful_add(4096).launch(A, B).findings
for finding in forgotten:
    print(finding.diagnostic.code, finding.diagnostic.what)

# %% [markdown] tags=["lang:en", "lecture"] stem="four_more"
# ## Break it: four elements more
#
# The first kernel again, with its 16 blocks of 256, on vectors of 4100 elements. The blocks cover
# 4096 of them. C is allocated by the launch. What will its last four elements hold?

# %% [markdown] tags=["lang:zh", "lecture"] stem="four_more" en_sha="0f3d08d8"
# ## 弄坏它：多四个元素
#
# 还是第一个内核，16 个块，每块 256 个元素，但向量有 4100 个元素。这些块只覆盖其中 4096 个。C 在启动时分配。它的最后四个元素会是什么？

# %% tags=["lang:en"] stem="p2"
answer("d1.first_kernel.p2", "?")  # a: zeros  b: the right sums  c: nothing that can be relied on

# %% tags=["lang:zh"] stem="p2" en_sha="df204e0d"
answer("d1.first_kernel.p2", "?", language="zh")  # a：零  b：正确的和  c：没有可以依赖的值

# %% tags=["reveal", "lecture"] stem="last_four"
long_A, long_B = vectors(4100)
launch = vector_add(4100).launch(long_A, long_B)
holes = [finding.diagnostic for finding in launch.findings]
print(holes[0].code, holes[0].what)
print("not a number:", launch.outputs[0].cpu()[-4:].isnan().tolist())

# %% [markdown] tags=["lang:en"] stem="poison"
# Memory that nobody wrote holds no zeros. The simulator fills it with **poison**, here NaN, so
# that it shows; on a chip it holds whatever was there. The first sentence names the output, how
# many elements, and the first index: 4096. That is the end of block 15.

# %% [markdown] tags=["lang:zh"] stem="poison" en_sha="5dbee0d8"
# 没有人写过的内存里不是零。模拟器用**毒值**（poison，这里是 NaN）填充它，好让错误显现出来；在真实芯片上，那里残留什么就是什么。第一句话给出了输出的名字、元素个数和第一个下标 4096，正好是 15 号块结束的地方。

# %% [markdown] tags=["lang:en"] stem="mend"
# ## Mended
#
# One block more: `T.ceildiv(N, block)` rounds up. The last block has only a **tail** of four
# elements, so each copy takes `n` elements instead of `block`. The sum may run over the whole
# tile; what lies behind the tail is not stored.

# %% [markdown] tags=["lang:zh"] stem="mend" en_sha="7b607d0d"
# ## 修正
#
# 多用一个块：`T.ceildiv(N, block)` 向上取整。最后一个块只剩四个元素，叫**尾块**（tail），所以每次拷贝 `n` 个元素，而不是 `block` 个。加法仍可以对整个数据块做，尾块之后的部分不会写回。


# %% tags=["kp:K105"] stem="mended"
@tilelang.jit(out_idx=[2], target="npuir")
def tail_add(N, block=256):
    @T.prim_func
    def add(
        A: T.Tensor((N,), "float32"),
        B: T.Tensor((N,), "float32"),
        C: T.Tensor((N,), "float32"),
    ):
        with T.Kernel(T.ceildiv(N, block), is_npu=True) as (cid, _):
            start = cid * block
            n = T.min(block, N - start)
            a = T.alloc_shared((block,), "float32")
            b = T.alloc_shared((block,), "float32")
            T.copy(A[start : start + n], a[0:n])
            T.copy(B[start : start + n], b[0:n])
            T.vadd(a, b, b)
            T.copy(b[0:n], C[start : start + n])

    return add


tail = tail_add(4100).launch(long_A, long_B)
print("findings:", len(tail.findings))
print("equal to torch:", torch.equal(tail.outputs[0].cpu(), (long_A + long_B).cpu()))

# %% [markdown] tags=["lang:en", "lecture"] stem="ahead"
# ## Where this leads
#
# The last picture is of MiniCV, the kernel that goes with you through the course: a matrix product
# and an `exp`. One lane is one unit of the chip, hatched stretches are waits. It is shown without
# a word more. By day 4 you will read it, and fill its gaps.

# %% [markdown] tags=["lang:zh", "lecture"] stem="ahead" en_sha="b8200b1c"
# ## 通向哪里
#
# 最后一张图来自 MiniCV，这个内核会陪你走完整个课程：一次矩阵乘和一次 `exp`。一条泳道是芯片的一个单元，斜线段表示等待。这里先不解释。到第 4 天，你会读懂它，并把其中的空隙填上。

# %% tags=["lang:en", "lecture"] stem="show_minicv"
from tlcourse.examples.minicv import minicv_developer

minicv = tilelang.compile(minicv_developer(256, 256, 256), target="npuir", out_idx=[2, 3])
generator = torch.Generator().manual_seed(0)
factors = [torch.randn(256, 256, generator=generator).half() / 16 for _ in range(2)]
minicv(*(matrix.npu() for matrix in factors))
show_timeline(minicv)

# %% tags=["lang:zh", "lecture"] stem="show_minicv" en_sha="5a6caf72"
from tlcourse.examples.minicv import minicv_developer

minicv = tilelang.compile(minicv_developer(256, 256, 256), target="npuir", out_idx=[2, 3])
generator = torch.Generator().manual_seed(0)
factors = [torch.randn(256, 256, generator=generator).half() / 16 for _ in range(2)]
minicv(*(matrix.npu() for matrix in factors))
show_timeline(minicv, language="zh")

# %% [markdown] tags=["lang:en"] stem="recap"
# ## Recap
#
# - A kernel copies a tile in, computes, copies it out; each block does this for its own tile.
# - Its body is read once, with the Python values of that moment.
# - What no block writes is poison, and the first sentence of the report says where it begins.
#
# **Exercise:** [d1.change_vadd](../../exercises/day1/change_vadd.ipynb), a scaled addition for
# any N.

# %% [markdown] tags=["lang:zh"] stem="recap" en_sha="bbd6b2f8"
# ## 小结
#
# - 内核把数据块拷入、计算、拷出；每个逻辑块处理自己的数据块。
# - 函数体只被读取一次，用的是当时的 Python 值。
# - 没有块写过的地方是毒值，报告的第一句话说明它从哪里开始。
#
# **练习：** [d1.change_vadd](../../../exercises/zh/day1/change_vadd.ipynb)，对任意 N 做带系数的加法。

# %% tags=["golden"] stem="golden"
# What the text says holds in the outputs.
assert torch.equal(C.cpu(), C_torch)
assert used == {2: True, 10: False}
places = [buffer.offset_bytes for buffer in kernel.last_launch.memory[0].buffers]
assert (len(places), len(set(places))) == (3, 2)
assert [finding.diagnostic.code for finding in forgotten] == ["TL528"]
assert "C[0]" in forgotten[0].diagnostic.what
assert holes[0].code == "TL528"
assert holes[0].what.startswith("4 of 4,100 elements of the output C")
assert launch.outputs[0].cpu()[-4:].isnan().all()
assert torch.equal(launch.outputs[0].cpu()[:-4], (long_A + long_B).cpu()[:-4])
assert not tail.findings
assert torch.equal(tail.outputs[0].cpu(), (long_A + long_B).cpu())
