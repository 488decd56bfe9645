"""Inputs of a case: the same for one secret, of the asked distribution, shifted where asked."""

from __future__ import annotations

import torch

from tlcourse.grading.inputs import draw
from tlcourse.grading.spec import load


def test_inputs_depend_on_the_secret_alone() -> None:
    spec = load("d2.minicv")
    first, again, other = (draw(spec, spec.cases[0], key) for key in (b"a", b"a", b"b"))
    assert all(torch.equal(first[name], again[name]) for name in ("A", "B"))
    assert not torch.equal(first["A"], other["A"])


def test_a_shift_moves_every_value() -> None:
    spec = load("d2.softmax")
    values = draw(spec, spec.cases[0])["A"]
    assert values.dtype == torch.float32
    assert abs(values.mean().item() - 300) < 0.1
    assert 290 < values.min().item() < values.max().item() < 310


def test_steps_are_halves_and_many_are_0() -> None:
    spec = load("d2.sigmoid_where")  # twice that, so whole numbers
    values = draw(spec, spec.cases[0])["X"]
    assert torch.equal(values, values.round())
    assert 0.1 < (values == 0).double().mean().item() < 0.3


def test_uniform_values_lie_between_0_and_1() -> None:
    spec = load("d1.largest_tile")
    values = draw(spec, spec.cases[0])["C"]
    assert 0 <= values.min().item() < 0.1 < 0.9 < values.max().item() < 1
