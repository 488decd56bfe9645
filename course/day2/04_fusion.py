# ---
# jupyter:
#   tlcourse:
#     id: d2.fusion
#     title: "2.4 MiniCV: cube and vector in one kernel"
#     title_zh: "2.4 MiniCV：一个内核里的 cube 与 vector"
#     track: core
#     minutes: 45
#     needs: [d2.copy]
# ---

# %% [markdown] tags=["lang:en", "lecture"] stem="goals"
# # 2.4 MiniCV: cube and vector in one kernel
#
# *core, 45 minutes, needs lesson 2.3*
#
# You will be able to
# - write one kernel that multiplies on the cube core and takes `exp` on the vector cores,
# - cut the product along K, and say what `initC` does in the loop,
# - find the pass that splits one kernel into two programs,
# - read on a **timeline** which pipe waits for which,
# - keep apart the dtype of the inputs and the dtype of the sum.

# %% [markdown] tags=["lang:zh", "lecture"] stem="goals" en_sha="aa376ce3"
# # 2.4 MiniCV：一个内核里的 cube 与 vector
#
# *核心内容，45 分钟，先修 2.3 节*
#
# 学完后你能够
# - 写一个内核（kernel），用 cube 核做矩阵乘，用 vector 核算 `exp`；
# - 把乘积沿 K 切开，并说明 `initC` 在循环中的作用；
# - 找到把一个内核拆成两个程序的那个 pass；
# - 在**时间线**（timeline）上读出哪条流水线在等哪条；
# - 分清输入的数据类型和累加的数据类型。

# %% tags=["setup"] stem="imports"
import os

os.environ["TILELANG_ASCEND_MODE"] = "Developer"
from tlcourse import check, hint, answer, progress, show_passes, show_timeline, show_memory
import tilelang
import tilelang.language as T
import torch

# %% [markdown] tags=["lang:en"] stem="task"
# ## The task
#
# C = A @ B and D = exp(C) is the smallest **fused kernel**: one launch that needs both kinds of
# core. The **cube core** multiplies tiles. The two **vector cores** beside it work element by
# element. A and B are float16, C and D are float32. A is scaled by 1/sqrt(K), else exp overflows.

# %% [markdown] tags=["lang:zh"] stem="task" en_sha="dd4a8e76"
# ## 任务
#
# C = A @ B，D = exp(C)，这是最小的**融合内核**（fused kernel）：一次启动要用到两种核。**cube 核**对数据块做矩阵乘，旁边的两个 **vector 核**逐元素计算。A、B 为 float16，C、D 为 float32。A 要乘以 1/sqrt(K)，否则 exp 会溢出。

# %% tags=["setup"] stem="inputs"
os.environ["TILELANG_ASCEND_DEVICE_NAME"] = "Ascend910B1"  # all sizes and times are of this chip


def make_inputs(M, N, K, dtype="float16"):
    generator = torch.Generator().manual_seed(0)
    A = torch.randn(M, K, generator=generator) / K**0.5
    B = torch.randn(K, N, generator=generator)
    return A.to(getattr(torch, dtype)).npu(), B.to(getattr(torch, dtype)).npu()


def close(got, want):
    return torch.allclose(got.cpu(), want.cpu(), atol=1e-4, rtol=1e-4)


M, N, K = 256, 256, 256
A, B = make_inputs(M, N, K)
C_torch = A.cpu().float() @ B.cpu().float()

# %% [markdown] tags=["lang:en", "lecture"] stem="tiles"
# ## Tiles
#
# The grid has one **block** for each **tile** of C. `cid` counts the tiles row by row, so
# `cid // n_num` is the row of tiles and `cid % n_num` the column. Which parts of A and B does
# block 6 need for its tile? Look for the two strips.

# %% [markdown] tags=["lang:zh", "lecture"] stem="tiles" en_sha="4bf9f934"
# ## 分块
#
# 网格（grid）中的每个**逻辑块**（block）负责 C 的一个**数据块**（tile）。`cid` 按行给数据块编号，所以 `cid // n_num` 是数据块的行号，`cid % n_num` 是列号。6 号逻辑块需要 A 和 B 的哪些部分？在图中找出这两个条带。

