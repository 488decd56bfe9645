"""From judged cases to the lines of a verdict: points, reasons and likely causes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from tlcourse.diagnostics import Span
from tlcourse.grading.cycles import cycles_check
from tlcourse.grading.numbers import Comparison, limit_of
from tlcourse.grading.spec import Case, Spec, Suspect, Symptom
from tlcourse.grading.tracing import Attempt
from tlcourse.grading.verdicts import FLAG, OUT_OF_STEPS, failed_attempt, from_checks, label
from tlcourse.grading.words import Language, Phrase, number, plain, say
from tlcourse.jit.report import STOPPING
from tlcourse.records import Check, Finding, Verdict

# Elements of an output that nobody wrote: which ones they are says more.
_NOT_WRITTEN = "TL528"


@dataclass(frozen=True, kw_only=True)
class Judged:
    """One case that was run.

    Args:
        case: its shapes.
        sealed_sha256: hash of its sealed kernel.
        mode: how the kernel is written.
        comparisons: how each output compares with its reference.
        findings: what the simulator found.
        missing_effect: what is asked beside the numbers and did not happen.
        modified: an input that the kernel changed.
        suspect: the wrong answer that an output equals.
        symptom: what the spec says of the elements that are wrong.
        wrong_form: what is wrong with the form of handed-in IR, whatever it computes.
        cycles: simulated cycles, where they count.
        lost: for outputs, the inputs of their reference that cannot reach them.
        independent: an output that no input can reach, whatever its numbers are.
        ops: names of the TileLang ops of its kernel.
    """

    case: Case
    sealed_sha256: str
    mode: str
    comparisons: dict[str, Comparison]
    findings: tuple[Finding, ...]
    missing_effect: Phrase | None
    modified: str
    suspect: Suspect | None
    symptom: Symptom | None = None
    wrong_form: Phrase | None = None
    cycles: int = 0
    lost: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    independent: str = ""
    ops: frozenset[str] = frozenset()

    @property
    def fault(self) -> Finding | None:
        """The first finding that is an error."""
        return next((f for f in self.findings if f.diagnostic.severity == "error"), None)

    @property
    def arises(self) -> Finding | None:
        """Where inf or NaN arises from numbers, which is no fault as long as none is left."""
        return next((f for f in self.findings if f.diagnostic.code == "TL509"), None)

    @property
    def stop(self) -> Finding | None:
        """The finding that stopped the run."""
        return next((f for f in self.findings if f.diagnostic.code in STOPPING), None)

    @property
    def is_out_of_steps(self) -> bool:
        """Whether it ran too long."""
        return self.stop is not None and self.stop.diagnostic.code in OUT_OF_STEPS

    @property
    def has_wrong_numbers(self) -> bool:
        """Whether an output is wrong."""
        return not all(comparison.ok for comparison in self.comparisons.values())

    @property
    def is_just_wrong(self) -> bool:
        """Whether no more is known of wrong numbers than where they stand."""
        faults = {f.diagnostic.code for f in self.findings if f.diagnostic.severity == "error"}
        return faults <= {_NOT_WRITTEN} and self.arises is None and not self.lost

    @property
    def is_right(self) -> bool:
        """Whether the run ended, outputs and form are right and no input was changed."""
        is_whole = not self.modified and self.stop is None and self.wrong_form is None
        return is_whole and not self.independent and not self.has_wrong_numbers


def score(
    spec: Spec,
    cases: Sequence[Case],
    outcomes: Sequence[Judged | Attempt],
    language: Language,
) -> Verdict:
    """The verdict on cases of which at least one was run.

    Args:
        spec: the exercise.
        cases: the cases.
        outcomes: for each of them what came of it; an attempt gave no kernel.
        language: of the words.
    """
    judged = [outcome for outcome in outcomes if isinstance(outcome, Judged)]
    right = [case for case in judged if case.is_right]
    checks = [
        _lowers(spec, cases, outcomes, language),
        *(_numbers(spec, *pair, language) for pair in zip(cases, outcomes, strict=True)),
        *([_effects(spec, right, language)] if spec.weights.effects else []),
        *([_cycles(spec, judged, language)] if spec.weights.cycles else []),
        *_left_for_later(spec, cases, language),
        *_other_kernels(judged, language),
    ]
    return from_checks(
        spec,
        checks,
        some_right=bool(right),
        sealed_sha256=judged[0].sealed_sha256,
        mode=judged[0].mode,
    )


def _lowers(
    spec: Spec, cases: Sequence[Case], outcomes: Sequence[Judged | Attempt], language: Language
) -> Check:
    points = spec.points * spec.weights.lowers / 100
    for case, outcome in zip(cases, outcomes, strict=True):
        if isinstance(outcome, Attempt):
            return replace(failed_attempt(spec, case, outcome, language), max_points=points)
    if spec.kind != "kernel":
        return _passed(say("reads IR", language), points, say("ir reads", language))
    return _passed(say("lowers", language), points, say("compiles", language))


def _share(spec: Spec) -> float:
    """Points for the numbers of one case."""
    return spec.points * spec.weights.numbers / 100 / len(spec.cases)


def _numbers(spec: Spec, case: Case, outcome: Judged | Attempt, language: Language) -> Check:
    name = say("numbers", language, case=label(case, language))
    points = _share(spec)
    if isinstance(outcome, Attempt):
        key = "no kernel" if spec.kind == "kernel" else "no IR"
        return _failed(name, points, say(key, language))
    if outcome.is_right:
        return _passed(name, points, say("equal", language))
    check = _failed(name, points, _why_wrong(outcome, language))
    fault = outcome.fault or outcome.arises
    return replace(
        check,
        state="TIMEOUT" if outcome.is_out_of_steps else "FAIL",
        hint=_cause(outcome, language),
        span=_place(fault) if fault is not None else None,
        **_limit(spec.at(case), outcome, language),
    )


def _why_wrong(judged: Judged, language: Language) -> str:
    public, stop = judged.case.public, judged.stop
    if judged.is_out_of_steps and not public:
        return say("steps", language)
    if stop is not None and public:
        return say("stopped", language, what=plain(stop.diagnostic.what))
    if stop is not None:
        return say("stopped hidden", language, code=stop.diagnostic.code)
    if judged.modified:
        return say("modified", language, name=judged.modified)
    if judged.wrong_form is not None and not judged.has_wrong_numbers:
        return judged.wrong_form.say(language)
    if judged.independent and not judged.has_wrong_numbers:
        return say("independent", language, name=judged.independent)
    name, bad = _first_wrong(judged)
    if not public:
        return say("wrong hidden", language, name=name)
    where = bad.where.say(language) if bad.where else ""
    if not bad.first:
        return say("wrong everywhere a little", language, name=name, where=where)
    return say(
        "wrong",
        language,
        name=name,
        where=where,
        first=list(bad.first),
        got=number(bad.got),
        want=number(bad.want),
    )


def _cause(judged: Judged, language: Language) -> str:
    """The likely cause, the surest one first."""
    if judged.is_out_of_steps:
        return say("fix", language, fix=say("judge timeout fix", language))
    named = judged.suspect or judged.symptom if judged.is_just_wrong else judged.suspect
    if named is not None:
        cause = named.cause_zh if language == "zh" else named.cause
    elif judged.stop is not None:
        fix = plain(judged.stop.diagnostic.fix) if judged.case.public else ""
        return say("fix", language, fix=fix) if fix else ""
    elif judged.fault is not None and judged.case.public:
        cause = plain(judged.fault.diagnostic.what)
    elif judged.arises is not None:
        cause = say("arises", language)
    elif any(comparison.only_nan for comparison in judged.comparisons.values()):
        cause = say("never written", language)
    elif judged.has_wrong_numbers and (lost := judged.lost.get(_first_wrong(judged)[0])):
        name = _first_wrong(judged)[0]
        cause = say("lost", language, name=name, inputs=", ".join(lost))
    else:
        return ""
    return say("cause", language, cause=cause)


def _limit(spec: Spec, judged: Judged, language: Language) -> dict[str, str]:
    """The number against its limit, and where the limit comes from; public cases only."""
    if not judged.case.public or judged.modified or judged.stop is not None:
        return {}
    if not judged.has_wrong_numbers:
        return {}
    name, bad = _first_wrong(judged)
    rule = bad.rule.say(language) if bad.rule is not None else ""
    output = next((output for output in spec.outputs if output.name == name), None)
    if output is None:
        return {"detail": rule}
    dtype = next(p.dtype for p in spec.parameters if p.name == name)
    why = output.why_zh if language == "zh" else output.why
    return {
        "detail": rule,
        "why": limit_of(dtype, output.bound, why).say(language),
    }


def _first_wrong(judged: Judged) -> tuple[str, Comparison]:
    return next((name, c) for name, c in judged.comparisons.items() if not c.ok)


def _effects(spec: Spec, right: Sequence[Judged], language: Language) -> Check:
    """What the record shows of cases with right numbers; work that is wrong earns nothing."""
    name = say("effects", language)
    points = spec.points * spec.weights.effects / 100
    if not right:
        later = say("effects later", language)
        return Check(name=name, state="TODO", points=0.0, max_points=points, reason=later)
    for judged in right:
        if judged.fault is not None:
            return _faulty(name, points, judged.case, judged.fault, language)
        if judged.missing_effect is not None:
            return _failed(name, points, judged.missing_effect.say(language))
    return _passed(name, points, say("effects hold", language))


def _cycles(spec: Spec, judged: Sequence[Judged], language: Language) -> Check:
    is_clean = all(one.is_right and one.fault is None for one in judged)
    timed = [(one.case, one.cycles) for one in judged]
    return cycles_check(spec, timed, is_clean=is_clean, language=language)


def _faulty(name: str, points: float, case: Case, fault: Finding, language: Language) -> Check:
    diagnostic = fault.diagnostic
    if not case.public:
        words = {"case": label(case, language), "code": diagnostic.code}
        return _failed(name, points, say("fault hidden", language, **words))
    what = {"code": diagnostic.code, "what": plain(diagnostic.what)}
    check = _failed(name, points, say("compiles not", language, **what))
    hint = say("fix", language, fix=plain(diagnostic.fix))
    return replace(check, hint=hint, span=_place(fault))


def _left_for_later(spec: Spec, cases: Sequence[Case], language: Language) -> list[Check]:
    count = len(spec.cases) - len(cases)
    if not count:
        return []
    check = Check(
        name=say("hidden", language),
        state="TODO",
        points=0.0,
        max_points=_share(spec) * count,
        reason=say("hidden later", language, count=count),
    )
    return [check]


def _other_kernels(judged: Sequence[Judged], language: Language) -> list[Check]:
    """A note for a person where a hidden case has a kernel that no public one has."""
    public = {one.ops for one in judged if one.case.public}
    other = next((one for one in judged if not one.case.public and one.ops not in public), None)
    if other is None or not public:
        return []
    reason = say("other kernel", language, case=label(other.case, language))
    return [_passed(say(FLAG, language), 0.0, reason)]


def _place(fault: Finding) -> Span | None:
    return fault.diagnostic.labels[0].span if fault.diagnostic.labels else None


def _passed(name: str, points: float, reason: str) -> Check:
    return Check(name=name, state="PASS", points=points, max_points=points, reason=reason)


def _failed(name: str, points: float, reason: str) -> Check:
    return Check(name=name, state="FAIL", points=0.0, max_points=points, reason=reason)
