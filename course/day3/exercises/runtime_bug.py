# ---
# jupyter:
#   tlcourse:
#     id: d3.runtime_bug
# ---

# %% [markdown] tags=["lang:en"] stem="prompt"
# # d3.runtime_bug: flags set by hand
#
# *core, 25 minutes, 10 points, after lesson 3.4*
#
# A softmax in Expert mode; automatic flags inside a core are off. Two blocks take tiles of 8 rows
# in turn. While one tile is computed, the next is loaded into the other half of `x`. The kernel
# runs to its end, yet it has **two faults**: one at the end of X, one in its flags. Mend both, and
# keep the overlap of loads and vector work.

# %% [markdown] tags=["lang:zh"] stem="prompt" en_sha="2284229e"
# # d3.runtime_bug：手写的标志
#
# *核心内容，25 分钟，10 分，在 3.4 节之后*
#
# 一个 Expert 模式的 softmax，核内的自动标志已关闭。两个逻辑块轮流处理 8 行一块的数据。计算一块时，下一块载入 `x` 的另一半。内核能运行到结尾，但有**两处错误**：一处在 X 的末尾，一处在标志上。请都改好，并保持载入与 vector 运算的重叠。

# %% tags=["setup"] stem="imports"
import os

os.environ["TILELANG_ASCEND_MODE"] = "Expert"
from tlcourse import check, hint
import tilelang
import tilelang.language as T
import torch

# %% [markdown] tags=["lang:en"] stem="spec_words"
# What is asked, in torch, then the kernel as given. `T.pipe_barrier("PIPE_V")` orders two vector
# operations that follow each other; those are right. Launch the kernel with
# `given(100, 512).launch(X.npu())` and print its `findings`.

# %% [markdown] tags=["lang:zh"] stem="spec_words" en_sha="33784ae0"
# 要求用 torch 写出来如下，接着是给出的内核。`T.pipe_barrier("PIPE_V")` 保证相邻两个 vector 运算的先后，这些屏障都写对了。用 `given(100, 512).launch(X.npu())` 启动内核，并打印它的 `findings`。


# %% tags=["setup"] stem="spec"
def runtime_bug_torch(X):  # X: (M, N) float32
    return X.softmax(-1)  # (M, N) float32


# %% tags=["setup"] stem="given"
by_hand = {"npuir.disable_hivm_auto_inject_sync": True}


@tilelang.jit(out_idx=[1], target="npuir", pass_configs=by_hand)
def given(M, N, rows=8, blocks=2):
    @T.prim_func
    def kernel(X: T.Tensor((M, N), "float32"), Y: T.Tensor((M, N), "float32")):
        with T.Kernel(blocks, is_npu=True) as (cid, _):
            x = T.alloc_ub((2 * rows, N), "float32")  # two tiles, used in turns
            m = T.alloc_ub((rows, 1), "float32")
            with T.rs("PIPE_MTE3"):  # at the start both tiles are free
                T.set_flag("PIPE_MTE2", 0)
                T.set_flag("PIPE_MTE2", 1)
            for j in T.serial(T.ceildiv(T.ceildiv(M, rows) - cid, blocks)):
                first = (j * blocks + cid) * rows
                n = rows
                turn = j % 2
                top = turn * rows
                with T.rs("PIPE_MTE2"):
                    T.wait_flag("PIPE_MTE3", turn)
                    T.copy(X[first : first + n, :], x[top : top + n, :])
                    T.set_flag("PIPE_V", turn)
                with T.rs("PIPE_V"):
                    T.reduce_max(x[top : top + n, :], m[0:n, :], dim=1)
                    T.pipe_barrier("PIPE_V")
                    T.vsub(x[top : top + n, :], m[0:n, :], x[top : top + n, :])
                    T.pipe_barrier("PIPE_V")
                    T.vexp(x[top : top + n, :], x[top : top + n, :])
                    T.pipe_barrier("PIPE_V")
                    T.reduce_sum(x[top : top + n, :], m[0:n, :], dim=1)
                    T.pipe_barrier("PIPE_V")
                    T.vdiv(x[top : top + n, :], m[0:n, :], x[top : top + n, :])
                    T.pipe_barrier("PIPE_V")
                    T.set_flag("PIPE_MTE3", turn)
                with T.rs("PIPE_MTE3"):
                    T.wait_flag("PIPE_V", turn)
                    T.copy(x[top : top + n, :], Y[first : first + n, :])
                    T.set_flag("PIPE_MTE2", turn)
            with T.rs("PIPE_MTE2"):
                T.wait_flag("PIPE_MTE3", 0)
                T.wait_flag("PIPE_MTE3", 1)

    return kernel


