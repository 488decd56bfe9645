# ---
# jupyter:
#   tlcourse:
#     id: d5.add_operator
# ---

# %% [markdown] tags=["lang:en"] stem="prompt"
# # d5.add_operator: an operator in seven steps
#
# *core, 60 minutes, 20 points, after lesson 5.6*
#
# `tlcourse new-op-package gates` made the package `gates`, with one operator in it. Add a second
# one, `swiglu`: the gated activation **silu(a) * b**, for rows of 1024 numbers and any number of
# rows, in `float16` and in `bfloat16`. Your function gets the package's folder and takes all seven
# steps in it.

# %% [markdown] tags=["lang:zh"] stem="prompt" en_sha="efa61883"
# # d5.add_operator：用七步增加一个算子
#
# *核心内容，60 分钟，20 分，在 5.6 节之后*
#
# `tlcourse new-op-package gates` 生成了算子包 `gates`，里面有一个算子。再加第二个：`swiglu`，即门控激活 **silu(a) * b**，每行 1024 个数，行数任意，支持 `float16` 和 `bfloat16`。你的函数得到这个包的目录，在里面完成全部七步。

# %% tags=["setup"] stem="imports"
from pathlib import Path

import torch
from tlcourse import check, hint
from tlcourse.ops.precompile import precompile

# %% [markdown] tags=["lang:en"] stem="spec_words"
# What is asked, in torch. The kernel's parameters are A, B and Y, each (M, 1024); the operator is
# `torch.ops.gates.swiglu(a, b)`, and `gates.swiglu(a, b)` calls it.

# %% [markdown] tags=["lang:zh"] stem="spec_words" en_sha="e2c136bd"
# 要求用 torch 写出来如下。内核的参数是 A、B 和 Y，各为 (M, 1024)；算子是 `torch.ops.gates.swiglu(a, b)`，`gates.swiglu(a, b)` 调用它。


# %% tags=["setup"] stem="spec"
def swiglu_torch(a, b):  # each (M, 1024), float16 or bfloat16
    wide = a.float()
    return (wide / (1 + torch.exp(-wide)) * b.float()).to(a.dtype)


# %% stem="given"
# The folder as you get it. Open its files in JupyterLab and try things there, if you like.
from tlcourse.grading.packages.given import package_folder

folder = Path("gates")
if not folder.exists():  # what you have done in it stays
    package_folder("d5.add_operator", ".")
for path in sorted(path for path in folder.rglob("*") if path.is_file()):
    print(path.as_posix())
print((folder / "src" / "registry.py").read_text())

# %% [markdown] tags=["lang:en"] stem="solution_words"
# `check` gives your function a fresh folder of its own. It then packs and installs the package,
# calls the operator, and runs your tests: they must pass, and they must **fail** on copies with a
# planted fault. That takes some seconds. The last step is `list(precompile(folder))`: a kernel is
# compiled each time the loop over `precompile` asks for the next one.

# %% [markdown] tags=["lang:zh"] stem="solution_words" en_sha="2f29255c"
# `check` 给你的函数一个全新的目录，然后打包、安装、调用算子，并运行你的测试：它们必须通过，并且必须在埋有错误的副本上**失败**。这需要几秒钟。最后一步是 `list(precompile(folder))`：`precompile` 是生成器，循环每取一项，才编译一个内核。


