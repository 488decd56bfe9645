"""The three timetables of course/tracks.toml, and what lessons and exercises need.

Minutes stand in the header of a lesson and in the spec of an exercise; nothing is written twice.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

TIMETABLES = ("five_days", "five_evenings", "twelve_weeks")
_TRACKS = ("core", "more", "deep")


@dataclass(frozen=True, kw_only=True)
class Item:
    """A lesson or an exercise: how long it takes, for whom, and what comes before it."""

    id: str
    track: str
    minutes: int
    needs: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Unit:
    """A day, an evening or a week."""

    number: int
    lessons: tuple[str, ...]
    lecture_cuts: tuple[str, ...]
    exercises: tuple[str, ...]
    at_home: tuple[str, ...]

    @property
    def ids(self) -> tuple[str, ...]:
        """All that it names."""
        return (*self.lessons, *self.lecture_cuts, *self.exercises, *self.at_home)

    def minutes(self, items: Mapping[str, Item], cut_minutes: int) -> tuple[int, int]:
        """Minutes in class and at home; lecture cuts count `cut_minutes` each."""
        in_class = sum(items[one].minutes for one in (*self.lessons, *self.exercises))
        at_home = sum(items[one].minutes for one in self.at_home)
        return in_class + cut_minutes * len(self.lecture_cuts), at_home


@dataclass(frozen=True, kw_only=True)
class Timetables:
    """course/tracks.toml."""

    cut_minutes: int
    units: Mapping[str, tuple[Unit, ...]]


def read_timetables(root: Path) -> Timetables:
    """The timetables of a checkout."""
    data = tomllib.loads((root / "course" / "tracks.toml").read_text(encoding="utf-8"))
    return Timetables(
        cut_minutes=int(data["lecture_cut_minutes"]),
        units={name: tuple(_unit(row) for row in data[name]) for name in TIMETABLES},
    )


def wrong_needs(items: Iterable[Item]) -> list[str]:
    """What does not hold among needs: unknown ids, core items that need others, circles."""
    known = {item.id: item for item in items}
    return [
        problem
        for item in known.values()
        for problem in (*_unknown(item, known), *_deeper(item, known), *_circle(item, known))
    ]


def _unit(row: dict[str, Any]) -> Unit:
    def ids(name: str) -> tuple[str, ...]:
        return tuple(cast(list[str], row.get(name, [])))

    return Unit(
        number=int(row.get("day", row.get("week", 0))),
        lessons=ids("lessons"),
        lecture_cuts=ids("lecture_cuts"),
        exercises=ids("exercises"),
        at_home=ids("at_home"),
    )


def _unknown(item: Item, known: Mapping[str, Item]) -> list[str]:
    return [
        f"{item.id} needs {need}, which is not there" for need in item.needs if need not in known
    ]


def _deeper(item: Item, known: Mapping[str, Item]) -> list[str]:
    """A core item needs only core items."""
    if item.track != _TRACKS[0]:
        return []
    others = [known[need] for need in item.needs if need in known]
    return [
        f"{item.id} is core and needs {other.id}, which is {other.track}"
        for other in others
        if other.track != _TRACKS[0]
    ]


def _circle(item: Item, known: Mapping[str, Item]) -> list[str]:
    seen: set[str] = set()
    todo = list(item.needs)
    while todo:
        name = todo.pop()
        if name == item.id:
            return [f"{item.id} needs itself, by way of other items"]
        if name in known and name not in seen:
            seen.add(name)
            todo += known[name].needs
    return []
