# ---
# jupyter:
#   tlcourse:
#     id: d5.precompile
#     title: "5.7 Why precompile"
#     title_zh: "5.7 为什么预编译"
#     track: more
#     minutes: 30
#     needs: [d5.package]
# ---

# %% [markdown] tags=["lang:en", "lecture"] stem="goals"
# # 5.7 Why precompile
#
# *more, 30 minutes, needs lesson 5.6*
#
# You will be able to
# - say what **building** an operator needs, and what **running** it needs,
# - read an artefact: its metadata, its program, its hashes,
# - say why metadata should be data and not a pickle,
# - say what a binary hides, and what it does not.

# %% [markdown] tags=["lang:zh", "lecture"] stem="goals" en_sha="54b8ec6e"
# # 5.7 为什么预编译
#
# *进阶内容，30 分钟，先修 5.6 节*
#
# 学完后你能够
# - 说出**构建**算子需要什么，**运行**它需要什么；
# - 读懂一个构建产物（artefact）：元数据、程序、哈希；
# - 说出为什么元数据应当是数据，而不是 pickle；
# - 说出二进制能隐藏什么，不能隐藏什么。

# %% tags=["setup"] stem="imports"
import os

os.environ["TILELANG_ASCEND_MODE"] = "Developer"
from tlcourse import check, hint, answer, progress, show_passes, show_timeline, show_memory
import tilelang
import tilelang.language as T
import torch

# %% tags=["lang:en", "lecture"] stem="show_needs"
from tlcourse.widgets.flow import FlowView

FlowView(
    "What building needs, and what running needs",
    {
        "to build, on hardware": ["tilelang sources, TVM", "Bisheng compiler", "g++", "minutes"],
        "to build, here": ["tlcourse", "xDSL, passes"],
        "the artefact": ["program", "metadata", "hashes"],
        "to run": ["torch", "torch_npu on hardware", "milliseconds"],
    },
)

# %% tags=["lang:zh", "lecture"] stem="show_needs" en_sha="41742dbc"
from tlcourse.widgets.flow import FlowView

FlowView(
    "构建需要什么，运行需要什么",
    {
        "在硬件上构建": ["tilelang 源码、TVM", "毕昇编译器", "g++", "几分钟"],
        "在这里构建": ["tlcourse", "xDSL、各个 pass"],
        "产物": ["程序", "元数据", "哈希"],
        "运行": ["torch", "硬件上再加 torch_npu", "几毫秒"],
    },
    language="zh",
)

# %% [markdown] tags=["lang:en", "lecture"] stem="load_words"
# ## What is loaded?
#
# A fresh Python imports the package of the course and calls an operator. Another one compiles the
# same kernel from its text. Both list their modules afterwards. Does the first one compile anything
# when it loads the artefact?

# %% [markdown] tags=["lang:zh", "lecture"] stem="load_words" en_sha="22d2810f"
# ## 载入了什么？
#
# 一个新的 Python 进程导入课程的算子包并调用一个算子；另一个进程从文本编译同一个内核。两者最后都列出自己载入的模块。第一个进程在载入产物时会编译什么吗？

# %% tags=["lang:en"] stem="p1"
answer("d5.precompile.p1", "?")  # loading: a: compiles all  b: compiles at the call  c: nothing

# %% tags=["lang:zh"] stem="p1" en_sha="9caa1870"
answer(
    "d5.precompile.p1", "?", language="zh"
)  # 载入时：a：全部编译  b：调用时编译  c：什么都不编译

# %% tags=["reveal", "lecture", "kp:K242", "kp:K230"] stem="modules"
import subprocess
import sys

START = "import os, sys, time, torch; begin = time.perf_counter()\n"
END = (
    "\nprint(time.perf_counter() - begin, 'xdsl' in sys.modules, 'tlcourse.passes' in sys.modules)"
)
RUN = "from tlcourse.examples import mini_ops; mini_ops.softmax(torch.ones(4, 1024).half())"
BUILD = """import tlcourse, tilelang
from tlcourse.examples.mini_ops.compile.kernels import KERNELS
for one in KERNELS:
    for variant in one.variants:
        made = tilelang.compile(one.make(**variant), out_idx=list(one.out_idx), mode=one.mode)
        made.program("functional")"""


def fresh(code):  # seconds behind the import of torch, and whether the compiler was loaded
    settings = {"PYTHONPATH": os.pathsep.join(sys.path), "TILELANG_DISABLE_CACHE": "1"}
    command = [sys.executable, "-c", START + code + END]
    done = subprocess.run(command, env=os.environ | settings, capture_output=True, text=True)
    seconds, *loaded = done.stdout.split()
    return float(seconds), [word == "True" for word in loaded]