# %% nbgrader={"grade": false, "grade_id": "d5-add_operator-solution", "locked": false, "schema_version": 3, "solution": true, "task": false} stem="solution"
def add_operator(folder: Path):
    # In the package's folder: compile/kernels/swiglu.py and __init__.py, src/ops/swiglu.py,
    # src/registry.py, src/__init__.py, tests/test_swiglu.py, and what is then still to be done.
    ### BEGIN SOLUTION
    kernels, src = folder / "compile" / "kernels", folder / "src"
    (kernels / "swiglu.py").write_text('''import tilelang.language as T


def swiglu(M, N, dtype, block_M=8):
    """Y = A / (1 + exp(-A)) * B, row by row; the last block may be short."""

    @T.prim_func
    def swiglu(
        A: T.Tensor((M, N), dtype), B: T.Tensor((M, N), dtype), Y: T.Tensor((M, N), dtype)
    ):
        with T.Kernel(T.ceildiv(M, block_M), is_npu=True) as (cid, _):
            row = cid * block_M
            rows = T.min(block_M, M - row)
            a, b = T.alloc_ub((block_M, N), dtype), T.alloc_ub((block_M, N), dtype)
            gate, wide = T.alloc_ub((block_M, N), "float32"), T.alloc_ub((block_M, N), "float32")
            T.copy(A[row : row + rows, :], a[0:rows, :])
            T.copy(B[row : row + rows, :], b[0:rows, :])
            T.vcast(a, wide, round_mode="rint")
            T.vmul(wide, -1.0, gate)
            T.vexp(gate, gate)
            T.vadd(gate, 1.0, gate)
            T.vdiv(wide, gate, gate)
            T.vcast(b, wide, round_mode="rint")
            T.vmul(gate, wide, gate)
            T.vcast(gate, a, round_mode="rint")
            T.copy(a[0:rows, :], Y[row : row + rows, :])

    return swiglu
''')
    text = (kernels / "__init__.py").read_text()
    variants = """
from .swiglu import swiglu

KERNELS += (
    KernelRecipe(
        operator="swiglu",
        make=swiglu,
        mode="Expert",
        variants=tuple(
            {"M": T.symbolic("M"), "N": 1024, "dtype": dtype} for dtype in ("float16", "bfloat16")
        ),
    ),
)
"""
    (kernels / "__init__.py").write_text(text + variants)
    (src / "ops" / "swiglu.py").write_text("""import torch

from ..artefacts import KERNELS

SCHEMA = "(Tensor a, Tensor b) -> Tensor"


def run(a, b):
    rows = (one.reshape(-1, one.shape[-1]).contiguous() for one in (a, b))
    return KERNELS("swiglu")(*rows).reshape(a.shape)


def fake(a, b):
    return torch.empty(a.shape, dtype=a.dtype, device=a.device)
""")
    text = (src / "registry.py").read_text()
    entry = """from .ops import swiglu

OPERATORS += (Operator(name="swiglu", schema=swiglu.SCHEMA, run=swiglu.run, fake=swiglu.fake),)

"""
    place = text.index("register(")
    (src / "registry.py").write_text(text[:place] + entry + text[place:])
    interface = '''

def swiglu(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """silu(a) * b for a and b [..., 1024] in float16 or bfloat16."""
    return torch.ops.gates.swiglu(a, b)
'''
    (src / "__init__.py").write_text((src / "__init__.py").read_text() + interface)
    (folder / "tests" / "test_swiglu.py").write_text("""import gates
import pytest
import torch

BOUND = {torch.float16: 2e-3, torch.bfloat16: 2e-2}


@pytest.mark.parametrize("dtype", BOUND)
@pytest.mark.parametrize("rows", [1, 8, 13])
def test_swiglu(rows, dtype):
    generator = torch.Generator().manual_seed(rows)
    a, b = (torch.randn(rows, 1024, generator=generator).to(dtype) for _ in "ab")
    want = a.double() * torch.sigmoid(a.double()) * b.double()
    got = gates.swiglu(a, b)
    assert got.dtype == dtype
    torch.testing.assert_close(got.double(), want, rtol=BOUND[dtype], atol=BOUND[dtype])
""")
    list(precompile(folder))
    ### END SOLUTION


# %% tags=["lang:en"] nbgrader={"grade": true, "grade_id": "d5-add_operator", "locked": true, "points": 20, "schema_version": 3, "solution": false, "task": false} stem="check"
check("d5.add_operator", add_operator)

# %% tags=["lang:zh"] nbgrader={"grade": true, "grade_id": "d5-add_operator", "locked": true, "points": 20, "schema_version": 3, "solution": false, "task": false} stem="check" en_sha="4cf5de38"
check("d5.add_operator", add_operator, language="zh")

# %% [markdown] tags=["lang:en"] stem="help"
# Stuck? Run `hint("d5.add_operator")` in a new cell, once for each of three hints.

# %% [markdown] tags=["lang:zh"] stem="help" en_sha="49fbab5f"
# 卡住了？在新单元格里运行 `hint("d5.add_operator", language="zh")`，每次给出一条提示，共三条。
