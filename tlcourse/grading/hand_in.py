"""Grades one notebook: reads it, traces it in a limited process, judges what was sealed."""

from __future__ import annotations

import base64
import json
import tempfile
from pathlib import Path
from typing import Any, cast

from tlcourse.diagnostics import Diagnostic, TLError
from tlcourse.grading.judge import judge
from tlcourse.grading.notebook_file import HandIn, read_hand_in
from tlcourse.grading.sandbox import Limits, Outcome, run_limited
from tlcourse.grading.sealed import Sealed, from_bytes
from tlcourse.grading.spec import Spec, load
from tlcourse.records import Check, State, Verdict, from_data, to_json

_MAX_RESULT_BYTES = 64 * 2**20


def grade_notebook(path: Path, *, limits: Limits | None = None) -> Verdict:
    """The verdict on a notebook. A fault of the grader itself gives ERROR, never an exception.

    Args:
        path: the handed-in notebook.
        limits: what the learner's code may use.
    """
    try:
        hand_in = read_hand_in(path)
        spec = load(hand_in.exercise)
    except TLError as problem:
        return _without_exercise(path, problem)
    try:
        return grade_hand_in(spec, hand_in, limits or Limits())
    except TLError as problem:
        return _one_check(spec, "FAIL", "reads", problem.diagnostic.what, problem.diagnostic.fix)
    except Exception as problem:  # noqa: BLE001 - the grader's own fault must not cost marks
        what = f"the grader failed: {type(problem).__name__}: {problem}"
        return _one_check(spec, "ERROR", "grader", what, "nothing is lost; it is graded again")


def grade_hand_in(spec: Spec, hand_in: HandIn, limits: Limits) -> Verdict:
    """Traces a hand-in in a process of its own and judges the sealed kernels."""
    with tempfile.TemporaryDirectory(prefix="tlcourse-") as folder:
        work = Path(folder)
        (work / "hand_in.json").write_text(to_json(hand_in), encoding="utf-8")
        outcome = run_limited("tlcourse.grading.child", work, limits)
        result = _result(work)
    if result is None:
        return _no_result(spec, outcome, limits)
    return verdict_of(spec, result)


def verdict_of(spec: Spec, result: dict[str, Any]) -> Verdict:
    """The verdict on what the child left behind."""
    match result.get("state"):
        case "sealed":
            return judge(spec, _documents(result))
        case "TODO":
            return untouched(spec)
        case "refused":
            diagnostic = from_data(Diagnostic, result["diagnostic"])
            return refused(spec, diagnostic)
        case _:
            line = result.get("line")
            where = f" (line {line} of the cell)" if isinstance(line, int) else ""
            return _one_check(spec, "FAIL", "runs", f"{str(result.get('what'))[:500]}{where}", "")


def _documents(result: dict[str, Any]) -> list[Sealed]:
    documents = cast(list[str], result["documents"])
    return [from_bytes(base64.b64decode(document)) for document in documents]


def _result(work: Path) -> dict[str, Any] | None:
    """What the child wrote. It is untrusted: its size and form are checked."""
    path = work / "result.json"
    if path.is_symlink() or not path.is_file() or path.stat().st_size > _MAX_RESULT_BYTES:
        return None
    try:
        data = json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        return None
    return cast(dict[str, Any], data) if isinstance(data, dict) else None


def _no_result(spec: Spec, outcome: Outcome, limits: Limits) -> Verdict:
    if outcome.state == "timeout":
        what = f"the cell did not end within {limits.cpu_seconds} seconds of computing"
        return _one_check(spec, "TIMEOUT", "runs", what, "look for a loop that never ends")
    if outcome.state == "killed" or "MemoryError" in outcome.output:
        what = "the cell was stopped: it used more memory, files or output than it may"
        return _one_check(spec, "FAIL", "runs", what, "look for data that grows without end")
    what = "the cell ended the Python process before a kernel was made"
    return _one_check(spec, "FAIL", "runs", what, "remove calls such as os._exit from the cell")


def untouched(spec: Spec) -> Verdict:
    """The verdict on an exercise that nobody has started."""
    return _one_check(spec, "TODO", "started", "the exercise is untouched", "")


def refused(spec: Spec, diagnostic: Diagnostic) -> Verdict:
    """The verdict on a kernel that does not trace or compile."""
    span = diagnostic.labels[0].span if diagnostic.labels else None
    check = Check(
        name="lowers",
        state="FAIL",
        points=0.0,
        max_points=float(spec.points),
        reason=f"{diagnostic.code}: {diagnostic.what}",
        hint=diagnostic.fix,
        span=span,
    )
    return Verdict(
        exercise=spec.id, state="FAIL", points=0.0, max_points=float(spec.points), checks=(check,)
    )


def _one_check(spec: Spec, state: State, name: str, reason: str, hint: str) -> Verdict:
    points = float(spec.points)
    check = Check(name=name, state=state, points=0.0, max_points=points, reason=reason, hint=hint)
    return Verdict(exercise=spec.id, state=state, points=0.0, max_points=points, checks=(check,))


def _without_exercise(path: Path, problem: TLError) -> Verdict:
    check = Check(
        name="reads",
        state="FAIL",
        points=0.0,
        max_points=0.0,
        reason=f"{problem.code}: {problem.diagnostic.what}",
        hint=problem.diagnostic.fix,
    )
    return Verdict(exercise=path.stem, state="FAIL", points=0.0, max_points=0.0, checks=(check,))
