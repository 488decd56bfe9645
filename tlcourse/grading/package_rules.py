"""What is asked of a package beside its kernels, judged from what was seen of it in the sandbox.

Numbers crossed as they were computed there, in the right copy and in one whose kernels give twice
as much: an operator that computes without its kernel gives the same in both.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any

import torch

from tlcourse.examples.deepseek_v4_mini.inference import compare as model_bound
from tlcourse.examples.deepseek_v4_mini.inference import swap, torch_ops
from tlcourse.grading.inputs import evaluate
from tlcourse.grading.numbers import compare
from tlcourse.grading.packages.asked import (
    COPIES,
    RIGHT,
    SCALED,
    START,
    Observed,
    Tested,
    Used,
    drawn,
    seed_of,
    tokens_of,
)
from tlcourse.grading.packages.given import model_text, package_order
from tlcourse.grading.spec import Case, Spec
from tlcourse.grading.words import Language, Phrase, plain, say
from tlcourse.records import Check

_COMPILER = ("xdsl", "tilelang")
_OURS = (
    "bishengir",
    "codegen",
    "dialects",
    "language",
    "passes",
    "pipeline",
    "simulator",
    "stages",
)
MOST_LINES = 2
"""Lines of the model that may be new."""


def checks_of(spec: Spec, observed: Observed, language: Language) -> list[Check]:
    """One check for each rule of the exercise.

    Args:
        spec: the exercise.
        observed: what was seen of the package.
        language: of the words.
    """
    points = spec.points * spec.weights.package / 100 / len(spec.package.rules)
    checks: list[Check] = []
    for rule in spec.package.rules:
        missing = RULES[rule](spec, observed)
        words = Phrase(key=f"{rule} holds") if missing is None else missing
        check = Check(
            name=say(f"rule {rule}", language),
            state="PASS" if missing is None else "FAIL",
            points=points if missing is None else 0.0,
            max_points=points,
            reason=words.say(language),
        )
        checks.append(check)
    return checks


def _precompiled(spec: Spec, observed: Observed) -> Phrase | None:
    if not observed.stale:
        return None
    return Phrase(key="not precompiled", values={"what": plain(observed.stale)})


def _registered(spec: Spec, observed: Observed) -> Phrase | None:
    used = _used(observed, RIGHT)
    if used.is_found:
        return None
    names = {"package": spec.package.name, "operator": spec.package.operator}
    if used.problem:
        return Phrase(key="package stops", values={"what": plain(used.problem)})
    return Phrase(key="not registered", values=names)


def _alone(spec: Spec, observed: Observed) -> Phrase | None:
    used = _used(observed, RIGHT)
    if not used.imported:
        return Phrase(key="package stops", values={"what": plain(used.problem)})
    found = next(filter(_is_compiler, used.imported), "")
    return Phrase(key="brings compiler", values={"module": plain(found)}) if found else None


def _is_compiler(module: str) -> bool:
    first, *rest = module.split(".")
    return first in _COMPILER or (first == "tlcourse" and bool(rest) and rest[0] in _OURS)


def _operator(spec: Spec, observed: Observed) -> Phrase | None:
    """Whether calls give the reference, and twice that where the kernel does."""
    stopped = _registered(spec, observed) or _stopped(observed)
    if stopped is not None:
        return stopped
    if not _gives(spec, observed, RIGHT, 1):
        return Phrase(key="operator wrong", values={"operator": spec.package.operator})
    if not _gives(spec, observed, SCALED, 2):
        return Phrase(key="not its kernel", values={"operator": spec.package.operator})
    return None


def _stopped(observed: Observed) -> Phrase | None:
    problem = next((p for copy in (RIGHT, SCALED) if (p := _used(observed, copy).problem)), "")
    return Phrase(key="package stops", values={"what": plain(problem)}) if problem else None


def _gives(spec: Spec, observed: Observed, copy: str, factor: int) -> bool:
    """Whether the calls of a copy gave so many times the reference."""
    order = package_order(spec, spec.public_cases)
    assert order is not None, "the exercise asks for a package"
    cases, results = spec.public_cases[1:], _used(observed, copy).results
    seed = seed_of(observed.sha256)
    if len(results) != len(cases):
        return False
    for index, (case, result) in enumerate(zip(cases, results, strict=True)):
        inputs = drawn(order.wanted[index].inputs, seed + index)
        if not _is_near(spec.at(case), case, inputs, result.tensor(), factor):
            return False
    return True


def _is_near(
    spec: Spec, case: Case, tensors: list[torch.Tensor], result: torch.Tensor, factor: int
) -> bool:
    read = [p.name for p in spec.parameters if p.role == "in"]
    inputs = dict(zip(read, tensors, strict=True))
    output = spec.outputs[0]
    dtype = next(p.dtype for p in spec.parameters if p.name == output.name)
    reference = factor * evaluate(output.reference, inputs, case.binding)
    if result.shape != reference.shape or result.dtype != getattr(torch, dtype):
        return False
    bound = factor * evaluate(output.bound, inputs, case.binding)
    return compare(result, reference, bound, dtype).ok


def _tests(spec: Spec, observed: Observed) -> Phrase | None:
    """Whether the package's own tests pass, and see each planted fault."""
    right = observed.tested.get(RIGHT)
    if right is None or not (right.passed or right.failed):
        what = plain(right.said) if right is not None else ""
        return Phrase(key="no tests", values={"operator": spec.package.operator, "what": what})
    if right.failed:
        return Phrase(key="tests fail", values={"what": plain(right.said)})
    missed = next((c for c in COPIES[1:] if not observed.tested.get(c, Tested()).failed), "")
    return Phrase(key=f"tests miss {missed}") if missed else None


