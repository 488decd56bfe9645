"""The roster of a class: who is in it, and what a grader must know of each.

`roster.csv` has the columns id and name; group, extra_time (hours), language (en or zh) and lms
(the learner's number in Canvas or Moodle) may follow.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tlcourse.diagnostics import TLError, error
from tlcourse.grading.words import Language

HEAD = ("id", "name", "group", "extra_time", "language", "lms")
_NEEDED = HEAD[:2]
_LANGUAGES = ("en", "zh")
_MAX_ID_BYTES = 100  # file systems take 255, and names of reports hold more than the id


@dataclass(frozen=True, kw_only=True)
class Learner:
    """One line of the roster.

    Args:
        id: names the learner's folder.
        name: as a person writes it.
        group: for tables.
        extra_hours: after a deadline in which a hand-in is not late.
        language: of the words in verdicts.
        lms: the learner's number in the learning management system.
    """

    id: str
    name: str
    group: str = ""
    extra_hours: float = 0.0
    language: Language = "en"
    lms: str = ""


def roster(folder: Path) -> list[Learner]:
    """The learners of a class, in the roster's order.

    Raises:
        TL621: the roster is missing, or a line of it cannot be used.
    """
    try:
        with (folder / "roster.csv").open(encoding="utf-8-sig", newline="") as stream:
            table = csv.DictReader(stream)
            learners = [_learner(row, table.line_num) for row in _rows(table)]
            _check_ids([learner.id for learner in learners])
            return learners
    except FileNotFoundError as problem:
        raise _no_roster(folder, "there is no such file") from problem
    except OSError as problem:
        raise _no_roster(folder, f"the file cannot be read: {problem.strerror}") from problem
    except UnicodeDecodeError as problem:
        raise _no_roster(folder, "it is not UTF-8 text") from problem
    except (ValueError, csv.Error) as problem:
        raise _no_roster(folder, str(problem)) from problem


def _rows(table: csv.DictReader[str]) -> Iterator[Mapping[str, str | None]]:
    found = table.fieldnames or ()
    missing = [name for name in _NEEDED if name not in found]
    if missing:
        raise ValueError(f"its first line names no column {' and no column '.join(missing)}")
    yield from table


def _learner(row: Mapping[str, str | None], line: int) -> Learner:
    values = {name: (row.get(name) or "").strip() for name in HEAD}
    for name in _NEEDED:
        if row[name] is None:
            raise ValueError(f"line {line} has no {name}")
    language = values["language"] or "en"
    if language not in _LANGUAGES:
        raise ValueError(f"line {line} has the language {language}; it is en or zh")
    return Learner(
        id=values["id"],
        name=values["name"],
        group=values["group"],
        extra_hours=_hours(values["extra_time"], line),
        language=language,
        lms=values["lms"],
    )


def _hours(text: str, line: int) -> float:
    try:
        hours = float(text or 0)
    except ValueError as problem:
        raise ValueError(f"line {line} has the extra time {text!r}; it is hours") from problem
    if not 0 <= hours < 10_000:
        raise ValueError(f"line {line} has the extra time {text!r}; it is hours")
    return hours


def _no_roster(folder: Path, why: str) -> TLError:
    return error(
        "TL621",
        f"{folder.resolve().name} has no usable roster.csv",
        why=why,
        fix="save a table as UTF-8 text: the first line `id,name`, then one learner a line",
    )


def _check_ids(ids: Sequence[str]) -> None:
    seen: dict[str, str] = {}
    for name in ids:
        if not _names_a_folder(name):
            raise ValueError(f"{name[:40]!r} is no id: it cannot name a folder")
        if name in seen.values():
            raise ValueError(f"the id {name} stands twice")
        other = seen.setdefault(name.casefold(), name)
        if other != name:
            raise ValueError(f"the ids {other} and {name} are one folder on some systems")


def _names_a_folder(name: str) -> bool:
    is_short = 0 < len(name.encode(errors="replace")) <= _MAX_ID_BYTES
    is_plain = name.isprintable() and not any(sign in name for sign in "/\\:")
    return is_short and is_plain and not name.startswith(".")
