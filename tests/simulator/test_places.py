"""The last accesses by places are those of the units that two tiles have in common."""

from __future__ import annotations

import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tlcourse.simulator.marks import Marks
from tlcourse.simulator.memory import Memory
from tlcourse.simulator.places import Places
from tlcourse.simulator.tile import Tile


def memory() -> Memory:
    return Memory(name="UB", space="ub", data=torch.zeros(4096, dtype=torch.uint8))


@st.composite
def tiles(draw: st.DrawFn) -> tuple[int, int, tuple[int, int], int]:
    rows, columns = draw(st.integers(1, 5)), draw(st.integers(1, 30))
    return (
        draw(st.integers(0, 60)) * 8,
        draw(st.integers(0, 3)),
        (rows, columns),
        columns + draw(st.integers(0, 40)),
    )


@settings(deadline=None)
@given(drawn=st.lists(tiles(), min_size=2, max_size=12))
def test_as_if_each_unit_had_a_mark(drawn: list[tuple[int, int, tuple[int, int], int]]) -> None:
    where = memory()
    places, marks = Places(where), Marks(where)
    for epoch, (base, offset, sizes, stride) in enumerate(drawn, 1):
        tile = Tile(where, "float16", base, offset, sizes, (stride, 1))
        place = places.of(tile)
        last = max((near.write.get(0, 0) for near in place.near), default=0)
        assert last == int(marks.of(tile).max())
        place.write[0] = epoch
        marks.fill(tile, epoch)


def test_a_place_is_found_again() -> None:
    where = memory()
    places = Places(where)
    first = places.of(Tile(where, "float32", 0, 0, (8,), (1,)))
    assert places.of(Tile(where, "float32", 0, 0, (8,), (1,))) is first
    assert places.of(Tile(where, "float32", 32, 0, (8,), (1,))) is not first
    assert first.near == [first]
