"""Wrong answers and symptoms that a spec names: which of them an output has."""

from __future__ import annotations

from collections.abc import Mapping

import torch

from tlcourse.grading.inputs import evaluate
from tlcourse.grading.numbers import Comparison
from tlcourse.grading.spec import Case, Spec, Suspect, Symptom


def suspected(
    spec: Spec,
    case: Case,
    inputs: Mapping[str, torch.Tensor],
    results: Mapping[str, torch.Tensor],
    comparisons: Mapping[str, Comparison],
) -> Suspect | None:
    """The first suspect that a wrong output equals; its NaN stands for what was never written."""
    for suspect in spec.suspects:
        if comparisons[suspect.name].ok:
            continue
        value = evaluate(suspect.value, inputs, case.binding).expand_as(results[suspect.name])
        # Where its formula is zero for these shapes, a suspect says nothing.
        if value.any() and _is_near(results[suspect.name], value):
            return suspect
    return None


def symptom(spec: Spec, comparisons: Mapping[str, Comparison]) -> Symptom | None:
    """What the spec says of the elements that are wrong."""
    for one in spec.symptoms:
        where = comparisons[one.name].where
        if where is not None and where.key in one.where:
            return one
    return None


def _is_near(result: torch.Tensor, value: torch.Tensor) -> bool:
    scale = value.abs() + value.abs().nanmean()
    is_close = (result.double() - value).abs() <= 1e-3 * scale
    return bool(torch.where(value.isnan(), result.isnan(), is_close).all())
