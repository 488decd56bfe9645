"""Which points of knowledge the lessons teach, and where.

docs/knowledge_points.csv lists the points and the lessons that are to teach them. A cell that
does something with a point bears the tag `kp:K045`. A point is `taught` where a code cell bears
its tag (it runs, shows or asks), `named` where only prose does, else `absent`.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tlcourse.build.source import Source, not_a_source

State = Literal["taught", "named", "absent"]
TABLE = Path("docs/knowledge_points.csv")
PAGE = Path("docs/coverage.md")


@dataclass(frozen=True, kw_only=True)
class Point:
    """A row of the table: a point of knowledge and who is to teach it."""

    id: str
    section: str
    text: str
    lessons: tuple[str, ...]
    exercises: tuple[str, ...]
    is_core: bool


@dataclass(frozen=True, kw_only=True)
class Coverage:
    """A point and the cells that bear its tag, as `d2.fusion#run_first`."""

    point: Point
    shown: tuple[str, ...]
    said: tuple[str, ...]

    @property
    def state(self) -> State:
        """Taught by a code cell, named in prose, or absent."""
        return "taught" if self.shown else "named" if self.said else "absent"

    @property
    def fails(self) -> bool:
        """A core point that is not taught."""
        return self.point.is_core and self.state != "taught"


def read_points(root: Path) -> tuple[Point, ...]:
    """The table of a checkout."""
    with (root / TABLE).open(encoding="utf-8", newline="") as file:
        return tuple(_point(row) for row in csv.DictReader(file))


def coverage(points: Sequence[Point], lessons: Sequence[Source]) -> tuple[Coverage, ...]:
    """Looks for each point in the cells of the lessons.

    Raises:
        TL801: a tag names no point, or a point that another lesson is to teach.
    """
    by_id = {point.id: point for point in points}
    shown: dict[str, list[str]] = {point.id: [] for point in points}
    said: dict[str, list[str]] = {point.id: [] for point in points}
    for lesson in lessons:
        for cell in lesson.cells_in("en"):
            for tag in cell.tags:
                kind, _, name = tag.partition(":")
                if kind == "kp":
                    _check_tag(lesson, name, by_id)
                    where = shown if cell.kind == "code" else said
                    where[name].append(f"{lesson.id}#{cell.stem}")
    return tuple(
        Coverage(point=point, shown=tuple(shown[point.id]), said=tuple(said[point.id]))
        for point in points
    )


def page(covered: Sequence[Coverage]) -> str:
    """docs/coverage.md: counts, what is missing, then a row for each point."""
    return "\n".join([_HEAD, *_counts(covered), "", *_missing(covered), "", *_rows(covered), ""])


def summary(covered: Sequence[Coverage]) -> str:
    """One line: how many points are taught, named and absent, and how many core ones fail."""
    states = [one.state for one in covered]
    failing = sum(one.fails for one in covered)
    return (
        f"{len(covered)} points: {states.count('taught')} taught, {states.count('named')} only "
        f"named, {states.count('absent')} absent; {failing} core points are not taught"
    )


_HEAD = """# What the lessons teach

Made by `tlcourse build`. A point is taught where a code cell does something with it, named where
only prose speaks of it, absent where no lesson does. The points stand in
[knowledge_points.csv](knowledge_points.csv).
"""


def _check_tag(lesson: Source, name: str, by_id: dict[str, Point]) -> None:
    if name not in by_id:
        raise not_a_source(lesson.path, f"the tag kp:{name} names no point of {TABLE.name}")
    if lesson.id not in by_id[name].lessons:
        others = ", ".join(by_id[name].lessons)
        raise not_a_source(lesson.path, f"{name} is taught by {others}, not by {lesson.id}")


def _point(row: dict[str, str]) -> Point:
    return Point(
        id=row["id"],
        section=row["section"],
        text=row["point"],
        lessons=tuple(row["lesson"].split(";")),
        exercises=tuple(filter(None, row["exercise"].split(";"))),
        is_core=row["core"] == "yes",
    )


def _counts(covered: Sequence[Coverage]) -> list[str]:
    def count(state: State, is_core: bool) -> int:
        return sum(one.state == state and one.point.is_core == is_core for one in covered)

    states: tuple[State, ...] = ("taught", "named", "absent")
    rows = [
        f"| {name} | " + " | ".join(str(count(state, core)) for state in states) + " |"
        for name, core in (("core", True), ("other", False))
    ]
    return ["| points | taught | only named | absent |", "|---|---:|---:|---:|", *rows]


def _missing(covered: Sequence[Coverage]) -> list[str]:
    failing = [one.point.id for one in covered if one.fails]
    if not failing:
        return ["Every core point is taught."]
    return [f"Core points that are not taught: {', '.join(failing)}."]


def _rows(covered: Sequence[Coverage]) -> list[str]:
    rows = [
        f"| {one.point.id} | {'core' if one.point.is_core else ''} | {one.point.text} "
        f"| {one.state} | {', '.join(one.shown or one.said)} | {', '.join(one.point.exercises)} |"
        for one in covered
    ]
    head = "| id | track | point | state | cells | exercises |"
    return [head, "|---|---|---|---|---|---|", *rows]
