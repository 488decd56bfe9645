"""debug_root_path: the texts of each kernel in a folder."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tlcourse.diagnostics import TLError
from tlcourse.jit import jit
from tlcourse.language import PrimFunc

Factory = Callable[..., PrimFunc]


def test_texts_are_written(tmp_path: Path, add: Factory) -> None:
    jit(debug_root_path=str(tmp_path / "texts"))(add)(64)
    program = (tmp_path / "texts" / "tilelang_jit_program_add.py").read_text()
    mlir = (tmp_path / "texts" / "tilelang_jit_kernel_add.mlir").read_text()
    assert "T.vadd" in program
    assert "hivm.hir.vadd" in mlir


def test_folder_that_cannot_be_written(tmp_path: Path, add: Factory) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(TLError) as caught:
        jit(debug_root_path=str(tmp_path / "file"))(add)(64)
    assert caught.value.code == "TL433"
