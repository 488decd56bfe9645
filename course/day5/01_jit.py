# ---
# jupyter:
#   tlcourse:
#     id: d5.jit
#     title: "5.1 From DSL to binary"
#     title_zh: "5.1 从 DSL 到二进制"
#     track: more
#     minutes: 25
#     needs: [d1.npuir]
# ---

# %% [markdown] tags=["lang:en", "lecture"] stem="goals"
# # 5.1 From DSL to binary
#
# *more, 25 minutes, needs lesson 1.5*
#
# You will be able to
# - follow one launch from the decorator to the numbers,
# - name the five files of upstream that do it, and the modules of this course beside them,
# - say what runs at the first call, and what at the second,
# - say what a cache must look at before it answers.

# %% [markdown] tags=["lang:zh", "lecture"] stem="goals" en_sha="ebbcead6"
# # 5.1 从 DSL 到二进制
#
# *进阶内容，25 分钟，先修 1.5 节*
#
# 学完后你能够
# - 跟踪一次启动，从装饰器一直到数值；
# - 说出上游完成这些工作的五个文件，以及本课程对应的模块；
# - 说出第一次调用时执行什么，第二次执行什么；
# - 说出缓存在给出程序之前必须核对哪些东西。

# %% tags=["setup"] stem="imports"
import os

os.environ["TILELANG_ASCEND_MODE"] = "Developer"
from tlcourse import check, hint, answer, progress, show_passes, show_timeline, show_memory
import tilelang
import tilelang.language as T
import torch

# %% tags=["lang:en", "lecture", "kp:K199", "kp:K200", "kp:K208"] stem="show_flow"
from tlcourse.widgets.flow import FlowView

FlowView(
    "One kernel, from its text to the chip",
    {
        "front end": ["Python text", "Tile IR (upstream: TIR)"],
        "lower": ["BindTarget .. RemoveNoOp", "code generation: MLIR"],
        "back half": ["canonicalize ..", "split, plan, flags", "HIVM"],
        "launch": ["arguments, grid", "upstream: .o and main.so", "here: simulated chip"],
    },
)

# %% tags=["lang:zh", "lecture", "kp:K199", "kp:K200", "kp:K208"] stem="show_flow" en_sha="1a6dac2b"
from tlcourse.widgets.flow import FlowView

FlowView(
    "一个内核，从文本到芯片",
    {
        "前端": ["Python 文本", "Tile IR（上游：TIR）"],
        "下降": ["BindTarget .. RemoveNoOp", "代码生成：MLIR"],
        "后半段": ["canonicalize ..", "拆分、规划、标志", "HIVM"],
        "启动": ["参数、网格", "上游：.o 和 main.so", "这里：模拟芯片"],
    },
    language="zh",
)

# %% [markdown] tags=["lang:en", "lecture"] stem="map_words"
# ## Five files of upstream
#
# Upstream's path is short to name: `tilelang/jit/jit_npu.py` is what you call,
# `tilelang/engine/lower.py` drives the compile, `tilelang/engine/phase.py` lists the passes,
# `tilelang/utils/npu_utils.py` and `npu_utils.cpp` load the binary and start it. Here is each beside
# our module; the sizes are read from the files.

# %% [markdown] tags=["lang:zh", "lecture"] stem="map_words" en_sha="20099241"
# ## 上游的五个文件
#
# 上游的流程很短：你调用的是 `tilelang/jit/jit_npu.py`，`tilelang/engine/lower.py` 驱动编译，`tilelang/engine/phase.py` 列出各个 pass，`tilelang/utils/npu_utils.py` 和 `npu_utils.cpp` 载入二进制并启动它。下面把每个文件与本课程的模块并列。

# %% tags=["kp:K201", "kp:K202", "kp:K203", "kp:K204", "kp:K206", "kp:K207"] stem="map"
from importlib import import_module

