"""Wrong answers that a spec names, and results that equal them or nearly do."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from tlcourse.grading.numbers import compare
from tlcourse.grading.spec import load
from tlcourse.grading.spec_parts import Symptom
from tlcourse.grading.suspects import suspected, symptom

SPEC = replace(
    load("d1.change_vadd"),
    suspects=tuple(
        replace(load("d1.change_vadd").suspects[0], name="C", value=value, cause=value)
        for value in ("A * (N - 4)", "(A + B).masked_fill(torch.arange(N) >= N - 1, torch.nan)")
    ),
)
CASE = replace(SPEC.cases[0], binding={"N": 4})
A, B = torch.tensor([1.0, 2.0, 3.0, 4.0]), torch.tensor([1.0, 1.0, 2.0, 0.0])


def cause(values: list[float]) -> str | None:
    result = torch.tensor(values)
    compared = compare(result, (A + 3 * B).double(), A.abs().double(), "float32")
    found = suspected(SPEC, CASE, {"A": A, "B": B}, {"C": result}, {"C": compared})
    return found.cause if found is not None else None


@pytest.mark.parametrize("last", [float("nan"), 4.0])
def test_nan_in_a_suspect_stands_for_what_was_never_written(last: float) -> None:
    # 1e-4 beside the suspect is near: who lost a row may have rounded the others early, too.
    is_lost = last != last
    assert cause([2.0, 3.0, 5.0001, last]) == (SPEC.suspects[1].cause if is_lost else None)


def test_one_that_is_zero_for_these_shapes_says_nothing() -> None:
    assert cause([0.0, 0.0, 0.0, 0.0]) is None


def test_a_right_result_has_no_suspect() -> None:
    assert cause([4.0, 5.0, 9.0, 4.0]) is None


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ((slice(64, None), slice(None)), "rows"),
        ((slice(None), slice(96, None)), "columns"),
        ((slice(None), slice(None)), "all"),
        ((slice(0, 1), slice(0, 1)), None),
    ],
)
def test_a_symptom_is_named_by_where_the_wrong_elements_stand(
    wrong: tuple[slice, slice], named: str | None
) -> None:
    table = {"rows": ("last rows",), "columns": ("last columns",), "all": ("all", "nearly all")}
    symptoms = tuple(Symptom(name="C", where=w, cause=c, cause_zh=c) for c, w in table.items())
    want = torch.randn(100, 100, generator=torch.Generator().manual_seed(0)).double()
    got = want.clone()
    got[wrong] += torch.linspace(1, 2, 100).double()[: got[wrong].shape[1]]
    for place in ((70, 3), (5, 97)):  # right by chance, which is no part of the pattern
        got[place] = want[place] if named == "all" else got[place]
    compared = compare(got.float(), want, want.abs(), "float32")
    found = symptom(replace(SPEC, symptoms=symptoms), {"C": compared})
    assert (found.cause if found is not None else None) == named
