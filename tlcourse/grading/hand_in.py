"""Grades one notebook: reads it, traces it in a limited process, judges what was sealed."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from tlcourse.diagnostics import TLError
from tlcourse.grading import strict, verdicts
from tlcourse.grading.child import HAND_IN, RESULT, Result, Work
from tlcourse.grading.notebook_file import HandIn, read_hand_in
from tlcourse.grading.resident import Resident, shared
from tlcourse.grading.sandbox import Limits, Outcome, run_limited
from tlcourse.grading.spec import Spec, load
from tlcourse.grading.tracing import Order, order_of
from tlcourse.grading.whole import readable
from tlcourse.grading.words import Language, plain, say
from tlcourse.records import Check, Verdict, to_json

_MAX_RESULT_BYTES = 64 * 2**20
_KEPT_OUTPUT = 2000

Runner = Callable[[Path, Limits], Outcome]
"""Runs the hand-in that lies in a folder, within limits."""


@dataclass(frozen=True, kw_only=True)
class Graded:
    """What came of one notebook.

    Args:
        verdict: on it.
        documents: what was sealed, one text a case; empty where a case gave nothing.
        output: the head of what the learner's code printed, hidden shapes included: for staff.
    """

    verdict: Verdict
    documents: tuple[str, ...] = ()
    output: str = ""


def spawned(work: Path, limits: Limits) -> Outcome:
    """Runs a hand-in in a new Python process."""
    return run_limited("tlcourse.grading.child", work, limits)


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
    return graded(path, limits=limits, language=language, resident=resident).verdict


def graded(
    path: Path,
    *,
    limits: Limits | None = None,
    language: Language = "en",
    resident: Resident | None = None,
    runner: Runner = spawned,
) -> Graded:
    """The verdict on a notebook, with what was sealed: see `graded_cells`."""
    try:
        hand_in = read_hand_in(path)
        load(hand_in.exercise)
    except TLError as problem:
        return Graded(
            verdict=verdicts.unreadable(readable(path.stem), problem.diagnostic, language)
        )
    return graded_cells(hand_in, limits=limits, language=language, resident=resident, runner=runner)


def graded_cells(
    hand_in: HandIn,
    *,
    limits: Limits | None = None,
    language: Language = "en",
    resident: Resident | None = None,
    runner: Runner = spawned,
) -> Graded:
    """The verdict on the cells of a notebook. A fault of the grader's own gives ERROR.

    Args:
        hand_in: what runs.
        limits: what the learner's code may use.
        language: of the words in the verdict.
        resident: the trusted process; without it, the one that this process shares.
        runner: runs the learner's code.

    Raises:
        TL601: there is no such exercise.
    """
    spec = load(hand_in.exercise)
    try:
        result, output = _run(spec, hand_in, limits or Limits(), language, runner)
        if isinstance(result, Verdict):
            return Graded(verdict=_with_note(result, hand_in, language), output=output)
        verdict = (resident or shared()).judge(spec, result, language=language)
    except Exception as problem:  # noqa: BLE001 - the grader's own fault must not cost marks
        reason = plain(f"{type(problem).__name__}: {problem}")
        return Graded(verdict=verdicts.grader_failed(spec, reason, language))
    documents = tuple(attempt.document for attempt in result.attempts)
    noted = _with_note(verdict, hand_in, language)
    return Graded(verdict=noted, documents=documents, output=output)


def _run(
    spec: Spec, hand_in: HandIn, limits: Limits, language: Language, runner: Runner
) -> tuple[Result | Verdict, str]:
    """What tracing gave, or the verdict where it gave nothing; and what was printed."""
    order = order_of(spec, spec.cases)
    asked = Work(order=order, setup=hand_in.setup, solutions=hand_in.solutions)
    result, output = _ran(spec, asked, limits, language, runner)
    if isinstance(result, Verdict) or not is_packed(order, result):
        return result, output
    looked, more = look_into(spec, order, result, limits=limits, language=language, runner=runner)
    return looked, output + more


def is_packed(order: Order, result: Result) -> bool:
    """Whether what the cells gave is a package, which is looked into whatever it says of itself."""
    return order.package is not None and result.attempts[0].state == "sealed"


def look_into(
    spec: Spec,
    order: Order,
    packed: Result,
    *,
    limits: Limits,
    language: Language,
    runner: Runner = spawned,
) -> tuple[Result | Verdict, str]:
    """What is seen of a sealed package, in a process that ran none of the learner's cells.

    Args:
        spec: the exercise.
        order: what is asked.
        packed: what the cells gave.
        limits: what the learner's code may use.
        language: of the words in the verdict.
        runner: runs the process.
    """
    asked = Work(order=order, package=packed.attempts[0].document)
    return _ran(spec, asked, limits, language, runner)


def _ran(
    spec: Spec, asked: Work, limits: Limits, language: Language, runner: Runner
) -> tuple[Result | Verdict, str]:
    """What a process left behind, or the verdict where it left nothing; and what was printed."""
    with tempfile.TemporaryDirectory(prefix="tlcourse-") as folder:
        work = Path(folder)
        (work / HAND_IN).write_text(to_json(asked), encoding="utf-8")
        outcome = runner(work, limits)
        output = outcome.output[:_KEPT_OUTPUT]
        if not (work / RESULT).is_file():
            return verdicts.ended_early(spec, outcome, limits, language), output
        result = _result(work / RESULT)
    if result is None or len(result.attempts) != len(asked.order.bindings):
        reason, fix = say("forged", language), say("forged fix", language)
        verdict = verdicts.single(spec, "FAIL", "runs", reason, fix=fix, language=language)
        return verdict, output
    return result, output


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