# %% nbgrader={"grade": false, "grade_id": "d3-runtime_bug-solution", "locked": false, "schema_version": 3, "solution": true, "task": false} stem="solution"
@tilelang.jit(out_idx=[1], target="npuir", pass_configs=by_hand)
def runtime_bug(M, N, rows=8, blocks=2):
    # the given kernel, mended
    ### BEGIN SOLUTION
    @T.prim_func
    def kernel(X: T.Tensor((M, N), "float32"), Y: T.Tensor((M, N), "float32")):
        with T.Kernel(blocks, is_npu=True) as (cid, _):
            x = T.alloc_ub((2 * rows, N), "float32")  # two tiles, used in turns
            m = T.alloc_ub((rows, 1), "float32")
            with T.rs("PIPE_MTE3"):  # at the start both tiles are free
                T.set_flag("PIPE_MTE2", 0)
                T.set_flag("PIPE_MTE2", 1)
            for j in T.serial(T.ceildiv(T.ceildiv(M, rows) - cid, blocks)):
                first = (j * blocks + cid) * rows
                n = T.min(rows, M - first)
                turn = j % 2
                top = turn * rows
                with T.rs("PIPE_MTE2"):
                    T.wait_flag("PIPE_MTE3", turn)
                    T.copy(X[first : first + n, :], x[top : top + n, :])
                    T.set_flag("PIPE_V", turn)
                with T.rs("PIPE_V"):
                    T.wait_flag("PIPE_MTE2", turn)
                    T.reduce_max(x[top : top + n, :], m[0:n, :], dim=1)
                    T.pipe_barrier("PIPE_V")
                    T.vsub(x[top : top + n, :], m[0:n, :], x[top : top + n, :])
                    T.pipe_barrier("PIPE_V")
                    T.vexp(x[top : top + n, :], x[top : top + n, :])
                    T.pipe_barrier("PIPE_V")
                    T.reduce_sum(x[top : top + n, :], m[0:n, :], dim=1)
                    T.pipe_barrier("PIPE_V")
                    T.vdiv(x[top : top + n, :], m[0:n, :], x[top : top + n, :])
                    T.pipe_barrier("PIPE_V")
                    T.set_flag("PIPE_MTE3", turn)
                with T.rs("PIPE_MTE3"):
                    T.wait_flag("PIPE_V", turn)
                    T.copy(x[top : top + n, :], Y[first : first + n, :])
                    T.set_flag("PIPE_MTE2", turn)
            with T.rs("PIPE_MTE2"):
                T.wait_flag("PIPE_MTE3", 0)
                T.wait_flag("PIPE_MTE3", 1)

    return kernel
    ### END SOLUTION


# %% tags=["lang:en"] nbgrader={"grade": true, "grade_id": "d3-runtime_bug", "locked": true, "points": 10, "schema_version": 3, "solution": false, "task": false} stem="check"
check("d3.runtime_bug", runtime_bug)

# %% tags=["lang:zh"] nbgrader={"grade": true, "grade_id": "d3-runtime_bug", "locked": true, "points": 10, "schema_version": 3, "solution": false, "task": false} stem="check" en_sha="3e23b938"
check("d3.runtime_bug", runtime_bug, language="zh")

# %% [markdown] tags=["lang:en"] stem="help"
# Stuck? Run `hint("d3.runtime_bug")` in a new cell, once for each of three hints.

# %% [markdown] tags=["lang:zh"] stem="help" en_sha="67efb582"
# 卡住了？在新单元格里运行 `hint("d3.runtime_bug", language="zh")`，每次给出一条提示，共三条。
