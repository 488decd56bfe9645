"""Hand-ins for tests: the course's solution, edited into each fault that grading must name."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from tlcourse.grading.authoring import mutants
from tlcourse.grading.authoring.mutants import Mutant, edited, is_solution, read_mutants
from tlcourse.grading.report import as_text
from tlcourse.grading.spec import load
from tlcourse.records import Verdict, to_json

ROOT = Path(__file__).parents[2]
SOLUTION = ROOT / "solutions" / "day2" / "minicv.ipynb"
UNTOUCHED = ROOT / "exercises" / "day2" / "minicv.ipynb"

_FILE = read_mutants("d2.minicv")
EXPERT = _FILE.sources["expert"]
MUTANTS = _FILE.mutants


def leaked(verdict: Verdict) -> list[str]:
    """Sizes of hidden cases alone that a verdict tells, in its record or in its report."""
    cases = load(verdict.exercise).cases
    public = {size for case in cases if case.public for size in case.binding.values()}
    hidden = {size for case in cases for size in case.binding.values()} - public
    text = to_json(replace(verdict, sealed_sha256="")) + as_text(verdict)
    # 64 is also the size of a tile: only sizes that stand nowhere else give something away.
    return [str(size) for size in sorted(hidden - {64}) if str(size) in text]


def solution_source() -> str:
    """Source of the course's solution cell."""
    return mutants.solution_source(mutants.solution_of("d2.minicv"))


def mutated(mutant: Mutant) -> str:
    """The mutant's source; each edit must apply."""
    return edited(mutant, _FILE.sources, solution_source())


def write(path: Path, *sources: str) -> Path:
    """Writes the exercise with other solution cells."""
    notebook: dict[str, Any] = json.loads(UNTOUCHED.read_text(encoding="utf-8"))
    cells: list[dict[str, Any]] = []
    for cell in notebook["cells"]:
        copies = sources if is_solution(cell) else (cell["source"],)
        cells += [{**cell, "source": source} for source in copies]
    path.write_text(json.dumps({**notebook, "cells": cells}), encoding="utf-8")
    return path
