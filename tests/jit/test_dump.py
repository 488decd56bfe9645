"""TILELANG_DUMP_IR."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tlcourse.jit import compile
from tlcourse.language import PrimFunc

Factory = Callable[..., PrimFunc]


def test_prints_every_stage(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], add: Factory
) -> None:
    monkeypatch.setenv("TILELANG_DUMP_IR", "Yes")
    compile(add(64))
    out, err = capsys.readouterr()
    titles = [line for line in out.splitlines() if line.startswith("======")]
    assert titles == ["====== TVM IR ======", "====== npuir ======", "====== final npuir ======"]
    assert "T.vadd" in out
    assert "hivm.hir.pointer_cast" in out.partition("final npuir")[2]
    assert err.count("IR Dump After") > 5


def test_kernel_that_does_not_compile_is_printed_as_far_as_it_came(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], add: Factory
) -> None:
    monkeypatch.setenv("TILELANG_DUMP_IR", "1")
    compile(add(2**17, block=2**16))
    out = capsys.readouterr().out
    assert "====== npuir ======" in out
    assert "final npuir" not in out


def test_prints_nothing_of_its_own_accord(capsys: pytest.CaptureFixture[str], add: Factory) -> None:
    compile(add(64))
    assert capsys.readouterr() == ("", "")
