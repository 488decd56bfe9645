"""notebooks/catalogue.json: all lessons, exercises and timetables of the course in one file.

`tlcourse build` makes it from headers, specs and course/tracks.toml, so that a learner's copy,
which has neither of them, knows what there is.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, cast

from tlcourse.build.source import Language, Source, read_source
from tlcourse.build.timetable import Item, Timetables, Unit, read_timetables
from tlcourse.build.workspace import course_folder

FILE = Path("notebooks/catalogue.json")


@dataclass(frozen=True, kw_only=True)
class Entry(Item):
    """A lesson or an exercise as a learner finds it.

    Args:
        kind: what it is.
        title: in English.
        title_zh: in Chinese.
        path: from `notebooks/` or `exercises/`, `day2/04_fusion.ipynb`.
        points: of an exercise.
    """

    kind: Literal["lesson", "exercise"]
    title: str
    title_zh: str
    path: str
    points: float = 0

    @property
    def day(self) -> int:
        """The day that it belongs to."""
        return int(self.id[1 : self.id.index(".")])

    def titled(self, language: Language) -> str:
        """Its title in a language."""
        return self.title_zh if language == "zh" else self.title


@dataclass(frozen=True, kw_only=True)
class Catalogue:
    """All that there is, and when it is done."""

    entries: tuple[Entry, ...]
    timetables: Timetables

    @property
    def by_id(self) -> dict[str, Entry]:
        """The entries by their ids."""
        return {entry.id: entry for entry in self.entries}

    def of_day(self, day: int, kind: Literal["lesson", "exercise"]) -> list[Entry]:
        """Lessons or exercises of a day, in order."""
        return [one for one in self.entries if one.day == day and one.kind == kind]

    def exercises_after(self, lesson: str) -> list[Entry]:
        """The exercises that a lesson prepares: those that name it first."""
        lessons = {one.id for one in self.entries if one.kind == "lesson"}

        def prepared_by(entry: Entry) -> str:
            return next((need for need in entry.needs if need in lessons), "")

        others = (one for one in self.entries if one.kind == "exercise")
        return [one for one in others if prepared_by(one) == lesson]


def make_catalogue(root: Path) -> Catalogue:
    """The catalogue of a checkout."""
    sources = [read_source(path) for path in sorted((root / "course").glob("day*/*.py"))]
    lessons = [_lesson(source) for source in sources]
    paths = sorted((root / "course").glob("day*/exercises/*.py"))
    exercises = [_exercise(path) for path in paths]
    return Catalogue(entries=(*lessons, *exercises), timetables=read_timetables(root))


def to_text(catalogue: Catalogue) -> str:
    """The text of the file."""
    return json.dumps(asdict(catalogue), ensure_ascii=False, indent=1) + "\n"


def read_catalogue(folder: Path | None = None) -> Catalogue:
    """The catalogue that lies beside the notebooks of this checkout or package."""
    path = (folder or course_folder()) / FILE
    data = cast("dict[str, Any]", json.loads(path.read_text(encoding="utf-8")))
    return Catalogue(
        entries=tuple(Entry(**_tuples(row)) for row in data["entries"]),
        timetables=Timetables(
            cut_minutes=data["timetables"]["cut_minutes"],
            units={
                name: tuple(Unit(**_tuples(row)) for row in rows)
                for name, rows in data["timetables"]["units"].items()
            },
        ),
    )


def _tuples(row: Mapping[str, Any]) -> dict[str, Any]:
    return {
        k: tuple(cast("Sequence[str]", v)) if isinstance(v, list) else v for k, v in row.items()
    }


def _lesson(source: Source) -> Entry:
    header = source.header
    return Entry(
        id=source.id,
        kind="lesson",
        track=str(header["track"]),
        minutes=int(header["minutes"]),
        needs=tuple(header["needs"]),
        title=str(header["title"]),
        title_zh=str(header["title_zh"]),
        path=f"{source.path.parent.name}/{source.path.stem}.ipynb",
    )


def _exercise(path: Path) -> Entry:
    from tlcourse.grading.spec import load

    day = path.parents[1].name
    spec = load(f"d{day.removeprefix('day')}.{path.stem}")
    return Entry(
        id=spec.id,
        kind="exercise",
        track=spec.track,
        minutes=spec.minutes,
        needs=spec.needs,
        title=spec.title,
        title_zh=spec.title_zh,
        path=f"{day}/{path.stem}.ipynb",
        points=spec.points,
    )
