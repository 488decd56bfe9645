"""Scalars wrap and round as MLIR's types do."""

from __future__ import annotations

import math

import pytest

from tlcourse.simulator import scalars


@pytest.mark.parametrize(
    ("value", "bits", "wanted"),
    [(2**31, 32, -(2**31)), (-1, 8, -1), (200, 8, -56), (2**40 + 5, 16, 5)],
)
def test_wrap(value: int, bits: int, wanted: int) -> None:
    assert scalars.wrap(value, bits) == wanted


@pytest.mark.parametrize(
    ("left", "right", "quotient", "rest"),
    [(7, 2, 3, 1), (-7, 2, -3, -1), (7, -2, -3, 1), (-7, -2, 3, -1)],
)
def test_division_cuts_towards_zero(left: int, right: int, quotient: int, rest: int) -> None:
    assert scalars.div(left, right) == quotient
    assert scalars.rem(left, right) == rest


def test_ceil_div() -> None:
    assert [scalars.ceil_div(n, 4) for n in (0, 1, 4, 5)] == [0, 1, 1, 2]


def test_unsigned() -> None:
    assert scalars.unsigned(-1, 32) == 2**32 - 1


def test_float_rounding() -> None:
    assert scalars.f16(2049.0) == 2048.0
    assert scalars.f16(1e6) == math.inf
    assert scalars.f32(0.1) != 0.1
    assert scalars.bf16(1.00390625) == 1.0
    assert scalars.bf16(math.inf) == math.inf


def test_float_division_and_extremes() -> None:
    assert scalars.divide(1.0, 0.0) == math.inf
    assert scalars.divide(-1.0, 0.0) == -math.inf
    assert math.isnan(scalars.divide(0.0, 0.0))
    assert scalars.divide(3.0, 2.0) == 1.5
    assert math.isnan(scalars.maximum(math.nan, 1.0))
    assert scalars.minimum(2.0, 1.0) == 1.0


def test_to_int() -> None:
    assert scalars.to_int(-1.9, 8) == -1
    assert scalars.to_int(1e9, 8) == 127
    assert scalars.to_int(math.nan, 8) == 0
