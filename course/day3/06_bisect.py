# ---
# jupyter:
#   tlcourse:
#     id: d3.bisect
#     title: "3.6 Which pass broke it?"
#     title_zh: "3.6 是哪个 pass 弄坏的？"
#     track: more
#     minutes: 25
#     needs: [d3.clinic]
# ---

# %% [markdown] tags=["lang:en", "lecture"] stem="goals"
# # 3.6 Which pass broke it?
#
# *more, 25 minutes, needs lesson 3.4*
#
# You will be able to
# - look at the IR after every pass, here and with upstream's tools,
# - run a kernel from the middle of the compile, and compare its numbers,
# - **search by halves** for the first pass after which the numbers are wrong,
# - say why the pass that touched a line last need not be the guilty one.

# %% [markdown] tags=["lang:zh", "lecture"] stem="goals" en_sha="721677cc"
# # 3.6 是哪个 pass 弄坏的？
#
# *进阶内容，25 分钟，先修 3.4 节*
#
# 学完后你能够
# - 用本课程和上游的工具，查看每个 pass 之后的 IR；
# - 从编译中途的 IR 运行内核，并比较数值；
# - 用**二分查找**找到最先使数值出错的 pass；
# - 说出为什么最后改动某一行的 pass 不一定有错。

# %% tags=["setup"] stem="imports"
import os

os.environ["TILELANG_ASCEND_MODE"] = "Developer"
from tlcourse import check, hint, answer, progress, show_passes, show_timeline, show_memory
import tilelang
import tilelang.language as T
import torch

# %% [markdown] tags=["lang:en", "lecture"] stem="explorer_words"
# ## All passes of MiniCV
#
# The explorer shows the IR after each pass, and what has changed. On the command line
# `tlcourse ir FILE:KERNEL --pass NAME` prints one of these texts. With the real tools the same is
# called `--mlir-print-ir-after-all`, `--mlir-print-ir-tree-dir=DIR`, and `TILELANG_DUMP_IR=1` for
# upstream's front end.

# %% [markdown] tags=["lang:zh", "lecture"] stem="explorer_words" en_sha="4f930e0c"
# ## MiniCV 的全部 pass
#
# 查看器显示每个 pass 之后的 IR，以及改变了什么。在命令行里，`tlcourse ir FILE:KERNEL --pass NAME` 打印其中一份文本。真实工具里，对应的选项是 `--mlir-print-ir-after-all`、`--mlir-print-ir-tree-dir=DIR`，上游前端则是 `TILELANG_DUMP_IR=1`。

# %% tags=["kp:K174"] stem="trace"
from tlcourse.examples.minicv import minicv_developer

kernel = tilelang.compile(
    minicv_developer(M=128, N=128, K=128, block_M=128, block_N=128), target="npuir", out_idx=[2, 3]
)
steps = kernel.trace().snapshots
changed = [one.pass_name for one in steps if one.status == "changed"]
print(len(steps), "texts,", len(changed), "passes changed something")
print("--mlir-print-ir-after-all prints all of them, one behind the other:")
print(*(f"// -----// IR Dump After {name}" for name in changed[-3:]), sep="\n")

# %% tags=["lang:en", "lecture"] stem="show_passes"
show_passes(kernel)

# %% tags=["lang:zh", "lecture"] stem="show_passes" en_sha="b3a56ae9"
show_passes(kernel, language="zh")

# %% [markdown] tags=["lang:en", "lecture"] stem="plant_words"
# ## A planted fault
#
# A chain of five passes works on Tile IR. One of them has a fault: it changes a number where it
# should not. Each text in between can be compiled to its end and run, so each gives numbers. That
# the IR **verifies** after every pass says nothing; it only follows the rules of its dialect.

# %% [markdown] tags=["lang:zh", "lecture"] stem="plant_words" en_sha="5fadabf4"
# ## 埋下的错误
#
# 五个 pass 依次处理 Tile IR。其中一个有错：它在不该改的地方改了一个数。中间的每份文本都能编译到底并运行，所以都能得到数值。每个 pass 之后 IR 都通过**校验**（verify），但这什么也说明不了：通过校验只表示符合方言的规则。

