"""What like blocks touch in GM, moved on from block to block."""

from __future__ import annotations

from itertools import combinations
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tlcourse.simulator.footprints import Footprint, footprints
from tlcourse.simulator.lanes import LaneGroup
from tlcourse.simulator.memory import Memory, in_gm
from tlcourse.simulator.tile import Tile

COLUMNS = 12


def memory() -> Memory:
    return in_gm("X", torch.zeros(20 * COLUMNS))


def box(where: Memory, row: int, column: int, rows: int, columns: int) -> Tile:
    return Tile(where, "float32", 0, row * COLUMNS + column, (rows, columns), (COLUMNS, 1))


def footprint(where: Memory, shifts: list[int], *, reads: object = (), writes: object = ()):
    numbers = np.array(shifts) * 4
    made = Footprint(memory=where, shifts=numbers)
    made.reads += reads
    made.writes += writes
    return made


@pytest.mark.parametrize(
    ("shifts", "apart"),
    [
        ([0, 2 * COLUMNS, 4 * COLUMNS], True),
        ([0, COLUMNS], False),  # the second row of one is the first of the other
        ([0, 4, 8], True),  # side by side
        ([0, 3], False),
        ([0, 4, 8, 2 * COLUMNS, 2 * COLUMNS + 4], True),
        ([7, 7], False),
        ([0], True),
    ],
)
def test_boxes(shifts: list[int], apart: bool) -> None:
    where = memory()
    assert footprint(where, shifts, writes=[box(where, 0, 0, 2, 4)]).is_apart() is apart


def test_reads_may_meet_but_not_what_is_written() -> None:
    where = memory()
    halo, row = box(where, 0, 0, 3, 4), box(where, 1, 0, 1, 4)
    assert footprint(where, [0, COLUMNS], reads=[halo]).is_apart()
    assert not footprint(where, [0, COLUMNS], reads=[halo], writes=[row]).is_apart()
    assert footprint(where, [0, 3 * COLUMNS], reads=[halo], writes=[row]).is_apart()


def test_units_that_a_block_writes() -> None:
    where = memory()
    tiles = [box(where, 0, 0, 2, 4), box(where, 1, 2, 2, 4)]
    assert footprint(where, [0], writes=tiles).written() == 8 + 8 - 2


@settings(deadline=None)
@given(
    shifts=st.lists(st.integers(0, 9 * COLUMNS), min_size=1, max_size=5),
    shape=st.tuples(st.integers(1, 4), st.integers(1, 5)),
    read=st.tuples(st.integers(1, 4), st.integers(1, 5)),
)
def test_against_sets(shifts: list[int], shape: tuple[int, int], read: tuple[int, int]) -> None:
    where = memory()
    write, seen = box(where, 0, 1, *shape), box(where, 1, 0, *read)
    made = footprint(where, shifts, reads=[seen], writes=[write])
    sets = [
        [
            {
                row * COLUMNS + column + shift
                for row in range(top, top + rows)
                for column in range(left, left + columns)
            }
            for top, left, rows, columns in ((0, 1, *shape), (1, 0, *read))
        ]
        for shift in shifts
    ]
    meets = any(
        mine[0] & (its[0] | its[1]) or its[0] & mine[1] for mine, its in combinations(sets, 2)
    )
    assert made.is_apart() is not meets


def issued(*, reads: object = (), writes: object = ()) -> Any:
    return SimpleNamespace(reads=reads, writes=writes)


def lanes_tile(where: Memory, step: int) -> Tile:
    """Row `step` * block of the tensor."""
    offset = LaneGroup((0, 1, 2)).numbers() * (step * COLUMNS)
    return Tile(where, "float32", 0, offset, (1, COLUMNS), (COLUMNS, 1))


def test_accesses_that_move_as_one_are_a_footprint() -> None:
    where = memory()
    launch = cast(Any, SimpleNamespace(written=(where,)))
    store = issued(writes=(lanes_tile(where, 2),))
    (found,) = footprints([store], launch, 3) or ()
    assert found.shifts.tolist() == [0, 2 * COLUMNS * 4, 4 * COLUMNS * 4]
    assert footprints([store, issued(reads=(lanes_tile(where, 2),))], launch, 3)
    assert footprints([store, issued(reads=(lanes_tile(where, 1),))], launch, 3) is None


def test_a_block_that_leaves_the_tensor_is_no_footprint() -> None:
    where, launch = memory(), cast(Any, SimpleNamespace(written=()))
    assert footprints([issued(reads=(lanes_tile(where, 9),))], launch, 3) == []
    assert footprints([issued(reads=(lanes_tile(where, 10),))], launch, 3) is None
    assert footprints([issued(reads=(lanes_tile(where, -1),))], launch, 3) is None