def _lines(spec: Spec, observed: Observed) -> Phrase | None:
    """Whether the model is the given one, but for two lines."""
    before = [line.rstrip() for line in model_text().splitlines()]
    after = [line.rstrip() for line in observed.model.splitlines()]
    changes = [line for line in difflib.ndiff(before, after) if line[:2] in ("+ ", "- ")]
    new = sum(line[0] == "+" and bool(line[2:].strip()) for line in changes)
    gone = sum(line[0] == "-" and bool(line[2:].strip()) for line in changes)
    if not new:
        return Phrase(key="model untouched")
    if new <= MOST_LINES and gone <= MOST_LINES:
        return None
    return Phrase(key="lines changed", values={"new": new, "gone": gone, "most": MOST_LINES})


def _model(spec: Spec, observed: Observed) -> Phrase | None:
    """Whether the logits are torch's, and follow the operator's kernel."""
    stopped = _registered(spec, observed) or _stopped(observed)
    if stopped is not None:
        return stopped
    names = {"package": spec.package.name, "operator": spec.package.operator}
    if spec.package.operator not in _used(observed, RIGHT).kernels:
        return Phrase(key="old operator", values=names)
    if (step := _wrong_step(spec, observed, RIGHT, 1)) is not None:
        return Phrase(key="logits differ", values={"step": step})
    if _wrong_step(spec, observed, SCALED, 2) is not None:
        return Phrase(key="logits blind", values=names)
    return None


def _wrong_step(spec: Spec, observed: Observed, copy: str, factor: int) -> int | None:
    """The first step whose logits are not those of a model with so many times the operator."""
    logits = _used(observed, copy).logits
    wanted = _logits(spec.package.operator, seed_of(observed.sha256), factor)
    if logits is None or logits.shape != tuple(wanted.shape):
        return 1
    errors = [float(row.abs().max()) for row in logits.tensor() - wanted]
    most = model_bound.MOST_ERROR * float(wanted.abs().max())
    return next((i + 1 for i, error in enumerate(errors) if not error <= most), None)


def _logits(operator: str, seed: int, factor: int) -> torch.Tensor:
    module: Any = swap.swapped_module(model_text())
    own: Callable[..., torch.Tensor] = getattr(torch_ops, operator)

    def several(*given: torch.Tensor) -> torch.Tensor:
        return own(*given) * factor

    module.ops = SimpleNamespace(**{**vars(torch_ops), operator: several})
    sizes = module.Sizes(seed=seed)
    return module.forced(module.Model(sizes), tokens_of(seed, sizes.vocabulary), START)


def _used(observed: Observed, copy: str) -> Used:
    return observed.used.get(copy, Used(problem="it was not used"))


RULES: Mapping[str, Callable[[Spec, Observed], Phrase | None]] = {
    "precompiled": _precompiled,
    "registered": _registered,
    "alone": _alone,
    "operator": _operator,
    "tests": _tests,
    "lines": _lines,
    "model": _model,
}
