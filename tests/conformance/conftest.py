"""A checkout of upstream in small: tests, examples and kernel sources with known outcomes."""

from __future__ import annotations

from pathlib import Path

import pytest

KERNEL = """
import tilelang
import tilelang.language as T

@T.prim_func
def exponential(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, _):
        A_ub = T.alloc_ub((64,), "float32")
        B_ub = T.alloc_ub((64,), "float32")
        T.copy(A, A_ub)
        T.{op}(A_ub, B_ub)
        T.copy(B_ub, B)
"""

RIGHT = """
import torch
from examples.shared import WORD

def test_right():
    a, b = torch.ones(64).npu(), torch.zeros(64).npu()
    tilelang.compile(exponential)(a, b)
    torch.testing.assert_close(b.cpu(), a.cpu().exp())
    assert WORD == "upstream's"
"""

BESIDE = """
import torch

def test_reads_beside_a_tensor():
    a, b = torch.ones(64).npu(), torch.zeros(64).npu()
    tilelang.compile(exponential)(a, b)
"""

OTHERS = """
import os, time
import pytest

def test_right():
    pass

def test_wrong():
    assert 1 == 2, "one is not two"

def test_hangs():
    time.sleep(600)

def test_dies():
    os._exit(7)

def test_after():
    pass

@pytest.mark.skip(reason="no second device")
def test_skipped():
    pass
"""

SOURCE = """
def test_it():
    with open("./output/{name}.mlir", "w") as file:
        file.write(tilelang.engine.lower(exponential))
    open("./mlir_files/{name}.mlir")

if __name__ == "__main__":
    test_it()
"""


def example(result: int) -> str:
    return f'assert {result} == 2, "wrong sum"\n\nif __name__ == "__main__":\n    print(1 + 1)\n'


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("upstream")
    files = {
        "testing/npuir/pytest.ini": "[pytest]\n",
        "testing/npuir/conftest.py": "from testcommon import ANSWER\n",
        "testing/npuir/testcommon.py": "ANSWER = 42\n",
        "testing/npuir/arith/test_kernels.py": KERNEL.format(op="vexp") + RIGHT,
        "testing/npuir/arith/test_beside.py": (
            KERNEL.format(op="vexp").replace("T.copy(A, A_ub)", "T.copy(A[cid + 8], A_ub)") + BESIDE
        ),
        "testing/npuir/others/test_others.py": OTHERS,
        "testing/npuir/others/test_unreadable.py": "import nowhere_at_all\n",
        "testing/npuir/dyn_shape_ops/test_composite_dynamic_shape.py": "import nowhere_at_all\n",
        "examples/shared/__init__.py": 'WORD = "upstream\'s"\n',
        "examples/sums/right.py": example(2),
        "examples/sums/wrong.py": example(3),
        "examples/sums/helper.py": "raise RuntimeError('nobody starts this file')\n",
        "examples/sums/asks.py": "import sys\nif __name__ == '__main__':\n    sys.exit(3)\n",
        "examples/sums/memory.py": (
            "import torch\nif __name__ == '__main__':\n    torch.ones(2 ** 40)\n"
        ),
        "unittest/npuir/test_fits.py": KERNEL.format(op="vexp") + SOURCE.format(name="fits"),
        "unittest/npuir/test_lacks.py": KERNEL.format(op="vex") + SOURCE.format(name="lacks"),
        "unittest/npuir/mlir_files/fits.mlir": "module {}\n",
        "unittest/npuir/mlir_files/lacks.mlir": "module {}\n",
    }
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root
