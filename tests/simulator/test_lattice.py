"""Loops over the blocks give back the distances that they were found from."""

from __future__ import annotations

import numpy as np
import pytest

from tlcourse.simulator.lattice import loops_of, split


@pytest.mark.parametrize(
    ("shifts", "loops"),
    [
        ([0], ((1, 0),)),
        ([5, 5, 5], ((3, 0),)),
        ([2, 6, 10], ((3, 4),)),
        ([0, 1, 8, 9], ((2, 8), (2, 1))),
        ([0, 0, 4, 4, 8, 8], ((3, 4), (2, 0))),
        ([0, 4, 8, 0, 4, 8], ((2, 0), (3, 4))),
        ([9, 6, 3], ((3, -3),)),
        ([0, 1, 3, 4, 7], None),
        ([0, 1, 8, 10], None),
    ],
)
def test_loops(shifts: list[int], loops: object) -> None:
    assert loops_of(np.array(shifts)) == loops


def test_a_given_inner_loop() -> None:
    assert split(np.arange(6) * 4, 3) == ((2, 12), (3, 4))
    assert split(np.arange(6) * 4, 4) is None
    assert split(np.array([0, 1, 8, 9]), 2) == ((2, 8), (2, 1))
    assert split(np.array([0, 1, 2, 9]), 2) is None