FILES = {
    "tilelang/jit/jit_npu.py": ("tlcourse.jit.kernel", "Kernel"),
    "tilelang/engine/lower.py": ("tlcourse.pipeline.compiling", "compile_module"),
    "tilelang/engine/phase.py": ("tlcourse.pipeline.order", "Step"),
    "tilelang/utils/npu_utils.py": ("tlcourse.jit.launch", "launch_program"),
    "tilelang/utils/npu_utils.cpp": ("tlcourse.simulator.run", "run"),
}
beside = {}
for upstream, (module, name) in FILES.items():
    part = getattr(import_module(module), name)
    beside[upstream] = part
    print(f"{upstream:29} {module}.{name}: {part.__doc__.splitlines()[0]}")

# %% [markdown] tags=["lang:en"] stem="tvm_words"
# Upstream stands on **TVM**: a `T.prim_func` becomes a `tir.PrimFunc`, and the passes are TVM's or
# written in its style. Ours stands on **xDSL**: the same text becomes a module of the dialect `tl`,
# read when the decorator runs. Nothing is compiled yet.

# %% [markdown] tags=["lang:zh"] stem="tvm_words" en_sha="c781302b"
# 上游建立在 **TVM** 上：`T.prim_func` 变成 `tir.PrimFunc`，各个 pass 来自 TVM，或仿照 TVM 的写法。本课程建立在 **xDSL** 上：装饰器运行时，同样的文本读成 `tl` 方言的模块。这时还没有编译任何东西。

# %% tags=["kp:K205"] stem="front_end"
from tlcourse.examples.minicv import minicv_developer

function = minicv_developer(M=256, N=256, K=256)
ops = sorted({op.name for op in function.module.walk()})
print(type(function).__name__, "holds a", type(function.module).__name__)
print("its operations:", *[name for name in ops if name.startswith("tl.")])

# %% [markdown] tags=["lang:en"] stem="call_words"
# ## First call, second call
#
# `tilelang.compile` gives a kernel object. Call it twice with tensors of the same shape. Does the
# second call run the passes again?

# %% [markdown] tags=["lang:zh"] stem="call_words" en_sha="fc63b97d"
# ## 第一次调用，第二次调用
#
# `tilelang.compile` 返回一个内核对象。用相同形状的张量调用它两次。第二次调用会把各个 pass 再运行一遍吗？先回答，再看用时和程序对象。

# %% tags=["lang:en"] stem="p1"
answer("d5.jit.p1", "?")  # a: yes, all  b: no, it only launches  c: only the back half

# %% tags=["lang:zh"] stem="p1" en_sha="b411d395"
answer("d5.jit.p1", "?", language="zh")  # a：是，全部  b：不，只是启动  c：只运行后半段

# %% tags=["reveal", "lecture"] stem="twice"
import time

kernel = tilelang.compile(function, target="npuir", out_idx=[2, 3])
A = torch.randn(256, 256, generator=torch.Generator().manual_seed(0)).half()
spent, programs = [], []
for _ in range(2):
    start = time.perf_counter()
    program = kernel.program()  # what the call runs; made where there is none yet
    spent.append(time.perf_counter() - start)
    programs.append(program)
C, D = (tensor.cpu() for tensor in kernel(A.npu(), A.npu()))
print("the second time is the same program:", programs[0] is programs[1])
print("and takes less than a tenth of the first:", spent[1] < spent[0] / 10)
print("C is the product:", torch.allclose(C, (A.float() @ A.float()), atol=1e-1, rtol=1e-2))

# %% tags=["lang:en"] stem="show_timeline"
show_timeline(kernel)

# %% tags=["lang:zh"] stem="show_timeline" en_sha="f8645fc1"
show_timeline(kernel, language="zh")

# %% [markdown] tags=["lang:en", "lecture"] stem="cache_words"
# ## What a cache must look at
#
# A program may also be kept in a folder, for the next process. Take MiniCV at the same shape, first
# in Developer mode and then in Expert. The Python text is the same. May the cache
# answer the second with the program of the first?

# %% [markdown] tags=["lang:zh", "lecture"] stem="cache_words" en_sha="763a4a1f"
# ## 缓存必须核对什么
#
# 程序也可以存在目录里，供下一个进程使用。取形状相同的 MiniCV，先用 Developer 模式编译，再用 Expert 模式编译，Python 文本一样。第二次编译时，缓存可以给出第一次的程序吗？

