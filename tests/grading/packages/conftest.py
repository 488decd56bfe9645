"""Grades packages as `tlcourse grade` does: forked from a warm parent where the system forks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tlcourse.grading.authoring import mutants
from tlcourse.grading.hand_in import Graded, graded
from tlcourse.grading.protection import parent_here, protection_of, runner_of
from tlcourse.grading.sandbox import Limits

Grade = Callable[..., Graded]


@pytest.fixture(scope="session")
def grade(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Grade]:
    """Grades an exercise with another text in its solution cell; None is the course's own."""
    parent = parent_here()
    runner = runner_of(parent, protection_of(parent))
    folder = tmp_path_factory.mktemp("packages")

    def grade(exercise: str, change: Callable[[str], str] | None = None) -> Graded:
        notebook = mutants.solution_of(exercise)
        source = mutants.solution_source(notebook)
        text = change(source) if change is not None else source
        path: Path = mutants.write_with(notebook, text, folder / "hand_in.ipynb")
        return graded(path, runner=runner, limits=Limits(cpu_seconds=20, wall_seconds=100))

    yield grade
    if parent is not None:
        parent.stop()
