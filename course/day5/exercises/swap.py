# ---
# jupyter:
#   tlcourse:
#     id: d5.swap
# ---

# %% [markdown] tags=["lang:en"] stem="prompt"
# # d5.swap: your norm in the model
#
# *core, 30 minutes, 10 points, after lesson 5.8*
#
# The package `norms` has an operator `rms_norm` that only divides: no weight, no eps, rows of 1024.
# The model of lesson 5.8 asks for more: **x / sqrt(mean(x²) + 1e-6) * weight** for rows of 256.
# Make the operator that, and put it into `model.py` by **two lines**. All other operators stay
# torch's.

# %% [markdown] tags=["lang:zh"] stem="prompt" en_sha="61e31e26"
# # d5.swap：把你的归一化接入模型
#
# *核心内容，30 分钟，10 分，在 5.8 节之后*
#
# 算子包 `norms` 有一个算子 `rms_norm`，它只做除法：没有权重，没有 eps，每行 1024 个数。5.8 节的模型要求更多：每行 256 个数的 **x / sqrt(mean(x²) + 1e-6) * weight**。把算子改成这样，再用**两行代码**接入 `model.py`。其余算子仍用 torch 的。

# %% tags=["setup"] stem="imports"
from pathlib import Path

import torch
from tlcourse import check, hint
from tlcourse.ops.precompile import precompile

# %% [markdown] tags=["lang:en"] stem="spec_words"
# What is asked, in torch, for any M. The kernel's parameters are X (M, 256), W (1, 256) and Y (M, 256)
# in this order, all float16; the operator is `torch.ops.norms.rms_norm(x, weight)`, with weight of
# shape (256,) as in the model.

# %% [markdown] tags=["lang:zh"] stem="spec_words" en_sha="df7662fc"
# 要求用 torch 写出来如下，M 为任意数。内核的参数依次是 X (M, 256)、W (1, 256) 和 Y (M, 256)，都是 float16；算子是 `torch.ops.norms.rms_norm(x, weight)`，其中 weight 的形状是 (256,)，与模型中一样。


# %% tags=["setup"] stem="spec"
def rms_norm_torch(x, weight):  # (M, 256) and (256,), float16
    wide = x.float()
    mean = (wide * wide).mean(-1, keepdim=True)
    return (wide / torch.sqrt(mean + 1e-6) * weight.float()).half()


# %% stem="given"
# The folder as you get it: a package, and the entry of the model beside it.
from tlcourse.grading.packages.given import package_folder

folder = Path("norms")
if not folder.exists():  # what you have done in it stays
    package_folder("d5.swap", ".")
for name in ("compile/kernels/rms_norm.py", "compile/kernels/__init__.py", "src/ops/rms_norm.py"):
    print(f"--- {name}\n{(folder / name).read_text()}")
model = (folder / "model.py").read_text().splitlines()
print(*(f"{number:3} {line}" for number, line in enumerate(model, 1) if "ops" in line), sep="\n")

# %% [markdown] tags=["lang:en"] stem="solution_words"
# `check` gives your function a fresh folder and installs what you make of it. Then it forces tokens
# on your model and compares the **logits of each step** with torch's, also while the kernel gives
# twice as much: the logits must follow it. Rows near zero are among the kernel's cases. Compile with
# `list(precompile(folder))`. Two lines of `model.py` are enough: an import, and one that says which
# `rms_norm` the model's `ops` gives.

# %% [markdown] tags=["lang:zh"] stem="solution_words" en_sha="82265c90"
# `check` 给你的函数一个全新的目录，并安装你做好的包。然后它用固定的 token 运行你的模型，把**每一步的 logits** 与 torch 的比较；再让内核的输出加倍，比较一次：logits 必须跟着变。内核的用例里有接近零的行。编译用 `list(precompile(folder))`。`model.py` 里两行就够：一行导入，一行说明模型的 `ops` 给出哪个 `rms_norm`。


# %% nbgrader={"grade": false, "grade_id": "d5-swap-solution", "locked": false, "schema_version": 3, "solution": true, "task": false} stem="solution"
def swap(folder: Path):
    # In the folder: compile/kernels/rms_norm.py and __init__.py, src/ops/rms_norm.py,
    # src/__init__.py, model.py (two lines), and what is then still to be done.
    ### BEGIN SOLUTION
    changes = {
        "compile/kernels/rms_norm.py": (
            (
                "X: T.Tensor((M, N), dtype), Y",
                "X: T.Tensor((M, N), dtype), W: T.Tensor((1, N), dtype), Y",
            ),
            (
                "            T.copy(X[",
                '            w, weight = T.alloc_ub((1, N), dtype), T.alloc_ub((1, N), "float32")\n'
                "            T.copy(W, w)\n"
                '            T.vcast(w, weight, round_mode="rint")\n'
                "            T.copy(X[",
            ),
            (
                "            T.vrsqrt(",
                "            T.vadd(mean, 1e-6, mean)\n            T.vrsqrt(",
            ),
            (
                "            T.vcast(wide, x",
                "            T.vmul(wide, weight, wide)\n            T.vcast(wide, x",
            ),
        ),
        "compile/kernels/__init__.py": (('"N": 1024', '"N": 256'),),
        "src/ops/rms_norm.py": (
            ("(Tensor x)", "(Tensor x, Tensor weight)"),
            ("run(x)", "run(x, weight)"),
            ("fake(x)", "fake(x, weight)"),
            ("(rows)", "(rows, weight.reshape(1, -1))"),
        ),
        "src/__init__.py": (("rms_norm(x)", "rms_norm(x, weight)"),) * 2,
        "model.py": (
            (
                "torch_ops as ops\n",
                "torch_ops as ops\nimport norms\nops.rms_norm = norms.rms_norm\n",
            ),
        ),
    }
    for name, edits in changes.items():
        text = (folder / name).read_text()
        for old, new in edits:
            text = text.replace(old, new)
        (folder / name).write_text(text)
    list(precompile(folder))
    ### END SOLUTION


# %% tags=["lang:en"] nbgrader={"grade": true, "grade_id": "d5-swap", "locked": true, "points": 10, "schema_version": 3, "solution": false, "task": false} stem="check"
check("d5.swap", swap)

# %% tags=["lang:zh"] nbgrader={"grade": true, "grade_id": "d5-swap", "locked": true, "points": 10, "schema_version": 3, "solution": false, "task": false} stem="check" en_sha="2a40edcc"
check("d5.swap", swap, language="zh")

# %% [markdown] tags=["lang:en"] stem="help"
# Stuck? Run `hint("d5.swap")` in a new cell, once for each of three hints.

# %% [markdown] tags=["lang:zh"] stem="help" en_sha="74e7ca2d"
# 卡住了？在新单元格里运行 `hint("d5.swap", language="zh")`，每次给出一条提示，共三条。
