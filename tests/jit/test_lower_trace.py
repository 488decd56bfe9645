"""`lower_trace` and TL_LOWER_TRACE: terminal, page, both; names of upstream's."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from tlcourse.diagnostics import TLError
from tlcourse.examples.minicv import minicv_expert
from tlcourse.jit import Kernel, compile
from tlcourse.jit.lower_trace import disable, enable, lower_trace, output_from, reset


@pytest.fixture
def kernel() -> Kernel:
    return compile(minicv_expert(128, 128, 64, 64, 64, 64), mode="Expert")


def test_terminal_shows_what_a_pass_changed(
    kernel: Kernel, capsys: pytest.CaptureFixture[str]
) -> None:
    trace = kernel.trace()
    name = next(one.pass_name for one in trace.snapshots[1:] if one.status == "changed")
    found = lower_trace(kernel, name)
    shown = capsys.readouterr().out
    assert {step["name"] for step in found} == {name}
    (first, *_) = found
    assert first["changed"]
    assert first["insertions"] == sum(line.startswith("+") for line in first["diff_lines"])
    assert first["deletions"] == sum(line.startswith("-") for line in first["diff_lines"])
    assert all(line in shown for line in first["diff_lines"])
    assert first["before_script"] != first["after_script"]


def test_all_passes_and_context(kernel: Kernel, capsys: pytest.CaptureFixture[str]) -> None:
    found = lower_trace(kernel.trace(), context=0)
    assert len(found) == len(kernel.trace().snapshots) - 1
    lines = [line for step in found for line in step["diff_lines"]]
    assert {line[:1] for line in lines} <= {"+", "-", "."}
    assert "no change" in capsys.readouterr().out


def test_page_and_both(kernel: Kernel, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "new" / "report.html"
    lower_trace(kernel, mode="html", html_path=path)
    assert capsys.readouterr().out == f"wrote {path}\n"
    assert path.read_text(encoding="utf-8").startswith("<!doctype html>")
    lower_trace(kernel, mode="both", html_path=path)
    assert "== pass 1:" in capsys.readouterr().out


def test_variable_traces_each_kernel_that_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TL_LOWER_TRACE", "both")
    monkeypatch.setenv("TL_LOWER_TRACE_DIR", str(tmp_path))
    compile(minicv_expert(128, 128, 64, 64, 64, 64), mode="Expert")
    assert "== pass 1:" in capsys.readouterr().out
    assert [one.name for one in tmp_path.glob("*.html")] == ["minicv.html"]
    monkeypatch.setenv("TL_LOWER_TRACE", "0")
    compile(minicv_expert(128, 128, 64, 64, 64, 64), mode="Expert")
    assert capsys.readouterr().out == ""


def test_enable_and_disable(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("TL_LOWER_TRACE", raising=False)
    monkeypatch.delenv("TL_LOWER_TRACE_DIR", raising=False)
    enable("terminal", str(tmp_path))
    assert os.environ["TL_LOWER_TRACE"] == "terminal"
    assert os.environ["TL_LOWER_TRACE_DIR"] == str(tmp_path)
    disable()
    assert "TL_LOWER_TRACE" not in os.environ
    enable()
    assert os.environ["TL_LOWER_TRACE"] == "html"
    disable()


def test_off_is_off_and_the_folder_of_before_comes_back(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TL_LOWER_TRACE", "terminal")
    monkeypatch.setenv("TL_LOWER_TRACE_DIR", str(tmp_path / "mine"))
    enable("html", str(tmp_path / "a"))
    enable(trace_dir=str(tmp_path / "b"))
    compile(minicv_expert(128, 128, 64, 64, 64, 64), mode="Expert")
    assert (tmp_path / "b" / "minicv.html").exists()
    reset()  # the next one is traced all the same
    compile(minicv_expert(128, 128, 64, 64, 64, 64), mode="Expert")
    assert capsys.readouterr().out.count("wrote ") == 2
    disable()
    compile(minicv_expert(128, 128, 64, 64, 64, 64), mode="Expert")
    assert capsys.readouterr().out == ""
    assert os.environ["TL_LOWER_TRACE_DIR"] == str(tmp_path / "mine")
    enable("off")
    compile(minicv_expert(128, 128, 64, 64, 64, 64), mode="Expert")
    assert capsys.readouterr().out == ""
    disable()


def test_upstreams_place() -> None:
    from tilelang.tools import lower_trace as there

    assert there.lower_trace is lower_trace
    assert (there.enable, there.disable, there.reset) == (enable, disable, reset)


@pytest.mark.parametrize(
    ("word", "output"),
    [("", None), ("off", None), ("1", "html"), ("TRUE", "html"), ("terminal", "terminal")],
)
def test_words(word: str, output: str | None) -> None:
    assert output_from(word) == output


def test_tl424_unknown_word() -> None:
    with pytest.raises(TLError, match=r'TL424.*TL_LOWER_TRACE = "pdf" is not known'):
        output_from("pdf")


def test_tl474_unknown_pass(kernel: Kernel) -> None:
    with pytest.raises(TLError, match=r"TL474.*minicv has no pass nothing"):
        lower_trace(kernel, "nothing")


def test_tl718_a_page_without_a_folder(kernel: Kernel, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(TLError, match=r"TL718.*file cannot be used"):
        lower_trace(kernel, mode="html", html_path=tmp_path / "file" / "page.html")


def test_tl730_no_kernel() -> None:
    nothing: Any = None
    with pytest.raises(TLError, match=r"TL730.*lower_trace cannot show an object of type NoneType"):
        lower_trace(nothing)