# %% stem="chain"
from itertools import pairwise
from xdsl.context import Context
from tlcourse.passes.tir.remove_no_op import RemoveNoOpPass
from tlcourse.passes.tir.simplify import SimplifyPass


class FoldAdditions:  # the fault: of two additions in a row it makes one, and forgets the number
    def apply(self, context, module):
        additions = [op for op in module.walk() if op.name == "tl.vadd"]
        for first, second in pairwise(additions):
            if first.destination == second.destination:
                second.detach()
                second.erase()


CHAIN = [SimplifyPass(), RemoveNoOpPass(), FoldAdditions(), SimplifyPass(), RemoveNoOpPass()]
NAMES = ["Simplify", "RemoveNoOp", "FoldAdditions", "Simplify, again", "RemoveNoOp, again"]


# %% stem="kernel"
def chain():
    @T.prim_func
    def kernel(X: T.Tensor((64, 64), "float32"), Y: T.Tensor((64, 64), "float32")):
        with T.Kernel(1, is_npu=True) as (cid, _):
            x = T.alloc_shared((64, 64), "float32")
            unused = cid * 3  # noqa: F841
            T.copy(X, x)
            T.vadd(x, 1.0, x)
            T.vadd(x, cid + 1, x)
            T.vmul(x, 2.0, x)
            T.copy(x, Y)

    return kernel


asked = []


def is_right(count):  # the numbers after the first `count` passes
    function = chain()
    for one in CHAIN[:count]:
        one.apply(Context(), function.module)
    function.module.verify()  # never complains
    Y = tilelang.compile(function, target="npuir", out_idx=[1])(torch.ones(64, 64).npu()).cpu()
    asked.append(count)
    return bool((Y == 6).all())


print("before all passes:", is_right(0), " after all:", is_right(len(CHAIN)))

# %% [markdown] tags=["lang:en"] stem="blame_words"
# The addition was lost. Look for the pass that changed the text last: it is `RemoveNoOp, again`,
# which removed the sum `cid + 1`. Is it the guilty one?

# %% [markdown] tags=["lang:zh"] stem="blame_words" en_sha="bfeabcbd"
# 一次加法丢了。去找最后改动文本的 pass：是第二次的 `RemoveNoOp`，它删掉了 `cid + 1` 这个和。它就是有错的那个吗？先回答，再查找。

# %% tags=["lang:en"] stem="p1"
answer("d3.bisect.p1", "?")  # a: yes, it was last  b: no, an earlier one  c: one cannot know

# %% tags=["lang:zh"] stem="p1" en_sha="66c98384"
answer("d3.bisect.p1", "?", language="zh")  # a：是，它在最后  b：不，是更早的  c：无法知道

# %% tags=["reveal", "lecture", "kp:K173"] stem="bisect"
asked.clear()
right, wrong = 0, len(CHAIN)  # right after so many passes, wrong after so many
while wrong - right > 1:
    middle = (right + wrong) // 2
    verdict = is_right(middle)
    print(f"after {middle} passes ({NAMES[middle - 1]}): {'right' if verdict else 'wrong'}")
    if verdict:
        right = middle
    else:
        wrong = middle
guilty = NAMES[wrong - 1]
print("the first one after which it is wrong:", guilty)
function, texts = chain(), []
for one in CHAIN:
    one.apply(Context(), function.module)
    texts.append(str(function.module))
print(
    "the last one that changed the text:",
    NAMES[max(i for i in range(1, 5) if texts[i] != texts[i - 1])],
)

# %% tags=["lang:en", "reveal"] stem="show_search"
from tlcourse.widgets.flow import FlowView

FlowView(
    "Right up to here, wrong from there",
    {
        name: ["wrong" if number >= wrong else "right", "asked" if number in asked else "not run"]
        for number, name in enumerate(NAMES, 1)
    },
)

# %% tags=["lang:zh", "reveal"] stem="show_search" en_sha="1ba7b14e"
from tlcourse.widgets.flow import FlowView

