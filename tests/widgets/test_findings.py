"""Findings as cards: caret, place, why and fix, and a card where there is none."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace

import pytest

from tlcourse.diagnostics import Diagnostic, Label, SourceFile, Span, TLError
from tlcourse.records import Finding
from tlcourse.widgets import findings as module
from tlcourse.widgets.findings import FindingsView
from tlcourse.widgets.show import show_findings

SOURCE = SourceFile(id="k", text="T.copy(A, a_ub)\nT.vexp(a_ub, b_ub)\n", title="cell 3")
WRITE = Span(source="k", line=1, column=1, end_line=1, end_column=16)
READ = Span(source="k", line=2, column=8, end_line=2, end_column=12)
FINDING = Finding(
    diagnostic=Diagnostic(
        code="TL511",
        what="V reads a_ub < too early",
        labels=(Label(span=READ, text="read here"),),
        why="no flag joins MTE2 and V",
        fix="wait for the copy",
    ),
    agent="aiv0",
    pipe="V",
    block=3,
    iteration=(1, 2),
    count=1200,
    other_span=WRITE,
)


def test_a_card_has_both_lines_with_carets_and_where_it_happened() -> None:
    text = FindingsView((FINDING,), {"k": SOURCE}).to_html()
    assert "<b>1 finding</b>" in text
    assert "✗ error TL511</b>: V reads a_ub &lt; too early" in text
    assert "aiv0 V · block 3 · loop turn 1, 2 · 1,200 times" in text
    shown = re.search(r"<pre[^>]*>(.*)</pre>", text, re.DOTALL)
    assert shown is not None
    assert shown[1].splitlines() == [
        "  --&gt; cell 3, line 2",
        "   |",
        " 2 | T.vexp(a_ub, b_ub)",
        "   |        ^^^^ read here",
        "  --&gt; cell 3, line 1",
        "   |",
        " 1 | T.copy(A, a_ub)",
        "   | ^^^^^^^^^^^^^^^",
    ]
    assert "<b>why</b>: no flag joins MTE2 and V" in text
    assert "<b>fix</b>: wait for the copy" in text


def test_text_and_chinese(tmp_path: Path) -> None:
    view = FindingsView((FINDING, FINDING), {"k": SOURCE}, "zh")
    assert repr(view).count("error[TL511]: V reads a_ub") == 2
    bundle = view._repr_mimebundle_()
    assert "<b>2 处发现</b>" in bundle["text/html"]
    assert "逻辑块 3 · 第 1, 2 轮循环 · 共 1,200 次" in bundle["text/html"]
    page = view.export_html(tmp_path / "f.html").read_text(encoding="utf-8")
    assert "<title>模拟器的发现</title>" in page
    assert "http" not in page


def test_no_finding_is_said() -> None:
    view = FindingsView(())
    assert repr(view) == "No findings: the launch broke no rule."
    assert "✓" in view.to_html()


def test_both_languages_fill_in_the_same_values() -> None:
    for key, (english, chinese) in module._WORDS.items():
        assert re.findall(r"\{\d", english) == re.findall(r"\{\d", chinese), key


def test_show_findings_of_a_launch_and_of_a_finding() -> None:
    kernel = SimpleNamespace(
        last_launch=SimpleNamespace(findings=(FINDING,)), sources={"k": SOURCE}
    )
    assert show_findings(kernel) == FindingsView((FINDING,), {"k": SOURCE})
    assert "read here" in show_findings(kernel).to_html()
    assert len(show_findings(FINDING)) == 1
    with pytest.raises(TLError, match="TL731"):
        show_findings(SimpleNamespace(last_launch=None))
    with pytest.raises(TLError, match="TL730"):
        show_findings(3)
