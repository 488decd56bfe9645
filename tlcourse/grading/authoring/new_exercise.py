"""Starts an exercise from a template that can be graded at once: source, spec and mutants."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

from tlcourse.build.source import twin_hash
from tlcourse.diagnostics import TLError, error
from tlcourse.grading.authoring.mutants import place

_TEMPLATE = Path(__file__).parent / "template"


def new_exercise(exercise: str, root: Path) -> list[Path]:
    """Writes the files of a new exercise.

    Args:
        exercise: its id, for example `d2.gemm`.
        root: the checkout.

    Returns:
        the three files.

    Raises:
        TL640: the id is none, or the exercise is there.
    """
    day, dot, slug = exercise.partition(".")
    if not dot or day[:1] != "d" or not day[1:].isdecimal() or not slug.isidentifier():
        raise _refused(exercise, "an id is the day, a dot and a name, for example d2.gemm")
    name = place(exercise)
    targets = {
        root / "course" / name.parent / "exercises" / f"{slug}.py": "exercise.txt",
        root / "grader" / "specs" / name.with_suffix(".toml"): "spec.txt",
        root / "grader" / "mutants" / name.with_suffix(".toml"): "mutants.txt",
    }
    there = next((path for path in targets if path.exists()), None)
    if there is not None:
        raise _refused(exercise, f"{there.relative_to(root).as_posix()} is there")
    for path, template in targets.items():
        text = (_TEMPLATE / template).read_text(encoding="utf-8")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(_filled(text, exercise, slug), encoding="utf-8")
    return list(targets)


def _filled(text: str, exercise: str, slug: str) -> str:
    names = {"@id@": exercise, "@slug@": slug, "@dashed@": exercise.replace(".", "-")}
    for hole, word in names.items():
        text = text.replace(hole, word)
    return _with_hashes(text) if "@sha:" in text else text


def _with_hashes(text: str) -> str:
    """Puts into each Chinese cell the hash of its English twin."""
    import jupytext

    notebook = cast(Any, jupytext.reads(text, fmt="py:percent"))
    for cell in notebook.cells:
        if "lang:en" in cell.metadata.get("tags", ()):
            text = text.replace(f"@sha:{cell.metadata['stem']}@", twin_hash(cell.source))
    return text


def _refused(exercise: str, why: str) -> TLError:
    return error(
        "TL640",
        f"no new exercise {exercise} can be made",
        why=why,
        fix="choose another name, or change the files that are there",
    )
