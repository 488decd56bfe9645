"""The course's kernels through both back halves, compiled and run once for all tests."""

from __future__ import annotations

import pytest

from tlcourse.bench.back_halves import Pair, compare
from tlcourse.examples.course import COURSE


@pytest.fixture(scope="session")
def course_pairs(bishengir_opt) -> list[Pair]:
    return [compare(kernel) for kernel in COURSE]
