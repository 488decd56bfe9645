from dataclasses import replace

import pytest

from tlcourse.grading.authoring.guesses import KINDS, ROUNDED, Guess, guesses
from tlcourse.grading.spec import Spec, load


def with_bound(exercise: str, bound: str) -> Spec:
    """The exercise with another S for each output."""
    spec = load(exercise)
    return replace(spec, outputs=tuple(replace(one, bound=bound) for one in spec.outputs))


def test_a_sound_rule_rejects_every_kind_in_every_case() -> None:
    found = guesses(load("d2.softmax"))
    assert [guess.name for guess in found if not guess.ok] == []
    # No input of a softmax of rows is square, so a transposed result is no wrong answer of its.
    assert {guess.name for guess in found} == set(KINDS) - {"result transposed"}


def test_a_rule_that_is_too_wide_lets_them_pass() -> None:
    found = guesses(with_bound("d2.softmax", "torch.full_like(A, 1e9)"))
    passing = {guess.name for guess in found if not guess.ok}
    assert passing >= {"zeros", "mean", "factor forgotten", "operand turned"}
    assert "one NaN" not in passing


def test_a_wrong_answer_that_is_right_by_chance_is_not_tried() -> None:
    spec = load("d1.change_vadd")  # one of its cases has a single element
    (mean,) = [guess for guess in guesses(spec) if guess.name == "mean"]
    assert mean == Guess(name="mean", rejected=3, tried=3)


@pytest.mark.parametrize(("name", "ok"), [(ROUNDED, True), ("zeros", False)])
def test_early_rounding_alone_may_hide_in_some_cases(name: str, ok: bool) -> None:
    assert Guess(name=name, rejected=1, tried=2).ok is ok
