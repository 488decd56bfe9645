# ---
# jupyter:
#   tlcourse:
#     id: d5.passes
#     title: "5.3 Inside the TIR phases: write a pass"
#     title_zh: "5.3 TIR 阶段内部：写一个 pass"
#     track: core
#     minutes: 40
#     needs: [d2.row_ops]
# ---

# %% [markdown] tags=["lang:en", "lecture"] stem="goals"
# # 5.3 Inside the TIR phases: write a pass
#
# *core, 40 minutes, needs lesson 2.6*
#
# You will be able to
# - name the **passes** between your text and the generated MLIR, and what each one does,
# - show that their order matters,
# - write a pass of your own: match and replace,
# - test that it leaves alone what it must not touch.

# %% [markdown] tags=["lang:zh", "lecture"] stem="goals" en_sha="57df615e"
# # 5.3 TIR 阶段内部：写一个 pass
#
# *核心内容，40 分钟，先修 2.6 节*
#
# 学完后你能够
# - 说出从你的文本到生成 MLIR 之间有哪些 **pass**（编译遍），各做什么；
# - 证明它们的次序有影响；
# - 自己写一个 pass：匹配，然后替换；
# - 检验它没有动不该动的东西。

# %% tags=["setup"] stem="imports"
import os

os.environ["TILELANG_ASCEND_MODE"] = "Developer"
from tlcourse import check, hint, answer, progress, show_passes, show_timeline, show_memory
import tilelang
import tilelang.language as T
import torch

# %% [markdown] tags=["lang:en", "lecture"] stem="flow_words"
# ## The flow on one screen
#
# Upstream rewrites your kernel as TIR before it generates MLIR. Our Tile IR goes through passes of
# the same names. A pass takes the whole module and changes it in place. This kernel has something
# for most of them to do: a name that nobody uses, a loop of `cid * 0` turns, an element loop, a
# tile allocated far from its use.

# %% [markdown] tags=["lang:zh", "lecture"] stem="flow_words" en_sha="52d07f86"
# ## 一屏看完流程
#
# 上游在生成 MLIR 之前，先在 TIR 上改写内核。本课程的 Tile IR 经过同名的 pass。一个 pass 拿到整个模块，就地修改。下面的内核里，大多数 pass 都有事可做：一个没有用到的名字、一个 `cid * 0` 次的循环、一个元素循环、一个分配得离使用处很远的数据块。


