# ---
# jupyter:
#   tlcourse:
#     id: d3.compile_bug
# ---

# %% [markdown] tags=["lang:en"] stem="prompt"
# # d3.compile_bug: four errors in the way
#
# *more, 20 minutes, 5 points, after lesson 3.4*
#
# The kernel below is to compute exp(A @ B). **Four errors** keep it from compiling; each message
# shows you one of them. Mend them one by one. The buffers, the copies and the loop stay as they
# are. M and N are multiples of 64, K is a multiple of 32.

# %% [markdown] tags=["lang:zh"] stem="prompt" en_sha="a396a05f"
# # d3.compile_bug：挡路的四个错误
#
# *进阶内容，20 分钟，5 分，在 3.4 节之后*
#
# 下面的内核要计算 exp(A @ B)。**四个错误**使它不能编译；每条报错指出其中一个。请逐个改好。缓冲区、拷贝和循环保持不变。M 和 N 是 64 的倍数，K 是 32 的倍数。

# %% tags=["setup"] stem="imports"
import os

os.environ["TILELANG_ASCEND_MODE"] = "Developer"
from tlcourse import check, hint
import tilelang
import tilelang.language as T
import torch

# %% [markdown] tags=["lang:en"] stem="spec_words"
# What is asked, in torch; your kernel's parameters are A, B and C in this order. Then the kernel as
# it was handed to you. Copy it to the cell behind it and run `compile_bug(64, 64, 64)` there.

# %% [markdown] tags=["lang:zh"] stem="spec_words" en_sha="12383409"
# 要求用 torch 写出来如下，内核的参数依次是 A、B 和 C。接着是给出的内核。把它复制到后面的解答单元格，在那里运行 `compile_bug(64, 64, 64)`。


# %% tags=["setup"] stem="spec"
def compile_bug_torch(A, B):  # A: (M, K) float16, B: (K, N) float16
    return (A.float() @ B.float()).exp()  # (M, N) float32


# %% tags=["setup"] stem="given"
@tilelang.jit(out_idx=[2], target="npuir")
def given(M, N, K):
    block, deep = 64, 32

    @T.prim_func
    def kernel(
        A: T.Tensor((M, K), "float16"),
        B: T.Tensor((K, N), "float16"),
        C: T.Tensor((M, N), "float32"),
    ):
        with T.Kernel((M // block) * (N // block), is_npu=True) as (cid, _):
            row, column = cid // (N // block) * block, cid % (N // block) * block
            a = T.alloc_shared((block, deep), "float16")
            b = T.alloc_shared((block, deep), "float16")
            c = T.alloc_fragment((block, block), "float16")
            e = T.alloc_shared((block, block), "float32")
            for k in T.serial(K // deep):
                T.copy(A[row : row + block, k * deep : (k + 1) * deep], a)
                T.copy(B[k * deep : (k + 1) * deep, column : column + block], b)
                T.gemm(a, b, c, init_C=(k == 0))
            T.vexpp(c, e)
            T.copy(e, C[row : row + block, column : column + block])

    return kernel


# %% nbgrader={"grade": false, "grade_id": "d3-compile_bug-solution", "locked": false, "schema_version": 3, "solution": true, "task": false} stem="solution"
@tilelang.jit(out_idx=[2], target="npuir")
def compile_bug(M, N, K):
    # C = exp(A @ B): the given kernel, mended
    ### BEGIN SOLUTION
    block, deep = 64, 32

    @T.prim_func
    def kernel(
        A: T.Tensor((M, K), "float16"),
        B: T.Tensor((K, N), "float16"),
        C: T.Tensor((M, N), "float32"),
    ):
        with T.Kernel((M // block) * (N // block), is_npu=True) as (cid, _):
            row, column = cid // (N // block) * block, cid % (N // block) * block
            a = T.alloc_shared((block, deep), "float16")
            b = T.alloc_shared((deep, block), "float16")
            c = T.alloc_fragment((block, block), "float32")
            e = T.alloc_shared((block, block), "float32")
            for k in T.serial(K // deep):
                T.copy(A[row : row + block, k * deep : (k + 1) * deep], a)
                T.copy(B[k * deep : (k + 1) * deep, column : column + block], b)
                T.gemm(a, b, c, initC=(k == 0))
            T.vexp(c, e)
            T.copy(e, C[row : row + block, column : column + block])

    return kernel
    ### END SOLUTION


# %% tags=["lang:en"] nbgrader={"grade": true, "grade_id": "d3-compile_bug", "locked": true, "points": 5, "schema_version": 3, "solution": false, "task": false} stem="check"
check("d3.compile_bug", compile_bug)

# %% tags=["lang:zh"] nbgrader={"grade": true, "grade_id": "d3-compile_bug", "locked": true, "points": 5, "schema_version": 3, "solution": false, "task": false} stem="check" en_sha="8c0522c3"
check("d3.compile_bug", compile_bug, language="zh")

# %% [markdown] tags=["lang:en"] stem="help"
# Stuck? Run `hint("d3.compile_bug")` in a new cell, once for each of three hints.

# %% [markdown] tags=["lang:zh"] stem="help" en_sha="c869ecc9"
# 卡住了？在新单元格里运行 `hint("d3.compile_bug", language="zh")`，每次给出一条提示，共三条。
