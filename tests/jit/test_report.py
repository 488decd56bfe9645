"""What a plain call does with findings: raise what stopped the run, warn about the rest."""

from __future__ import annotations

import warnings

import pytest

from tlcourse.diagnostics import Diagnostic, Label, SourceFile, Span, TLError
from tlcourse.jit.report import MOST_WARNINGS, STOPPING, FindingWarning, KernelWarning, report, warn
from tlcourse.records import Finding

SOURCES = {"cell:1": SourceFile(id="cell:1", text="T.copy(A, B)\n", title="this cell")}
SPAN = Span(source="cell:1", line=1, column=1, end_line=1, end_column=7)


def _diagnostic(code: str) -> Diagnostic:
    return Diagnostic(code=code, what="w", why="y", fix="f", labels=(Label(span=SPAN),))


def _finding(code: str, count: int = 1) -> Finding:
    return Finding(diagnostic=_diagnostic(code), agent="aiv0", block=0, count=count)


def test_nothing_found_is_silent() -> None:
    report((), SOURCES)


@pytest.mark.parametrize("code", sorted(STOPPING))
def test_what_stopped_the_run_is_raised(code: str) -> None:
    with pytest.raises(TLError) as caught:
        report((_finding(code),), SOURCES)
    assert caught.value.code == code
    assert "1 | T.copy(A, B)" in str(caught.value)


def test_everything_else_is_a_warning_at_the_line_of_the_call() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        report((_finding("TL503"), _finding("TL510", count=4)), SOURCES)
    assert [warning.category for warning in caught] == [FindingWarning, FindingWarning]
    assert {warning.filename for warning in caught} == {__file__}
    assert str(caught[0].message).startswith("error[TL503]: w\n  --> this cell, line 1")
    assert str(caught[1].message).endswith("= seen 4 times")


@pytest.mark.parametrize("word", ["1", "yes", "on"])
def test_strict_raises_every_finding(monkeypatch: pytest.MonkeyPatch, word: str) -> None:
    monkeypatch.setenv("TLCOURSE_STRICT", word)
    with pytest.warns(FindingWarning, match="TL532"), pytest.raises(TLError) as caught:
        report((_finding("TL525"), _finding("TL532")), SOURCES)
    assert caught.value.code == "TL525"


def test_strict_raises_what_stopped_the_run_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TLCOURSE_STRICT", "1")
    with pytest.warns(FindingWarning, match="TL520"), pytest.raises(TLError) as caught:
        report((_finding("TL520"), _finding("TL502")), SOURCES)
    assert caught.value.code == "TL502"


def test_strict_is_silent_where_nothing_was_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TLCOURSE_STRICT", "1")
    report((), SOURCES)


def test_of_many_findings_the_first_are_shown() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        report([_finding("TL521", count=number) for number in range(1, 31)], SOURCES)
    assert len(caught) == MOST_WARNINGS + 1
    assert str(caught[-1].message) == "22 more findings; kernel.last_launch.findings holds all"


def test_warnings_come_before_the_error() -> None:
    with pytest.warns(FindingWarning, match="TL503"), pytest.raises(TLError) as caught:
        report((_finding("TL502"), _finding("TL503")), SOURCES)
    assert caught.value.code == "TL502"


def test_lints_of_a_kernel() -> None:
    with pytest.warns(KernelWarning, match="TL190") as caught:
        warn((_diagnostic("TL190"),), SOURCES)
    assert caught[0].filename == __file__
