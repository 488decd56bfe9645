"""The trusted judgement of sealed kernels: verify, compile, draw inputs, run, compare.

Nothing of the learner's Python runs here. What arrives is text; it is parsed, compiled by
our passes and run on the simulated chip, with inputs that were drawn after it was sealed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import prod

import torch

from tlcourse import extents, work
from tlcourse.diagnostics import TLError
from tlcourse.grading import effects, given, in_order, package_rules, rebuilt, static_rules
from tlcourse.grading.families import chosen
from tlcourse.grading.inputs import PRACTICE, draw, evaluate
from tlcourse.grading.judge_ir import judge_ir, judge_pass, with_rewrites_first
from tlcourse.grading.judge_text import judge_answers, judge_text, read_observed
from tlcourse.grading.numbers import Comparison, compare
from tlcourse.grading.scoring import Judged, score
from tlcourse.grading.sealed import Sealed, from_text
from tlcourse.grading.spec import Case, Spec
from tlcourse.grading.suspects import suspected, symptom
from tlcourse.grading.tracing import Attempt, refused
from tlcourse.grading.verdicts import from_checks, without_kernel
from tlcourse.grading.words import Language, Phrase, say
from tlcourse.jit.kernel import Kernel
from tlcourse.jit.launch import Launch
from tlcourse.records import Verdict

STEPS = 10_000_000
"""Steps that a kernel may take in one case: sixty times those of the course's longest solution."""


def judge(
    spec: Spec,
    cases: Sequence[Case],
    attempts: Sequence[Attempt],
    *,
    language: Language = "en",
    secret: bytes = PRACTICE,
) -> Verdict:
    """The verdict on what a hand-in traced.

    Args:
        spec: the exercise.
        cases: the cases to judge: all, or the public ones.
        attempts: what the learner's side gave for each of them.
        language: of the words in the verdict.
        secret: seed of the inputs.
    """
    with work.limited_to(STEPS):
        return _verdict(spec, cases, attempts, language, secret)


def _verdict(
    spec: Spec,
    cases: Sequence[Case],
    attempts: Sequence[Attempt],
    language: Language,
    secret: bytes,
) -> Verdict:
    if spec.families:
        spec, cases, attempts = chosen(spec, cases, attempts)
    if spec.kind in ("answer", "written"):
        return _words(spec, cases[0], attempts[0], language)
    if spec.kind == "package" and attempts[0].state == "sealed":
        return _package(spec, cases, attempts, language, secret)
    if spec.kind == "package":  # without the package itself nothing of it is judged
        attempts = (attempts[0],) * len(cases)
    outcomes = [_outcome(spec, *pair, secret) for pair in zip(cases, attempts, strict=True)]
    failed = [outcome for outcome in outcomes if isinstance(outcome, Attempt)]
    if len(failed) == len(outcomes):
        verdict = without_kernel(spec, cases, failed, language)
        assert verdict is not None, "no outcome is a kernel"
        return verdict
    if spec.kind == "pass":
        outcomes = with_rewrites_first(outcomes)
    return score(spec, cases, outcomes, language)


def _package(
    spec: Spec,
    cases: Sequence[Case],
    attempts: Sequence[Attempt],
    language: Language,
    secret: bytes,
) -> Verdict:
    """The verdict on a package: on its kernels as on any, then on what was seen of it."""
    try:
        sealed = from_text(attempts[0].document)
        rebuilt.check_origin(spec, cases[0], sealed)
        observed = read_observed(sealed)
    except TLError as problem:
        return _words(spec, cases[0], refused(problem), language)
    own = replace(spec, kind="kernel", cases=spec.run_cases)
    verdict = _verdict(own, cases[1:], attempts[1:], language, secret)
    is_begun = verdict.state in ("PASS", "PARTIAL")
    checks = package_rules.checks_of(spec, observed, language)
    if not is_begun:  # what is around a kernel counts once the kernel is right somewhere
        later = say("effects later", language)
        checks = [replace(one, state="TODO", points=0.0, reason=later) for one in checks]
    return from_checks(
        spec,
        [*verdict.checks, *checks],
        some_right=is_begun,
        sealed_sha256=sealed.sha256,
        mode=verdict.mode,
    )


