# ---
# jupyter:
#   tlcourse:
#     id: d5.deepseek
#     title: "5.8 Operators in a DeepSeek-V4-style model"
#     title_zh: "5.8 DeepSeek-V4 风格模型中的算子"
#     track: core
#     minutes: 40
#     needs: [d5.package]
# ---

# %% [markdown] tags=["lang:en", "lecture"] stem="goals"
# # 5.8 Operators in a DeepSeek-V4-style model
#
# *core, 40 minutes, needs lesson 5.6*
#
# You will be able to
# - find your way in `examples/deepseek_v4`: the operators and the **entry** of the model,
# - put an operator package into a model with two lines,
# - say why equal tokens prove little, and compare **logits** instead,
# - read the table of a run: error, bytes, simulated time.

# %% [markdown] tags=["lang:zh", "lecture"] stem="goals" en_sha="c4c8feea"
# # 5.8 DeepSeek-V4 风格模型中的算子
#
# *核心内容，40 分钟，先修 5.6 节*
#
# 学完后你能够
# - 在 `examples/deepseek_v4` 里找到算子和模型的**入口**；
# - 用两行代码把算子包接入模型；
# - 说出为什么 token 相同证明不了什么，并改为比较 **logits**；
# - 读懂一次运行的表格：误差、字节、模拟时间。

# %% tags=["setup"] stem="imports"
import os

os.environ["TILELANG_ASCEND_MODE"] = "Developer"
from tlcourse import check, hint, answer, progress, show_passes, show_timeline, show_memory
import tilelang
import tilelang.language as T
import torch

# %% [markdown] tags=["lang:en", "lecture", "kp:K246"] stem="folder_words"
# ## The folder
#
# DeepSeek-V4 was announced as released on 24 April, with operators of TileLang on AscendNPU IR on
# the same day, in `examples/deepseek_v4` of the upstream repository. It has one `example_*.py` for
# each operator, and `inference/model.py` as the entry. Ours has the same layout; the model is small
# and its weights are random.

# %% [markdown] tags=["lang:zh", "lecture", "kp:K246"] stem="folder_words" en_sha="a3134c6a"
# ## 目录
#
# 据课程预告，DeepSeek-V4 于 4 月 24 日发布，基于 AscendNPU IR 的 TileLang 算子当天推出，代码在上游仓库的 `examples/deepseek_v4`。每个算子有一个 `example_*.py`，入口是 `inference/model.py`。我们的目录结构相同；模型很小，权重是随机的。

# %% tags=["kp:K248", "kp:K249"] stem="folder"
from pathlib import Path
from tlcourse.examples import deepseek_v4_mini, mini_ops
from tlcourse.examples.deepseek_v4_mini import example_rms_norm

root = Path(deepseek_v4_mini.__file__).parent
examples = sorted(path.name for path in root.glob("example_*.py"))
print(*examples, "inference/model.py", sep="\n")
alone = example_rms_norm.main()

# %% tags=["lang:en", "lecture"] stem="show_model"
from tlcourse.widgets.flow import FlowView

FlowView(
    "One layer of the small model, and the operators in it",
    {
        "gates": ["hc_split_sinkhorn", "rms_norm"],
        "attention": ["rope", "flash_attention", "index_scores", "sparse_attention"],
        "gates again": ["hc_split_sinkhorn", "rms_norm"],
        "experts": ["softmax", "act_quant", "int8_gemm"],
    },
)

# %% tags=["lang:zh", "lecture"] stem="show_model" en_sha="e4ff2692"
from tlcourse.widgets.flow import FlowView

FlowView(
    "小模型的一层，以及其中的算子",
    {
        "门": ["hc_split_sinkhorn", "rms_norm"],
        "注意力": ["rope", "flash_attention", "index_scores", "sparse_attention"],
        "再次经过门": ["hc_split_sinkhorn", "rms_norm"],
        "专家": ["softmax", "act_quant", "int8_gemm"],
    },
    language="zh",
)

# %% [markdown] tags=["lang:en"] stem="entry_words"
# ## The entry
#
# `model.py` computes with operators written in torch. `Model()` turns tokens into logits: one
# number for each word of the vocabulary, at every position. `generate` appends the likeliest word
# again and again. `forced` gives the model fixed tokens and returns the logits of each step.

# %% [markdown] tags=["lang:zh"] stem="entry_words" en_sha="477ca128"
# ## 入口
#
# `model.py` 用 torch 写的算子来计算。`Model()` 把 token 变成 logits：在每个位置上，词表的每个词对应一个数。`generate` 反复接上最可能的词。`forced` 给模型固定的 token，返回每一步的 logits。

# %% tags=["kp:K247"] stem="entry"
from types import SimpleNamespace
from tlcourse.examples.deepseek_v4_mini.inference import compare, model, swap, torch_ops

tokens = compare.tokens()
START = 33
theirs = model.forced(model.Model(), tokens, START)
generated = model.generate(model.Model(), tokens[:START], 8)[START:].tolist()
print("logits of", len(theirs), "steps, each for", theirs.shape[1], "words")
print("generated:", generated, "different:", len(set(generated)))

