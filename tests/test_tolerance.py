from __future__ import annotations

import pytest

from tlcourse.tolerance import tolerance


@pytest.mark.parametrize(
    ("dtype", "limit"),
    [("float16", 1e-3), ("bfloat16", 2e-2), ("float32", 1e-4), ("int32", 0.0), ("bool", 0.0)],
)
def test_tolerance_by_dtype(dtype: str, limit: float) -> None:
    assert tolerance(dtype) == limit
