"""The search for constants."""

from __future__ import annotations

import math

import pytest

from tlcourse.calibration.fitting import STEPS, Fitter, row_loss, search, start
from tlcourse.chips import Constant, constants


def _constant(value: float, low: float, high: float, fitted: bool = True) -> Constant:
    return Constant(value=value, unit="ns", low=low, high=high, fitted=fitted, source="here")


TABLE = {"x": _constant(1, 0, 16), "y": _constant(8, 0, 16), "z": _constant(3, 0, 16, False)}


def _distance(values, x: float = 11, y: float = 5) -> float:
    here = {name: values.get(name, constant.value) for name, constant in TABLE.items()}
    return abs(here["x"] - x) + abs(here["y"] - y) + abs(here["z"] - 1)


def test_the_search_finds_the_least_loss() -> None:
    found = search(_distance, ["x", "y"], {}, table=TABLE)
    assert found["x"] == pytest.approx(11, abs=0.3)
    assert found["y"] == pytest.approx(5, abs=0.3)


def test_a_constant_stays_in_its_range_and_a_certain_one_as_it_is() -> None:
    found = search(lambda values: _distance(values, x=40), ["x", "y", "z"], {}, table=TABLE)
    assert found["x"] == 16
    assert "z" not in found


def test_two_searches_find_the_same() -> None:
    runs = [search(_distance, ["y", "x"], {"x": 2.0}, table=TABLE) for _ in range(2)]
    assert runs[0] == runs[1]


def test_small_times_count_by_their_difference() -> None:
    assert row_loss(30, 20) == pytest.approx(math.log(1.5))
    assert row_loss(20, 30) == pytest.approx(math.log(1.5))
    assert row_loss(4.5, 3.0) == pytest.approx(0.1)


def test_steps_name_constants_that_can_be_chosen() -> None:
    for step in STEPS:
        assert all(constants()[name].fitted for name in step.names)


def test_a_step_without_its_families_is_passed_over() -> None:
    seen = []

    def losses(families, looks_at):
        seen.append((families, looks_at))
        return lambda values: abs(values["launch_cube"] - 3)

    found = Fitter(losses).fit(["gemm"])
    assert seen == [(("gemm",), "times")]
    assert found["launch_cube"] == pytest.approx(3, abs=0.3)
    assert found["launch_mix"] == start()["launch_mix"]


def test_what_was_searched_once_is_not_searched_again() -> None:
    seen = []

    def losses(families, looks_at):
        seen.append(families)
        return lambda values: 0.0

    fitter = Fitter(losses)
    fitter.fit(["gemm", "ssd"])
    fitter.fit(["gemm"])
    assert seen == [("gemm",), ("ssd",), ("ssd",)]  # two steps look at the scan


def test_a_fit_begins_at_the_same_place_whatever_the_table_says() -> None:
    table = constants()
    for name, value in start().items():
        assert value == table[name].low
