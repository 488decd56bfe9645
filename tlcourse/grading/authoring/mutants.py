"""Mutants: wrong hand-ins of an exercise as edits of its solution, kept in grader/mutants.

A file has a row for each mutant: its name, the edits, the verdict's state and words that the
report must have. Edits apply to the course's solution, or to a source of the file's own.
"""

from __future__ import annotations

import json
import os
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tlcourse.grading import strict
from tlcourse.grading.spec import specs_folder
from tlcourse.records import State


@dataclass(frozen=True, kw_only=True)
class Mutant:
    """A wrong hand-in and what grading must say of it.

    Args:
        name: as the spec lists it.
        state: of the verdict.
        said: words of the report.
        edits: pairs of old and new text.
        source: name of the source that is edited; without it, the course's solution.
    """

    name: str
    state: State
    said: str
    edits: tuple[tuple[str, ...], ...]
    source: str = ""


@dataclass(frozen=True, kw_only=True)
class MutantFile:
    """What a file says: the mutants, and sources of its own.

    A source with the name `solution` stands in for the course's solution; a private file needs
    it where the private spec asks for something else.
    """

    mutants: tuple[Mutant, ...] = ()
    sources: dict[str, str] = field(default_factory=dict[str, str])


def place(exercise: str) -> Path:
    """`day1/change_vadd` of `d1.change_vadd`."""
    day, _, slug = exercise.partition(".")
    return Path(f"day{day[1:]}") / slug


def read_mutants(exercise: str) -> MutantFile:
    """The mutants of an exercise; a file in TLCOURSE_PRIVATE takes the place of the public one.

    Raises:
        ValueError: the file is broken.
    """
    name = place(exercise)
    private = Path(os.environ.get("TLCOURSE_PRIVATE", "")) / name.with_suffix(".mutants.toml")
    public = specs_folder().parent / "mutants" / name.with_suffix(".toml")
    path = private if os.environ.get("TLCOURSE_PRIVATE") and private.is_file() else public
    if not path.is_file():
        return MutantFile()
    found = strict.read(MutantFile, tomllib.loads(path.read_text(encoding="utf-8")), path.name)
    for mutant in found.mutants:
        if any(len(edit) != 2 for edit in mutant.edits):
            raise ValueError(f"{path.name}: an edit of {mutant.name} is no pair of texts")
    return found


def edited(mutant: Mutant, sources: dict[str, str], solution: str) -> str:
    """The mutant's source.

    Raises:
        ValueError: an edit does not apply, or there is no such source.
    """
    if mutant.source and mutant.source not in sources:
        raise ValueError(f"{mutant.name}: there is no source {mutant.source}")
    text = sources[mutant.source] if mutant.source else sources.get("solution", solution)
    for old, new in mutant.edits:
        if old not in text:
            raise ValueError(f"{mutant.name}: `{old.strip()[:60]}` is not in the solution")
        text = text.replace(old, new)
    return text


def solution_of(exercise: str) -> dict[str, Any]:
    """The course's solution notebook.

    Raises:
        ValueError: it is not there; `tlcourse build` makes it.
    """
    path = specs_folder().parents[1] / "solutions" / place(exercise).with_suffix(".ipynb")
    if not path.is_file():
        raise ValueError(f"solutions/{place(exercise)}.ipynb is missing; run `tlcourse build`")
    return json.loads(path.read_text(encoding="utf-8"))


def is_solution(cell: dict[str, Any]) -> bool:
    """Whether a cell is the one that learners fill in."""
    return bool(cell.get("metadata", {}).get("nbgrader", {}).get("solution"))


def solution_source(notebook: dict[str, Any]) -> str:
    """Source of the solution cell."""
    return "".join(next(cell for cell in notebook["cells"] if is_solution(cell))["source"])


def write_with(notebook: dict[str, Any], source: str, path: Path) -> Path:
    """Writes a notebook with another text in its solution cell."""
    cells = [
        {**cell, "source": source} if is_solution(cell) else cell for cell in notebook["cells"]
    ]
    path.write_text(json.dumps({**notebook, "cells": cells}), encoding="utf-8")
    return path