def _words(spec: Spec, case: Case, attempt: Attempt, language: Language) -> Verdict:
    """The verdict on answers and texts."""
    if attempt.state == "sealed":
        try:
            sealed = from_text(attempt.document)
            rebuilt.check_origin(spec, case, sealed)
            if spec.kind == "answer":
                return judge_answers(spec, sealed, language)
            return judge_text(spec, sealed, language)
        except TLError as problem:
            attempt = refused(problem)
    verdict = without_kernel(spec, (case,), (attempt,), language)
    assert verdict is not None, "what was refused is not sealed"
    return verdict


def _outcome(spec: Spec, case: Case, attempt: Attempt, secret: bytes) -> Judged | Attempt:
    if attempt.state != "sealed":
        return attempt
    try:
        sealed = from_text(attempt.document)
        rebuilt.check_origin(spec, case, sealed)
        return _JUDGES.get(spec.kind, _judged)(spec.at(case), case, sealed, secret)
    except TLError as problem:
        return refused(problem)


def _judged(spec: Spec, case: Case, sealed: Sealed, secret: bytes) -> Judged:
    kernel = rebuilt.kernel(spec, case, sealed)
    static_rules.check_constants(kernel.module)
    lost = static_rules.untouched_outputs(kernel.module, spec)
    inputs = draw(spec, case, secret)
    before = {name: tensor.clone() for name, tensor in inputs.items()}
    launch = rebuilt.launch(spec, case, kernel, inputs)
    results = {**inputs, **dict(zip(rebuilt.out_names(spec), launch.outputs, strict=True))}
    comparisons = _compared(spec, case, before, results)
    read_only = [p.name for p in spec.parameters if p.role == "in"]
    return Judged(
        case=case,
        sealed_sha256=sealed.sha256,
        mode=kernel.launch_signature.mode,
        comparisons=comparisons,
        findings=launch.findings,
        missing_effect=_missing_effect(spec, case, kernel, launch, before),
        modified=next((n for n in read_only if not _same_bits(inputs[n], before[n])), ""),
        suspect=suspected(spec, case, before, results, comparisons),
        symptom=symptom(spec, comparisons),
        cycles=launch.timeline.cycles if case.fast_cycles else 0,
        lost=lost,
        independent=static_rules.reads_nothing(spec, lost),
        ops=frozenset(given.tile_ops(kernel.module)),
    )


def _compared(
    spec: Spec,
    case: Case,
    before: Mapping[str, torch.Tensor],
    results: Mapping[str, torch.Tensor],
) -> dict[str, Comparison]:
    dtypes = {parameter.name: parameter.dtype for parameter in spec.parameters}
    return {
        output.name: compare(
            results[output.name],
            evaluate(output.reference, before, case.binding),
            evaluate(output.bound, before, case.binding),
            dtypes[output.name],
        )
        for output in spec.outputs
    }


def _missing_effect(
    spec: Spec, case: Case, kernel: Kernel, launch: Launch, inputs: Mapping[str, torch.Tensor]
) -> Phrase | None:
    """The first asked effect that the record does not show."""
    symbols = rebuilt.symbols(spec, case, kernel)
    in_chip = spec.execution == "simulator"
    record = effects.Record(
        timeline=launch.timeline if in_chip else in_order.NO_TIMELINE,
        totals=launch.totals(),
        blocks=prod(extents.evaluate(text, symbols) for text in kernel.launch_signature.grid),
        output_bytes=sum(output.nbytes for output in launch.outputs),
        memory=launch.memory,
        ops=given.tile_ops(kernel.module),
        given_ops=given.op_counts(spec, case),
        is_placed=in_order.is_placed(kernel.module),
        are_apart=in_chip
        or in_order.are_apart(
            kernel.program("functional"), rebuilt.arguments(spec, case, kernel, inputs)
        ),
    )
    phrases = (
        effects.missing(asked.name, asked.limit, record, _per(asked.per, case))
        for asked in spec.effects
        if asked.is_asked(case)
    )
    return next((phrase for phrase in phrases if phrase is not None), None)


def _per(extent: str, case: Case) -> int:
    return extents.evaluate(extent, case.binding) if extent else 1


def _same_bits(first: torch.Tensor, second: torch.Tensor) -> bool:
    return torch.equal(first.view(torch.uint8), second.view(torch.uint8))


_JUDGES: Mapping[str, Callable[[Spec, Case, Sealed, bytes], Judged]] = {
    "ir": judge_ir,
    "pass": judge_pass,
}
