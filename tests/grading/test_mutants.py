"""Every exercise: its solution earns all points, untouched it is TODO, each mutant is named.

The mutants of an exercise stand in grader/mutants, as edits of its solution.
"""

from __future__ import annotations

import json
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.grading import hand_ins
from tlcourse.grading.hand_in import grade_notebook
from tlcourse.grading.report import as_text
from tlcourse.grading.spec import known_ids, load

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "grader" / "mutants"


@dataclass(frozen=True, kw_only=True)
class Mutant:
    """A wrong hand-in and what grading must say of it."""

    exercise: str
    name: str
    state: str
    said: str
    edits: tuple[tuple[str, str], ...]


def place(exercise: str) -> Path:
    """`day1/change_vadd` of `d1.change_vadd`."""
    day, _, slug = exercise.partition(".")
    return Path(f"day{day[1:]}") / slug


def mutants_of(path: Path) -> list[Mutant]:
    exercise = f"d{path.parent.name.removeprefix('day')}.{path.stem}"
    rows = tomllib.loads(path.read_text(encoding="utf-8"))["mutants"]
    return [
        Mutant(exercise=exercise, **{**row, "edits": tuple(map(tuple, row["edits"]))})
        for row in rows
    ]


MUTANTS = [mutant for path in sorted(FOLDER.glob("day*/*.toml")) for mutant in mutants_of(path)]


def is_solution(cell: dict[str, Any]) -> bool:
    return bool(cell["metadata"].get("nbgrader", {}).get("solution"))


def write(mutant: Mutant, folder: Path) -> Path:
    """The solution notebook with the mutant's edits; each edit must apply."""
    path = (ROOT / "solutions" / place(mutant.exercise)).with_suffix(".ipynb")
    notebook = json.loads(path.read_text(encoding="utf-8"))
    for cell in filter(is_solution, notebook["cells"]):
        text = "".join(cell["source"])
        for old, new in mutant.edits:
            assert old in text, f"{mutant.name}: {old} is not in the solution"
            text = text.replace(old, new)
        cell["source"] = text
    target = folder / f"{mutant.name}.ipynb"
    target.write_text(json.dumps(notebook), encoding="utf-8")
    return target


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda m: f"{m.exercise}-{m.name}")
def test_each_mutant_is_named(mutant: Mutant, tmp_path: Path) -> None:
    verdict = grade_notebook(write(mutant, tmp_path))
    assert (verdict.state, mutant.said in as_text(verdict)) == (mutant.state, True)
    assert verdict.points < verdict.max_points


@pytest.mark.parametrize("exercise", known_ids())
def test_solution_earns_all_and_untouched_is_todo(exercise: str) -> None:
    name = place(exercise).with_suffix(".ipynb")
    solved = grade_notebook(ROOT / "solutions" / name)
    assert (solved.state, solved.points) == ("PASS", float(load(exercise).points))
    untouched = grade_notebook(ROOT / "exercises" / name)
    assert (untouched.state, untouched.points) == ("TODO", 0.0)


@pytest.mark.parametrize("exercise", known_ids())
def test_mutants_of_the_spec_are_those_that_are_graded(exercise: str) -> None:
    """Those of d2.minicv, some of which are edits of an Expert kernel, stand in hand_ins.py."""
    by_hand = {"d2.minicv": [mutant.name for mutant in hand_ins.MUTANTS]}
    found = by_hand.get(exercise) or [m.name for m in MUTANTS if m.exercise == exercise]
    assert found
    assert tuple(found) == load(exercise).mutants
