# ---
# jupyter:
#   tlcourse:
#     id: d3.precision_bug
# ---

# %% [markdown] tags=["lang:en"] stem="prompt"
# # d3.precision_bug: it runs, and it is wrong
#
# *core, 25 minutes, 10 points, after lesson 3.4*
#
# The kernel below is FlashAttention for any S. It compiles, it runs, no finding comes, and at
# S = 64 it is right. At other lengths it is wrong: it has **two faults**. Find them with `T.print` and a
# comparison with torch, and **mend both**: at most three operations may differ from the given kernel.

# %% [markdown] tags=["lang:zh"] stem="prompt" en_sha="30536038"
# # d3.precision_bug：能运行，但结果错
#
# *核心内容，25 分钟，10 分，在 3.4 节之后*
#
# 下面的内核是任意 S 的 FlashAttention。它能编译，能运行，没有任何发现，S = 64 时也正确，别的长度就错了：它有**两处错误**。用 `T.print` 并与 torch 比较，找出它们，**都改好**：与给出的内核相比，最多可以有三个运算不同。

# %% tags=["setup"] stem="imports"
import os

os.environ["TILELANG_ASCEND_MODE"] = "Developer"
from tlcourse import check, hint
import tilelang
import tilelang.language as T
import torch

# %% [markdown] tags=["lang:en"] stem="spec_words"
# What is asked, in torch; your kernel's parameters are Q, K, V, O in this order. Then the kernel
# as it was handed to you. Run it at several lengths and compare.

# %% [markdown] tags=["lang:zh"] stem="spec_words" en_sha="891456e2"
# 要求用 torch 写出来如下，内核的参数依次是 Q、K、V、O。接着是给出的内核。请在几种长度上运行并比较。


# %% tags=["setup"] stem="spec"
def precision_bug_torch(Q, K, V):  # each (S, D) float16
    scores = Q.float() @ K.float().T / Q.shape[1] ** 0.5  # (S, S) float32
    return (scores.softmax(-1) @ V.float()).half()  # (S, D) float16


# %% tags=["setup"] stem="given"
@tilelang.jit(out_idx=[3], target="npuir")
def given(S, D):
    block, hidden = 64, 0.0

    @T.prim_func
    def kernel(
        Q: T.Tensor((S, D), "float16"),
        K: T.Tensor((S, D), "float16"),
        V: T.Tensor((S, D), "float16"),
        O: T.Tensor((S, D), "float16"),
    ):
        with T.Kernel(T.ceildiv(S, block), is_npu=True) as (cid, _):
            here = T.min(block, S - cid * block)
            q = T.alloc_shared((block, D), "float16")
            k = T.alloc_shared((block, D), "float16")
            v = T.alloc_shared((block, D), "float16")
            p = T.alloc_shared((block, block), "float16")
            s = T.alloc_fragment((block, block), "float32")
            pv = T.alloc_fragment((block, D), "float32")
            o = T.alloc_fragment((block, D), "float32")
            m = T.alloc_shared((block, 1), "float32")
            l = T.alloc_shared((block, 1), "float32")
            x = T.alloc_shared((block, 1), "float32")
            factor = T.alloc_shared((block, 1), "float32")
            T.copy(Q[cid * block : cid * block + here, :], q[0:here, :])
            T.vbrc(-T.infinity("float32"), m)
            T.vbrc(0.0, l)
            T.vbrc(0.0, o)
            for j in T.serial(T.ceildiv(S, block)):
                width = T.min(block, S - j * block)
                T.copy(K[j * block : j * block + width, :], k[0:width, :])
                T.copy(V[j * block : j * block + width, :], v[0:width, :])
                T.gemm(q, k, s, initC=True, b_transpose=True)
                T.vmul(s, D**-0.5, s)
                for a, b in T.Parallel(block, block):
                    s[a, b] = T.if_then_else(b < width, s[a, b], hidden)
                T.reduce_max(s, x, dim=1)
                T.vmax(m, x, x)
                T.copy(x, m)
                T.vsub(m, x, factor)
                T.vexp(factor, factor)
                T.vsub(s, m, s)
                T.vexp(s, s)
                T.reduce_sum(s, x, dim=1)
                T.vmul(l, factor, l)
                T.vadd(l, x, l)
                T.copy(s, p)
                T.gemm(p[:, 0:width], v[0:width, :], pv, initC=True)
                T.vmul(o, factor, o)
                T.vadd(o, pv, o)
            T.vdiv(o, l, o)
            T.copy(o[0:here, :], O[cid * block : cid * block + here, :])

    return kernel


