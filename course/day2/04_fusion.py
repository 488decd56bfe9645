# ---
# jupyter:
#   tlcourse:
#     id: d2.fusion
#     title: "2.4 MiniCV: cube and vector in one kernel"
#     title_zh: "2.4 MiniCV:一个内核里的 cube 与 vector"
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
# - write a kernel that uses the cube core for a product and the vector cores for `exp`,
# - say why `initC` matters in a loop over K, and see what happens without it,
# - find the pass that splits one kernel into two programs,
# - read which pipe waits for which on a **timeline**.

# %% [markdown] tags=["lang:zh", "lecture"] stem="goals" en_sha="00284d53"
# # 2.4 MiniCV:一个内核里的 cube 与 vector
#
# *核心内容,45 分钟,先修 2.3 节*
#
# 学完后你能够
# - 编写一个内核:用 cube 核做矩阵乘,用 vector 核做 `exp`;
# - 说明 K 循环中 `initC` 的作用,以及缺少它的后果;
# - 找到把一个内核拆成两个程序的那个 pass;
# - 在**时间线(timeline)**上读出哪条流水线在等待谁。

# %% tags=["setup"] stem="imports"
import os

os.environ["TILELANG_ASCEND_MODE"] = "Developer"
from tlcourse import answer, check, show_passes, show_timeline
import tilelang
import tilelang.language as T
import torch

# %% [markdown] tags=["lang:en"] stem="task"
# ## The task
#
# C = A @ B and D = exp(C), with A and B in float16 and C and D in float32. A chip has two kinds of
# core: the cube core multiplies tiles, the vector cores work element by element. How does one
# kernel keep both busy? The inputs are scaled by 1/sqrt(K), else exp overflows.

# %% [markdown] tags=["lang:zh"] stem="task" en_sha="d75fd87b"
# ## 任务
#
# C = A @ B,D = exp(C);A、B 为 float16,C、D 为 float32。芯片有两种核:cube 核做小块矩阵乘,vector 核逐元素计算。一个内核怎样让两种核都工作?输入除以 sqrt(K),否则 exp 会溢出。

# %% stem="inputs"
M, N, K = 256, 256, 256
generator = torch.Generator().manual_seed(0)
A = (torch.randn(M, K, generator=generator) / K**0.5).half().npu()
B = torch.randn(K, N, generator=generator).half().npu()
C_torch = A.cpu().float() @ B.cpu().float()

# %% [markdown] tags=["lang:en", "lecture"] stem="wrong"
# ## A first version, with a slip
#
# Tiles are 64 x 64, and K is walked in four blocks of 64. `initC=True` tells `T.gemm` to start from
# zero. Read the loop once more: what will C hold when it ends? Note your answer before you run the
# next cells.

# %% [markdown] tags=["lang:zh", "lecture"] stem="wrong" en_sha="82a19d82"
# ## 第一个版本,带一个小错
#
# 每块 64 x 64,K 分成四块、每块 64。`initC=True` 让 `T.gemm` 从零开始累加。再读一遍循环:结束时 C 里是什么?先写下你的答案,再运行后面的单元格。

