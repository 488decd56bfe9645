"""Reads a hand-in: which exercise it is for, and which of its cells run for it.

Only the exercise's setup cells and the solution cells run. Everything else in the notebook, the
check itself included, is left alone.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, cast

from tlcourse.diagnostics import error
from tlcourse.grading.spec import specs_folder
from tlcourse.grading.whole import readable

MAX_BYTES = 50 * 2**20
TEXT_STUB = "*Your text / 你的文字*"
"""What stands in a cell for prose before anybody has written into it."""

_SOLUTION = "-solution"
# An id becomes part of file names, so nothing else may pass for one.
_GRADE_ID = re.compile(r"(d[0-9]+)-([A-Za-z_][A-Za-z0-9_]*)")


@dataclass(frozen=True, kw_only=True)
class HandIn:
    """The part of a notebook that is judged.

    Args:
        exercise: id, for example `d2.minicv`.
        setup: sources of the cells tagged `setup`, in order: the course's own, where it has the
            exercise, so that nothing outside the solution cells changes a verdict; none for prose.
        solutions: sources of the solution cells; all run, the last definition counts.
    """

    exercise: str
    setup: tuple[str, ...]
    solutions: tuple[str, ...]


def read_hand_in(path: Path) -> HandIn:
    """Reads a notebook that somebody handed in.

    Raises:
        TL610: it is no notebook that can be read.
        TL611: it is not one of the course's exercises, or its solution cell is gone.
    """
    everything = _all_cells(path)
    cells = [cell for cell in everything if cell["cell_type"] == "code"]
    exercise = _exercise(cells)
    prose = [cell for cell in everything if _is_prose(cell)]
    if exercise is None and prose:
        return _written(prose)
    if exercise is None:
        raise error(
            "TL611",
            f"{readable(path.name)} is not an exercise of the course",
            why="no cell carries an exercise's id; it is in the cell's metadata",
            fix="hand in the notebook from the exercises folder, with all of its cells",
        )
    name = f"{_grade_id(exercise)}{_SOLUTION}"
    solutions = tuple(_source(c) for c in cells if _nbgrader(c).get("grade_id") == name)
    if not solutions:
        raise error(
            "TL611",
            f"{readable(path.name)} has no solution cell for {exercise}",
            why="the solution cell is found by its id, which a deleted cell takes with it",
            fix="take a fresh copy of the exercise and paste your code into its solution cell",
        )
    setup = _given_setup(exercise) or _setup(cells)
    return HandIn(exercise=exercise, setup=setup, solutions=solutions)


def _is_prose(cell: dict[str, Any]) -> bool:
    """Whether it is a cell of prose that a person gives points to, as nbgrader marks it."""
    about = _nbgrader(cell)
    is_marked = about.get("grade") is True and about.get("solution") is True
    is_named = _GRADE_ID.fullmatch(str(about.get("grade_id"))) is not None
    return cell["cell_type"] == "markdown" and is_marked and is_named


def _written(prose: Iterable[dict[str, Any]]) -> HandIn:
    """Prose as the function that an exercise of words asks for: the text is data, nothing runs."""
    last = list(prose)[-1]
    day, _, slug = str(_nbgrader(last)["grade_id"]).partition("-")
    text = _source(last).replace(TEXT_STUB, "").strip()
    body = f"return {text!r}" if text else "raise NotImplementedError"
    return HandIn(exercise=f"{day}.{slug}", setup=(), solutions=(f"def {slug}():\n    {body}\n",))


def given_notebook(exercise: str, language: str = "en") -> Path | None:
    """The exercise as the course gives it out; None where it does not."""
    day, _, slug = exercise.partition(".")
    root = specs_folder().parents[1] / "exercises"
    folder = root / language if language != "en" else root
    path = folder / f"day{day[1:]}" / f"{slug}.ipynb"
    return path if path.is_file() else None


@cache
def _given_setup(exercise: str) -> tuple[str, ...]:
    path = given_notebook(exercise)
    return _setup(_cells(path)) if path is not None else ()


def _setup(cells: Iterable[dict[str, Any]]) -> tuple[str, ...]:
    return tuple(_source(cell) for cell in cells if "setup" in _tags(cell))


def _grade_id(exercise: str) -> str:
    return exercise.replace(".", "-")


def _cells(path: Path) -> list[dict[str, Any]]:
    return [cell for cell in _all_cells(path) if cell["cell_type"] == "code"]


def _all_cells(path: Path) -> list[dict[str, Any]]:
    try:
        # A link could be another's work, and a pipe is never read to its end.
        if path.is_symlink() or (path.exists() and not path.is_file()):
            raise _unreadable(path, "it is a link, a folder or a pipe, not a file of its own")
        size_bytes = path.stat().st_size
        if size_bytes > MAX_BYTES:
            raise _unreadable(path, f"it has {size_bytes:,} bytes, {MAX_BYTES:,} are the limit")
        data = json.loads(path.read_bytes())
        cells = [cell for cell in data["cells"] if isinstance(cell["cell_type"], str)]
        return [cast(dict[str, Any], cell) for cell in cells]
    except OSError as problem:
        raise _unreadable(path, f"the file cannot be read: {problem.strerror}") from problem
    except (ValueError, RecursionError) as problem:
        raise _unreadable(path, "the file is not JSON, the text that notebooks are") from problem
    except (KeyError, TypeError) as problem:
        raise _unreadable(path, "the file is JSON, but holds no list of cells") from problem


def _exercise(cells: Sequence[dict[str, Any]]) -> str | None:
    for cell in cells:
        data = _nbgrader(cell)
        found = _GRADE_ID.fullmatch(str(data.get("grade_id")))
        if data.get("grade") is True and found is not None:
            return f"{found[1]}.{found[2]}"
    return _exercise_of_solution(cells)


def _exercise_of_solution(cells: Sequence[dict[str, Any]]) -> str | None:
    """The exercise that a solution cell is for, where the check below it is gone."""
    for cell in cells:
        data = _nbgrader(cell)
        name = str(data.get("grade_id"))
        found = _GRADE_ID.fullmatch(name.removesuffix(_SOLUTION))
        if data.get("solution") is True and name.endswith(_SOLUTION) and found is not None:
            return f"{found[1]}.{found[2]}"
    return None


def _nbgrader(cell: dict[str, Any]) -> dict[str, Any]:
    metadata = cell.get("metadata")
    found = cast(dict[str, Any], metadata).get("nbgrader") if isinstance(metadata, dict) else None
    return cast(dict[str, Any], found) if isinstance(found, dict) else {}


def _tags(cell: dict[str, Any]) -> list[str]:
    metadata = cell.get("metadata")
    tags = cast(dict[str, Any], metadata).get("tags") if isinstance(metadata, dict) else None
    return [str(tag) for tag in cast(list[object], tags)] if isinstance(tags, list) else []


def _source(cell: dict[str, Any]) -> str:
    source = cell.get("source", "")
    lines = cast(list[object], source) if isinstance(source, list) else [source]
    # Half a character, which JSON can hold, is no text: it must fail as the learner's own.
    return "".join(map(str, lines)).encode(errors="replace").decode()


def _unreadable(path: Path, reason: str) -> Exception:
    return error(
        "TL610",
        f"{readable(path.name)} cannot be read as a notebook",
        why=reason,
        fix="save the notebook in JupyterLab and hand in that file",
    )
