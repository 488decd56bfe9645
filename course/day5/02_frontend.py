# ---
# jupyter:
#   tlcourse:
#     id: d5.frontend
#     title: "5.2 What the launcher knows"
#     title_zh: "5.2 启动器知道什么"
#     track: more
#     minutes: 25
#     needs: [d5.jit]
# ---

# %% [markdown] tags=["lang:en", "lecture"] stem="goals"
# # 5.2 What the launcher knows
#
# *more, 25 minutes, needs lesson 5.1*
#
# You will be able to
# - read a kernel's **signature**: dtype, shape and output of each parameter,
# - say where a **symbolic** size comes from at a call,
# - evaluate the text of a grid,
# - explain the error of a size that nobody can know.

# %% [markdown] tags=["lang:zh", "lecture"] stem="goals" en_sha="c98f14c3"
# # 5.2 启动器知道什么
#
# *进阶内容，25 分钟，先修 5.1 节*
#
# 学完后你能够
# - 读懂内核的**签名**（signature）：每个参数的数据类型、形状，以及是不是输出；
# - 说出**符号**维度的值在调用时从哪里来；
# - 对网格的文本求值；
# - 解释某个维度无从得知时的报错。

# %% tags=["setup"] stem="imports"
import os

os.environ["TILELANG_ASCEND_MODE"] = "Developer"
from tlcourse import check, hint, answer, progress, show_passes, show_timeline, show_memory
import tilelang
import tilelang.language as T
import torch

# %% [markdown] tags=["lang:en", "lecture"] stem="table_words"
# ## A table from the IR
#
# A compiled kernel is called with tensors. Before it starts, the launcher checks them, allocates
# the outputs and computes how many blocks there are. All that it needs stands in the kernel's
# parameters, and the front end has written it down. Here are three kernels; the first is MiniCV.

# %% [markdown] tags=["lang:zh", "lecture"] stem="table_words" en_sha="8ae4e909"
# ## 从 IR 得到的表
#
# 编译好的内核用张量来调用。启动之前，启动器检查张量，分配输出，算出有多少个逻辑块。它需要的一切都写在内核的参数里，前端已经把它们记了下来。这里有三个内核，第一个是 MiniCV。


# %% tags=["kp:K209", "kp:K210", "kp:K211"] stem="table"
from tlcourse.examples.minicv import minicv_developer


def scaled_rows(N=64, rows=8):
    M = T.symbolic("M")

    @T.prim_func
    def scaled(X: T.Tensor((M, N), "float32"), s: T.float32, Y: T.Tensor((M, N), "float16")):
        with T.Kernel(T.ceildiv(M, rows), is_npu=True) as (cid, _):
            x = T.alloc_shared((rows, N), "float32")
            n = T.min(rows, M - cid * rows)
            T.copy(X[cid * rows : cid * rows + n, :], x[0:n, :])
            T.vmul(x, s, x)
            T.copy(x[0:n, :], Y[cid * rows : cid * rows + n, :])

    return scaled


kernels = {
    "minicv": tilelang.compile(
        minicv_developer(M=256, N=256, K=256), target="npuir", out_idx=[2, 3]
    ),
    "scaled": tilelang.compile(scaled_rows(), target="npuir", out_idx=[-1]),
    "in place": tilelang.compile(scaled_rows(), target="npuir"),
}
for name, kernel in kernels.items():
    for parameter, info in zip(kernel.params, kernel.param_info):
        print(
            f"{name:9} {parameter.name} {info['dtype']:8} {info['shape']!s:11} {info['is_output']}"
        )

# %% tags=["lang:en", "lecture"] stem="show_call"
from tlcourse.widgets.flow import FlowView

FlowView(
    "From a call to a launch",
    {
        "you pass": ["X: (100, 64)", "s: 2.0"],
        "the signature": ["X float32 [M, 64]", "s float32", "Y float16 [M, 64], output"],
        "the launcher": ["M = 100", "Y is allocated", "grid (M + 7) // 8 = 13"],
    },
)

# %% tags=["lang:zh", "lecture"] stem="show_call" en_sha="0f757f3c"
from tlcourse.widgets.flow import FlowView

FlowView(
    "从调用到启动",
    {
        "你传入": ["X：(100, 64)", "s：2.0"],
        "签名": ["X float32 [M, 64]", "s float32", "Y float16 [M, 64]，输出"],
        "启动器": ["M = 100", "分配 Y", "网格 (M + 7) // 8 = 13"],
    },
    language="zh",
)

# %% [markdown] tags=["lang:en", "lecture"] stem="out_words"
# ## Which one is -1?
#
# `out_idx=[-1]` made Y an output: the last parameter. Say that somebody writes the scalar last, in
# the order X, Y, s, and keeps `out_idx=[-1]`. Which parameter is meant then?

# %% [markdown] tags=["lang:zh", "lecture"] stem="out_words" en_sha="2b572953"
# ## -1 指的是哪一个？
#
# 上面的 `out_idx=[-1]` 使最后一个参数 Y 成为输出。假设有人把标量写在最后，次序是 X、Y、s，并保留 `out_idx=[-1]`。这时它指的是哪个参数？

# %% tags=["lang:en"] stem="p1"
answer("d5.frontend.p1", "?")  # a: Y, the last tensor  b: s, the last of all  c: none

# %% tags=["lang:zh"] stem="p1" en_sha="119c841f"
answer("d5.frontend.p1", "?", language="zh")  # a：Y，最后的张量  b：s，全部中的最后一个  c：都不是

# %% tags=["reveal"] stem="scalar_last"
from tlcourse.diagnostics import TLError


