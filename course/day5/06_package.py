# ---
# jupyter:
#   tlcourse:
#     id: d5.package
#     title: "5.6 An operator package: user, then author"
#     title_zh: "5.6 算子包：先当用户，再当作者"
#     track: core
#     minutes: 50
#     needs: [d2.row_ops]
# ---

# %% [markdown] tags=["lang:en", "lecture"] stem="goals"
# # 5.6 An operator package: user, then author
#
# *core, 50 minutes, needs lesson 2.6*
#
# You will be able to
# - use an **operator package**: install, import, call,
# - add an operator to one in seven steps,
# - say what is missing when an operator is built and cannot be found,
# - write a test that fails on a broken copy.

# %% [markdown] tags=["lang:zh", "lecture"] stem="goals" en_sha="60d39190"
# # 5.6 算子包：先当用户，再当作者
#
# *核心内容，50 分钟，先修 2.6 节*
#
# 学完后你能够
# - 使用一个**算子包**（operator package）：安装、导入、调用；
# - 用七步给它增加一个算子；
# - 在算子已构建却找不到时，说出缺了什么；
# - 写一个在坏副本上会失败的测试。

# %% tags=["setup"] stem="imports"
import os

os.environ["TILELANG_ASCEND_MODE"] = "Developer"
from tlcourse import check, hint, answer, progress, show_passes, show_timeline, show_memory
import tilelang
import tilelang.language as T
import torch

# %% [markdown] tags=["lang:en", "lecture"] stem="user_words"
# ## As a user
#
# `mini_ops` is the package that comes with the course. Elsewhere you would type
# `pip install NAME` first. A user sees a Python function, and the same thing as an operator of
# torch: `torch.ops.mini_ops.rms_norm`. No kernel is compiled at the call; that was done before.

# %% [markdown] tags=["lang:zh", "lecture"] stem="user_words" en_sha="8ad371ad"
# ## 作为用户
#
# `mini_ops` 是随课程提供的算子包。别的包要先执行 `pip install 包名`。用户看到的是一个 Python 函数，它同时也是 torch 的算子：`torch.ops.mini_ops.rms_norm`。调用时不编译内核，编译早已完成。

# %% tags=["lecture", "kp:K237"] stem="use"
from tlcourse.examples import mini_ops
from tlcourse.ops import recorded

generator = torch.Generator().manual_seed(0)
x = torch.randn(64, 1024, generator=generator).half()
weight = torch.rand(1024, generator=generator).half()


def rms_norm_torch(x, weight):
    x = x.double()
    return x / torch.sqrt((x * x).mean(-1, keepdim=True) + 1e-6) * weight.double()


with recorded() as calls:
    y = mini_ops.rms_norm(x, weight)
same = torch.equal(y, torch.ops.mini_ops.rms_norm(x, weight))
error = (y.double() - rms_norm_torch(x, weight)).abs().max().item()
print("version", mini_ops.src.__version__)
print("called:", calls[0].package, calls[0].operator, "variant", calls[0].variant)
print(
    "error below 1e-3 of the scale:", error < 1e-3 * y.abs().max().item(), " same operator:", same
)

# %% tags=["lang:en", "kp:K236"] stem="architecture"
from tlcourse.widgets.flow import FlowView

FlowView(
    "An operator package: from the kernel's text to a call",
    {
        "compile/kernels": ["NAME.py: the kernel", "__init__.py: variants"],
        "tlcourse precompile": ["program.json", "metadata.json", "index.json: hashes"],
        "src": [
            "ops/NAME.py: what a call does",
            "registry.py: its name",
            "__init__.py: Python API",
        ],
        "a user": ["package.NAME(x)", "torch.ops.package.NAME"],
    },
)

# %% tags=["lang:zh", "kp:K236"] stem="architecture" en_sha="e0d483e9"
from tlcourse.widgets.flow import FlowView

FlowView(
    "算子包：从内核文本到一次调用",
    {
        "compile/kernels": ["NAME.py：内核", "__init__.py：变体"],
        "tlcourse precompile": ["program.json", "metadata.json", "index.json：哈希"],
        "src": ["ops/NAME.py：调用做什么", "registry.py：名字", "__init__.py：Python 接口"],
        "用户": ["package.NAME(x)", "torch.ops.package.NAME"],
    },
    language="zh",
)

# %% [markdown] tags=["lang:en", "lecture"] stem="author_words"
# ## As an author: seven steps
#
# `tlcourse new-op-package NAME` writes a package that works, with one operator in it. We call it
# `norms` and add a second operator, `rms_norm` for rows of 1024. **Step 1** is the kernel, in
# `compile/kernels/rms_norm.py`: a function that makes a `T.prim_func`.

