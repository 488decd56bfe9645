"""A class on disk: roster, collected hand-ins, results and grades.

```
CLASS/roster.csv                 id, name
CLASS/submitted/ID/d2.minicv.ipynb
CLASS/report/results.jsonl       one verdict a line
CLASS/report/grades.csv          one row a learner
```
"""

from __future__ import annotations

import csv
import io
import json
import os
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from tlcourse.diagnostics import TLError, error
from tlcourse.grading.notebook_file import MAX_BYTES, read_hand_in
from tlcourse.grading.spec import load
from tlcourse.records import Verdict, to_data

_ROSTER_HEAD = ("id", "name")
# What Python raises for zips that are cut, damaged, encrypted or packed in an unknown way.
_BAD_ZIP = (OSError, EOFError, ValueError, RuntimeError, zipfile.BadZipFile, zlib.error)


@dataclass(frozen=True, kw_only=True)
class Learner:
    """One line of the roster."""

    id: str
    name: str


@dataclass(frozen=True, kw_only=True)
class Collected:
    """What became of one zip: notebooks taken in, and what was left out with the reason."""

    zip: str
    learner: str | None
    taken: tuple[str, ...]
    left_out: tuple[str, ...]


def init(folder: Path) -> None:
    """Makes an empty class folder.

    Raises:
        TL620: the folder holds something already, or is a file.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        is_what = "is not empty" if folder.is_dir() else "is a file"
        raise error(
            "TL620",
            f"{folder.resolve().name} {is_what}",
            why="a class gets a folder of its own, so that nothing is overwritten",
            fix="name a new folder",
        )
    (folder / "submitted").mkdir(parents=True)
    write_whole(folder / "roster.csv", ",".join(_ROSTER_HEAD) + "\n")


def roster(folder: Path) -> list[Learner]:
    """The learners of a class, in the roster's order.

    Raises:
        TL621: the roster is missing or is no table with the columns id and name.
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
    missing = [name for name in _ROSTER_HEAD if name not in found]
    if missing:
        raise ValueError(f"its first line names no column {' and no column '.join(missing)}")
    yield from table


def _learner(row: Mapping[str, str | None], line: int) -> Learner:
    values = [row[name] for name in _ROSTER_HEAD]
    if None in values:
        raise ValueError(f"line {line} has no {_ROSTER_HEAD[values.index(None)]}")
    learner_id, name = (value.strip() for value in values if value is not None)
    return Learner(id=learner_id, name=name)


def _no_roster(folder: Path, why: str) -> TLError:
    return error(
        "TL621",
        f"{folder.resolve().name} has no usable roster.csv",
        why=why,
        fix="save a table as UTF-8 text: the first line `id,name`, then one learner a line",
    )


def _check_ids(ids: Sequence[str]) -> None:
    for index, name in enumerate(ids):
        if not name or name.startswith(".") or any(sign in name for sign in "/\\:"):
            raise ValueError(f"{name!r} is no id: it cannot name a folder")
        if name in ids[:index]:
            raise ValueError(f"the id {name} stands twice")


def collect(folder: Path, zips: Iterable[Path]) -> list[Collected]:
    """Takes the notebooks out of learners' zips, each to its learner and exercise.

    A zip belongs to the learner whose id its name starts with. Notebooks inside are told
    apart by their own ids, whatever their names and folders are.

    Raises:
        TL621: the roster is missing.
    """
    learners = roster(folder)
    return [_collect_one(folder, learners, path) for path in zips]


def _collect_one(folder: Path, learners: Sequence[Learner], path: Path) -> Collected:
    learner = _owner(learners, path.stem)
    if learner is None:
        return Collected(
            zip=path.name,
            learner=None,
            taken=(),
            left_out=("no id of the roster starts the file's name",),
        )
    taken: list[str] = []
    left_out: list[str] = []
    try:
        with zipfile.ZipFile(path) as archive:
            for member in archive.infolist():
                _take(folder, learner, archive, member, taken, left_out)
    except _BAD_ZIP as problem:
        left_out.append(f"not a zip that can be read: {problem}")
    return Collected(
        zip=path.name, learner=learner.id, taken=tuple(taken), left_out=tuple(left_out)
    )


