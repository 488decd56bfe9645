# ---
# jupyter:
#   tlcourse:
#     id: d1.modes
#     title: "1.2 Three modes, one language"
#     title_zh: "1.2 三种模式，一种语言"
#     track: more
#     minutes: 25
#     needs: [d1.first_kernel]
# ---

# %% [markdown] tags=["lang:en", "lecture"] stem="goals"
# # 1.2 Three modes, one language
#
# *more, 25 minutes, needs lesson 1.0*
#
# You will be able to
# - say whom each **mode** of TileLang serves,
# - write one vector add in Developer mode and in Expert mode,
# - count what you decide yourself in each, and what the compiler decides,
# - explain the error of a kernel whose mode was not set.

# %% [markdown] tags=["lang:zh", "lecture"] stem="goals" en_sha="62d2f17f"
# # 1.2 三种模式，一种语言
#
# *进阶内容，25 分钟，先修 1.0 节*
#
# 学完后你能够
# - 说出 TileLang 的每种**模式**（mode）为谁服务；
# - 用 Developer 模式和 Expert 模式各写一个向量加法；
# - 数出两种模式下哪些由你决定，哪些由编译器决定；
# - 解释没有设置模式的内核为什么报错。

# %% tags=["setup"] stem="imports"
import os

os.environ["TILELANG_ASCEND_MODE"] = "Developer"
from tlcourse import check, hint, answer, progress, show_passes, show_timeline, show_memory
import tilelang
import tilelang.language as T
import torch

# %% [markdown] tags=["lang:en", "lecture"] stem="whom"
# ## Whom each mode serves
#
# **Developer** is for people who know tiles but not the chip: they say what happens to a tile.
# **Expert** is for people who know the chip: they name memories, cores and flags. **Beginner** is
# announced for people who know neither; it is still being made, so nothing of it runs here. First
# the Developer form of an addition.

# %% [markdown] tags=["lang:zh", "lecture"] stem="whom" en_sha="e9f9986b"
# ## 每种模式为谁服务
#
# **Developer** 面向懂数据块、不懂芯片的人：只说对数据块做什么。**Expert** 面向懂芯片的人：自己指定内存、核和标志。**Beginner** 面向两样都不懂的人，已经预告，仍在开发，所以这里没有可以运行的例子。先看加法的 Developer 写法。

# %% tags=["kp:K001", "kp:K004"] stem="developer"
os.environ["TILELANG_ASCEND_DEVICE_NAME"] = "Ascend910B1"  # all sizes and times are of this chip


