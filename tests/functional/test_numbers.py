"""Scalar arithmetic against torch."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tlcourse.functional import numbers

FLOATS = st.floats(allow_nan=False, width=64)


def same(left: float, right: float) -> bool:
    return left == right or (math.isnan(left) and math.isnan(right))


@given(FLOATS)
def test_rounding_to_each_dtype(value: float) -> None:
    assert same(numbers.f32(value), torch.tensor(value, dtype=torch.float64).float().item())
    wide = torch.tensor(numbers.f32(value))
    assert same(numbers.bf16(value), wide.bfloat16().item())
    assert same(numbers.f16(wide.item()), wide.half().item())


@pytest.mark.parametrize(
    ("value", "nearest"),
    [(1 + 2**-8, 1.0), (1 + 3 * 2**-8, 1 + 2**-6), (-1 - 2**-8, -1.0), (3.4e38, math.inf)],
)
def test_ties_of_bfloat16_go_to_even(value: float, nearest: float) -> None:
    assert numbers.bf16(value) == nearest


@given(st.integers(-(2**70), 2**70))
def test_wrapping(value: int) -> None:
    assert numbers.wrap(value, 8) == (value + 128) % 256 - 128
    assert numbers.wrap(value, 32) == (value + 2**31) % 2**32 - 2**31
    assert numbers.unsigned(value, 16) == value % 65536


@given(st.integers(-50, 50), st.integers(-50, 50).filter(bool))
def test_division_of_integers_cuts_towards_zero(left: int, right: int) -> None:
    tile = torch.tensor([left])
    assert numbers.truncated_div(left, right) == tile.div(right, rounding_mode="trunc").item()
    assert numbers.truncated_mod(left, right) == math.fmod(left, right)


@given(
    st.sampled_from([0.0, -0.0, 1.0, -2.0, math.inf, -math.inf, math.nan]),
    st.sampled_from([0.0, -0.0, 3.0, -3.0, math.inf, math.nan]),
)
def test_floats_at_the_edges(left: float, right: float) -> None:
    a, b = torch.tensor(left), torch.tensor(right)
    assert same(numbers.f32(numbers.divide(left, right)), (a / b).item())
    assert same(numbers.maximum(left, right), torch.maximum(a, b).item())
    assert same(numbers.minimum(left, right), torch.minimum(a, b).item())


@pytest.mark.parametrize("name", ["exp", "exp2", "log", "log2", "sqrt", "rsqrt"])
@pytest.mark.parametrize("value", [-1e4, -1.5, 0.0, 0.25, 3.0, 1e4, math.inf])
def test_functions(name: str, value: float) -> None:
    found = numbers.f32(getattr(numbers, name)(value))
    expected = getattr(torch, name)(torch.tensor(value)).item()
    assert same(found, expected) or found == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize(
    ("value", "signed", "unsigned"),
    [(2.9, 2, 2), (-2.9, -2, 0), (1e9, 127, 255), (-1e9, -128, 0), (math.nan, 0, 0)],
)
def test_floats_to_integers(value: float, signed: int, unsigned: int) -> None:
    assert numbers.to_int(value, 8) == signed
    assert numbers.to_unsigned(value, 8) == unsigned