# %% tags=["lang:en"] stem="p2"
answer("d5.jit.p2", "?")  # a: yes, same text and shape  b: no, the mode counts  c: if N is small

# %% tags=["lang:zh"] stem="p2" en_sha="bb659c3c"
answer("d5.jit.p2", "?", language="zh")  # a：可以，文本和形状相同  b：不，模式有关  c：N 较小时可以

# %% tags=["reveal"] stem="modes"
from tlcourse.dialects.fingerprint import fingerprint


def keys(mode, **settings):
    os.environ["TILELANG_ASCEND_MODE"] = mode
    made = tilelang.compile(function, target="npuir", out_idx=[2, 3], **settings)
    os.environ["TILELANG_ASCEND_MODE"] = "Developer"
    naive = function.script(), made.params  # text and shapes
    return naive, fingerprint(made.module)


off = {"npuir.enable_auto_multi_buffer": False}
rows = {
    "Developer": keys("Developer"),
    "Developer, again": keys("Developer"),
    "Expert": keys("Expert"),
    "Developer, a switch off": keys("Developer", pass_configs=off),
}
first = rows["Developer"]
for name, (naive, real) in rows.items():
    print(f"{name:24} text and shapes equal: {naive == first[0]}  key equal: {real == first[1]}")

# %% tags=["lang:en", "reveal"] stem="show_keys"
from tlcourse.widgets.bars import BarView

counts = {
    "text and shapes": len({str(n) for n, _ in rows.values()}),
    "key": len({k for _, k in rows.values()}),
}
BarView("Different entries for three different programs", counts, look="GM")

# %% tags=["lang:zh", "reveal"] stem="show_keys" en_sha="564fd8ff"
from tlcourse.widgets.bars import BarView

counts = {
    "文本和形状": len({str(n) for n, _ in rows.values()}),
    "键": len({k for _, k in rows.values()}),
}
BarView("三个不同的程序各有几个条目", counts, look="GM", language="zh")

# %% [markdown] tags=["lang:en"] stem="cache_rule"
# A cache that looks at text and shapes alone would hand the Developer program to Expert. The key is
# made of the module behind the front end, which holds the mode and the switches, and of the chip
# and the version of the compiler. Rule: **everything that can change the result belongs into the
# key.**

# %% [markdown] tags=["lang:zh"] stem="cache_rule" en_sha="f0ee6e6a"
# 只核对文本和形状的缓存，会把 Developer 的程序交给 Expert。这里的键由前端产生的模块算出，模块里有模式和开关；此外还有芯片和编译器的版本。规则：**凡是能改变结果的东西，都要算进键里。**

# %% [markdown] tags=["lang:en", "lecture"] stem="recap"
# ## Recap
#
# - Text, Tile IR, MLIR, HIVM, launch: five files upstream, five modules here.
# - The first call compiles, every further one only launches.
# - A cache asks for text, shapes, mode, switches, chip and the compiler's own version.

# %% [markdown] tags=["lang:zh", "lecture"] stem="recap" en_sha="74c6ad1b"
# ## 小结
#
# - 文本、Tile IR、MLIR、HIVM、启动：上游五个文件，本课程五个模块。
# - 第一次调用会编译，以后每次只是启动。
# - 缓存要核对文本、形状、模式、开关、芯片，以及编译器自身的版本。

# %% tags=["golden"] stem="golden"
# What the text says holds in the outputs.
assert len(beside) == 5
assert all(part.__doc__ for part in beside.values())
assert programs[0] is programs[1]
assert spent[1] < spent[0] / 10
assert torch.allclose(C, (A.float() @ A.float()), atol=1e-1, rtol=1e-2)
assert [naive == first[0] for naive, _ in rows.values()] == [True] * 4
assert [real == first[1] for _, real in rows.values()] == [True, True, False, False]
assert counts[min(counts, key=counts.get)] == 1