# %% tags=["lang:en", "lecture", "kp:K080", "kp:K082", "kp:K083"] stem="show_tiles"
from tlcourse.widgets.tiles import TileView

TileView(M, N, K, block=6)

# %% tags=["lang:zh", "lecture", "kp:K080", "kp:K082", "kp:K083"] stem="show_tiles" en_sha="bb268e23"
from tlcourse.widgets.tiles import TileView

TileView(M, N, K, block=6, language="zh")

# %% [markdown] tags=["lang:en"] stem="strips"
# ## The whole strips at once
#
# The kernel asks for two shared tiles and two **fragments**; the compiler chooses their places.
# `T.gemm` adds `A_sh @ B_sh` to `C_fr`, and `initC=True` makes it start from zero. With
# `block_K = K` the loop runs once: both whole strips are loaded, then multiplied.

# %% [markdown] tags=["lang:zh"] stem="strips" en_sha="e6008d97"
# ## 一次载入整个条带
#
# 内核申请两个 shared 数据块和两个 **fragment** 数据块，放在哪里由编译器决定。`T.gemm` 把 `A_sh @ B_sh` 加到 `C_fr` 上，`initC=True` 让它从零开始累加。当 `block_K = K` 时循环只走一次：先载入两个完整的条带，再相乘。


