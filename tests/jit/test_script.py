"""Scripts of learners: their own lines are shown, never ours."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tlcourse.diagnostics import TLError
from tlcourse.jit.inspect import load_kernel
from tlcourse.jit.script import run_script

NEVER_WRITTEN = """
import os
os.environ["TILELANG_ASCEND_MODE"] = "Expert"
import tilelang, torch
import tilelang.language as T

@tilelang.jit(out_idx=[1], target="npuir")
def make():
    @T.prim_func
    def kernel(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
        with T.Kernel(1, is_npu=True) as (cid, _):
            u = T.alloc_ub((64,), "float32")
            T.copy(u, B)
    return kernel

for _ in range(3):
    make()(torch.zeros(64).npu())
"""


@pytest.mark.parametrize(
    ("content", "said", "shown"),
    [
        (b"x = 1\nraise ValueError('boom')\n", "ValueError: boom", "raise ValueError"),
        (b"x = 1\ndef (\n", "SyntaxError: invalid syntax", "def ("),
        (b"x = 1\0\n", "null bytes", ""),
        (b'x = "caf\xe9"\n', "SyntaxError", "x = "),
    ],
    ids=["raises", "syntax", "nul", "latin"],
)
def test_a_file_that_does_not_run(tmp_path: Path, content: bytes, said: str, shown: str) -> None:
    path = tmp_path / "kernels.py"
    path.write_bytes(content)
    with pytest.raises(TLError) as caught:
        load_kernel(path)
    assert caught.value.code == "TL713"
    assert said in str(caught.value)
    assert shown in str(caught.value)
    assert ("^" in str(caught.value)) == bool(shown)


def test_a_factory_that_raises_shows_its_line(tmp_path: Path) -> None:
    path = tmp_path / "kernels.py"
    path.write_text("def make():\n    return 1 // 0\n")
    with pytest.raises(TLError) as caught:
        load_kernel(path, "make")
    assert caught.value.code == "TL713"
    assert caught.value.diagnostic.labels[0].span.line == 2


def test_a_script_that_is_no_python(tmp_path: Path) -> None:
    path = tmp_path / "script.py"
    path.write_text("def (\n")
    with pytest.raises(TLError) as caught:
        run_script(path, [])
    assert caught.value.code == "TL713"


def test_a_script_that_raises_shows_its_own_frames(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "script.py"
    path.write_text("def f():\n    raise ValueError('boom')\nf()\n")
    assert run_script(path, []) == 1
    shown = capsys.readouterr().err
    assert "ValueError: boom" in shown
    assert "runpy" not in shown


def test_the_same_fault_is_told_at_every_launch(tmp_path: Path) -> None:
    path = tmp_path / "script.py"
    path.write_text(NEVER_WRITTEN)
    main = "from tlcourse.cli import main; main()"
    command = [sys.executable, "-c", main, "run", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    assert done.stderr.count("[TL520]") == 3