# %% stem="first_version"
@tilelang.jit(out_idx=[2, 3], target="npuir")
def first_version(M, N, K, block_M=64, block_N=64, block_K=64):
    @T.prim_func
    def minicv(
        A: T.Tensor((M, K), "float16"),
        B: T.Tensor((K, N), "float16"),
        C: T.Tensor((M, N), "float32"),
        D: T.Tensor((M, N), "float32"),
    ):
        with T.Kernel((M // block_M) * (N // block_N), is_npu=True) as (cid, _):
            bx = cid // (N // block_N) * block_M
            by = cid % (N // block_N) * block_N
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

# %% stem="p1"
answer("d2.fusion.p1", "?")  # a: the whole product  b: the last block of K only  c: zeros

# %% tags=["reveal"] stem="run_first"
C, D = first_version(M, N, K)(A, B)
last_block = A.cpu()[:, -64:].float() @ B.cpu()[-64:].float()
print("equal to the product:       ", torch.allclose(C.cpu(), C_torch, atol=1e-4))
print("equal to the last K block:  ", torch.allclose(C.cpu(), last_block, atol=1e-4))

# %% [markdown] tags=["lang:en", "lecture"] stem="mended"
# ## Mended
#
# Each trip threw away what the trips before had summed. The sum may start from zero on the first
# trip only: `initC=(k == 0)`. The rule: **the accumulator belongs to the whole loop, `initC` to its
# first trip.**

# %% [markdown] tags=["lang:zh", "lecture"] stem="mended" en_sha="0a47ffa9"
# ## 修正
#
# 每次循环都丢掉了之前累加的结果。只有第一次才应从零开始:`initC=(k == 0)`。规则:**累加器属于整个循环,`initC` 只属于第一次。**

# %% stem="kernel"
@tilelang.jit(out_idx=[2, 3], target="npuir")
def fused(M, N, K, block_M=64, block_N=64, block_K=64):
    @T.prim_func
    def minicv(
        A: T.Tensor((M, K), "float16"),
        B: T.Tensor((K, N), "float16"),
        C: T.Tensor((M, N), "float32"),
        D: T.Tensor((M, N), "float32"),
    ):
        with T.Kernel((M // block_M) * (N // block_N), is_npu=True) as (cid, _):
            bx = cid // (N // block_N) * block_M
            by = cid % (N // block_N) * block_N
            A_sh = T.alloc_shared((block_M, block_K), "float16")
            B_sh = T.alloc_shared((block_K, block_N), "float16")
            C_fr = T.alloc_fragment((block_M, block_N), "float32")
            D_fr = T.alloc_fragment((block_M, block_N), "float32")
            for k in T.serial(K // block_K):
                T.copy(A[bx : bx + block_M, k * block_K : (k + 1) * block_K], A_sh)
                T.copy(B[k * block_K : (k + 1) * block_K, by : by + block_N], B_sh)
                T.gemm(A_sh, B_sh, C_fr, initC=(k == 0))
            T.copy(C_fr, C[bx : bx + block_M, by : by + block_N])
            T.vexp(C_fr, D_fr)
            T.copy(D_fr, D[bx : bx + block_M, by : by + block_N])

    return minicv


kernel = fused(M, N, K)

# %% stem="run_kernel"
C, D = kernel(A, B)
print("C equal to torch:", torch.allclose(C.cpu(), C_torch, atol=1e-4, rtol=1e-4))
print("D equal to torch:", torch.allclose(D.cpu(), C_torch.exp(), atol=1e-4, rtol=1e-4))

# %% [markdown] tags=["lang:en", "lecture"] stem="passes"
# ## What the compiler made of it
#
# You wrote one kernel and said nothing about cores. Step through the passes with the arrow keys;
# passes that changed nothing are skipped. Look for the pass after which there are two functions,
# `minicv_mix_aic` and `minicv_mix_aiv`.

# %% [markdown] tags=["lang:zh", "lecture"] stem="passes" en_sha="20b9b1ee"
# ## 编译器做了什么
#
# 你只写了一个内核,没有提到核。用方向键逐个查看 pass,没有改变 IR 的会被跳过。找出在哪个 pass 之后出现了两个函数 `minicv_mix_aic` 和 `minicv_mix_aiv`。

# %% tags=["lecture"] stem="show_passes"
show_passes(kernel)

# %% stem="p2"
answer("d2.fusion.p2", "?")  # the name of the pass

# %% tags=["reveal"] stem="find_split"
trace = kernel.trace()
split = next(s for s in trace.snapshots if "@minicv_mix_aiv" in trace.texts[s.text_id])
print("two functions after:", split.pass_name)

# %% [markdown] tags=["lang:en", "lecture"] stem="time"
# ## Who waits for whom
#
# One lane is one **pipe** of one core. MTE2 loads, M multiplies, FIX takes the product out of L0C,
# V computes exp, MTE3 stores. The vector cores can only start when the product of their block is
# in global memory: see how long their lanes stay empty.

# %% [markdown] tags=["lang:zh", "lecture"] stem="time" en_sha="a566893c"
# ## 谁在等谁
#
# 一条泳道是一个核的一条**流水线(pipe)**。MTE2 负责载入,M 做乘法,FIX 把乘积从 L0C 取出,V 计算 exp,MTE3 写回。vector 核要等本块的乘积进入全局内存才能开始:看它们的泳道空了多久。

# %% tags=["lecture"] stem="show_timeline"
show_timeline(kernel)

# %% [markdown] tags=["lang:en"] stem="tiles"
# ## What a tile costs
#
# Every block loads a strip of A and a strip of B. Large tiles load less: a matrix element is read
# once for each tile of the other matrix that meets it. Count the bytes of both inputs that come
# from global memory, by tile size.

# %% [markdown] tags=["lang:zh"] stem="tiles" en_sha="c53f9139"
# ## 块大小的代价
#
# 每个块都要载入 A 的一条和 B 的一条。块越大,载入越少:一个矩阵元素会被另一矩阵中与它相遇的每个块各读一次。按块大小统计两个输入从全局内存读取的字节数。

# %% stem="gm_bytes"
for block in (32, 64, 128, 256):
    a_bytes = M * K * 2 * (N // block)
    b_bytes = K * N * 2 * (M // block)
    print(f"{block:3d} x {block:3d} tiles: {(a_bytes + b_bytes) // 1024:5d} KiB read")

# %% [markdown] tags=["lang:en", "lecture"] stem="recap"
# ## Recap
#
# - The product stays in L0C for the whole K loop; `initC` is true on its first trip only.
# - The compiler splits one Developer kernel into a cube and a vector program and adds the hand-over.
# - What the cube makes, the vector cores read through global memory, so they start late.
#
# **Exercise:** [d2.minicv](../../exercises/day2/minicv.ipynb), the same kernel for sizes that no
# tile divides.

# %% [markdown] tags=["lang:zh", "lecture"] stem="recap" en_sha="3950a240"
# ## 小结
#
# - 乘积在整个 K 循环中留在 L0C 里;`initC` 只在第一次为真。
# - 编译器把一个 Developer 内核拆成 cube 程序和 vector 程序,并加入两者的交接。
# - cube 的结果要经全局内存交给 vector 核,所以它们开始得晚。
#
# **练习:** [d2.minicv](../../../exercises/zh/day2/minicv.ipynb),尺寸不能被块整除时的同一个内核。

# %% tags=["golden"] stem="golden"
assert split.pass_name == "hivm-split-mix-kernel"
assert torch.allclose(C.cpu(), C_torch, atol=1e-4, rtol=1e-4)
vector_start = min(i.start_cycle for i in kernel.last_launch.timeline.instructions if i.pipe == "V")
cube_start = min(i.start_cycle for i in kernel.last_launch.timeline.instructions if i.pipe == "M")
assert cube_start < vector_start