# %% tags=["kp:K081", "kp:K158"] stem="first_version"
@tilelang.jit(out_idx=[2, 3], target="npuir")
def first_version(M, N, K, block_M=64, block_N=64, block_K=64):
    n_num = N // block_N

    @T.prim_func
    def minicv(
        A: T.Tensor((M, K), "float16"),
        B: T.Tensor((K, N), "float16"),
        C: T.Tensor((M, N), "float32"),
        D: T.Tensor((M, N), "float32"),
    ):
        with T.Kernel((M // block_M) * n_num, is_npu=True) as (cid, _):
            bx = cid // n_num * block_M
            by = cid % n_num * block_N
            A_sh = T.alloc_shared((block_M, block_K), "float16")
            B_sh = T.alloc_shared((block_K, block_N), "float16")
            C_fr = T.alloc_fragment((block_M, block_N), "float32")
            D_fr = T.alloc_fragment((block_M, block_N), "float32")
            for k in T.serial(K // block_K):
                T.copy(A[bx : bx + block_M, k * block_K : (k + 1) * block_K], A_sh)
                T.copy(B[k * block_K : (k + 1) * block_K, by : by + block_N], B_sh)
                T.gemm(A_sh, B_sh, C_fr, initC=True)
            T.copy(C_fr, C[bx : bx + block_M, by : by + block_N])
            T.vexp(C_fr, D_fr)
            T.copy(D_fr, D[bx : bx + block_M, by : by + block_N])

    return minicv


# %% stem="run_strips"
strips = first_version(M, N, K, block_K=K)
C, D = strips(A, B)
print("C equal to torch:", close(C, C_torch))
print("D equal to torch:", close(D, C_torch.exp()))

# %% [markdown] tags=["lang:en"] stem="places"
# ## What lies where
#
# The figure shows what became of the requests. The strips lie in **L1**. `C_fr` has two places:
# in **L0C**, where the cube core sums, and in **UB**, where the vector cores read it. The strips
# grow with K. Will they still fit at K = 4096?

# %% [markdown] tags=["lang:zh"] stem="places" en_sha="5eff65c3"
# ## 数据放在哪里
#
# 下图是这些申请的结果。两个条带放在 **L1**。`C_fr` 有两个位置：一个在 **L0C**，cube 核在那里累加；一个在 **UB**（统一缓冲区），供 vector 核读取。条带的长度随 K 增长。K = 4096 时还放得下吗？

# %% tags=["lang:en"] stem="show_strips"
show_memory(strips)

# %% tags=["lang:zh"] stem="show_strips" en_sha="b0707daa"
show_memory(strips, language="zh")

# %% stem="too_long"
from tlcourse.diagnostics import TLError

try:
    first_version(M, N, 4096, block_K=4096)(*make_inputs(M, N, 4096))
except TLError as problem:
    too_long = problem.diagnostic
    print(too_long.code, too_long.what)

# %% [markdown] tags=["lang:en", "lecture"] stem="wrong"
# ## Cut along K, with a slip
#
# So K is cut: each trip of the loop brings one part of both strips. The kernel above has the loop
# already. Take it with `block_K=64` and change nothing else. Read its `T.gemm` line once more.
# What will C hold after the four trips?

# %% [markdown] tags=["lang:zh", "lecture"] stem="wrong" en_sha="99e626d5"
# ## 沿 K 切开，先犯一个小错
#
# 于是把 K 切开：循环每走一次，只从两个条带中各载入一段。上面的内核已经有这个循环。现在取 `block_K=64`，其他都不改。再读一遍 `T.gemm` 那一行：四次循环之后，C 里是什么？

# %% tags=["lang:en"] stem="drill1"
answer("d2.fusion.drill1", "?")  # a: the whole product  b: the last part of K only  c: zeros

# %% tags=["lang:zh"] stem="drill1" en_sha="d431610f"
answer("d2.fusion.drill1", "?", language="zh")  # a：完整的乘积  b：只有 K 的最后一段  c：全是零

# %% tags=["reveal"] stem="run_first"
C, D = first_version(M, N, K, block_K=64)(A, B)
last_part = A.cpu()[:, -64:].float() @ B.cpu()[-64:].float()
slip = {"the whole product": close(C, C_torch), "the last part of K": close(C, last_part)}
print(slip)

# %% tags=["lang:en", "reveal"] stem="show_last"
TileView(M, N, K, block=6, trip=3)

# %% tags=["lang:zh", "reveal"] stem="show_last" en_sha="8430dedc"
TileView(M, N, K, block=6, trip=3, language="zh")

# %% [markdown] tags=["lang:en", "lecture"] stem="mended"
# ## Mended
#
# Each trip began the sum anew, so only the last part of K was left. With one trip the fault did
# not show: test with more than one size. The sum may start from zero on the first trip only, so
# `initC=(k == 0)`. Rule: **the accumulator belongs to the whole loop, `initC` to its first trip.**

# %% [markdown] tags=["lang:zh", "lecture"] stem="mended" en_sha="ba4e88f7"
# ## 修正
#
# 每次循环都重新开始累加，所以只剩下 K 的最后一段。只走一次循环时看不出这个错：测试要多用几种尺寸。只有第一次循环可以从零开始，即 `initC=(k == 0)`。规则：**累加器属于整个循环，`initC` 只属于第一次。**


# %% stem="kernel"
@tilelang.jit(out_idx=[2, 3], target="npuir")
def fused(
    M, N, K, block_M=64, block_N=64, block_K=64, dtype="float16", sums="float32", stored="float32"
):
    n_num = N // block_N

    @T.prim_func
    def minicv(
        A: T.Tensor((M, K), dtype),
        B: T.Tensor((K, N), dtype),
        C: T.Tensor((M, N), stored),
        D: T.Tensor((M, N), "float32"),
    ):
        with T.Kernel((M // block_M) * n_num, is_npu=True) as (cid, _):
            bx = cid // n_num * block_M
            by = cid % n_num * block_N
            A_sh = T.alloc_shared((block_M, block_K), dtype)
            B_sh = T.alloc_shared((block_K, block_N), dtype)
            C_fr = T.alloc_fragment((block_M, block_N), sums)
            D_fr = T.alloc_fragment((block_M, block_N), "float32")
            for k in T.serial(K // block_K):
                T.copy(A[bx : bx + block_M, k * block_K : (k + 1) * block_K], A_sh)
                T.copy(B[k * block_K : (k + 1) * block_K, by : by + block_N], B_sh)
                T.gemm(A_sh, B_sh, C_fr, initC=(k == 0))
            T.copy(C_fr, C[bx : bx + block_M, by : by + block_N])
            T.vexp(C_fr, D_fr)
            T.copy(D_fr, D[bx : bx + block_M, by : by + block_N])

    return minicv


# %% tags=["kp:K079"] stem="run_kernel"
kernel = fused(M, N, K)
C, D = kernel(A, B)
print("C equal to torch:", close(C, C_torch))
print("D equal to torch:", close(D, C_torch.exp()))

# %% [markdown] tags=["lang:en"] stem="less"
# L1 now holds parts of the strips, each in two copies: while the cube core works on one, the next
# part is loaded into the other. The size no longer depends on K. L0C holds the same tile of C as
# before, through all trips.

# %% [markdown] tags=["lang:zh"] stem="less" en_sha="5cf3f673"
# 现在 L1 里只有两个条带各自的一段，每段两份：cube 核用一份计算时，下一段载入另一份（双缓冲，double buffering）。占用的空间不再随 K 变化。L0C 里仍是同一个 C 的数据块，贯穿所有循环。

# %% tags=["lang:en"] stem="show_loop"
show_memory(kernel)

# %% tags=["lang:zh"] stem="show_loop" en_sha="663b09e1"
show_memory(kernel, language="zh")

# %% [markdown] tags=["lang:en"] stem="inside"
# ## May exp go into the loop?
#
# The vector cores have nothing to do until the loop ends. A proposal: take exp of the product of
# each part of K at once, and add the four results to D, so that they start early. Would D be the
# same? Answer first, then run.

# %% [markdown] tags=["lang:zh"] stem="inside" en_sha="4a209492"
# ## exp 能放进循环吗？
#
# 循环结束之前，vector 核无事可做。有人建议：每算完 K 的一段就对这一段的乘积取 exp，再把四个结果加到 D 上，这样 vector 核可以早些开始。D 会一样吗？先回答，再运行。

# %% tags=["lang:en"] stem="p1"
answer("d2.fusion.p1", "?")  # a: yes, up to rounding  b: no

# %% tags=["lang:zh"] stem="p1" en_sha="32796a76"
answer("d2.fusion.p1", "?", language="zh")  # a：一样，只差舍入  b：不一样

# %% tags=["reveal"] stem="try_inside"
parts = [A.cpu()[:, k : k + 64].float() @ B.cpu()[k : k + 64].float() for k in range(0, K, 64)]
inside = {
    "exp of the sum": close(sum(parts).exp(), D),
    "sum of the exps": close(sum(part.exp() for part in parts), D),
    "product of the exps": close(torch.stack(parts).exp().prod(dim=0), D),
}
print(inside)

# %% [markdown] tags=["lang:en"] stem="outside"
# exp turns sums into products: exp(a + b) = exp(a) * exp(b). To add the exps of the parts is
# wrong; to multiply them would be right, but takes exp once for every part. Rule: **a sum may be
# cut along K, exp comes after the loop.**

# %% [markdown] tags=["lang:zh"] stem="outside" en_sha="d9883b73"
# exp 把和变成积：exp(a + b) = exp(a) * exp(b)。把各段的 exp 相加是错的；相乘虽然正确，但每一段都要算一次 exp。规则：**求和可以沿 K 切开，exp 放在循环之后。**

# %% [markdown] tags=["lang:en", "lecture"] stem="passes"
# ## What the compiler made of it
#
# You wrote one kernel and named no core. Step through the **passes** with the arrow keys; those
# that changed nothing are skipped. Look for the pass after which there are two functions,
# `minicv_mix_aic` for the cube core and `minicv_mix_aiv` for the vector cores.

# %% [markdown] tags=["lang:zh", "lecture"] stem="passes" en_sha="7d329e2c"
# ## 编译器做了什么
#
# 你只写了一个内核，没有提到任何核。用方向键逐个查看 **pass**（编译步骤），没有改变 IR 的会被跳过。找出在哪个 pass 之后出现了两个函数：cube 核的 `minicv_mix_aic` 和 vector 核的 `minicv_mix_aiv`。

# %% tags=["lang:en", "lecture"] stem="show_passes"
show_passes(kernel)

# %% tags=["lang:zh", "lecture"] stem="show_passes" en_sha="b3a56ae9"
show_passes(kernel, language="zh")

# %% tags=["lang:en"] stem="drill2"
answer("d2.fusion.drill2", "?")  # the name of the pass

# %% tags=["lang:zh"] stem="drill2" en_sha="5f57bf67"
answer("d2.fusion.drill2", "?", language="zh")  # 填 pass 的名字

# %% tags=["reveal"] stem="find_split"
trace = kernel.trace()
split = next(s for s in trace.snapshots if "@minicv_mix_aiv" in trace.texts[s.text_id])
print("two functions after:", split.pass_name)

# %% [markdown] tags=["lang:en", "lecture"] stem="time"
# ## Who waits for whom
#
# One lane is one **pipe** of one core. MTE2 loads, MTE1 fills L0A and L0B, CUBE multiplies, FIXP
# takes the product out of L0C, VECTOR computes exp, MTE3 stores. Hatched stretches are waits.
# Find the first VECTOR instruction: what had to end before it?

# %% [markdown] tags=["lang:zh", "lecture"] stem="time" en_sha="bbf33c2d"
# ## 谁在等谁
#
# 一条泳道是一个核的一条**流水线**（pipe）。MTE2 负责载入，MTE1 填充 L0A 和 L0B，CUBE 做乘法，FIXP 把乘积从 L0C 取出，VECTOR 计算 exp，MTE3 写回。斜线段表示等待。找到第一条 VECTOR 指令：在它之前必须完成什么？

# %% tags=["lang:en", "lecture"] stem="show_timeline"
show_timeline(kernel)

# %% tags=["lang:zh", "lecture"] stem="show_timeline" en_sha="f8645fc1"
show_timeline(kernel, language="zh")

# %% stem="cycles"
cycles = {}
for pipe, name in {"M": "CUBE", "FIX": "FIXP", "V": "VECTOR"}.items():
    work = [i for i in kernel.last_launch.timeline.instructions if i.pipe == pipe]
    cycles[name] = min(i.start_cycle for i in work), max(i.end_cycle for i in work)
    print(f"{name:7}from cycle {cycles[name][0]:6,} to {cycles[name][1]:6,}")

# %% [markdown] tags=["lang:en"] stem="handover"
# The product reaches the vector cores through global memory (**GM**): FIXP writes it there, a
# **flag** tells the vector cores, their MTE2 reads it. `D_fr` takes the place of `C_fr` in UB, so
# C is stored before exp begins. The VECTOR lanes stay empty for the whole K loop of the block; on
# day 4 you will fill them.

# %% [markdown] tags=["lang:zh"] stem="handover" en_sha="bbb20e9d"
# 乘积要经过全局内存（global memory，**GM**）才能到达 vector 核：FIXP 把它写到那里，一个**标志**（flag）通知 vector 核，再由它们的 MTE2 读入。`D_fr` 在 UB 里占用 `C_fr` 的位置，所以 exp 开始之前要先写回 C。在本块的整个 K 循环期间，VECTOR 泳道都是空的；第 4 天你会把它们填满。

# %% [markdown] tags=["lang:en"] stem="cost"
# ## What a tile costs
#
# Each tile of C loads its own two strips, so an element of A is read `N // block_N` times, and an
# element of B `M // block_M` times. Larger tiles read less. Is the largest one the fastest? The
# next cell counts bytes by this formula, and in the record of a run.

# %% [markdown] tags=["lang:zh"] stem="cost" en_sha="4f78e59c"
# ## 数据块大小的代价
#
# C 的每个数据块都要载入自己的两个条带，所以 A 的一个元素要读 `N // block_N` 次，B 的一个元素要读 `M // block_M` 次。数据块越大，读得越少。最大的就最快吗？下一个单元格用这个公式统计字节数，再与运行记录中的字节数比较。

# %% tags=["kp:K090"] stem="gm_bytes"
kib, total_cycles = {}, {}
for block in (32, 64, 128):
    formula = 2 * (M * K * (N // block) + K * N * (M // block))
    trial = fused(M, N, K, block, block)
    trial(A, B)
    line = trial.last_launch.timeline
    loads = [i for i in line.instructions if i.agent == "aic" and i.pipe == "MTE2"]
    blocks = len({i.block for i in loads}) + line.replicated_blocks
    recorded = sum(i.bytes for i in loads) * blocks // len({i.block for i in loads})
    kib[f"{block} x {block}"], total_cycles[block] = recorded // 1024, line.cycles
    print(f"{block:3}: {formula:9,} = {recorded:9,} B, {blocks:2} blocks, {line.cycles:6,} cycles")

# %% tags=["lang:en"] stem="show_gm_bytes"
from tlcourse.widgets.bars import BarView

BarView("Read from GM by the cube cores, by tile size", kib, "KiB")

# %% tags=["lang:zh"] stem="show_gm_bytes" en_sha="6159a9dc"
from tlcourse.widgets.bars import BarView

BarView("cube 核从 GM 读取的数据量，按数据块大小", kib, "KiB", language="zh")

# %% stem="too_large"
try:
    fused(M, N, K, 256, 256)(A, B)
except TLError as problem:
    too_large = problem.diagnostic
    print(too_large.code, too_large.what)

# %% [markdown] tags=["lang:en"] stem="balance"
# The largest tiles read least, but here they are not the fastest: there are only a few blocks,
# and most core groups of the chip have no work. A still larger tile does not fit L0C. Rule:
# **tiles as large as memory allows, but enough of them for all cores.**

# %% [markdown] tags=["lang:zh"] stem="balance" en_sha="9669c795"
# 最大的数据块读得最少，但在这里并不最快：逻辑块太少，芯片上大多数核组没有工作。再大的数据块在 L0C 里放不下。规则：**数据块在内存允许的范围内尽量大，但数量要够所有核分。**

# %% [markdown] tags=["lang:en"] stem="dtypes"
# ## Inputs in f16, sum in f32
#
# C is a sum of K products. The inputs are f16 or bf16, and C may be stored in f32 or in f16. Let K
# grow from 64 to 4096. How large does the error of C become when it is stored in f32? Compare
# with the exact product of the same inputs.

# %% [markdown] tags=["lang:zh"] stem="dtypes" en_sha="0a425df5"
# ## 输入 f16，累加 f32
#
# C 是 K 个乘积之和。输入为 f16 或 bf16，C 可以存成 f32 或 f16。让 K 从 64 增大到 4096。C 存成 f32 时，误差会有多大？与相同输入的精确乘积相比。

# %% tags=["lang:en", "kp:K087"] stem="p2"
answer("d2.fusion.p2", "?")  # a: above 1e-2, as in an f16 sum  b: about 1e-3  c: below 1e-5

# %% tags=["lang:zh", "kp:K087"] stem="p2" en_sha="da389b24"
answer("d2.fusion.p2", "?", language="zh")  # a：大于 1e-2，同 f16 累加  b：约 1e-3  c：小于 1e-5


# %% stem="errors"
def decimals(C, A, B):  # how many decimals of C are right; 5 stands for more as well
    error = (C.cpu().double() - A.cpu().double() @ B.cpu().double()).abs().max()
    return min(5, int(-torch.log10(error)))


def f16_sum(A, B):  # what a sum in f16 would give; no pipe of the chip does this
    C = torch.zeros(A.shape[0], B.shape[1], dtype=torch.float16)
    for k in range(A.shape[1]):
        C += A.cpu()[:, k : k + 1] * B.cpu()[k : k + 1]
    return C


def by_dtype(K, dtype="float16", stored="float32"):
    A, B = make_inputs(64, 64, K, dtype)
    return decimals(fused(64, 64, K, dtype=dtype, stored=stored)(A, B)[0], A, B)


# %% tags=["reveal"] stem="table"
print("     K  f16 to f32  bf16 to f32  f16 to f16  f16 sum")
for many in (64, 256, 1024, 4096):
    A_K, B_K = make_inputs(64, 64, many)
    kept = {
        "f16, stored in f32": by_dtype(many),
        "bf16, stored in f32": by_dtype(many, "bfloat16"),
        "f16, stored in f16": by_dtype(many, stored="float16"),
        "sum in f16 (torch)": decimals(f16_sum(A_K, B_K), A_K, B_K),
    }
    print(f"{many:6}", "{:11} {:12} {:11} {:8}".format(*kept.values()))

# %% tags=["lang:en", "reveal"] stem="show_decimals"
BarView("Right decimals of C at K = 4096 (5 stands for 5 or more)", kept, look="L0C")

# %% tags=["lang:zh", "reveal"] stem="show_decimals" en_sha="12a1da12"
BarView("K = 4096 时 C 的正确小数位数（5 表示 5 位或更多）", kept, look="L0C", language="zh")

# %% stem="refused"
try:
    fused(64, 64, 64, sums="float16")
except TLError as problem:
    refused = problem.diagnostic
    print(f"{refused.code} {refused.what}\n{refused.why}")

# %% [markdown] tags=["lang:en"] stem="two_dtypes"
# The dtype of A and B says what comes in, the dtype of `C_fr` says how it is summed. Stored in
# f16, C is rounded once, at every K alike. A sum in f16 would round at each step and lose digits
# as K grows; the matrix unit cannot do it, and the error says so.

# %% [markdown] tags=["lang:zh"] stem="two_dtypes" en_sha="9e4152dd"
# A、B 的数据类型决定输入的精度，`C_fr` 的数据类型决定怎样累加。C 存成 f16 时只舍入一次，与 K 无关。若用 f16 累加，每一步都要舍入，K 越大丢的位数越多；矩阵单元不支持这种累加，报错信息也这样写明。

# %% [markdown] tags=["lang:en"] stem="edge"
# ## Rows that nobody makes
#
# `M // block_M` counts whole tiles only. At M = 300 some rows are left over, and no block makes
# them. The outputs hold no zeros there: this memory was never written. The simulator reports it.

# %% [markdown] tags=["lang:zh"] stem="edge" en_sha="ac922f26"
# ## 没有逻辑块负责的行
#
# `M // block_M` 只数完整的数据块。M = 300 时会剩下一些行，没有逻辑块去计算。输出的这些位置并不是零，因为这段内存从未被写过。模拟器会报告这一点。

# %% tags=["kp:K088"] stem="run_edge"
launch = fused(300, N, K).launch(*make_inputs(300, N, K))
for finding in launch.findings:
    print(finding.diagnostic.code, finding.diagnostic.what)

# %% tags=["lang:en"] stem="show_edge"
TileView(300, N, K, block=6)

# %% tags=["lang:zh"] stem="show_edge" en_sha="2c52ea71"
TileView(300, N, K, block=6, language="zh")

# %% [markdown] tags=["lang:en", "lecture"] stem="recap"
# ## Recap
#
# - The product stays in L0C through the whole K loop; `initC` is true on its first trip only.
# - The compiler splits one Developer kernel into two programs and adds the hand-over through GM.
# - f16 inputs are summed in f32; a grid of whole tiles leaves the rest of M unwritten.
# - At a tail of K multiply what was loaded: `T.gemm(a[:, 0:n], b[0:n, :], c)`.
#
# **Exercise:** [d2.minicv](../../exercises/day2/minicv.ipynb), the same kernel for sizes that no
# tile divides.

# %% [markdown] tags=["lang:zh", "lecture"] stem="recap" en_sha="a87ab28d"
# ## 小结
#
# - 乘积在整个 K 循环中留在 L0C；`initC` 只在第一次循环为真。
# - 编译器把一个 Developer 内核拆成 cube 程序和 vector 程序，并加入经由 GM 的交接，所以 vector 核开始得晚。
# - f16 输入用 f32 累加；只数完整数据块的网格，会让 M 的剩余部分无人写入。
# - K 不能整除时，只乘载入的部分：`T.gemm(a[:, 0:n], b[0:n, :], c)`。
#
# **练习：** [d2.minicv](../../../exercises/zh/day2/minicv.ipynb)，尺寸不能被数据块整除时的同一个内核。


# %% tags=["golden"] stem="golden"
# What the text says holds in the outputs.
def l1_bytes(kernel):
    plan = next(plan for plan in kernel.program().memory if plan.space == "cbuf")
    return sum(buffer.size_bytes for buffer in plan.buffers)


assert (too_long.code, too_large.code, refused.code) == ("TL301", "TL301", "TL124")
assert " L1" in too_long.what
assert " L0C" in too_large.what
assert slip == {"the whole product": False, "the last part of K": True}
assert close(C, C_torch)
assert l1_bytes(fused(64, 64, 4096)) == l1_bytes(kernel) < l1_bytes(strips)
assert inside == {"exp of the sum": True, "sum of the exps": False, "product of the exps": True}
assert split.pass_name == "hivm-split-mix-kernel"
assert cycles["CUBE"][1] <= cycles["FIXP"][1] <= cycles["VECTOR"][0]
assert list(kib.values()) == [2048, 1024, 512]
assert min(total_cycles, key=total_cycles.get) == 64
assert len({buffer.offset_bytes for buffer in kernel.last_launch.memory[0].buffers}) == 1
assert list(kept.values())[:3] == [5, 5, 3]
assert kept["sum in f16 (torch)"] < 3
assert {finding.diagnostic.code for finding in launch.findings} == {"TL528"}
