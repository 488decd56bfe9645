"""Errors, and pairs of variants."""

from __future__ import annotations

import pytest

from tlcourse.calibration.results import Predicted, errors_of, pairs_of, quantile
from tlcourse.calibration.rows import Row, Stand


def _one(measured: float, predicted: float, variant: str = "a", shape: str = "8") -> Predicted:
    stand = Stand(
        factory="lerp.lerp",
        mode="Developer",
        chip="Ascend910B2",
        by_hand=False,
        cold=False,
        described=False,
        rounds=1,
        parameters={"variant": variant[:1]},
    )
    row = Row(
        number=1,
        group="lerplog",
        kernel="lerp",
        variant=variant,
        shape=shape,
        dtype="float16",
        measured_us=measured,
        stand=stand,
    )
    return Predicted(row=row, microseconds=predicted)


def test_large_rows_count_by_share_and_small_ones_by_difference() -> None:
    rows = [_one(100, 110), _one(200, 190), _one(50, 80), _one(10, 11.4), _one(3, 5)]
    errors = errors_of(rows)
    assert (errors.large, errors.small, errors.near) == (3, 2, 1)
    assert errors.median == pytest.approx(0.1)
    assert errors.ninetieth == pytest.approx(0.1 + 0.8 * 0.5)
    assert errors.bias == pytest.approx(0.1)


def test_no_rows_have_no_error() -> None:
    assert errors_of([]).median == 0


def test_quantiles_lie_on_straight_lines() -> None:
    assert quantile([0.0, 1.0, 3.0], 0.5) == 1
    assert quantile([0.0, 1.0, 3.0], 0.75) == 2


def test_pairs_are_variants_of_one_case_that_differ_clearly() -> None:
    rows = [
        _one(100, 100, "a"),
        _one(109, 90, "b"),  # not 10 % away from a
        _one(150, 99, "c"),
        _one(300, 300, "d", shape="16"),
        _one(200, 1, "a again"),  # the same kernel as a
    ]
    pairs = pairs_of(rows)
    found = {(p.fast.row.variant, p.slow.row.variant, p.is_right) for p in pairs}
    assert found == {
        ("a", "c", False),
        ("b", "c", True),
        ("b", "a again", False),
        ("c", "a again", False),
    }


def test_a_name_in_front_of_a_shape_makes_no_other_case() -> None:
    rows = [_one(100, 1, "a", "w2 780m: B=1"), _one(200, 2, "b", "w2: B=1")]
    assert len(pairs_of(rows)) == 1
