"""The trusted process answers every line, whatever the line is."""

from __future__ import annotations

import io
import json

import pytest

from tlcourse.grading import server
from tlcourse.grading.child import Result
from tlcourse.grading.resident import Resident
from tlcourse.grading.spec import load
from tlcourse.grading.tracing import Attempt
from tlcourse.records import to_json


def _request(count: int = 4) -> str:
    attempts = (Attempt(state="untouched"),) * count
    request = server.Request(
        exercise="d2.minicv", result=Result(attempts=attempts), public_only=False, language="en"
    )
    return to_json(request)


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("no json", "JSONDecodeError"),
        ("3", "ValueError: request is a table"),
        (_request().replace("d2.minicv", "d9.none"), "TLError: error[TL601]"),
        (_request(count=3), "ValueError: zip()"),
    ],
)
def test_a_bad_request_is_answered_and_the_next_one_judged(line: str, problem: str) -> None:
    answers = io.StringIO()
    server.main(io.StringIO(f"{line}\n{_request()}\n"), answers)
    ready, bad, good = answers.getvalue().splitlines()
    assert ready == server.READY
    assert problem in json.loads(bad)["failed"]
    assert json.loads(good)["state"] == "TODO"


def test_what_failed_is_told_and_costs_nothing() -> None:
    resident = Resident()
    try:
        verdict = resident.judge(load("d2.minicv"), Result(attempts=()))
    finally:
        resident.stop()
    assert verdict.state == "ERROR"
    assert "ValueError: zip()" in verdict.checks[0].reason