def developer_add(N=65536, block=4096):
    @T.prim_func
    def add(
        A: T.Tensor((N,), "float32"),
        B: T.Tensor((N,), "float32"),
        C: T.Tensor((N,), "float32"),
    ):
        with T.Kernel(N // block, is_npu=True) as (cid, _):
            a = T.alloc_shared((block,), "float32")
            b = T.alloc_shared((block,), "float32")
            T.copy(A[cid * block], a)
            T.copy(B[cid * block], b)
            for i in T.Parallel(block):
                a[i] = a[i] + b[i]
            T.copy(a, C[cid * block])

    return add


developer = tilelang.compile(developer_add(), target="npuir", out_idx=[2])
x, y = (torch.randn(65536, generator=torch.Generator().manual_seed(s)) for s in (0, 1))
print("right:", torch.equal(developer(x.npu(), y.npu()).cpu(), x + y))

# %% tags=["lang:en"] stem="show_place"
show_memory(developer)  # where the compiler put both tiles

# %% tags=["lang:zh"] stem="show_place" en_sha="fc1a0f91"
show_memory(developer, language="zh")  # 编译器把两个数据块放在了哪里

# %% [markdown] tags=["lang:en"] stem="expert_words"
# ## The Expert form
#
# The frame stays: the decorator, `T.Kernel`, the slices, `T.copy`. Two things change. The tiles
# are asked for in UB by name, and the work on them is one vector operation. Both were the
# compiler's choice before. The mode is read when the kernel is compiled.

# %% [markdown] tags=["lang:zh"] stem="expert_words" en_sha="97010ed9"
# ## Expert 写法
#
# 框架不变：装饰器、`T.Kernel`、切片、`T.copy` 都一样。有两处不同：数据块写明放在 UB，对它们的计算写成一条向量运算。在前一种写法里，这两处都由编译器决定。模式在编译内核时读取。


# %% tags=["kp:K005"] stem="expert"
def expert_add(N=65536, block=4096):
    @T.prim_func
    def add(
        A: T.Tensor((N,), "float32"),
        B: T.Tensor((N,), "float32"),
        C: T.Tensor((N,), "float32"),
    ):
        with T.Kernel(N // block, is_npu=True) as (cid, _):
            a = T.alloc_ub((block,), "float32")
            b = T.alloc_ub((block,), "float32")
            T.copy(A[cid * block], a)
            T.copy(B[cid * block], b)
            T.vadd(a, b, a)
            T.copy(a, C[cid * block])

    return add


os.environ["TILELANG_ASCEND_MODE"] = "Expert"
expert = tilelang.compile(expert_add(), target="npuir", out_idx=[2])
print("right:", torch.equal(expert(x.npu(), y.npu()).cpu(), x + y))

# %% [markdown] tags=["lang:en", "lecture"] stem="faster_words"
# ## Which one is faster?
#
# The same chip, the same sizes, the same number of blocks. In the Expert form more is decided by
# hand. Both are timed on the simulated chip. What do you expect?

# %% [markdown] tags=["lang:zh", "lecture"] stem="faster_words" en_sha="b2fc1166"
# ## 哪一个更快？
#
# 芯片相同，大小相同，块数也相同。Expert 写法里，更多的事情由人决定。两者都在模拟芯片上计时。你认为结果会怎样？

# %% tags=["lang:en"] stem="p1"
answer("d1.modes.p1", "?")  # a: Expert is faster  b: Developer is faster  c: the same time

# %% tags=["lang:zh"] stem="p1" en_sha="bff5be7d"
answer("d1.modes.p1", "?", language="zh")  # a：Expert 更快  b：Developer 更快  c：时间相同

# %% tags=["reveal", "lecture"] stem="times"
cycles = {"Developer": developer.profile(x, y).cycles, "Expert": expert.profile(x, y).cycles}
print(cycles)

# %% tags=["lang:en"] stem="show_times"
from tlcourse.widgets.bars import BarView

BarView("Simulated cycles of the two forms", cycles, look="V")

# %% tags=["lang:zh"] stem="show_times" en_sha="341beb85"
from tlcourse.widgets.bars import BarView

BarView("两种写法的模拟周期数", cycles, look="V", language="zh")

# %% [markdown] tags=["lang:en", "lecture"] stem="same"
# The same time, for a plain reason: the compiler chose what you wrote by hand, so the last IR is
# the same work. Expert code is faster only where a decision of yours is better than the
# compiler's. Day 4 is about such decisions. Look at both chains of passes: where do they meet?

# %% [markdown] tags=["lang:zh", "lecture"] stem="same" en_sha="f65c2a67"
# 时间相同，原因很简单：编译器选的正是你手写的内容，所以最后的 IR 做的是同样的事。只有当你的决定比编译器的更好时，Expert 代码才更快，第 4 天讲的就是这样的决定。看看两条 pass 链：它们在哪里汇合？

# %% tags=["lang:en"] stem="show_developer"
show_passes(developer)

# %% tags=["lang:zh"] stem="show_developer" en_sha="9f4b9068"
show_passes(developer, language="zh")

# %% tags=["lang:en", "lecture"] stem="show_expert"
show_passes(expert)

# %% tags=["lang:zh", "lecture"] stem="show_expert" en_sha="84ed527d"
show_passes(expert, language="zh")

# %% [markdown] tags=["lang:en"] stem="decide_words"
# ## What you decide
#
# A table by program instead of by belief. For each decision the cell looks at the kernel's text:
# does a word of it say so? What no word says, the compiler decides. Flags between the pipes of
# one core are set by the compiler in both forms here; in Expert mode you may take them over.

# %% [markdown] tags=["lang:zh"] stem="decide_words" en_sha="ec286389"
# ## 你决定了什么
#
# 不凭感觉，用程序来列表。对每项决定，单元格查看内核的代码：有没有哪个词写明它？没有写明的，由编译器决定。同一个核内各流水线之间的标志，这里的两种写法都由编译器设置；在 Expert 模式下，你也可以自己来做。

# %% tags=["kp:K003"] stem="decide"
DECISIONS = {
    "split into blocks": "T.Kernel",
    "moves from and to GM": "T.copy",
    "memory of each tile": "alloc_ub",
    "vector operation": "T.vadd",
    "flags between pipes": "T.set_flag",
}
texts = {"Developer": developer_add().script(), "Expert": expert_add().script()}
decided = {mode: [w in text for w in DECISIONS.values()] for mode, text in texts.items()}
for number, decision in enumerate(DECISIONS):
    who = ["you" if decided[mode][number] else "compiler" for mode in texts]
    print(f"{decision:22}{who[0]:10}{who[1]}")

# %% [markdown] tags=["lang:en"] stem="other_words"
# ## The words stay on another target
#
# This text is the same addition for a GPU target of TileLang. It is a text only: there is no such
# target here. Which lines of it are in the Developer form too?

# %% [markdown] tags=["lang:zh"] stem="other_words" en_sha="a7371528"
# ## 换一个目标，写法不变
#
# 下面是同一个加法，目标换成 TileLang 的 GPU 后端。它只是一段不运行的文字，因为这里没有这个目标。哪些行在 Developer 写法里也有？

# %% tags=["kp:K002"] stem="other_target"
GPU = """
with T.Kernel(T.ceildiv(N, block), threads=128) as cid:
    a = T.alloc_fragment((block,), "float32")
    b = T.alloc_fragment((block,), "float32")
    T.copy(A[cid * block], a)
    T.copy(B[cid * block], b)
    for i in T.Parallel(block):
        a[i] = a[i] + b[i]
    T.copy(a, C[cid * block])
"""
import inspect

ours = {line.strip() for line in inspect.getsource(developer_add).splitlines()}
shared = [line.strip() in ours for line in GPU.strip().splitlines()]
for line, same in zip(GPU.strip().splitlines(), shared, strict=True):
    print("same " if same else "other", line)

# %% tags=["lang:en"] stem="show_other"
BarView("Lines of the GPU form", {"same": sum(shared), "other": len(shared) - sum(shared)})

# %% tags=["lang:zh"] stem="show_other" en_sha="bac25e33"
BarView("GPU 写法的行", {"相同": sum(shared), "不同": len(shared) - sum(shared)}, language="zh")

# %% [markdown] tags=["lang:en", "lecture"] stem="unset_words"
# ## Nobody set the mode
#
# A colleague takes your Developer kernel into a script that has no mode line. What does TileLang
# take then?

# %% [markdown] tags=["lang:zh", "lecture"] stem="unset_words" en_sha="a0cc8743"
# ## 没有人设置模式
#
# 一位同事把你的 Developer 内核搬进一个没有模式那一行的脚本。这时 TileLang 会用哪种模式？编译会发生什么？想一想数据块会放在哪里，再选一个答案。

# %% tags=["lang:en"] stem="p2"
answer("d1.modes.p2", "?")  # a: Developer, it runs  b: Expert, it is refused  c: Expert, it runs

# %% tags=["lang:zh"] stem="p2" en_sha="c952fbca"
answer(
    "d1.modes.p2", "?", language="zh"
)  # a：Developer，能运行  b：Expert，被拒绝  c：Expert，能运行

# %% tags=["reveal", "lecture", "kp:K006"] stem="unset"
from tlcourse.diagnostics import TLError

outcome = {}
for mode in (None, "Developer", "Beginner"):
    os.environ.pop("TILELANG_ASCEND_MODE", None)
    if mode:
        os.environ["TILELANG_ASCEND_MODE"] = mode
    try:
        kernel = tilelang.compile(developer_add(), target="npuir", out_idx=[2])
        outcome[mode] = kernel.trace().mode
    except TLError as problem:
        outcome[mode] = problem.code
        print(problem, end="\n\n")
os.environ["TILELANG_ASCEND_MODE"] = "Developer"
print(outcome)

# %% [markdown] tags=["lang:en"] stem="unset_rule"
# An unset mode means Expert. There `alloc_shared` is a tile in L1, where the cube core's inputs
# lie, and the vector cores cannot reach it. So the first thing to look at, when a kernel that ran
# yesterday is refused, is the mode line. Beginner is only a name so far: it is taken as Developer.

# %% [markdown] tags=["lang:zh"] stem="unset_rule" en_sha="a98471d4"
# 不设置就是 Expert。这时 `alloc_shared` 是 L1 里的数据块，那里放 cube 核的输入，vector 核访问不到。所以，如果昨天能运行的内核今天被拒绝，先看模式那一行。Beginner 目前只是一个名字：它被当作 Developer。

# %% [markdown] tags=["lang:en", "lecture"] stem="recap"
# ## Recap
#
# - One language: the frame, the slices and `T.copy` are the same in every mode.
# - Developer leaves memory, vector operations and flags to the compiler; Expert takes them.
# - Expert is not faster by itself, and an unset mode means Expert.

# %% [markdown] tags=["lang:zh", "lecture"] stem="recap" en_sha="1d9299df"
# ## 小结
#
# - 语言只有一种：框架、切片和 `T.copy` 在每种模式下都相同。
# - Developer 把内存、向量运算和标志交给编译器；Expert 自己决定。
# - Expert 本身不会更快；不设置模式就是 Expert。

# %% tags=["golden"] stem="golden"
# What the text says holds in the outputs.
assert cycles["Developer"] == cycles["Expert"]
assert decided == {
    "Developer": [True, True, False, False, False],
    "Expert": [True, True, True, True, False],
}
assert sum(shared) == 5
assert outcome == {None: "TL211", "Developer": "Developer", "Beginner": "Developer"}