# %% [markdown] tags=["lang:zh", "lecture"] stem="author_words" en_sha="da7bd6c6"
# ## 作为作者：七步
#
# `tlcourse new-op-package NAME` 生成一个能用的算子包，里面有一个算子。我们把包命名为 `norms`，再加第二个算子：每行 1024 个数的 `rms_norm`。**第 1 步**是内核，放在 `compile/kernels/rms_norm.py`：一个返回 `T.prim_func` 的函数。

# %% stem="new_package"
import tempfile
from pathlib import Path
from tlcourse.ops.new_package import new_package

folder = new_package("norms", Path(tempfile.mkdtemp()))
for path in sorted(path for path in folder.rglob("*") if path.is_file()):
    print(path.relative_to(folder).as_posix())

# %% tags=["kp:K231"] stem="step1"
KERNEL = '''import tilelang.language as T

def rms_norm(M, N, dtype, block_M=8):
    """Y = X / sqrt(mean(X ** 2) + 1e-6) * W, row by row."""

    @T.prim_func
    def rms_norm(
        X: T.Tensor((M, N), dtype), W: T.Tensor((1, N), dtype), Y: T.Tensor((M, N), dtype)
    ):
        with T.Kernel(T.ceildiv(M, block_M), is_npu=True) as (cid, _):
            row = cid * block_M
            rows = T.min(block_M, M - row)
            x, w = T.alloc_ub((block_M, N), dtype), T.alloc_ub((1, N), dtype)
            wide, weight = T.alloc_ub((block_M, N), "float32"), T.alloc_ub((1, N), "float32")
            square, mean = T.alloc_ub((block_M, N), "float32"), T.alloc_ub((block_M, 1), "float32")
            T.copy(X[row : row + rows, :], x[0:rows, :])
            T.copy(W, w)
            T.vcast(x, wide, round_mode="rint")
            T.vcast(w, weight, round_mode="rint")
            T.vmul(wide, wide, square)
            T.reduce_sum(square, mean, dim=1)
            T.vmul(mean, 1 / N, mean)
            T.vadd(mean, 1e-6, mean)
            T.vrsqrt(mean, mean)
            T.vmul(wide, mean, wide)
            T.vmul(wide, weight, wide)
            T.vcast(wide, x, round_mode="rint")
            T.copy(x[0:rows, :], Y[row : row + rows, :])

    return rms_norm
'''
kernels = folder / "compile" / "kernels"
print((kernels / "rms_norm.py").write_text(KERNEL), "characters of kernel")

# %% tags=["lang:en"] stem="show_blocks"
from tlcourse.widgets.grid import MatrixTiles

MatrixTiles(64, 1024, 8, 1024, block=5)

# %% tags=["lang:zh"] stem="show_blocks" en_sha="46dfe08f"
from tlcourse.widgets.grid import MatrixTiles

MatrixTiles(64, 1024, 8, 1024, block=5, language="zh")

# %% [markdown] tags=["lang:en"] stem="steps_words"
# **Step 2** names what is compiled: sizes and dtypes, in `compile/kernels/__init__.py`. M is
# symbolic, so every call may choose it. **Step 3**, `src/ops/rms_norm.py`, is what a call does, and
# for torch the shape of what it returns. **Step 5** is the Python API. Step 4 comes later.

# %% [markdown] tags=["lang:zh"] stem="steps_words" en_sha="f62d20ae"
# **第 2 步**在 `compile/kernels/__init__.py` 里写明编译什么：大小和数据类型。M 是符号，每次调用可以不同。**第 3 步**是 `src/ops/rms_norm.py`：写明调用时做什么，并告诉 torch 返回值的形状。**第 5 步**是 Python 接口。第 4 步稍后再说。

# %% tags=["kp:K232"] stem="step2"
VARIANTS = """from .rms_norm import rms_norm

KERNELS += (
    KernelRecipe(
        operator="rms_norm",
        make=rms_norm,
        mode="Expert",
        variants=tuple(
            {"M": T.symbolic("M"), "N": 1024, "dtype": d} for d in ("float16", "bfloat16")
        ),
    ),
)
"""
given = (kernels / "__init__.py").read_text()
(kernels / "__init__.py").write_text(given + VARIANTS)
print(VARIANTS)

# %% tags=["kp:K233", "kp:K228"] stem="step3"
OPERATOR = """import torch
from ..artefacts import KERNELS

SCHEMA = "(Tensor x, Tensor weight) -> Tensor"

def run(x, weight):
    rows = x.reshape(-1, x.shape[-1]).contiguous()
    return KERNELS("rms_norm")(rows, weight.reshape(1, -1)).reshape(x.shape)

def fake(x, weight):
    return torch.empty(x.shape, dtype=x.dtype, device=x.device)
"""
API = '''
def rms_norm(x, weight):
    """x / sqrt(mean(x ** 2) + 1e-6) * weight for x [..., 1024]."""
    return torch.ops.norms.rms_norm(x, weight)
'''
src = folder / "src"
(src / "ops" / "rms_norm.py").write_text(OPERATOR)
(src / "__init__.py").write_text((src / "__init__.py").read_text() + API)
print(API)

