"""Synthetic hand-ins by the thousand: what a class hands in on the last day, and worse.

They are the course's own exercises: solutions, wrong ones of grader/mutants, copies of each
other, endless loops, crashes, empty, huge and broken files.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

from tlcourse.grading.authoring import mutants
from tlcourse.grading.notebook_file import MAX_BYTES
from tlcourse.grading.spec import known_ids, specs_folder

# Shares of a thousand hand-ins.
SHARES = {
    "solution": 330,
    "mutant": 450,
    "untouched": 80,
    "no solution cell": 20,
    "crash": 40,
    "raises": 30,
    "loop": 10,
    "empty file": 15,
    "broken JSON": 20,
    "huge": 5,
}
_PROGRAMS = {
    "crash": "import os\nos._exit({number})",
    "raises": "raise ValueError({number})",
    "loop": "while True: pass",
}


@dataclass(frozen=True, kw_only=True)
class Exercise:
    """What hand-ins for an exercise are made of.

    Args:
        id: of the exercise.
        untouched: its notebook.
        solution: source of the solved cell.
        mutants: sources of wrong ones.
    """

    id: str
    untouched: dict[str, Any]
    solution: str
    mutants: tuple[str, ...]

    @property
    def stub(self) -> str:
        """Source of the untouched solution cell."""
        cells = self.untouched["cells"]
        return next("".join(cell["source"]) for cell in cells if mutants.is_solution(cell))

    def with_check(self, source: str) -> Exercise:
        """The exercise with another graded cell."""
        cells = [
            {**cell, "source": source} if _is_graded(cell) else cell
            for cell in self.untouched["cells"]
        ]
        return replace(self, untouched={**self.untouched, "cells": cells})


def exercises(names: tuple[str, ...] = ()) -> list[Exercise]:
    """The course's exercises, all of them or those that are named.

    Raises:
        FileNotFoundError, ValueError: there is no checkout here, which alone has the solutions.
    """
    return [_exercise(name) for name in names or known_ids()]


def _exercise(name: str) -> Exercise:
    root = specs_folder().parents[1]
    path = root / "exercises" / mutants.place(name).with_suffix(".ipynb")
    untouched = cast(dict[str, Any], json.loads(path.read_text(encoding="utf-8")))
    solution = mutants.solution_source(mutants.solution_of(name))
    file = mutants.read_mutants(name)
    wrong = tuple(mutants.edited(one, file.sources, solution) for one in file.mutants)
    return Exercise(id=name, untouched=untouched, solution=solution, mutants=wrong)


def _is_graded(cell: Mapping[str, Any]) -> bool:
    mark = cell["metadata"].get("nbgrader", {})
    return bool(mark.get("grade")) and not mark.get("solution")


def with_solution(exercise: Exercise, source: str) -> str:
    """The text of the exercise's notebook with a solution in it."""
    cells = [
        {**cell, "source": source} if mutants.is_solution(cell) else cell
        for cell in exercise.untouched["cells"]
    ]
    return json.dumps({**exercise.untouched, "cells": cells})


def write_hand_ins(
    folder: Path, count: int, *, own: float, names: tuple[str, ...] = (), seed: int = 0
) -> dict[str, int]:
    """Writes hand-ins as ID/dayN/slug.ipynb.

    Args:
        folder: where.
        count: how many.
        names: for which exercises; all of them where it is empty.
        own: share of the solutions and mutants that nobody else has just so; others are copies.
        seed: of the draw.

    Returns:
        how many there are of each kind.
    """
    chance = random.Random(seed)
    pool = exercises(names)
    found = dict.fromkeys(SHARES, 0)
    for number in range(count):
        kind = chance.choices(list(SHARES), list(SHARES.values()))[0]
        exercise = chance.choice(pool)
        mark = f"\n# {number}" if chance.random() < own else ""
        found[kind] += 1
        day, slug = exercise.id.split(".")
        path = folder / f"s{number:05}" / f"day{day[1:]}" / f"{slug}.ipynb"
        path.parent.mkdir(parents=True, exist_ok=True)
        if kind == "huge":
            with path.open("wb") as stream:
                stream.truncate(MAX_BYTES + 1 + number)
        else:
            path.write_text(_text(kind, exercise, number, mark, chance), encoding="utf-8")
    return found


def _text(kind: str, exercise: Exercise, number: int, mark: str, chance: random.Random) -> str:
    if kind in _PROGRAMS:
        return with_solution(exercise, _PROGRAMS[kind].format(number=number % 7))
    if kind == "mutant" and exercise.mutants:
        return with_solution(exercise, chance.choice(exercise.mutants) + mark)
    whole = with_solution(exercise, exercise.solution + mark)
    texts: dict[str, Callable[[], str]] = {
        "untouched": lambda: json.dumps(exercise.untouched),
        "empty file": lambda: "",
        "broken JSON": lambda: whole[: chance.randrange(1, len(whole) - 1)],
        "no solution cell": lambda: whole.replace("-solution", "-gone"),
    }
    return texts.get(kind, lambda: whole)()