# %% tags=["reveal", "kp:K239"] stem="compare"
ran, built = fresh(RUN), fresh(BUILD)
print("run:   xdsl and passes loaded:", ran[1])
print("build: xdsl and passes loaded:", built[1])
print("building the package takes longer than importing and calling it:", built[0] > ran[0])

# %% [markdown] tags=["lang:en"] stem="load_rule"
# Loading compiles nothing: none of the compiler's modules is even there. Here building takes
# seconds, since we stop in front of the binary; with the real compiler and g++ it takes minutes,
# and needs four things on the machine that a user does not have. Running needs torch alone.

# %% [markdown] tags=["lang:zh"] stem="load_rule" en_sha="ecfab973"
# 载入时什么都不编译：编译器的模块根本没有载入。这里构建只要几秒，因为没有生成二进制；用真实的编译器和 g++ 要几分钟，而且机器上要有四样用户没有的东西。运行只需要 torch。

# %% [markdown] tags=["lang:en", "lecture"] stem="fields_words"
# ## An artefact, field by field
#
# Upstream writes a folder for each kernel: `metadata.pkl`, the launcher `main.so` with its function
# `launch`, and `npu_utils.so`, whose `load_kernel_binary` brings the binary to the device. Here are
# our fields beside those of the pickle. No `.so` is faked; Python launches.

# %% [markdown] tags=["lang:zh", "lecture"] stem="fields_words" en_sha="1bdc7513"
# ## 产物的各个字段
#
# 上游为每个内核写一个目录：`metadata.pkl`、启动器 `main.so`（其中有函数 `launch`），以及 `npu_utils.so`，它的 `load_kernel_binary` 把二进制送到设备。下面把我们的字段与那个 pickle 的字段并列。这里不伪造任何 `.so`，由 Python 启动。

# %% tags=["kp:K243", "kp:K241", "kp:K244"] stem="fields"
import json
from pathlib import Path
from tlcourse.examples import mini_ops
from tlcourse.examples.mini_ops.src.artefacts import KERNELS

variant = next(one for one in KERNELS.variants if one.operator == "softmax")
metadata = json.loads((variant.folder / "metadata.json").read_text())
UPSTREAM = {
    "kernel": "kernel_name, name",
    "parameters": "params, signature, param_info, tensor_kinds",
    "out_idx": "out_idx",
    "grid": "gridfunc",
    "mode": "mix_mode",
    "constants": "symbolic",
    "files": "so_launcher_path, kernel_src: paths, no hash",
}
present = {name: (metadata["signature"] | metadata)[name] for name in UPSTREAM}
print(*(f"{ours:11} {theirs}" for ours, theirs in UPSTREAM.items()), sep="\n")
launcher = (variant.folder / "wrapper.cpp").read_text()
print("the launcher's text has a function launch:", "launch(" in launcher)
print("in place of load_kernel_binary, program.json is read:", type(variant.program).__name__)

# %% tags=["lang:en"] stem="show_sizes"
from tlcourse.widgets.bars import BarView

sizes = {name: stamp["size_bytes"] for name, stamp in metadata["files"].items()}
BarView("Files of one compiled softmax, beside metadata.json", sizes, "bytes", look="GM")

# %% tags=["lang:zh"] stem="show_sizes" en_sha="15033295"
from tlcourse.widgets.bars import BarView

sizes = {name: stamp["size_bytes"] for name, stamp in metadata["files"].items()}
BarView(
    "一个编译好的 softmax 在 metadata.json 之外的文件", sizes, "bytes", look="GM", language="zh"
)

# %% [markdown] tags=["lang:en", "lecture"] stem="pickle_words"
# ## Why no pickle
#
# A pickle is a small program that builds an object when it is loaded. The file below was made by a
# stranger. You only want to look at the metadata in it, and call nothing. What can happen?

# %% [markdown] tags=["lang:zh", "lecture"] stem="pickle_words" en_sha="5fb717e0"
# ## 为什么不用 pickle
#
# pickle 是一段小程序，载入时构造出对象。下面的文件由陌生人制作。你只想看看里面的元数据，什么都不调用。可能发生什么？先回答，再运行。

# %% tags=["lang:en"] stem="p2"
answer("d5.precompile.p2", "?")  # a: nothing, it is data  b: code of the stranger runs  c: an error

