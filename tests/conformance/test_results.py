"""Grouping of cases, and the report as data."""

from __future__ import annotations

from pathlib import Path

import pytest

from tlcourse.conformance import Case, Report, Settings, run_suite
from tlcourse.conformance.reasons import ended, reason_of
from tlcourse.conformance.results import by_reason
from tlcourse.diagnostics import TLError, error
from tlcourse.records import from_json, to_json


def failed(reason: str) -> Case:
    return Case(folder="f", name=reason, outcome="failed", reason=reason)


def test_cases_group_by_code_and_missing_names_by_name() -> None:
    cases = [failed("TL501: reads A[4]"), failed("TL501: reads B[7]")]
    cases += [failed("TL105: T has no function `a`"), failed("TL105: T has no function `b`")]
    cases += [failed("AssertionError: 1"), failed("AssertionError: 2")]
    groups = {name: len(inside) for name, inside in by_reason(cases, "failed")}
    assert groups == {
        "AssertionError": 2,
        "TL501": 2,
        "TL105: T has no function `a`": 1,
        "TL105: T has no function `b`": 1,
    }


def test_reasons_are_one_line() -> None:
    assert reason_of(ValueError("first\nsecond")) == "ValueError: first"
    assert reason_of(ValueError()) == "ValueError: no message"
    problem = error("TL105", "T has no function x", why="", fix="")
    assert reason_of(problem) == "TL105: T has no function x"
    assert ended(-9, "a\nb\n") == "the process ended (signal 9): b"


def test_a_report_without_cases_does_not_pass() -> None:
    facts = {"suite": "npuir", "execution": "functional", "backend": "embedded", "seconds": 1.0}
    cases = (Case(folder="f", name="n", outcome="cannot", reason="r", steps={"generated": True}),)
    assert not Report(**facts, cases=()).passed
    report = Report(**facts, cases=cases)
    assert report.passed
    assert from_json(Report, to_json(report)) == report


def test_a_folder_that_is_no_checkout_is_said(tmp_path: Path) -> None:
    with pytest.raises(TLError, match="TL715") as caught:
        run_suite(Settings(suite="examples", folder=tmp_path))
    assert "has no folder examples" in str(caught.value)
