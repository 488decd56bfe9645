"""Counters of cross-core flags."""

from __future__ import annotations

from tlcourse.functional.flags import Flags, other


def test_cube_raises_for_both_vector_cores() -> None:
    flags = Flags()
    flags.set("cube", 0, 4, place=7)
    assert flags.take("vector", 0, 4)
    assert not flags.take("vector", 0, 4)
    assert flags.take("vector", 1, 4)
    assert list(flags.left()) == []


def test_cube_waits_for_both_vector_cores() -> None:
    flags = Flags()
    flags.set("vector", 0, 4, place=1)
    flags.set("vector", 0, 4, place=1)
    assert not flags.take("cube", 0, 4)
    flags.set("vector", 1, 4, place=2)
    assert flags.take("cube", 0, 4)
    assert list(flags.left()) == [("cube", 4, 1)]
    assert flags.raised["vector", 4] == 3
    assert flags.places["cube", 4] == 2


def test_ids_and_directions_are_apart() -> None:
    flags = Flags()
    flags.set("cube", 0, 0, place=0)
    assert not flags.take("cube", 0, 0)
    assert not flags.take("vector", 0, 1)
    assert other("cube") == "vector"
    assert other("vector") == "cube"
