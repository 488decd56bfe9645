"""Conversions of tiles: the cases where dtypes, limits and round modes meet."""

from __future__ import annotations

import math

import pytest
import torch

from tlcourse.tile_casts import converted


def test_nan_is_not_zero_and_becomes_the_integer_0() -> None:
    src = torch.tensor([math.nan, 0.0, -0.0, 0.3])
    assert converted(src, torch.bool).tolist() == [True, False, False, True]
    assert converted(src, torch.int32).tolist() == [0, 0, 0, 0]


def test_the_largest_float_below_one_half_rounds_to_0() -> None:
    below = torch.tensor([0.49999997, -0.49999997])
    assert converted(below, torch.int32, "round").tolist() == [0, 0]


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("rint", [2**24, 2**24 + 4]),
        ("round", [2**24 + 2, 2**24 + 4]),
        ("floor", [2**24, 2**24 + 2]),
        ("ceil", [2**24 + 2, 2**24 + 4]),
        ("trunc", [2**24, 2**24 + 2]),
    ],
)
def test_integers_become_floats_by_the_mode(mode: str, expected: list[int]) -> None:
    src = torch.tensor([2**24 + 1, 2**24 + 3], dtype=torch.int32)
    assert converted(src, torch.float32, mode).tolist() == expected
    negative = {"floor": "ceil", "ceil": "floor"}.get(mode, mode)
    assert converted(-src, torch.float32, negative).tolist() == [-x for x in expected]


def test_low_bits_stay_where_overflow_is_wanted() -> None:
    src = torch.tensor([300, -300, 7], dtype=torch.int32)
    assert converted(src, torch.int8).tolist() == [127, -128, 7]
    assert converted(src, torch.int8, "truncwithoverflow").tolist() == [44, -44, 7]
