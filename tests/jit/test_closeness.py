"""When two tensors are close enough. NaN never is, unless it stands on both sides."""

from __future__ import annotations

import math

import pytest
import torch

from tlcourse.jit.closeness import MismatchError, assert_close


def test_close_enough() -> None:
    assert_close(torch.tensor([1.0, 2.0]), torch.tensor([1.009, 2.0]), rtol=0, atol=1e-2)


def test_other_dtypes_and_places_are_compared_by_value() -> None:
    assert_close(torch.ones(3, dtype=torch.float16).npu(), torch.ones(3))


def test_message_names_the_first_and_the_greatest() -> None:
    got, wanted = torch.zeros(2, 2), torch.tensor([[0.0, 1.0], [0.0, -3.0]])
    with pytest.raises(MismatchError) as caught:
        assert_close(got, wanted, name="C")
    assert caught.value.code == "TL435"
    assert "2 of 4 elements of C" in caught.value.diagnostic.what
    assert "at [0, 1]: 0 instead of 1" in caught.value.diagnostic.what
    assert "the greatest difference is 3" in caught.value.diagnostic.why


@pytest.mark.parametrize(("allowed", "passes"), [(0.25, True), (0.24, False)])
def test_a_part_may_differ(allowed: float, passes: bool) -> None:
    got, wanted = torch.tensor([9.0, 1, 1, 1]), torch.ones(4)
    if passes:
        assert_close(got, wanted, max_mismatched_ratio=allowed)
        return
    with pytest.raises(AssertionError):
        assert_close(got, wanted, max_mismatched_ratio=allowed)


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_nan_and_infinity_never_pass(value: float) -> None:
    got = torch.ones(1000)
    got[7] = value
    with pytest.raises(MismatchError, match=r"the first at \[7\]"):
        assert_close(got, torch.ones(1000), max_mismatched_ratio=0.5)
    assert_close(got, got.clone())


def test_shapes_must_agree() -> None:
    with pytest.raises(MismatchError, match=r"shape \(2,\), the reference \(2, 1\)"):
        assert_close(torch.ones(2), torch.ones(2, 1))


def test_empty_tensors_are_equal() -> None:
    assert_close(torch.ones(0, 3), torch.ones(0, 3))
