"""Verdicts: what follows from checks, and the ones on hand-ins that gave no kernel at all."""

from __future__ import annotations

import builtins
from collections.abc import Sequence

from tlcourse.diagnostics import Diagnostic
from tlcourse.grading.sandbox import Limits, Outcome
from tlcourse.grading.spec import Case, Spec
from tlcourse.grading.tracing import Attempt
from tlcourse.grading.words import LANGUAGES, Language, block, plain, say
from tlcourse.records import Check, State, Verdict

FLAG = "to look at"
"""The text that names checks which a person should look at."""

OUT_OF_STEPS = frozenset({"TL365", "TL504"})
"""Codes that say that a kernel, or IR that is run op by op, was given up: it ran too long."""


def from_checks(
    spec: Spec, checks: Sequence[Check], *, some_right: bool, sealed_sha256: str, mode: str
) -> Verdict:
    """The verdict that follows from checks. Checks that are left for later do not count.

    Args:
        spec: the exercise.
        checks: all of its checks.
        some_right: whether the numbers of one case are right; nothing else makes it PARTIAL.
        sealed_sha256: hash of the first sealed kernel.
        mode: how it is written.
    """
    judged = {check.state for check in checks} - {"TODO"}
    wrong: State = "TIMEOUT" if "TIMEOUT" in judged else "FAIL"
    state: State = "PASS" if judged == {"PASS"} else "PARTIAL" if some_right else wrong
    return Verdict(
        exercise=spec.id,
        state=state,
        points=round(sum(check.points for check in checks), 2),
        max_points=float(spec.points),
        checks=tuple(checks),
        sealed_sha256=sealed_sha256,
        mode=mode,
    )


def without_kernel(
    spec: Spec, cases: Sequence[Case], attempts: Sequence[Attempt], language: Language
) -> Verdict | None:
    """The verdict where no case gave a kernel; None where at least one did."""
    if any(attempt.state == "sealed" for attempt in attempts):
        return None
    case, attempt = cases[0], attempts[0]
    if attempt.state == "untouched":
        return single(spec, "TODO", "runs", say("untouched", language), language=language)
    return _with(spec, failed_attempt(spec, case, attempt, language))


def failed_attempt(spec: Spec, case: Case, attempt: Attempt, language: Language) -> Check:
    """The check that says why the learner's function gave no kernel for a case."""
    points = float(spec.points)
    if attempt.state == "refused" and attempt.diagnostic is not None:
        return refused(case, attempt.diagnostic, points, language)
    what = f"{attempt.kind}: {attempt.what}".rstrip(": ") if case.public else _known(attempt.kind)
    reason = say(
        "raised" if case.public else "raised hidden",
        language,
        what=plain(what),
        case=label(case, language),
    )
    if attempt.line is not None:
        reason += say("line", language, line=attempt.line)
    hint = ""
    if attempt.kind == "MemoryError" or "can't allocate memory" in attempt.what:
        hint = say("fix", language, fix=say("memory fix", language))
    return Check(
        name=say("runs", language),
        state="FAIL",
        points=0.0,
        max_points=points,
        reason=reason,
        hint=hint,
    )


def _known(kind: str) -> str:
    """The name of an exception of Python's own; others could spell out a hidden shape."""
    return kind if hasattr(builtins, kind) else "Exception"


def refused(case: Case, diagnostic: Diagnostic, points: float, language: Language) -> Check:
    """The check on a kernel that does not compile for a case."""
    values = {"code": diagnostic.code, "what": plain(diagnostic.what)}
    if not case.public:
        key, hint, detail = "compiles not hidden", "", ""
    else:
        key, hint = "compiles not", say("fix", language, fix=plain(diagnostic.fix))
        detail = block(diagnostic.why)
    return Check(
        name=say("lowers", language),
        state="TIMEOUT" if diagnostic.code in OUT_OF_STEPS else "FAIL",
        points=0.0,
        max_points=points,
        reason=say(key, language, case=label(case, language), **values),
        hint=hint,
        detail=detail,
        span=diagnostic.labels[0].span if diagnostic.labels else None,
    )


def ended_early(spec: Spec, outcome: Outcome, limits: Limits, language: Language) -> Verdict:
    """The verdict where the learner's process left nothing behind."""
    key = "memory" if "MemoryError" in outcome.output else outcome.state
    state: State = "TIMEOUT" if key == "timeout" else "FAIL"
    gib = limits.memory_bytes // 2**30
    reason = say(key, language, seconds=limits.cpu_seconds, gib=gib)
    return single(spec, state, "runs", reason, fix=say(f"{key} fix", language), language=language)


def flags(verdict: Verdict) -> list[str]:
    """What a person should look at in a hand-in, whatever its points."""
    names = {say(FLAG, language) for language in LANGUAGES}
    return [check.reason for check in verdict.checks if check.name in names]


def single(
    spec: Spec,
    state: State,
    name: str,
    reason: str,
    *,
    fix: str = "",
    language: Language = "en",
) -> Verdict:
    """A verdict of 0 points with one check."""
    check = Check(
        name=say(name, language),
        state=state,
        points=0.0,
        max_points=float(spec.points),
        reason=reason,
        hint=say("fix", language, fix=fix) if fix else "",
    )
    return _with(spec, check)


def grader_failed(spec: Spec, what: str, language: Language) -> Verdict:
    """The verdict where the grader itself failed; it costs nothing."""
    reason, fix = say("grader failed", language, what=what), say("grader fix", language)
    return single(spec, "ERROR", "grader", reason, fix=fix, language=language)


def unreadable(name: str, diagnostic: Diagnostic, language: Language) -> Verdict:
    """The verdict on a file that is no hand-in; nobody can say how many points it could have."""
    check = Check(
        name=say("reads", language),
        state="FAIL",
        points=0.0,
        max_points=0.0,
        reason=say("compiles not", language, code=diagnostic.code, what=diagnostic.what),
        hint=say("fix", language, fix=diagnostic.fix),
    )
    return Verdict(exercise=name, state="FAIL", points=0.0, max_points=0.0, checks=(check,))


def label(case: Case, language: Language) -> str:
    """A case in words; for a public one with its shapes."""
    words = case.label_zh if language == "zh" else case.label
    if not case.public:
        return words
    shapes = ", ".join(f"{name}={value}" for name, value in case.binding.items())
    return say("case", language, shapes=shapes, words=words)


def _with(spec: Spec, check: Check) -> Verdict:
    return Verdict(
        exercise=spec.id,
        state=check.state,
        points=0.0,
        max_points=float(spec.points),
        checks=(check,),
    )