def _owner(learners: Sequence[Learner], stem: str) -> Learner | None:
    """The learner with the longest id that starts the name and ends at a word boundary."""
    fitting = [
        learner
        for learner in learners
        if learner.id and stem.startswith(learner.id) and not stem[len(learner.id) :][:1].isalnum()
    ]
    return max(fitting, key=lambda learner: len(learner.id), default=None)


def _take(
    folder: Path,
    learner: Learner,
    archive: zipfile.ZipFile,
    member: zipfile.ZipInfo,
    taken: list[str],
    left_out: list[str],
) -> None:
    name = PurePosixPath(member.filename.replace("\\", "/"))
    # A path that climbs out is harmless: only its last part is looked at.
    parts = [part for part in name.parts if part != ".."]
    hidden = any(part.startswith((".", "__MACOSX")) for part in parts)
    if member.is_dir() or hidden:
        return
    if name.suffix != ".ipynb":
        left_out.append(f"{name.name}: not a notebook")
        return
    if member.file_size > MAX_BYTES:
        left_out.append(f"{name.name}: {member.file_size:,} bytes are too many")
        return
    with tempfile.TemporaryDirectory(prefix="tlcourse-") as scratch:
        copy = Path(scratch) / "hand_in.ipynb"
        copy.write_bytes(archive.read(member))
        try:
            exercise = read_hand_in(copy).exercise
            load(exercise)
        except TLError as problem:
            left_out.append(f"{name.name}: {problem.diagnostic.what}")
            return
        target = folder / "submitted" / learner.id / f"{exercise}.ipynb"
        if exercise in taken:
            left_out.append(f"{name.name}: a second notebook for {exercise}")
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        write_whole(target, copy.read_bytes())
    taken.append(exercise)


def grade(
    folder: Path, grade_one: Callable[[Path], Verdict], told: Callable[[str, Verdict], None]
) -> dict[str, list[Verdict]]:
    """Grades all hand-ins of a class and writes results and grades.

    Args:
        folder: the class.
        grade_one: the verdict on a notebook.
        told: called with learner and verdict as each is ready.

    Returns:
        learner to verdicts, learners without hand-ins included.

    Raises:
        TL621: the roster is missing.
    """
    results: dict[str, list[Verdict]] = {}
    for learner in roster(folder):
        results[learner.id] = []
        for path in sorted((folder / "submitted" / learner.id).glob("*.ipynb")):
            verdict = grade_one(path)
            results[learner.id].append(verdict)
            told(learner.id, verdict)
    report = folder / "report"
    report.mkdir(exist_ok=True)
    write_whole(report / "results.jsonl", _results(results))
    write_whole(report / "grades.csv", _grades(roster(folder), results))
    return results


def _results(results: dict[str, list[Verdict]]) -> str:
    lines = [
        json.dumps({"learner": learner, "verdict": to_data(verdict)}, sort_keys=True)
        for learner, verdicts in results.items()
        for verdict in verdicts
    ]
    return "".join(f"{line}\n" for line in lines)


def _grades(learners: Sequence[Learner], results: dict[str, list[Verdict]]) -> str:
    exercises = sorted({v.exercise for verdicts in results.values() for v in verdicts})
    table = io.StringIO()
    writer = csv.writer(table, lineterminator="\n")
    writer.writerow(["id", "name", *exercises, "total"])
    for learner in learners:
        points = {v.exercise: v.points for v in results[learner.id]}
        row = [f"{points[e]:g}" if e in points else "" for e in exercises]
        writer.writerow([learner.id, learner.name, *row, f"{sum(points.values()):g}"])
    return table.getvalue()


def write_whole(path: Path, content: str | bytes) -> None:
    """Writes a file so that a reader sees the old content or the new one, never a part."""
    data = content.encode() if isinstance(content, str) else content
    handle, name = tempfile.mkstemp(dir=path.parent, suffix=".tmp")
    with os.fdopen(handle, "wb") as stream:
        stream.write(data)
    Path(name).replace(path)
