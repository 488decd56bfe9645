"""Grades one notebook: reads it, traces it in a limited process, judges what was sealed."""

from __future__ import annotations

import json
import tempfile
from dataclasses import replace
from pathlib import Path

from tlcourse.diagnostics import TLError
from tlcourse.grading import strict, verdicts
from tlcourse.grading.child import HAND_IN, RESULT, Result, Work
from tlcourse.grading.notebook_file import HandIn, read_hand_in
from tlcourse.grading.resident import Resident, shared
from tlcourse.grading.sandbox import Limits, run_limited
from tlcourse.grading.spec import Spec, load
from tlcourse.grading.tracing import order_of
from tlcourse.grading.words import Language, plain, say
from tlcourse.records import Check, Verdict, to_json

_MAX_RESULT_BYTES = 64 * 2**20


def grade_notebook(
    path: Path,
    *,
    limits: Limits | None = None,
    language: Language = "en",
    resident: Resident | None = None,
) -> Verdict:
    """The verdict on a notebook. A fault of the grader itself gives ERROR, never an exception.

    Args:
        path: the handed-in notebook.
        limits: what the learner's code may use.
        language: of the words in the verdict.
        resident: the trusted process; without it, the one that this process shares.
    """
    try:
        hand_in = read_hand_in(path)
        spec = load(hand_in.exercise)
    except TLError as problem:
        return verdicts.unreadable(path.stem, problem.diagnostic, language)
    try:
        verdict = _grade(spec, hand_in, limits or Limits(), language, resident or shared())
    except Exception as problem:  # noqa: BLE001 - the grader's own fault must not cost marks
        reason = plain(f"{type(problem).__name__}: {problem}")
        return verdicts.grader_failed(spec, reason, language)
    return _with_note(verdict, hand_in, language)


def _grade(
    spec: Spec, hand_in: HandIn, limits: Limits, language: Language, resident: Resident
) -> Verdict:
    order = order_of(spec, spec.cases)
    with tempfile.TemporaryDirectory(prefix="tlcourse-") as folder:
        work = Path(folder)
        asked = Work(order=order, setup=hand_in.setup, solutions=hand_in.solutions)
        (work / HAND_IN).write_text(to_json(asked), encoding="utf-8")
        outcome = run_limited("tlcourse.grading.child", work, limits)
        if not (work / RESULT).is_file():
            return verdicts.ended_early(spec, outcome, limits, language)
        result = _result(work / RESULT)
    if result is None or len(result.attempts) != len(spec.cases):
        reason, fix = say("forged", language), say("forged fix", language)
        return verdicts.single(spec, "FAIL", "runs", reason, fix=fix, language=language)
    return resident.judge(spec, result, language=language)


def _result(path: Path) -> Result | None:
    """What the child wrote; None where it did not come from tracing. Nothing of it is trusted."""
    if path.is_symlink() or path.stat().st_size > _MAX_RESULT_BYTES:
        return None
    try:
        return strict.read(Result, json.loads(path.read_bytes()), "result")
    except (ValueError, RecursionError):
        return None


def _with_note(verdict: Verdict, hand_in: HandIn, language: Language) -> Verdict:
    count = len(hand_in.solutions)
    if count == 1:
        return verdict
    reason = say("two cells", language, count=count)
    name = say("cells", language)
    note = Check(name=name, state="PASS", points=0.0, max_points=0.0, reason=reason)
    return replace(verdict, checks=(*verdict.checks, note))