# %% [markdown] tags=["lang:en", "lecture"] stem="tied_words"
# ## Equal tokens
#
# A first idea for a test: generate with both kinds of operators and compare the tokens. Many models
# use their embedding as the head, too. Take such a model, and a **broken** attention that returns
# nothing but zeros. Are its tokens different?

# %% [markdown] tags=["lang:zh", "lecture"] stem="tied_words" en_sha="ff1bd954"
# ## 相同的 token
#
# 最初的测试想法：用两种算子各生成一次，比较 token。许多模型让词嵌入兼作输出头。取这样一个模型，再换上一个**坏的**注意力，它只返回零。生成的 token 会不同吗？

# %% tags=["lang:en"] stem="p1"
answer("d5.deepseek.p1", "?")  # a: all differ  b: the first is equal  c: all are equal

# %% tags=["lang:zh"] stem="p1" en_sha="fe9fdb58"
answer("d5.deepseek.p1", "?", language="zh")  # a：全都不同  b：第一个相同  c：全都相同

# %% tags=["reveal", "lecture"] stem="tied"
originals = {name: getattr(torch_ops, name) for name in compare.NAMES}


def with_operators(**others):  # the model's module with some operators exchanged
    module = swap.swapped_module()
    module.ops = SimpleNamespace(**(originals | others))
    return module


def tied(module):
    net = module.Model()
    net.head = net.embedding
    return model.generate(net, tokens[:START], 6)[START:].tolist()


broken = with_operators(flash_attention=lambda q, k, v, causal: torch.zeros_like(q))
repeated = tied(model), tied(broken)
print("tied head, right :", repeated[0], " last token given:", int(tokens[START - 1]))
print("tied head, broken:", repeated[1])

# %% tags=["lang:en", "reveal"] stem="show_tokens"
from tlcourse.widgets.bars import BarView

names = ("tied head, right", "tied head, broken", "own head")
different = dict(zip(names, (len(set(row)) for row in (*repeated, generated))))
BarView("Different tokens among those generated", different, look="VECTOR")

# %% tags=["lang:zh", "reveal"] stem="show_tokens" en_sha="3af9ea68"
from tlcourse.widgets.bars import BarView

names = ("嵌入兼作输出头，正确", "嵌入兼作输出头，坏的", "独立的输出头")
different = dict(zip(names, (len(set(row)) for row in (*repeated, generated))))
BarView("生成的 token 中有几个不同", different, look="VECTOR", language="zh")

# %% [markdown] tags=["lang:en"] stem="tied_rule"
# Both repeat the last token for ever: the embedding of a word is most like itself, whatever the
# layers add. Such a test passes with any operator. Our model has a head of its own and generates
# different words. And we compare **logits, step by step, with forced tokens**: one early difference
# cannot hide in what follows.

# %% [markdown] tags=["lang:zh"] stem="tied_rule" en_sha="6b872fe1"
# 两者都一直重复最后一个 token：不管各层加上什么，一个词的嵌入总和它自己最像。这样的测试，任何算子都能通过。我们的模型有独立的输出头，会生成不同的词。而且我们比较的是**固定 token 之下每一步的 logits**：前面的差别就不会被后面掩盖。

# %% [markdown] tags=["lang:en", "lecture"] stem="swap_words"
# ## Two lines
#
# Now the package of lesson 5.6 goes into the model: the import of the torch operators is replaced
# by two lines. Everything else stays, since the operators have the same names and arguments. What
# will be different in the model?

# %% [markdown] tags=["lang:zh", "lecture"] stem="swap_words" en_sha="2c1978e0"
# ## 两行代码
#
# 现在把 5.6 节那样的算子包接入模型：torch 算子的导入换成两行代码。其余不变，因为算子的名字和参数相同。模型里会有什么不同？

# %% tags=["kp:K245"] stem="diff"
print(swap.diff())
added = [line for line in swap.diff().splitlines() if line.startswith("+") and line[1] != "+"]

# %% tags=["lang:en"] stem="p2"
answer("d5.deepseek.p2", "?")  # a: the weights  b: logits, within rounding  c: nothing, bit by bit

# %% tags=["lang:zh"] stem="p2" en_sha="027a72de"
answer("d5.deepseek.p2", "?", language="zh")  # a：权重  b：logits，在舍入范围内  c：逐位都相同

# %% tags=["reveal", "lecture"] stem="swapped"
from tlcourse.ops import recorded


def distance(module):  # of the logits, as a part of the largest one
    with recorded() as calls:
        ours = model.forced(module.Model(), tokens, START)
    return float((ours - theirs).abs().max() / theirs.abs().max()), {c.operator for c in calls}


module = swap.swapped_module()
before, after = model.Model().state_dict(), module.Model().state_dict()
same_weights = all(torch.equal(before[name], after[name]) for name in before)
error, used = distance(module)
print("weights are equal:", same_weights)
print(f"logits within {compare.MOST_ERROR:g} of the largest: {error < compare.MOST_ERROR}")
print("kernels that ran:", *sorted(used))

