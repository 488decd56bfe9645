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


def test_other_inputs_do_not_change_the_verdict(attempts: tuple[Attempt, ...]) -> None:
    verdict = judge(SPEC, SPEC.public_cases, attempts, secret=b"another")
    assert verdict.state == "PASS"
