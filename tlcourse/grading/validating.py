"""`tlcourse validate`: what a notebook has that its exercise, as it was given out, has not.

Only the solution cells are judged, so most of it costs nothing; it is told all the same, as it is
seldom meant. A repaired copy is the exercise as it was given out with the learner's solution.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from tlcourse.diagnostics import error
from tlcourse.grading.notebook_file import given_notebook, read_hand_in


@dataclass(frozen=True, kw_only=True)
class Validated:
    """What was seen of a notebook that can be graded.

    Args:
        exercise: what it is for.
        notes: what is odd about it, in words.
    """

    exercise: str
    notes: tuple[str, ...]


def validate(path: Path) -> Validated:
    """Looks at a notebook; none of its code runs.

    Raises:
        TL610: it is no notebook that can be read.
        TL611: it is not one of the course's exercises, or its solution cell is gone.
    """
    exercise = read_hand_in(path).exercise
    found = json.loads(path.read_bytes())
    given = _given(exercise, found)
    if given is None:
        return Validated(exercise=exercise, notes=())
    return Validated(exercise=exercise, notes=tuple(_notes(found, given)))


def repair(path: Path) -> Path:
    """Writes the exercise with the notebook's last solution beside it; the notebook stays.

    Raises:
        TL610, TL611: it is no notebook that can be graded.
        TL612: the course does not have the exercise.
    """
    hand_in = read_hand_in(path)
    found = json.loads(path.read_bytes())
    given = _given(hand_in.exercise, found)
    if given is None:
        raise error(
            "TL612",
            f"{path.name} cannot be repaired",
            why=f"this installation has no notebook of {hand_in.exercise} to compare with",
            fix="ask your teacher for the notebook, and paste your code into its solution cell",
        )
    for cell in _cells(given):
        if _is_solution(cell):
            cell["source"] = hand_in.solutions[-1]
    target = path.with_name(f"{path.stem}.repaired.ipynb")
    target.write_text(json.dumps(given, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return target


def _given(exercise: str, found: object) -> dict[str, Any] | None:
    about = _about(found)
    path = given_notebook(exercise, "zh" if about.get("language") == "zh" else "en")
    return json.loads(path.read_text(encoding="utf-8")) if path is not None else None


def _notes(found: object, given: dict[str, Any]) -> list[str]:
    own, original = _cells(found), {str(cell["id"]): cell for cell in _cells(given)}
    ids = Counter(str(cell.get("id", "")) for cell in own)
    notes: list[str] = []
    double = sorted(name for name, count in ids.items() if name and count > 1)
    if double:
        notes.append(f"these cells are there more than once: {', '.join(double)}")
    solutions = sum(map(_is_solution, own))
    if solutions > 1:
        notes.append(f"{solutions} solution cells; the last definition counts")
    if missing := [name for name in original if not ids[name]]:
        notes.append(f"these cells are missing: {', '.join(missing)}")
    if edited := [str(c["id"]) for c in own if _is_edited(c, original)]:
        notes.append(f"these cells were changed, which changes nothing: {', '.join(edited)}")
    if _about(found).get("source_sha256") != _about(given).get("source_sha256"):
        notes.append("the notebook is of another version of the course than this program")
    stubs = {_text(cell) for cell in original.values() if _is_solution(cell)}
    if all(_text(cell) in stubs for cell in own if _is_solution(cell)):
        notes.append("nothing is written into the solution cell yet")
    return notes


def _is_edited(cell: dict[str, Any], original: dict[str, dict[str, Any]]) -> bool:
    """Whether a code cell that is not the learner's has another text than the one given out."""
    given = original.get(str(cell.get("id", "")))
    if given is None or _is_solution(given) or given["cell_type"] != "code":
        return False
    return _text(cell) != _text(given)


def _is_solution(cell: dict[str, Any]) -> bool:
    metadata = cell.get("metadata")
    about = cast(dict[str, Any], metadata).get("nbgrader") if isinstance(metadata, dict) else None
    return isinstance(about, dict) and bool(cast(dict[str, Any], about).get("solution"))


def _cells(notebook: object) -> list[dict[str, Any]]:
    cells = cast(dict[str, Any], notebook)["cells"]
    return [cast(dict[str, Any], cell) for cell in cells if isinstance(cell, dict)]


def _about(notebook: object) -> dict[str, Any]:
    metadata = cast(dict[str, Any], notebook).get("metadata")
    about = cast(dict[str, Any], metadata).get("tlcourse") if isinstance(metadata, dict) else None
    return cast(dict[str, Any], about) if isinstance(about, dict) else {}


def _text(cell: dict[str, Any]) -> str:
    source = cell.get("source", "")
    text = "".join(map(str, cast(list[object], source))) if isinstance(source, list) else source
    return str(text).strip()
