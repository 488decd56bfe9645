"""Timetables: every id once, minutes that fit, and needs that can be met."""

from __future__ import annotations

from pathlib import Path

from tlcourse.build.source import read_source
from tlcourse.build.timetable import Item, Unit, read_timetables, wrong_needs
from tlcourse.grading.spec import known_ids, load

ROOT = Path(__file__).parents[2]


def course_items() -> list[Item]:
    """The lessons and exercises that are written."""
    paths = sorted((ROOT / "course").glob("day*/*.py"))
    headers = [read_source(path).header for path in paths]
    lessons = [
        Item(**{k: h[k] for k in ("id", "track", "minutes")}, needs=tuple(h["needs"]))
        for h in headers
    ]
    specs = [load(name) for name in known_ids()]
    exercises = [Item(id=s.id, track=s.track, minutes=s.minutes, needs=s.needs) for s in specs]
    return [*lessons, *exercises]


def test_what_is_written_stands_in_the_weeks() -> None:
    units = read_timetables(ROOT).units["twelve_weeks"]
    known = {one for unit in units for one in unit.ids}
    assert {item.id for item in course_items()} <= known


def test_core_needs_core_and_nothing_needs_itself() -> None:
    absent = "which is not there"
    assert [line for line in wrong_needs(course_items()) if absent not in line] == []


def test_twelve_weeks_hold_everything_once() -> None:
    units = read_timetables(ROOT).units["twelve_weeks"]
    named = [one for unit in units for one in unit.ids]
    assert len(named) == len(set(named)) == 36 + 43
    assert [unit.number for unit in units] == list(range(1, 13))


def test_days_and_evenings_name_only_what_the_weeks_name() -> None:
    units = read_timetables(ROOT).units
    known = {one for unit in units["twelve_weeks"] for one in unit.ids}
    for name in ("five_days", "five_evenings"):
        assert [unit.number for unit in units[name]] == [1, 2, 3, 4, 5]
        assert {one for unit in units[name] for one in unit.ids} <= known


def test_minutes_are_added_up() -> None:
    unit = Unit(number=1, lessons=("a",), lecture_cuts=("b",), exercises=("c",), at_home=("d",))
    table = {
        name: Item(id=name, track="core", minutes=minutes, needs=())
        for name, minutes in (("a", 30), ("b", 50), ("c", 20), ("d", 45))
    }
    assert unit.minutes(table, 15) == (30 + 15 + 20, 45)


def test_wrong_needs_are_named() -> None:
    found = wrong_needs(
        [
            Item(id="a", track="core", minutes=10, needs=("b", "x")),
            Item(id="b", track="more", minutes=10, needs=("c",)),
            Item(id="c", track="more", minutes=10, needs=("b",)),
        ]
    )
    assert found == [
        "a needs x, which is not there",
        "a is core and needs b, which is more",
        "b needs itself, by way of other items",
        "c needs itself, by way of other items",
    ]
