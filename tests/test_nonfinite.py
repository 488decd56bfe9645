"""The look at outputs, and the words for the first inf or NaN."""

from __future__ import annotations

import math

import pytest
import torch

from tlcourse.nonfinite import is_left_in, words, worst, worst_number


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
@pytest.mark.parametrize(
    ("number", "kind"), [(1.0, 0), (math.inf, 1), (-math.inf, 1), (math.nan, 2)]
)
def test_worst_number_of_a_tensor(dtype: torch.dtype, number: float, kind: int) -> None:
    tile = torch.zeros(4, 8, dtype=dtype)
    tile[2, 3] = number
    assert worst(tile) == kind == worst_number(number)
    assert is_left_in(tile) == (kind > 0)
    tile[0, 0], tile[0, 1] = -math.inf, math.nan
    assert worst(tile) == 2


def test_what_holds_no_floats_or_nothing_is_fine() -> None:
    for value in (3.0, torch.full((4,), 7), torch.zeros(0), torch.zeros(0, 3)):
        assert not is_left_in(value)
    assert worst(torch.ones(2, dtype=torch.int8)) == 0


def test_large_numbers_with_an_infinite_sum_are_finite() -> None:
    assert not is_left_in(torch.full((64,), torch.finfo(torch.float32).max))


@pytest.mark.parametrize("at", [0, 2**20 - 2**14, -1])
def test_large_outputs_are_looked_at_in_parts(at: int) -> None:
    """The first part of each of 64 stretches is seen; the very end is not."""
    large = torch.zeros(2**20)
    large[at] = math.nan
    assert is_left_in(large) == (at >= 0)


def test_words_name_the_kind_and_the_range() -> None:
    what, why, _, label = words(1, torch.float16, "in block 3", ("Y", "Z"))
    assert what == "the first inf of this launch arises in block 3; inf or NaN is left in Y and Z"
    assert "float16 holds numbers up to 65,504" in why
    assert label == "inf is stored here first"
    what, why, _, label = words(2, torch.float32, "in block 0", ("Y",))
    assert (what[:13], label) == ("the first NaN", "NaN is stored here first")
    assert "inf - inf" in why
