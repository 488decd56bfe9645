"""Integers per block: arithmetic, and the loops that give them."""

from __future__ import annotations

import pytest

from tlcourse.functional.blocks import Blocks

IDS = Blocks(tuple(range(8)))


def test_arithmetic_is_that_of_each_block() -> None:
    assert (IDS // 4).values == (0, 0, 0, 0, 1, 1, 1, 1)
    assert (IDS % 3 * 10 + 1).values == (1, 11, 21, 1, 11, 21, 1, 11)
    assert (7 - IDS).values == (7, 6, 5, 4, 3, 2, 1, 0)
    assert (2 * IDS - IDS).values == IDS.values
    assert (1 + IDS).values == tuple(range(1, 9))


@pytest.mark.parametrize(
    ("values", "loops"),
    [
        ((5, 5, 5), ()),
        ((5,), ()),
        ((3, 5, 7), ((3, 2),)),
        ((0, 1, 8, 9), ((2, 8), (2, 1))),
        ((0, 0, 4, 4, 8, 8), ((3, 4), (2, 0))),
        ((0, 1, 8), None),
        ((0, 1, 8, 10), None),
        ((3, 2, 1), None),
        ((0, 4, 2, 6), ((2, 2), (2, 4))),
    ],
)
def test_loops_that_give_the_values(
    values: tuple[int, ...], loops: tuple[tuple[int, int], ...] | None
) -> None:
    assert Blocks(values).lattice == loops