# %% [markdown] tags=["lang:en", "lecture"] stem="built_words"
# Now build: `tlcourse precompile norms` compiles every variant into `src/artefacts`, and
# `pip install norms` copies `src` to where Python looks. Both are done below. The registry,
# **step 4**, was left as it was. Then a user calls `norms.rms_norm(x, weight)`. What happens?

# %% [markdown] tags=["lang:zh", "lecture"] stem="built_words" en_sha="f507514a"
# 现在构建：`tlcourse precompile norms` 把每个变体编译到 `src/artefacts`，`pip install norms` 把 `src` 拷贝到 Python 的查找路径下。下面两件事都做。但**第 4 步**的注册表还没有改。这时用户调用 `norms.rms_norm(x, weight)`，会发生什么？

# %% tags=["lang:en"] stem="p1"
answer("d5.package.p1", "?")  # a: precompile fails  b: built, but not found  c: it works

# %% tags=["lang:zh"] stem="p1" en_sha="e6fd6f25"
answer("d5.package.p1", "?", language="zh")  # a：预编译失败  b：已构建，但找不到  c：能用

# %% tags=["reveal", "lecture", "kp:K230"] stem="build"
import shutil
import subprocess
import sys
from tlcourse.ops.precompile import precompile


def build(folder):  # tlcourse precompile, then what pip install does: copy src
    built = list(precompile(folder))
    shutil.copytree(folder / "src", folder / "site" / "norms", dirs_exist_ok=True)
    return built


