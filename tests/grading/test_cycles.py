"""Points for cycles: equal ratios are worth the same, and wrong work earns nothing."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tlcourse.grading.cycles import cycles_check, share
from tlcourse.grading.spec import load


@pytest.mark.parametrize(
    ("seen", "earned"), [(400, 0.0), (200, 0.5), (100, 1.0), (50, 1.0), (800, 0.0), (0, 0.0)]
)
def test_share_goes_by_ratios(seen: int, earned: float) -> None:
    assert share(seen, 400, 100) == pytest.approx(earned)


@pytest.mark.parametrize(
    ("seen", "is_clean", "state", "points"),
    [
        (100, True, "PASS", 3.0),
        (200, True, "PARTIAL", 1.5),
        (400, True, "FAIL", 0.0),
        (100, False, "TODO", 0.0),
    ],
)
def test_check(seen: int, is_clean: bool, state: str, points: float) -> None:
    spec = load("d4.fill_bubbles")
    case = replace(spec.cases[0], slow_cycles=400, fast_cycles=100)
    uncounted = replace(spec.cases[1], fast_cycles=0)
    timed = [(case, seen), (uncounted, 10**6)]
    found = cycles_check(spec, timed, is_clean=is_clean, language="en")
    assert (found.state, found.points, found.max_points) == (state, points, 3.0)