FlowView(
    "到这里为止正确，从那里开始错误",
    {
        name: ["错" if number >= wrong else "对", "问过" if number in asked else "没有运行"]
        for number, name in enumerate(NAMES, 1)
    },
    language="zh",
)

# %% [markdown] tags=["lang:en"] stem="bisect_rule"
# The last pass only cleaned up behind the guilty one: the number that nobody used any more. **Ask
# for the first wrong numbers, not for the last change.** Each question halves what is left. Five
# passes took two or three runs; for the fifty passes of a real compile, how many?

# %% [markdown] tags=["lang:zh"] stem="bisect_rule" en_sha="34ec98d8"
# 最后那个 pass 只是替有错的 pass 收尾：删掉不再使用的数。**要问数值最先在哪里出错，而不是最后改在哪里。** 每问一次，范围减半。五个 pass 运行了两三次；真实编译有五十个 pass，要运行几次？

# %% tags=["lang:en"] stem="p2"
answer("d3.bisect.p2", "?")  # runs for 50 passes: a: 50  b: 25  c: 6

# %% tags=["lang:zh"] stem="p2" en_sha="ca3ad88c"
answer("d3.bisect.p2", "?", language="zh")  # 50 个 pass 的运行次数： a：50  b：25  c：6


# %% tags=["reveal", "kp:K173"] stem="runs"
def questions(passes, guilty):
    right, wrong, asked = 0, passes, 0
    while wrong - right > 1:
        middle, asked = (right + wrong) // 2, asked + 1
        right, wrong = (middle, wrong) if middle < guilty else (right, middle)
    return asked


most = {passes: max(questions(passes, g) for g in range(1, passes + 1)) for passes in (5, 50, 500)}
print(most)

# %% tags=["lang:en"] stem="show_runs"
from tlcourse.widgets.bars import BarView

BarView("Runs that find the guilty one, at most", {f"{n} passes": most[n] for n in most}, look="V")

# %% tags=["lang:zh"] stem="show_runs" en_sha="cf0d8ef0"
from tlcourse.widgets.bars import BarView

BarView(
    "找到有错者最多要运行几次", {f"{n} 个 pass": most[n] for n in most}, look="V", language="zh"
)

# %% [markdown] tags=["lang:en", "lecture"] stem="real_words"
# In a real compile not every text can be run: between code generation and the last pass some hold
# operations that are not yet executable. The search then goes from one runnable station to the
# next, and the differences in between are read. That IR verifies narrows nothing down; numbers do.

# %% [markdown] tags=["lang:zh", "lecture"] stem="real_words" en_sha="7a410a8b"
# 在真实的编译里，并非每份文本都能运行：从代码生成到最后一个 pass 之间，有些文本里的运算还不能执行。这时只在能运行的文本之间二分，再读其间的差别。校验通过不能缩小范围，数值才能。

# %% [markdown] tags=["lang:en", "lecture"] stem="recap"
# ## Recap
#
# - Every pass leaves a text; `ir --pass` here, `--mlir-print-ir-after-all` there.
# - Search by halves for the first wrong numbers.
# - IR that verifies may be wrong, and the last change may be innocent.
#
# **Exercise:** [d3.broken_pass](../../exercises/day3/broken_pass.ipynb).

# %% [markdown] tags=["lang:zh", "lecture"] stem="recap" en_sha="a8d8e7eb"
# ## 小结
#
# - 每个 pass 都留下一份文本；这里用 `ir --pass`，那里用 `--mlir-print-ir-after-all`。
# - 用二分法查找最先出错的数值。
# - 通过校验的 IR 也可能是错的，最后的改动也可能是无辜的。
#
# **练习：** [d3.broken_pass](../../../exercises/zh/day3/broken_pass.ipynb)。

# %% tags=["golden"] stem="golden"
# What the text says holds in the outputs.
assert guilty == "FoldAdditions"
assert texts[4] != texts[3]
assert len(asked) in (2, 3)
assert most == {5: 3, 50: 6, 500: 9}
assert len(changed) < len(steps)