# %% nbgrader={"grade": false, "grade_id": "d3-precision_bug-solution", "locked": false, "schema_version": 3, "solution": true, "task": false} stem="solution"
@tilelang.jit(out_idx=[3], target="npuir")
def precision_bug(S, D):
    # the given kernel, mended
    ### BEGIN SOLUTION
    block, hidden = 64, -T.infinity("float32")

    @T.prim_func
    def kernel(
        Q: T.Tensor((S, D), "float16"),
        K: T.Tensor((S, D), "float16"),
        V: T.Tensor((S, D), "float16"),
        O: T.Tensor((S, D), "float16"),
    ):
        with T.Kernel(T.ceildiv(S, block), is_npu=True) as (cid, _):
            here = T.min(block, S - cid * block)
            q = T.alloc_shared((block, D), "float16")
            k = T.alloc_shared((block, D), "float16")
            v = T.alloc_shared((block, D), "float16")
            p = T.alloc_shared((block, block), "float16")
            s = T.alloc_fragment((block, block), "float32")
            pv = T.alloc_fragment((block, D), "float32")
            o = T.alloc_fragment((block, D), "float32")
            m = T.alloc_shared((block, 1), "float32")
            l = T.alloc_shared((block, 1), "float32")
            x = T.alloc_shared((block, 1), "float32")
            factor = T.alloc_shared((block, 1), "float32")
            T.copy(Q[cid * block : cid * block + here, :], q[0:here, :])
            T.vbrc(-T.infinity("float32"), m)
            T.vbrc(0.0, l)
            T.vbrc(0.0, o)
            for j in T.serial(T.ceildiv(S, block)):
                width = T.min(block, S - j * block)
                T.copy(K[j * block : j * block + width, :], k[0:width, :])
                T.copy(V[j * block : j * block + width, :], v[0:width, :])
                T.gemm(q, k, s, initC=True, b_transpose=True)
                T.vmul(s, D**-0.5, s)
                for a, b in T.Parallel(block, block):
                    s[a, b] = T.if_then_else(b < width, s[a, b], hidden)
                T.reduce_max(s, x, dim=1)
                T.vmax(m, x, x)
                T.vsub(m, x, factor)
                T.copy(x, m)
                T.vexp(factor, factor)
                T.vsub(s, m, s)
                T.vexp(s, s)
                T.reduce_sum(s, x, dim=1)
                T.vmul(l, factor, l)
                T.vadd(l, x, l)
                T.copy(s, p)
                T.gemm(p[:, 0:width], v[0:width, :], pv, initC=True)
                T.vmul(o, factor, o)
                T.vadd(o, pv, o)
            T.vdiv(o, l, o)
            T.copy(o[0:here, :], O[cid * block : cid * block + here, :])

    return kernel
    ### END SOLUTION


# %% tags=["lang:en"] nbgrader={"grade": true, "grade_id": "d3-precision_bug", "locked": true, "points": 10, "schema_version": 3, "solution": false, "task": false} stem="check"
check("d3.precision_bug", precision_bug)

# %% tags=["lang:zh"] nbgrader={"grade": true, "grade_id": "d3-precision_bug", "locked": true, "points": 10, "schema_version": 3, "solution": false, "task": false} stem="check" en_sha="ee6c5a3a"
check("d3.precision_bug", precision_bug, language="zh")

# %% [markdown] tags=["lang:en"] stem="help"
# Stuck? Run `hint("d3.precision_bug")` in a new cell, once for each of three hints.

# %% [markdown] tags=["lang:zh"] stem="help" en_sha="5261caf8"
# 卡住了？在新单元格里运行 `hint("d3.precision_bug", language="zh")`，每次给出一条提示，共三条。