# %% tags=["lang:zh"] stem="p2" en_sha="0ccf0f8a"
answer("d5.precompile.p2", "?", language="zh")  # a：没事，只是数据  b：会运行陌生人的代码  c：报错

# %% tags=["reveal"] stem="pickle"
import pickle

os.environ.pop("WHO_RAN", None)


class Metadata:  # what the stranger pickles: an order to run something
    def __reduce__(self):
        return (exec, ("import os; os.environ['WHO_RAN'] = 'the stranger'",))


file = pickle.dumps(Metadata())
pickle.loads(file)
ran_by_loading = os.environ.pop("WHO_RAN", "nobody")
print("only loaded; code was run by:", ran_by_loading)

# %% [markdown] tags=["lang:en"] stem="bytes_words"
# JSON holds words and numbers and runs nothing. And the package's code pins the hash of its index,
# which pins all other files. So one changed byte is noticed, before anything of the file is used.
# Change one, and call the operator.

# %% [markdown] tags=["lang:zh"] stem="bytes_words" en_sha="d6510be5"
# JSON 里只有文字和数，不会运行任何代码。而且包的代码里写有索引文件的哈希，索引里又写有其余文件的哈希。所以只要改动一个字节，在使用文件之前就会被发现。改一个字节，再调用算子试试。

# %% tags=["kp:K240"] stem="changed"
import hashlib
import shutil
import tempfile
from tlcourse.diagnostics import TLError
from tlcourse.ops import load

copy = Path(shutil.copytree(KERNELS.folder, Path(tempfile.mkdtemp()) / "artefacts"))
pin = hashlib.sha256((copy / "index.json").read_bytes()).hexdigest()
program = copy / variant.folder.relative_to(KERNELS.folder) / "program.json"
words = [word for word in ("exp", "sum", "max") if word in program.read_text()]
program.write_bytes(program.read_bytes().replace(b"e", b"E", 1))
try:
    load(copy, sha256=pin)("softmax")(torch.ones(4, 1024).half())
except TLError as problem:
    refused = problem.diagnostic
    print(refused.code, refused.what)
print("words that anyone can read in a program:", words)

# %% tags=["lang:en"] stem="show_chain"
FlowView(
    "Each pins the next",
    {
        "your code": ["sha256 of index.json"],
        "index.json": ["sha256 of each metadata.json"],
        "metadata.json": ["sha256 of program.json, wrapper.cpp"],
        "program.json": ["used only if all agree"],
    },
)

# %% tags=["lang:zh"] stem="show_chain" en_sha="1e9c715c"
FlowView(
    "一环固定一环",
    {
        "你的代码": ["index.json 的 sha256"],
        "index.json": ["每个 metadata.json 的 sha256"],
        "metadata.json": ["program.json、wrapper.cpp 的 sha256"],
        "program.json": ["全部一致才使用"],
    },
    language="zh",
)

# %% [markdown] tags=["lang:en"] stem="secret_words"
# Does a shipped file keep a secret? Our program can be read by anyone. A binary of the real
# compiler is harder to read, and instructions can still be listed from it. It **hinders** reading;
# it does not protect. A hash says that a file is the one you meant, not that nobody has read it.

# %% [markdown] tags=["lang:zh"] stem="secret_words" en_sha="913425fc"
# 发布的文件能保密吗？我们的程序谁都能读。真实编译器的二进制更难读，但仍能反汇编出指令。它只是**让人难读**，并不提供保护。哈希说明文件就是你要的那一个，不说明没有别人读过它。

# %% [markdown] tags=["lang:en", "lecture"] stem="recap"
# ## Recap
#
# - Building needs the compiler and its tools, running needs torch (and torch_npu on hardware).
# - Metadata are data: a pickle runs code when it is loaded. Hashes pin every file.
# - A binary hinders reading, it does not protect.

# %% [markdown] tags=["lang:zh", "lecture"] stem="recap" en_sha="d9ad40d8"
# ## 小结
#
# - 构建需要编译器及其工具，运行只需要 torch（硬件上再加 torch_npu）。
# - 元数据应当是数据：pickle 在载入时会运行代码。每个文件都由哈希核对。
# - 二进制让人难读，但不提供保护。

# %% tags=["golden"] stem="golden"
# What the text says holds in the outputs.
assert ran[1] == [False, False]
assert built[1] == [True, True]
assert built[0] > ran[0]
assert len(present) == len(UPSTREAM)
assert "launch(" in launcher
assert ran_by_loading == "the stranger"
assert refused.code == "TL480"
assert "exp" in words