def as_user(folder, *command):  # a fresh Python that finds the installed package
    path = os.pathsep.join([str(folder / "site"), *sys.path])
    environment = os.environ | {"PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
    command = (sys.executable, *command)
    return subprocess.run(command, env=environment, capture_output=True, text=True)


CALL = "import torch, norms; print(norms.rms_norm(torch.ones(3, 1024).half(), torch.ones(1024).half())[0, 0].item())"
built = build(folder)
forgotten = as_user(folder, "-c", CALL)
print("compiled:", [f"{one.operator} {one.variant}" for one in built])
print(forgotten.stderr.splitlines()[-1])

# %% tags=["lang:en"] stem="show_sizes"
from tlcourse.widgets.bars import BarView

sizes = {f"{one.operator} {one.variant.split('-')[-1]}": one.size_bytes for one in built}
BarView("Bytes of each compiled variant in src/artefacts", sizes, "bytes", look="GM")

# %% tags=["lang:zh"] stem="show_sizes" en_sha="64205a5b"
from tlcourse.widgets.bars import BarView

sizes = {f"{one.operator} {one.variant.split('-')[-1]}": one.size_bytes for one in built}
BarView("src/artefacts 中每个已编译变体的字节数", sizes, "bytes", look="GM", language="zh")

# %% [markdown] tags=["lang:en"] stem="registry_words"
# All variants were compiled, and the call fails: torch knows no such operator. Compiling does not
# register. **Step 4** is one line in `src/registry.py`: name, schema, what runs, what torch must
# know of the result. After the import of the package each entry is an operator of torch.

# %% [markdown] tags=["lang:zh"] stem="registry_words" en_sha="bd6bf830"
# 所有变体都已编译，调用却失败：torch 不认识这个算子。编译并不等于注册。**第 4 步**是 `src/registry.py` 里的一行：名字、schema、执行什么，以及 torch 需要知道的结果信息。导入包之后，每一项都是 torch 的算子。

# %% tags=["kp:K234"] stem="step4"
ENTRY = """from .ops import rms_norm

OPERATORS += (
    Operator(name="rms_norm", schema=rms_norm.SCHEMA, run=rms_norm.run, fake=rms_norm.fake),
)
"""
text = (src / "registry.py").read_text()
place = text.index("register(")  # the entry stands in front of the call
(src / "registry.py").write_text(text[:place] + ENTRY + text[place:])
build(folder)
found = as_user(folder, "-c", CALL)
print("rms_norm of ones is", found.stdout.strip())

# %% [markdown] tags=["lang:en", "lecture"] stem="test_words"
# ## Steps 6 and 7: test
#
# **Step 6** is `tests/test_rms_norm.py`. The first version calls the operator and looks at nothing.
# To try a test, give it a package that is wrong: in the broken copy the line with the weight is
# taken out of the kernel. What does this test say there?

# %% [markdown] tags=["lang:zh", "lecture"] stem="test_words" en_sha="6a677c42"
# ## 第 6、7 步：测试
#
# **第 6 步**是 `tests/test_rms_norm.py`。第一个版本调用算子，却不检查任何结果。要检验一个测试，就给它一个错误的包：在坏副本里，内核中乘权重的那一行被删掉了。这个测试的结果会是什么？

# %% tags=["lang:en"] stem="p2"
answer("d5.package.p2", "?")  # on the broken copy: a: it fails  b: it passes  c: it cannot start

# %% tags=["lang:zh"] stem="p2" en_sha="b4e9016d"
answer("d5.package.p2", "?", language="zh")  # 在坏副本上： a：失败  b：通过  c：无法启动

# %% tags=["reveal", "lecture", "kp:K229", "kp:K235"] stem="step6"
import re

EMPTY = """import torch, norms

def test_rms_norm():
    norms.rms_norm(torch.randn(13, 1024).half(), torch.rand(1024).half())
"""
REAL = """import pytest, torch, norms

@pytest.mark.parametrize("rows", [1, 8, 13])
def test_rms_norm(rows):
    generator = torch.Generator().manual_seed(rows)
    x, w = torch.randn(rows, 1024, generator=generator), torch.rand(1024, generator=generator)
    x, w = x.half(), w.half()
    wide = x.double()
    want = wide / torch.sqrt((wide * wide).mean(-1, keepdim=True) + 1e-6) * w.double()
    got = norms.rms_norm(x, w).double()
    torch.testing.assert_close(got, want, rtol=1e-3, atol=1e-3)
"""
broken = Path(shutil.copytree(folder, Path(tempfile.mkdtemp()) / "norms"))
WEIGHT = "            T.vmul(wide, weight, wide)\n"


# %% tags=["reveal", "kp:K230"] stem="step7"
def tested(folder, text):  # what pytest says of a test file, without the time it took
    (folder / "tests" / "test_rms_norm.py").write_text(text)
    options = (
        "-q",
        "--color=no",
        "-p",
        "no:cacheprovider",
        str(folder / "tests" / "test_rms_norm.py"),
    )
    said = as_user(folder, "-m", "pytest", *options).stdout
    return re.sub(r" in .*", "", said.strip().splitlines()[-1])


(broken / "compile" / "kernels" / "rms_norm.py").write_text(KERNEL.replace(WEIGHT, ""))
build(broken)
runs = {
    "empty, broken copy": tested(broken, EMPTY),
    "real, broken copy": tested(broken, REAL),
    "real, the package": tested(folder, REAL),
}
for name, said in runs.items():
    print(f"{name}: {said}")

# %% tags=["lang:en", "reveal"] stem="show_tests"
failed = {name: int((re.findall(r"(\d+) failed", said) or [0])[0]) for name, said in runs.items()}
BarView("Failures that each test found", failed, look="UB")

# %% tags=["lang:zh", "reveal"] stem="show_tests" en_sha="d8f2bf34"
failed = {name: int((re.findall(r"(\d+) failed", said) or [0])[0]) for name, said in runs.items()}
BarView("每个测试发现的失败数", failed, look="UB", language="zh")

# %% [markdown] tags=["lang:en"] stem="test_rule"
# Green says only that nothing was seen to be wrong. The first test passes on a package that
# forgets the weight. The second compares with torch in float64, on short and whole tiles, and finds
# it. Rule: **a test is done when you have seen it fail.** Then **step 7**: precompile, install, test.

# %% [markdown] tags=["lang:zh"] stem="test_rule" en_sha="6b024acb"
# 测试通过只说明没有看到错误。第一个测试在漏乘权重的包上也通过。第二个测试与 float64 的 torch 比较，不满的和完整的数据块都测，找出了错误。规则：**见过它失败，测试才算写完。** 然后是**第 7 步**：预编译、安装、测试。

# %% [markdown] tags=["lang:en", "lecture"] stem="recap"
# ## Recap
#
# - A user installs, imports and calls; the kernels were compiled before.
# - Kernel, variants, operator, registry, Python API, tests, precompile and test: seven steps.
# - Without the registry an operator is built and not found; without an assertion a test is empty.

# %% [markdown] tags=["lang:zh", "lecture"] stem="recap" en_sha="49c6d316"
# ## 小结
#
# - 用户安装、导入、调用；内核早已编译好。
# - 内核、变体、算子、注册表、Python 接口、测试、预编译并测试：共七步。
# - 没有注册，算子已构建却找不到；没有断言，测试就是空的。

# %% tags=["golden"] stem="golden"
# What the text says holds in the outputs.
assert same
assert error < 1e-3 * y.abs().max().item()
assert sum(one.operator == "rms_norm" for one in built) == 2
assert forgotten.returncode == 1
assert "has no attribute 'rms_norm'" in forgotten.stderr
assert found.stdout.strip() == "1.0"
assert runs["empty, broken copy"] == "1 passed"
assert runs["real, broken copy"] == "3 failed"
assert runs["real, the package"] == "3 passed"