# %% stem="kernel"
def five_lines(N=1024, block=256):
    @T.prim_func
    def kernel(A: T.Tensor((N,), "float32"), C: T.Tensor((N,), "float32")):
        with T.Kernel(2, is_npu=True) as (cid, _):
            a = T.alloc_shared((block,), "float32")
            unused, nothing = cid * 7 + 1, cid * 0  # noqa: F841
            for j in T.serial(nothing):
                T.clear(a)
            for k in T.serial(N // block // 2):
                at = (cid * 2 + k) * block
                T.copy(A[at : at + block], a)
                for i in T.Parallel(block):
                    a[i] = T.exp(a[i]) + 1.0
                T.copy(a, C[at : at + block])

    return kernel


compiled = tilelang.compile(five_lines(), target="npuir", out_idx=[1])
trace = compiled.trace()

# %% tags=["lecture", "kp:K200"] stem="flow"
before_code = []
for snapshot in trace.snapshots:
    if snapshot.pass_name == "codegen":
        break
    before_code.append(snapshot)
    print(f"{snapshot.index:2} {snapshot.pass_name:38} {snapshot.status:10}", *snapshot.notes)

# %% tags=["lang:en", "lecture"] stem="show_passes"
show_passes(compiled)

# %% tags=["lang:zh", "lecture"] stem="show_passes" en_sha="f0baeecc"
show_passes(compiled, language="zh")

# %% [markdown] tags=["lang:en"] stem="first_words"
# **BindTarget** writes the target and the mode to the function, so that a later pass that sees one
# function knows both. **Simplify** folds index arithmetic and takes away names of integers.
# **RemoveNoOp** removes what nobody uses, and loops without work. Each changes one thing; count the
# operations after each.

# %% [markdown] tags=["lang:zh"] stem="first_words" en_sha="a1b66969"
# **BindTarget** 把目标和模式写到函数上，这样后面只看单个函数的 pass 也知道两者。**Simplify** 化简下标运算，去掉整数的名字。**RemoveNoOp** 删除没有用到的值和不做事的循环。每个 pass 只改一件事；数一数每个 pass 之后的运算个数。


# %% tags=["kp:K214", "kp:K215", "kp:K216"] stem="first_three"
def text_after(name):
    return trace.texts[next(one for one in trace.snapshots if one.pass_name == name).text_id]


def count(name, op):
    return next(one for one in trace.snapshots if one.pass_name == name).op_counts.get(op, 0)


bound = {name: text_after(name).count('tl.target = "npuir"') for name in ("input", "BindTarget")}
lets = {name: count(name, "tl.let") for name in ("BindTarget", "Simplify")}
sums = {name: count(name, "arith.addi") for name in ("Simplify", "RemoveNoOp")}
print("target is written:", bound)
print("names, tl.let:", lets)
print("additions, arith.addi:", sums)

# %% tags=["lang:en"] stem="show_counts"
from tlcourse.widgets.bars import BarView

sizes = {one.pass_name: sum(one.op_counts.values()) for one in before_code[:5]}
BarView("Operations in the module after each pass", sizes, look="VECTOR")

# %% tags=["lang:zh"] stem="show_counts" en_sha="54d8c56a"
from tlcourse.widgets.bars import BarView

sizes = {one.pass_name: sum(one.op_counts.values()) for one in before_code[:5]}
BarView("每个 pass 之后模块里的运算个数", sizes, look="VECTOR", language="zh")

# %% [markdown] tags=["lang:en", "lecture"] stem="order_words"
# ## Does the order matter?
#
# Each pass is a function on modules, so you can call them yourself, in any order. Take the same
# kernel and run RemoveNoOp **first** and Simplify second. Compare with the usual order: Simplify,
# then RemoveNoOp. What becomes of the loop of `cid * 0` turns, with its `T.clear`?

# %% [markdown] tags=["lang:zh", "lecture"] stem="order_words" en_sha="88b6d513"
# ## 次序重要吗？
#
# 每个 pass 都是作用在模块上的函数，所以你可以自己按任意次序调用。对同一个内核**先**运行 RemoveNoOp，再运行 Simplify。与通常的次序比较：先 Simplify，后 RemoveNoOp。`cid * 0` 次的循环和其中的 `T.clear` 会怎样？

# %% tags=["lang:en"] stem="p1"
answer("d5.passes.p1", "?")  # RemoveNoOp first: a: it goes, too  b: it stays  c: an error

# %% tags=["lang:zh"] stem="p1" en_sha="c2f70e4d"
answer("d5.passes.p1", "?", language="zh")  # 先 RemoveNoOp： a：同样消失  b：它还在  c：报错

# %% tags=["reveal"] stem="order"
from xdsl.context import Context
from tlcourse.passes.tir.remove_no_op import RemoveNoOpPass
from tlcourse.passes.tir.simplify import SimplifyPass


def clears(*passes):  # how many T.clear are left
    module = five_lines().module.clone()
    for one in passes:
        one.apply(Context(), module)
    return str(module).count("tl.vbrc")


left = {
    "Simplify, RemoveNoOp": clears(SimplifyPass(), RemoveNoOpPass()),
    "RemoveNoOp, Simplify": clears(RemoveNoOpPass(), SimplifyPass()),
}
for order, number in left.items():
    print(f"{order}: {number} left")

# %% [markdown] tags=["lang:en"] stem="order_rule"
# RemoveNoOp takes away a loop whose number of turns is known to be 0. Only Simplify finds out that
# `cid * 0` is 0. In the other order RemoveNoOp comes too early, and the loop stays. Rule: **a pass relies on what earlier passes
# have done; the order is part of the compiler.**

# %% [markdown] tags=["lang:zh"] stem="order_rule" en_sha="6e58f0b7"
# RemoveNoOp 删除已知次数为 0 的循环，而 `cid * 0` 等于 0 要由 Simplify 算出来。次序反过来，RemoveNoOp 运行得太早，循环就留下了。规则：**一个 pass 依赖前面的 pass 做过的事；次序是编译器的一部分。**

# %% [markdown] tags=["lang:en"] stem="second_words"
# **NpuLoopVectorize** turns the element loop into vector operations on tiles and leaves a note.
# **PlanAndUpdateBufferAllocationLocation** moves each allocation into the smallest block that holds
# all its uses. **LowerOpaqueBlock** opens TIR's blocks; Tile IR has none, so the module stays as it
# is.

# %% [markdown] tags=["lang:zh"] stem="second_words" en_sha="96beb4ae"
# **NpuLoopVectorize** 把元素循环变成对数据块的 vector 运算，并留下一条说明。**PlanAndUpdateBufferAllocationLocation** 把每个分配移到包含其全部使用的最小代码块里。**LowerOpaqueBlock** 拆开 TIR 的 block；Tile IR 没有这种 block，所以模块不变。

# %% tags=["kp:K124", "kp:K217", "kp:K218", "kp:K219"] stem="second_three"
MOVE = "PlanAndUpdateBufferAllocationLocation"
vectorised = next(one for one in before_code if one.pass_name == "NpuLoopVectorize")
print(*vectorised.notes)


def is_inside(name):  # whether the tile `a` is allocated inside the loop
    text = text_after(name)
    return text.index('tl.alloc "a"') > text.index('tl.for "serial"')


moved = {name: is_inside(name) for name in ("NpuLoopVectorize", MOVE)}
print("allocated inside the loop:", moved)
opened = text_after("LowerOpaqueBlock") == text_after(MOVE)
print("LowerOpaqueBlock leaves all as it was:", opened)

# %% tags=["lang:en"] stem="show_memory"
compiled(torch.zeros(1024).npu())
show_memory(compiled)

# %% tags=["lang:zh"] stem="show_memory" en_sha="63c7dd7b"
compiled(torch.zeros(1024).npu())
show_memory(compiled, language="zh")

# %% [markdown] tags=["lang:en", "lecture"] stem="write_words"
# ## A pass of your own
#
# A pass is match and replace. A **rewrite pattern** is tried on each operation: it looks, returns
# if the operation is not meant, and else replaces it. This one removes `T.vmul(x, 1.0, x)`, which
# changes nothing. A constant has a `value`; the first version reads it, with 1 as a default.

# %% [markdown] tags=["lang:zh", "lecture"] stem="write_words" en_sha="4b3f3d87"
# ## 自己的 pass
#
# pass 就是匹配和替换。**改写模式**（rewrite pattern）会在每个运算上尝试：先检查，不是要找的就返回，否则替换它。下面的模式删除 `T.vmul(x, 1.0, x)`，因为它什么也不改变。常数有 `value`；第一个版本读取它，没有时默认为 1。

# %% tags=["lecture"] stem="wrong_pass"
from xdsl.dialects import arith
from xdsl.pattern_rewriter import PatternRewriter, PatternRewriteWalker, RewritePattern


class TimesOne(RewritePattern):
    def match_and_rewrite(self, op, rewriter):
        if op.name != "tl.vmul":
            return
        tile, number = op.sources
        value = getattr(number.owner, "value", None)
        factor = value.value.data if value else 1.0
        if tile == op.destination and factor == 1.0:
            rewriter.erase(op)


# %% stem="patient"
def scaled(by_turn):  # times 1.0 in each of three turns, or times the turn's number
    @T.prim_func
    def kernel(X: T.Tensor((64, 64), "float32"), Y: T.Tensor((64, 64), "float32")):
        with T.Kernel(1, is_npu=True) as (cid, _):
            x = T.alloc_shared((64, 64), "float32")
            T.copy(X, x)
            for k in T.serial(1, 4):
                T.vmul(x, k if by_turn else 1.0, x)
                T.vadd(x, 2.0, x)
            T.copy(x, Y)

    return kernel


def ran(by_turn, pattern=None):  # the result, and how many multiplications are left
    function = scaled(by_turn)
    if pattern is not None:
        PatternRewriteWalker(pattern).rewrite_module(function.module)
    kernel = tilelang.compile(function, target="npuir", out_idx=[1])
    return kernel(torch.ones(64, 64).npu()).cpu()[0, 0].item(), str(function.module).count(
        "tl.vmul"
    )


print("as written   :", ran(False))
print("with the pass:", ran(False, TimesOne()))

# %% [markdown] tags=["lang:en"] stem="test_words"
# One multiplication less, and the same numbers. The test of one kernel passes. Now the multiplier
# is the loop variable: `T.vmul(x, k, x)` with k = 1, 2, 3. In the IR it is no constant but an
# argument of the loop's block, converted to float32. What does the pass do with it?

# %% [markdown] tags=["lang:zh"] stem="test_words" en_sha="eadde3bd"
# 少了一次乘法，数值相同。一个内核的测试通过了。现在乘数是循环变量：`T.vmul(x, k, x)`，k = 1、2、3。在 IR 里它不是常数，而是循环体的块参数，先转换成 float32。这个 pass 会怎么处理它？

# %% tags=["lang:en"] stem="p2"
answer("d5.passes.p2", "?")  # a: leaves it  b: removes it, the numbers change  c: fails

# %% tags=["lang:zh"] stem="p2" en_sha="f25d8762"
answer("d5.passes.p2", "?", language="zh")  # a：不动它  b：删掉它，数值改变  c：报错


# %% tags=["reveal", "lecture"] stem="right_pass"
class TimesOneMended(RewritePattern):
    def match_and_rewrite(self, op, rewriter):
        if op.name != "tl.vmul":
            return
        tile, number = op.sources
        if not isinstance(number.owner, arith.ConstantOp):
            return
        if tile == op.destination and number.owner.value.value.data == 1.0:
            rewriter.erase(op)


results = {
    (by_turn, name): ran(by_turn, pattern)
    for by_turn in (False, True)
    for name, pattern in (("none", None), ("first", TimesOne()), ("mended", TimesOneMended()))
}
for (by_turn, name), (number, products) in results.items():
    print(
        "times k  " if by_turn else "times 1.0", f"pass {name:7} result {number:4} vmul {products}"
    )

# %% tags=["lang:en", "reveal"] stem="show_results"
wanted = {name: int(results[True, name][0]) for name in ("none", "first", "mended")}
BarView("An element of the result, times k: no pass, the first, the mended", wanted, look="UB")

# %% tags=["lang:zh", "reveal"] stem="show_results" en_sha="0d2ad685"
wanted = {name: int(results[True, name][0]) for name in ("none", "first", "mended")}
BarView("乘以 k 时结果的一个元素：无 pass、第一版、改好的", wanted, look="UB", language="zh")

# %% [markdown] tags=["lang:en"] stem="rule_words"
# The first version took "I do not know the number" for "the number is 1". A pass must be right for
# every kernel, so it asks for proof: a constant. Rule: **say first what must be true, return if
# anything is unknown, and test a kernel that must stay as it is.**

# %% [markdown] tags=["lang:zh"] stem="rule_words" en_sha="e49996ff"
# 第一版把“不知道这个数”当成了“这个数是 1”。pass 必须对每个内核都正确，所以要有证据：这个数是常数。规则：**先写明哪些条件必须成立，有任何未知就返回，并且测试一个必须原样不动的内核。**

# %% [markdown] tags=["lang:en"] stem="replace_words"
# ## Putting new operations in place
#
# `rewriter.erase(op)` takes an operation away. `rewriter.replace(op, [first, second, last])` puts new
# ones in its place, in this order; what an earlier one computes is the `result` that a later one
# takes. The next pattern writes `T.vadd(x, 2.0, x)` as a subtraction of -2.0. `tl.ELEMENTWISE` holds
# the classes of the vector operations by name.

# %% [markdown] tags=["lang:zh"] stem="replace_words" en_sha="116291ab"
# ## 放入新的运算
#
# `rewriter.erase(op)` 删去一个运算。`rewriter.replace(op, [first, second, last])` 按这个次序放入新的运算；前面的运算算出的 `result` 供后面的运算使用。下面的模式把 `T.vadd(x, 2.0, x)` 写成减去 -2.0。`tl.ELEMENTWISE` 按名字存放各个 vector 运算的类。

# %% stem="replaced"
from tlcourse.dialects import tl
from xdsl.dialects.builtin import FloatAttr, f32


class SumAsDifference(RewritePattern):
    def match_and_rewrite(self, op, rewriter):
        if op.name != "tl.vadd" or not isinstance(op.sources[1].owner, arith.ConstantOp):
            return
        tile, number = op.sources
        opposite = arith.ConstantOp(FloatAttr(-number.owner.value.value.data, f32))
        difference = tl.ELEMENTWISE["vsub"]([tile, opposite.result], op.destination)
        rewriter.replace(op, [opposite, difference])


changed = scaled(False)
PatternRewriteWalker(SumAsDifference()).rewrite_module(changed.module)
counted = [str(changed.module).count(name) for name in ("tl.vadd", "tl.vsub")]
print("vadd and vsub:", counted, "result:", ran(False, SumAsDifference())[0])

# %% [markdown] tags=["lang:en"] stem="vector_words"
# ## Anatomy of a vectorise rule
#
# The exercise adds a rule for `T.exp2`. Such a rule asks three questions: is the loop parallel, do
# its iterations depend on each other, is there a vector operation for this dtype? The compiler's own
# rule answers the same three, and its note says why a loop stays scalar.

# %% [markdown] tags=["lang:zh"] stem="vector_words" en_sha="9deaca60"
# ## 一条向量化规则的构造
#
# 练习要为 `T.exp2` 加一条规则。这样的规则问三个问题：循环是不是 parallel？各次迭代是否互相依赖？这个数据类型有没有对应的 vector 运算？编译器自己的规则回答同样的三个问题，它的说明会写出循环为何仍是标量。


# %% stem="notes"
def loop(kind):
    @T.prim_func
    def kernel(X: T.Tensor((256,), "float32"), Y: T.Tensor((256,), "float32")):
        with T.Kernel(1, is_npu=True) as (cid, _):
            x = T.alloc_shared((256,), "float32")
            T.copy(X, x)
            for i in T.Parallel(255):
                if kind == "exp":
                    x[i] = T.exp(x[i])
                elif kind == "exp2":
                    x[i] = T.exp2(x[i])
                else:
                    x[i] = T.exp(x[i + 1])
            T.copy(x, Y)

    return tilelang.compile(kernel, target="npuir", out_idx=[1]).trace()


notes = {}
for kind in ("exp", "exp2", "dependent"):
    steps = loop(kind).snapshots
    notes[kind] = next(one for one in steps if one.pass_name == "NpuLoopVectorize").notes[0]
    print(f"{kind:10}", notes[kind])

# %% [markdown] tags=["lang:en", "lecture"] stem="recap"
# ## Recap
#
# - BindTarget, Simplify, RemoveNoOp, NpuLoopVectorize, the place of allocations, LowerOpaqueBlock.
# - A pass relies on those before it; the order is part of the compiler.
# - Match, prove, replace; what is unknown stays as it is.
#
# **Exercise:** [d5.vectorise_rule](../../exercises/day5/vectorise_rule.ipynb). More:
# [d5.rewrite](../../exercises/day5/rewrite.ipynb).

# %% [markdown] tags=["lang:zh", "lecture"] stem="recap" en_sha="58625978"
# ## 小结
#
# - BindTarget、Simplify、RemoveNoOp、NpuLoopVectorize、分配的位置、LowerOpaqueBlock。
# - 一个 pass 依赖它前面的 pass；次序是编译器的一部分。
# - 先匹配，再证明，最后替换；有未知就保持原样。
#
# **练习：** [d5.vectorise_rule](../../../exercises/zh/day5/vectorise_rule.ipynb)。进阶：
# [d5.rewrite](../../../exercises/zh/day5/rewrite.ipynb)。

# %% tags=["golden"] stem="golden"
# What the text says holds in the outputs.
assert bound["BindTarget"] == bound["input"] + 1
assert lets["BindTarget"] > lets["Simplify"] == 0
assert sums["Simplify"] > sums["RemoveNoOp"]
assert list(left.values()) == [0, 1]
assert moved == {"NpuLoopVectorize": False, MOVE: True}
assert opened
assert results[False, "first"] == (results[False, "none"][0], results[False, "none"][1] - 1)
assert results[True, "first"][0] != results[True, "none"][0]
assert results[True, "mended"] == results[True, "none"]
assert counted == [0, 1]
assert ran(False, SumAsDifference()) == results[False, "none"]
assert "became" in notes["exp"]
assert "math.exp2 has no vector form" in notes["exp2"]
assert "also loaded at another place" in notes["dependent"]