# %% [markdown] tags=["lang:en"] stem="fault_words"
# The record proves that the kernels really ran. One question is left: would this comparison notice
# a fault? Plant two: a norm that forgets its weight, and an attention that looks at later words.

# %% [markdown] tags=["lang:zh"] stem="fault_words" en_sha="5211a55e"
# 记录证明这些内核确实运行了。还剩一个问题：这样比较能发现错误吗？埋下两个错误：漏乘权重的归一化，以及会看到后面词的注意力。再看 logits 差多少。

# %% stem="planted"
faults = {
    "norm without weight": with_operators(
        rms_norm=lambda x, weight: torch_ops.rms_norm(x, torch.ones_like(weight))
    ),
    "attention not causal": with_operators(
        flash_attention=lambda q, k, v, causal: torch_ops.flash_attention(q, k, v, False)
    ),
}
errors = {"mini_ops": error} | {name: distance(fault)[0] for name, fault in faults.items()}
for name, value in errors.items():
    print(f"{name:21} passes: {value < compare.MOST_ERROR}")

# %% tags=["lang:en"] stem="show_errors"
shown = {name: round(1000 * value) for name, value in errors.items()}
BarView("Largest difference of the logits, in thousandths of the largest", shown, look="VECTOR")

# %% tags=["lang:zh"] stem="show_errors" en_sha="480806c1"
shown = {name: round(1000 * value) for name, value in errors.items()}
BarView("logits 的最大差别，单位为最大值的千分之一", shown, look="VECTOR", language="zh")

# %% [markdown] tags=["lang:en", "lecture"] stem="table_words"
# ## The table of a run
#
# `python -m tlcourse.examples.deepseek_v4_mini.inference.compare` does all of this and prints a
# table: calls in one forward pass, the error of each operator on equal inputs, simulated time and
# bytes. Here is that table. Where would you start to make the model faster?

# %% [markdown] tags=["lang:zh", "lecture"] stem="table_words" en_sha="c893030f"
# ## 一次运行的表格
#
# `python -m tlcourse.examples.deepseek_v4_mini.inference.compare` 做完以上全部，并打印一张表：一次前向计算中的调用次数、每个算子在相同输入上的误差、模拟时间和字节数。下面就是这张表。要让模型更快，你会从哪里开始？

# %% tags=["kp:K250"] stem="table"
operator_errors = compare.operator_errors()
lines = compare.table()
print(f"{'kernel':<20}{'calls':>6}{'simulated us':>14}{'bytes':>12}  error below 1e-2")
for line in lines:
    known = operator_errors.get(line.kernel)
    small = "" if known is None else known < 1e-2
    print(f"{line.kernel:<20}{line.calls:>6}{line.microseconds:>14.1f}{line.bytes:>12,}  {small}")

# %% tags=["lang:en"] stem="show_times"
times = {line.kernel: round(line.microseconds) for line in lines[:6]}
BarView("Simulated time of the slowest kernels in one forward pass", times, "us", look="M")

# %% tags=["lang:zh"] stem="show_times" en_sha="493c1872"
times = {line.kernel: round(line.microseconds) for line in lines[:6]}
BarView("一次前向计算中最慢的几个内核的模拟时间", times, "us", look="M", language="zh")

# %% [markdown] tags=["lang:en"] stem="table_rule"
# The kernel at the top moves few bytes and takes the most time: many small steps, one after the
# other. The matrix products come behind it, with the most bytes. Time and bytes are not the same
# question; the timeline of a kernel tells what it waits for.

# %% [markdown] tags=["lang:zh"] stem="table_rule" en_sha="6c6b33c7"
# 排在最前面的内核搬运的字节很少，用的时间却最多：许多小步骤一个接一个。排在它后面的矩阵乘，字节最多。时间和字节是两回事；内核在等什么，要看时间线。

# %% [markdown] tags=["lang:en", "lecture"] stem="recap"
# ## Recap
#
# - One `example_*.py` per operator, `inference/model.py` as the entry, two lines to swap.
# - Compare logits with forced tokens; a tied head repeats one token whatever you break.
# - A comparison counts once a planted fault has failed it.

# %% [markdown] tags=["lang:zh", "lecture"] stem="recap" en_sha="d982de18"
# ## 小结
#
# - 每个算子一个 `example_*.py`，入口是 `inference/model.py`，替换只要两行。
# - 用固定的 token 比较 logits；嵌入兼作输出头时，不管弄坏什么都重复同一个 token。
# - 埋下错误后比较确实失败过，这个比较才算数。

# %% tags=["golden"] stem="golden"
# What the text says holds in the outputs.
assert len(set(generated)) >= 8
assert len(set(tokens[START:].tolist())) > 1
assert repeated[0] == repeated[1] == [int(tokens[START - 1])] * 6
assert len(added) == 2
assert same_weights
assert 0 < errors["mini_ops"] < compare.MOST_ERROR
assert min(errors["norm without weight"], errors["attention not causal"]) > compare.MOST_ERROR
assert {"rms_norm", "softmax", "rope", "flash_attention", "act_quant", "sparse_attention"} <= used
assert max(operator_errors.values()) < 1e-2
assert lines[0].bytes < lines[1].bytes == max(line.bytes for line in lines)
