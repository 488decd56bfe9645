# ---
# jupyter:
#   tlcourse:
#     id: d5.wrapper
#     title: "5.5 The generated C++, read"
#     title_zh: "5.5 读生成的 C++"
#     track: deep
#     minutes: 20
#     needs: [d5.frontend]
# ---

# %% [markdown] tags=["lang:en", "lecture"] stem="goals"
# # 5.5 The generated C++, read
#
# *deep, 20 minutes, needs lesson 5.2*
#
# You will be able to
# - name the three parts of a kernel's host side: **argument struct**, launch function, Python entry,
# - match each field of the struct with the signature,
# - say which fields nobody passes,
# - say why a wrong order is so hard to find.

# %% [markdown] tags=["lang:zh", "lecture"] stem="goals" en_sha="cd79df3a"
# # 5.5 读生成的 C++
#
# *深入内容，20 分钟，先修 5.2 节*
#
# 学完后你能够
# - 说出内核主机端的三个部分：**参数结构体**、启动函数、Python 入口；
# - 把结构体的每个字段与签名对应起来；
# - 说出哪些字段不由用户传入；
# - 说出为什么次序错了很难发现。

# %% tags=["setup"] stem="imports"
import os

os.environ["TILELANG_ASCEND_MODE"] = "Developer"
from tlcourse import check, hint, answer, progress, show_passes, show_timeline, show_memory
import tilelang
import tilelang.language as T
import torch

# %% [markdown] tags=["lang:en", "lecture"] stem="why_words"
# ## Between Python and the device
#
# On hardware a launch needs a piece of host code: it gathers addresses and numbers in one block of
# memory and hands it to the runtime. Upstream generates this as C++ and compiles it with g++. In
# this course Python launches, and no driver is imitated; but the text is made from the same
# signature, to be read.

# %% [markdown] tags=["lang:zh", "lecture"] stem="why_words" en_sha="1e11378b"
# ## 在 Python 和设备之间
#
# 在硬件上，启动需要一段主机代码：把地址和数值收集到一块内存，交给运行时。上游生成这段 C++，再用 g++ 编译。本课程由 Python 启动，不模仿任何驱动；但同样从签名生成这段文本，供你阅读。

# %% tags=["kp:K225"] stem="struct"
import re
from tlcourse.examples.minicv import minicv_developer
from tlcourse.ops.wrapper import host_wrapper, syntax_errors

kernel = tilelang.compile(minicv_developer(M=256, N=256, K=256), target="npuir", out_idx=[2, 3])
text = host_wrapper(kernel.launch_signature)
parts = dict(zip(("head", "struct", "launch", "entry"), re.split(r"\n// \d\. ", text)))
print(parts["struct"])

# %% tags=["lang:en", "lecture"] stem="show_parts"
from tlcourse.widgets.flow import FlowView

FlowView(
    "The host side of a kernel",
    {
        "Python": ["launch(..): addresses, grid"],
        "3. Python entry": ["PyArg_ParseTuple", "calls 2"],
        "2. launch function": ["fills the struct", "rtKernelLaunch"],
        "1. argument struct": ["read by the device, byte by byte"],
    },
)

# %% tags=["lang:zh", "lecture"] stem="show_parts" en_sha="cd740a20"
from tlcourse.widgets.flow import FlowView

FlowView(
    "内核的主机端",
    {
        "Python": ["launch(..)：地址、网格"],
        "3. Python 入口": ["PyArg_ParseTuple", "调用 2"],
        "2. 启动函数": ["填写结构体", "rtKernelLaunch"],
        "1. 参数结构体": ["设备按字节读取"],
    },
    language="zh",
)

# %% [markdown] tags=["lang:en", "lecture"] stem="order_words"
# ## The order of the fields
#
# MiniCV has four parameters: A, B, C, D. Look at the struct above. In which order do the fields
# stand, and which of them does nobody pass from Python?

# %% [markdown] tags=["lang:zh", "lecture"] stem="order_words" en_sha="1c924100"
# ## 字段的次序
#
# MiniCV 有四个参数：A、B、C、D。看上面的结构体：字段按什么次序排列？其中哪些不从 Python 传入？先回答，再数一数。

# %% tags=["lang:en"] stem="p1"
answer("d5.wrapper.p1", "?")  # a: only A to D  b: A to D, then others  c: others, A to D, the grid

# %% tags=["lang:zh"] stem="p1" en_sha="4f39e8b2"
answer(
    "d5.wrapper.p1", "?", language="zh"
)  # a：只有 A 到 D  b：先 A 到 D，再其他  c：其他、A 到 D、网格

# %% tags=["reveal", "lecture", "kp:K225"] stem="fields"
fields = re.findall(r"^  (.+?)(\w+) __attribute__\(\(aligned", parts["struct"], re.MULTILINE)
names = [name for _, name in fields]
own = [f"{parameter.name}_arg" for parameter in kernel.params]
for kind, name in fields:
    print(f"{name:16} {kind.strip():9} {'of the signature' if name in own else 'added'}")
first, last = names.index(own[0]), names.index(own[-1])

