"""Lessons: one is run and watched, and one above its budgets is missed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tlcourse.bench.lessons import MOST_BYTES, LessonsReport, LessonTime, measure_lessons, typical

QUICK = LessonTime(name="a", seconds=10.0, peak_bytes=10**9)


@pytest.mark.slow
def test_a_lesson_is_run_in_a_kernel_of_its_own() -> None:
    (row,) = measure_lessons(1)
    assert row.name == "day1/00_first_kernel.ipynb"
    assert row.seconds > 0
    assert row.peak_bytes > 10**8  # a kernel with torch in it


def test_time_and_memory_have_a_budget() -> None:
    slow, large = replace(QUICK, seconds=60.1), replace(QUICK, peak_bytes=MOST_BYTES + 1)
    assert (QUICK.met, slow.met, large.met) == (True, False, False)


@pytest.mark.parametrize(("seconds", "met"), [((10.0, 30.0, 12.0), True), ((21.0, 22.0), False)])
def test_the_lesson_in_the_middle_is_quick(seconds: tuple[float, ...], met: bool) -> None:
    rows = tuple(replace(QUICK, seconds=one) for one in seconds)
    report = LessonsReport(machine={}, versions={}, measured=rows, typical_seconds=typical(rows))
    assert report.met is met