@T.prim_func
def scalar_last(X: T.Tensor((8, 64), "float32"), Y: T.Tensor((8, 64), "float32"), s: T.float32):
    with T.Kernel(1, is_npu=True) as (cid, _):
        x = T.alloc_shared((8, 64), "float32")
        T.copy(X, x)
        T.vmul(x, s, x)
        T.copy(x, Y)


try:
    tilelang.compile(scalar_last, target="npuir", out_idx=[-1])
except TLError as problem:
    last = problem.diagnostic
    print(last.code, last.what)
    print("fix:", last.fix)

# %% [markdown] tags=["lang:en", "lecture"] stem="symbol_words"
# ## Symbolic sizes
#
# M of the second kernel is no number. In the compiled function it became one more argument, behind
# the others; you never pass it. The launcher reads it from the shape of a tensor that has M as a
# dimension. The grid is a text in M. Now call the kernel with 100 rows, then with 1000. How often
# is it compiled?

# %% [markdown] tags=["lang:zh", "lecture"] stem="symbol_words" en_sha="3f98f9bc"
# ## 符号维度
#
# 第二个内核的 M 不是一个数。在编译好的函数里，它变成排在最后的附加参数，不用你传入：哪个张量有 M 这一维，启动器就从它的形状读出 M。网格是含 M 的一段文本。现在用 100 行的张量调用内核，再用 1000 行的。内核一共编译几次？

# %% tags=["lang:en"] stem="p2"
answer("d5.frontend.p2", "?")  # a: once, before  b: once for each M  c: at every call

# %% tags=["lang:zh"] stem="p2" en_sha="2b8e562b"
answer("d5.frontend.p2", "?", language="zh")  # a：之前一次  b：每个 M 一次  c：每次调用

# %% tags=["reveal", "lecture", "kp:K212", "kp:K213", "kp:K064"] stem="symbols"
kernel = kernels["scaled"]
print("passed:", [parameter.name for parameter in kernel.params], " lifted:", kernel.symbolic)
print("types of the compiled function:", kernel.signature)
print("grid:", kernel.gridfunc)
grids, right, programs = {}, {}, set()
for M in (100, 1000):
    X = torch.randn(M, 64, generator=torch.Generator().manual_seed(M))
    right[M] = torch.allclose(kernel(X.npu(), 2.0).cpu().float(), 2 * X, rtol=1e-3, atol=1e-3)
    grids[M] = eval(kernel.gridfunc, {"M": M})
    programs.add(id(kernel.program()))
    print(f"M = {M}: {grids[M]} blocks, right: {right[M]}")
print("compiled programs:", len(programs))

# %% tags=["lang:en"] stem="show_grids"
from tlcourse.widgets.bars import BarView

BarView("Blocks by M, one program", {f"M = {M}": n for M, n in grids.items()}, look="UB")

# %% tags=["lang:zh"] stem="show_grids" en_sha="1763eb35"
from tlcourse.widgets.bars import BarView

BarView(
    "M 与逻辑块数，同一个程序", {f"M = {M}": n for M, n in grids.items()}, look="UB", language="zh"
)

# %% [markdown] tags=["lang:en"] stem="unknown_words"
# One program serves all M: that is what a symbol is for. But it must be possible to know it. In the
# next kernel M occurs in the output alone. The output is allocated by the launcher, which would
# need M for that; and nobody passes it.

# %% [markdown] tags=["lang:zh"] stem="unknown_words" en_sha="ddfa1cc6"
# 一个程序适用于所有的 M：符号就是为此而设。但必须有办法知道它。在下面的内核里，M 只出现在输出中。输出由启动器分配，分配时就需要 M，却没有人传入它。

# %% tags=["kp:K212"] stem="unknown"
S = T.symbolic("S")


@T.prim_func
def unknown(X: T.Tensor((64,), "float32"), Y: T.Tensor((S,), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, _):
        x = T.alloc_shared((64,), "float32")
        T.copy(X, x)
        T.copy(x[0 : T.min(64, S)], Y[0 : T.min(64, S)])


given = tilelang.compile(unknown, target="npuir")
Y = torch.zeros(40).npu()
given(torch.ones(64).npu(), Y)
try:
    tilelang.compile(unknown, target="npuir", out_idx=[1])(torch.ones(64).npu())
except TLError as problem:
    nobody = problem.diagnostic
    print(nobody.code, nobody.what)
    print("fix:", nobody.fix)
print("passed by you, it works:", bool((Y.cpu() == 1).all()))

# %% [markdown] tags=["lang:en", "lecture"] stem="recap"
# ## Recap
#
# - dtype, shape and output of each parameter come from the text of the kernel.
# - A symbol is lifted to an argument; the launcher reads it from a shape. One program serves all.
# - The grid is a text, evaluated at each launch. `out_idx` counts all parameters.
#
# **Exercise:** [d5.signature](../../exercises/day5/signature.ipynb).

# %% [markdown] tags=["lang:zh", "lecture"] stem="recap" en_sha="1d88dc0b"
# ## 小结
#
# - 每个参数的数据类型、形状和是否输出，都来自内核的文本。
# - 符号变成一个参数，启动器从形状读出它。一个程序适用于所有大小。
# - 网格是文本，每次启动时求值。`out_idx` 在全部参数中计数。
#
# **练习：** [d5.signature](../../../exercises/zh/day5/signature.ipynb)。

# %% tags=["golden"] stem="golden"
# What the text says holds in the outputs.
assert [info["is_output"] for info in kernels["minicv"].param_info] == [False, False, True, True]
assert not any(info["is_output"] for info in kernels["in place"].param_info)
assert last.code == "TL421"
assert kernel.symbolic == ("M",)
assert len(kernel.signature) == len(kernel.params) + 1
assert grids == {100: 13, 1000: 125}
assert all(right.values())
assert len(programs) == 1
assert nobody.code == "TL412"
assert (Y.cpu() == 1).all()
