"""Texts that did not come from tracing: the trusted side takes none of them at its word."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.grading.hand_ins import EXPERT
from tlcourse.grading.judge import judge
from tlcourse.grading.sealed import from_text
from tlcourse.grading.spec import load
from tlcourse.grading.tracing import Attempt, attempt_all, order_of
from tlcourse.records import Verdict

SPEC = load("d2.minicv")


@pytest.fixture
def attempts(monkeypatch: pytest.MonkeyPatch) -> tuple[Attempt, ...]:
    import linecache

    monkeypatch.setenv("TILELANG_ASCEND_MODE", "Expert")
    text = f"import os\nimport tilelang\nimport tilelang.language as T\n{EXPERT}"
    linecache.cache["<judged>"] = (len(text), None, text.splitlines(keepends=True), "<judged>")
    names: dict[str, object] = {}
    exec(compile(text, "<judged>", "exec"), names)
    return attempt_all(order_of(SPEC, SPEC.public_cases), names["minicv"])


def _judged(attempts: tuple[Attempt, ...]) -> Verdict:
    return judge(SPEC, SPEC.public_cases, attempts)


def _with_text(attempt: Attempt, text: str) -> Attempt:
    return replace(attempt, document=replace(from_text(attempt.document), text=text).to_text())


def test_what_was_traced_passes_and_keeps_its_hash(attempts: tuple[Attempt, ...]) -> None:
    verdict = _judged(attempts)
    assert verdict.state == "PASS"
    assert verdict.sealed_sha256 == from_text(attempts[0].document).sha256


def test_the_same_kernel_twice_is_refused(attempts: tuple[Attempt, ...]) -> None:
    verdict = _judged((attempts[0], attempts[0]))
    assert verdict.state == "PARTIAL"
    assert "TL604" in verdict.checks[0].reason


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no module",
        "builtin.module {}",
        "builtin.module attributes {tl.mode = 3 : i32} {}",
        "(" * 10_000,
    ],
    ids=["empty", "words", "bare", "mode", "deep"],
)
def test_texts_that_are_no_kernel_are_refused(attempts: tuple[Attempt, ...], text: str) -> None:
    verdict = _judged(tuple(_with_text(attempt, text) for attempt in attempts))
    assert (verdict.state, verdict.points) == ("FAIL", 0.0)
    assert "TL603" in verdict.checks[0].reason


def test_a_value_used_before_it_is_computed_is_refused(attempts: tuple[Attempt, ...]) -> None:
    # %c32 is computed in the scope of the vector core, long after this line.
    text = from_text(attempts[0].document).text
    assert "arith.muli %0, %c64" in text
    forged = text.replace("arith.muli %0, %c64", "arith.muli %0, %c32")
    verdict = _judged((_with_text(attempts[0], forged), attempts[1]))
    assert verdict.state == "PARTIAL"
    assert "TL603" in verdict.checks[0].reason
    assert "arith.muli uses a value that is not computed before it" in verdict.checks[0].detail


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ('tl.extents = ["256", "256"]', 'tl.extents = ["import os", "256"]', "not an extent"),
        ('tl.dtype = "float16"', 'tl.dtype = "float17"', "unknown dtype float17"),
    ],
)
def test_parameters_that_nobody_traced_are_refused(
    attempts: tuple[Attempt, ...], old: str, new: str, why: str
) -> None:
    forged = from_text(attempts[0].document).text.replace(old, new)
    verdict = _judged((_with_text(attempts[0], forged), attempts[1]))
    assert "TL603" in verdict.checks[0].reason
    assert why in verdict.checks[0].detail


def test_other_inputs_do_not_change_the_verdict(attempts: tuple[Attempt, ...]) -> None:
    verdict = judge(SPEC, SPEC.public_cases, attempts, secret=b"another")
    assert verdict.state == "PASS"
