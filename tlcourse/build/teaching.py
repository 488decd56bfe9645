"""What a teacher says beside the lessons: course/dayN/teaching.toml.

```toml
[day]
title = ["Operators", "算子"]
can_do = [["write a kernel ..", "写一个内核……"]]

["d2.fusion"]
question = ["to the room", "向全班提问"]
board = ["a sketch as text", "文字版板书"]
notes = [["tiles", "what to say at this slide", "讲到这一页时说什么"]]
misread = [["the wrong belief behind prediction p1", "预测 p1 背后的误解", "cell_that_shows_it"]]
```
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tlcourse.build.source import Language
from tlcourse.diagnostics import TLError, error

FILE = "teaching.toml"


@dataclass(frozen=True, kw_only=True)
class Words:
    """A text in both languages."""

    en: str
    zh: str

    @classmethod
    def of(cls, pair: Sequence[str]) -> Words:
        """A text from English and Chinese in turn."""
        english, chinese = pair
        return cls(en=english, zh=chinese)

    def __getitem__(self, language: Language) -> str:
        return self.zh if language == "zh" else self.en


@dataclass(frozen=True, kw_only=True)
class Misread:
    """A wrong belief that a prediction is aimed at, and the cell that shows it."""

    prediction: str
    belief: Words
    shown_by: str


@dataclass(frozen=True, kw_only=True)
class Teaching:
    """A lesson, seen by its teacher.

    Args:
        question: for the room, with no answer on the slide.
        board: a sketch that fits a board.
        notes: what to say, by the stem of the cell on the slide.
        misreads: one for each prediction.
    """

    question: Words
    board: Words
    notes: Mapping[str, Words]
    misreads: tuple[Misread, ...]


@dataclass(frozen=True, kw_only=True)
class Day:
    """A day, and what its teacher says of each lesson."""

    number: int
    title: Words
    can_do: tuple[Words, ...]
    lessons: Mapping[str, Teaching]


def read_days(root: Path) -> tuple[Day, ...]:
    """The days of a checkout that have a teaching.toml, in order.

    Raises:
        TL805: a file does not say what it must say.
    """
    return tuple(_day(path) for path in sorted((root / "course").glob(f"day*/{FILE}")))


def _day(path: Path) -> Day:
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
        day = data.pop("day")
        return Day(
            number=int(path.parent.name.removeprefix("day")),
            title=Words.of(day["title"]),
            can_do=tuple(map(Words.of, day["can_do"])),
            lessons={name: _teaching(name, row) for name, row in data.items()},
        )
    except (ValueError, TypeError, KeyError) as problem:
        raise _broken(path, problem) from problem


def _teaching(name: str, row: dict[str, Any]) -> Teaching:
    return Teaching(
        question=Words.of(row["question"]),
        board=Words.of(row["board"]),
        notes={stem: Words.of(words) for stem, *words in row["notes"]},
        misreads=tuple(
            Misread(prediction=f"{name}.p{number}", belief=Words.of(words), shown_by=stem)
            for number, (*words, stem) in enumerate(row["misread"], 1)
        ),
    )


def _broken(path: Path, problem: Exception) -> TLError:
    return error(
        "TL805",
        f"{path.parent.name}/{path.name} cannot be used: {problem!r}",
        why="slides, the pages of the days and the instructor guide are made from it",
        fix="write it as the other days are written; each text stands in English and in Chinese",
    )