# %% [markdown] tags=["lang:en"] stem="fields_rule"
# In front stand three addresses that the hardware and the compiler add: flags between the cores, a
# lock, the workspace. Then come the kernel's parameters in their order, then symbolic sizes, then
# the grid. The device reads bytes at fixed places; it knows no names.

# %% [markdown] tags=["lang:zh"] stem="fields_rule" en_sha="e48d685b"
# 最前面是硬件和编译器加上的三个地址：核间标志、锁、工作区。然后依次是内核的各个参数、符号维度，最后是网格。设备在固定的位置读取字节，不认名字。

# %% tags=["kp:K226", "kp:K227"] stem="launch_and_entry"
filled = next(line for line in parts["launch"].splitlines() if "arguments = {" in line)
started = next(line for line in parts["launch"].splitlines() if "rtKernelLaunch" in line)
parsed = next(line for line in parts["entry"].splitlines() if "PyArg_ParseTuple" in line)
for line in (filled, started, parsed):
    print(line.strip()[:100])
accepted = syntax_errors(text)
print("where g++ is installed, it accepts the text:", accepted in ("", None))

# %% tags=["lang:en"] stem="show_passes"
show_passes(kernel)

# %% tags=["lang:zh"] stem="show_passes" en_sha="b3a56ae9"
show_passes(kernel, language="zh")

# %% [markdown] tags=["lang:en", "lecture"] stem="swap_words"
# ## Two fields swapped
#
# Say that somebody edits the generated text by hand and swaps A and B where the struct is filled.
# Both are `void *`. What will report the mistake?

# %% [markdown] tags=["lang:zh", "lecture"] stem="swap_words" en_sha="ce069020"
# ## 交换两个字段
#
# 假设有人手工修改生成的文本，在填写结构体的地方把 A 和 B 交换。两者都是 `void *`。谁会报告这个错误？先回答，再看编译器有没有报错，结果是否还对。

# %% tags=["lang:en"] stem="p2"
answer("d5.wrapper.p2", "?")  # a: the C++ compiler  b: the launch  c: nothing, the numbers differ

# %% tags=["lang:zh"] stem="p2" en_sha="be5327ce"
answer("d5.wrapper.p2", "?", language="zh")  # a：C++ 编译器  b：启动时  c：没有谁，只是数值不同

# %% tags=["reveal"] stem="swapped"
swapped = text.replace(
    "A_arg, B_arg, C_arg, D_arg, grid_x, grid_y, grid_z};",
    "B_arg, A_arg, C_arg, D_arg, grid_x, grid_y, grid_z};",
)
changed = sum(a != b for a, b in zip(text.splitlines(), swapped.splitlines()))
same_verdict = syntax_errors(swapped) == accepted
generator = torch.Generator().manual_seed(0)
A, B = (torch.randn(256, 256, generator=generator).half() for _ in range(2))
right, wrong = (kernel(*pair)[0].cpu() for pair in ((A.npu(), B.npu()), (B.npu(), A.npu())))
print("lines changed:", changed, " the C++ compiler says the same:", same_verdict)
print("what the device would compute equals A @ B:", torch.allclose(wrong, right, atol=1e-1))

# %% tags=["lang:en", "reveal"] stem="show_bars"
from tlcourse.widgets.bars import BarView

counts = {"of the signature": len(own), "added": len(names) - len(own)}
BarView("Fields of the struct", counts, look="GM")

# %% tags=["lang:zh", "reveal"] stem="show_bars" en_sha="0dd103a2"
from tlcourse.widgets.bars import BarView

counts = {"来自签名": len(own), "附加": len(names) - len(own)}
BarView("结构体的字段", counts, look="GM", language="zh")

# %% [markdown] tags=["lang:en"] stem="swap_rule"
# Same types, no error, other numbers. That is why such text is generated from the signature and
# never written by hand, and why a test compares numbers with inputs that are not alike.

# %% [markdown] tags=["lang:zh"] stem="swap_rule" en_sha="46c4b103"
# 类型相同，没有报错，数值却不同。所以这样的文本要由签名生成，绝不手写；测试也要用互不相同的输入来比较数值。编译通过只表示类型对得上。

# %% [markdown] tags=["lang:en", "lecture"] stem="recap"
# ## Recap
#
# - Struct, launch function, Python entry: generated from the signature.
# - Added addresses in front, parameters, symbols, the grid behind.
# - The device knows places, not names: a swapped pair gives other numbers and no error.

# %% [markdown] tags=["lang:zh", "lecture"] stem="recap" en_sha="53b22eb6"
# ## 小结
#
# - 结构体、启动函数、Python 入口：都由签名生成。
# - 前面是附加的地址，然后是参数、符号，最后是网格。
# - 设备只认位置，不认名字：交换两个字段，数值会变，却没有报错。

# %% tags=["golden"] stem="golden"
# What the text says holds in the outputs.
assert names[first : last + 1] == own
assert first == 3
assert names[last + 1 :] == ["grid_x", "grid_y", "grid_z"]
assert accepted in ("", None)
assert changed == 1
assert same_verdict
assert not torch.allclose(wrong, right, atol=1e-1)
