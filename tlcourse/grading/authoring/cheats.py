"""Cheats and faults that are kept for ever: grader/cheats.toml, and the notebooks made from it."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tlcourse.grading import strict
from tlcourse.grading.authoring import mutants
from tlcourse.grading.authoring.mutants import is_solution
from tlcourse.grading.spec import specs_folder
from tlcourse.records import State

EXERCISE = "d1.change_vadd"
_LARGE_BYTES = 200 * 2**20

Notebook = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Cheat:
    """One hand-in and what it scores.

    Args:
        name: what it does, in words.
        state: of the verdict.
        points: of 5.
        said: words of the report.
        source: of the solution cell.
        edits: pairs of old and new text of the solution in it.
        file: what is done to the whole notebook.
        needs: the protection without which it works.
        stock: whether stock nbgrader can be given it.
        nbgrader: what is seen through nbgrader, where that is not the points.
    """

    name: str
    state: State
    points: float = 0.0
    said: str = ""
    source: str = "@solution@"
    edits: tuple[tuple[str, ...], ...] = ()
    file: str = ""
    needs: str = ""
    stock: bool = True
    nbgrader: str = ""

    @property
    def slug(self) -> str:
        """Its name as a learner's id."""
        return "".join(sign if sign.isalnum() else "_" for sign in self.name.casefold())


@dataclass(frozen=True, kw_only=True)
class _File:
    cheats: tuple[Cheat, ...]


def cheats() -> tuple[Cheat, ...]:
    """All of them; none where this is no checkout.

    Raises:
        ValueError: the file is broken.
    """
    path = specs_folder().parent / "cheats.toml"
    if not path.is_file():
        return ()
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    return strict.read(_File, data, path.name).cheats


def write_cheat(cheat: Cheat, folder: Path) -> Path:
    """Writes the hand-in; returns the file.

    Raises:
        ValueError: an edit does not apply.
    """
    notebook = mutants.solution_of(EXERCISE)
    solution = mutants.solution_source(notebook)
    for old, new in cheat.edits:
        if old not in solution:
            raise ValueError(f"{cheat.name}: `{old.strip()}` is not in the solution")
        solution = solution.replace(old, new)
    for cell in filter(is_solution, notebook["cells"]):
        cell["source"] = cheat.source.replace("@solution@", solution)
    if cheat.file in _NOTEBOOKS:
        _NOTEBOOKS[cheat.file](notebook)
    name = "mine (1).ipynb" if cheat.file == "rename" else f"{EXERCISE.split('.')[1]}.ipynb"
    text = json.dumps(notebook)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(text[: len(text) // 2] if cheat.file == "cut in half" else text, "utf-8")
    return path


def _edit_locked(notebook: Notebook) -> None:
    for cell in notebook["cells"]:
        if not is_solution(cell):
            cell["source"] = "torch = None" if cell["cell_type"] == "code" else "nothing"


def _delete_locked(notebook: Notebook) -> None:
    notebook["cells"] = [cell for cell in notebook["cells"] if is_solution(cell)]


def _double_ids(notebook: Notebook) -> None:
    notebook["cells"] += [dict(cell) for cell in notebook["cells"] if not is_solution(cell)][:2]
    for cell in notebook["cells"]:
        cell["id"] = "same"


def _other_version(notebook: Notebook) -> None:
    notebook["nbformat_minor"] = 4
    notebook["metadata"]["tlcourse"] = {"source_sha256": "0" * 64}
    for cell in notebook["cells"]:
        cell.pop("id", None)


def _blow_up(notebook: Notebook) -> None:
    large = {"output_type": "stream", "name": "stdout", "text": "x" * _LARGE_BYTES}
    next(cell for cell in notebook["cells"] if is_solution(cell))["outputs"] = [large]


_NOTEBOOKS: Mapping[str, Callable[[Notebook], None]] = {
    "edit locked cells": _edit_locked,
    "delete locked cells": _delete_locked,
    "double ids": _double_ids,
    "other version": _other_version,
    "blow up": _blow_up,
}
