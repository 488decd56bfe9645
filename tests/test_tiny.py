"""A minute's smoke test of everything. Run it first: pytest tests/test_tiny.py."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import torch

import tlcourse
from tlcourse.tolerance import tolerance

ROOT = Path(__file__).parents[1]

VECTOR_ADD = """
import tlcourse
import torch
import tilelang
import tilelang.language as T

n = 256

@T.prim_func
def vector_add(
    A: T.Tensor((n,), "float32"), B: T.Tensor((n,), "float32"), C: T.Tensor((n,), "float32")
):
    with T.Kernel(2, is_npu=True) as (cid, _):
        A_ub = T.alloc_ub((n // 2,), "float32")
        B_ub = T.alloc_ub((n // 2,), "float32")
        C_ub = T.alloc_ub((n // 2,), "float32")
        T.copy(A[cid * n // 2 : (cid + 1) * n // 2], A_ub)
        T.copy(B[cid * n // 2 : (cid + 1) * n // 2], B_ub)
        T.vadd(A_ub, B_ub, C_ub)
        T.copy(C_ub, C[cid * n // 2 : (cid + 1) * n // 2])

kernel = tilelang.compile(vector_add, out_idx=[-1])
a, b = torch.randn(n), torch.randn(n)
torch.testing.assert_close(kernel(a.npu(), b.npu()).cpu(), a + b)
print("equal")
"""


def test_version() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert tlcourse.__version__ == project["project"]["version"]


@pytest.mark.parametrize("name", [n for n in tlcourse.__all__ if n != "__version__"])
def test_notebook_names_load(name: str) -> None:
    assert callable(getattr(tlcourse, name))
    assert name in dir(tlcourse)


def test_unknown_name() -> None:
    with pytest.raises(AttributeError, match="no attribute 'chekc'"):
        getattr(tlcourse, "chekc")


@pytest.mark.parametrize("execution", ["simulator", "functional"])
def test_vector_add_from_a_script(execution: str, tmp_path: Path) -> None:
    script = tmp_path / "vector_add.py"
    script.write_text(VECTOR_ADD)
    main = "from tlcourse.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", main, "run", "--execution", execution, str(script)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.stdout == "equal\n", done.stderr


def test_minicv_in_both_forms() -> None:
    from tlcourse.device import wrap
    from tlcourse.examples.minicv import minicv_developer, minicv_expert
    from tlcourse.jit import compile

    draw = torch.Generator().manual_seed(0)
    a = (torch.randn(128, 128, generator=draw) * 128**-0.5).half()
    b = (torch.randn(128, 256, generator=draw) * 128**-0.5).half()
    wanted = a.float() @ b.float()
    limit = tolerance("float32")
    for make, mode in ((minicv_developer, "Developer"), (minicv_expert, "Expert")):
        kernel = compile(make(128, 256, 128, 128, 256, 64), out_idx=[-2, -1], mode=mode)
        c, d = kernel(wrap(a), wrap(b))
        torch.testing.assert_close(c.cpu(), wanted, rtol=limit, atol=limit)
        torch.testing.assert_close(d.cpu(), wanted.exp(), rtol=limit, atol=limit)
