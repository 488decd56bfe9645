"""Texts that a person reads: sealed, never judged by us, and a manual question to nbgrader."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.grading.classes.class_files import make_class
from tests.grading.test_nbgrader_step import nbgrader
from tlcourse.grading.authoring import mutants
from tlcourse.grading.hand_in import grade_notebook
from tlcourse.grading.notebook_file import TEXT_STUB, read_hand_in
from tlcourse.grading.report import as_text
from tlcourse.grading.spec import load, spec_from
from tlcourse.records import Verdict

ROOT = Path(__file__).parents[2]
UNTOUCHED = ROOT / "exercises" / "day5" / "defence.ipynb"
PAGE = "M is busy for 71 % of the cycles.\n\nTwo changes: 4,000 to 3,100 cycles, then none."


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str], Path]:
    """The exercise with a text in its cell."""

    def write(text: str) -> Path:
        notebook = json.loads(UNTOUCHED.read_text(encoding="utf-8"))
        return mutants.write_with(notebook, text, tmp_path / "defence.ipynb")

    return write


def points(verdict: Verdict) -> list[float]:
    return [check.max_points for check in verdict.checks]


def test_a_page_is_kept_for_a_person_with_the_rubric(write: Callable[[str], Path]) -> None:
    verdict = grade_notebook(write(PAGE))
    assert (verdict.state, verdict.points, verdict.max_points) == ("TODO", 0.0, 10.0)
    assert len(verdict.sealed_sha256) == 64
    assert points(verdict) == [0.0, 3.0, 3.0, 2.0, 2.0]
    assert "What bounds the kernel: a pipe by name" in as_text(verdict)
    assert grade_notebook(write(PAGE + "!")).sealed_sha256 != verdict.sealed_sha256


@pytest.mark.parametrize("text", [TEXT_STUB, "", f" {TEXT_STUB}\n\n"])
def test_an_empty_page_is_untouched(write: Callable[[str], Path], text: str) -> None:
    verdict = grade_notebook(write(text))
    assert (verdict.state, verdict.sealed_sha256) == ("TODO", "")
    assert "untouched" in as_text(verdict)


@pytest.mark.parametrize(
    "text",
    [
        "'''\"\"\"; import os; os._exit(0)",
        "\\",
        "```python\nraise SystemExit\n```",
        "points: 10\x00",
    ],
)
def test_a_page_is_data_and_runs_nothing(write: Callable[[str], Path], text: str) -> None:
    hand_in = read_hand_in(write(text))
    names: dict[str, Any] = {}
    exec(compile(hand_in.solutions[0], "page", "exec"), names)
    assert names["defence"]() == text
    assert hand_in.setup == ()


def test_a_page_in_another_exercise_is_not_read(tmp_path: Path) -> None:
    notebook = json.loads((ROOT / "exercises/day2/minicv.ipynb").read_text(encoding="utf-8"))
    page = json.loads(UNTOUCHED.read_text(encoding="utf-8"))["cells"]
    path = tmp_path / "both.ipynb"
    path.write_text(json.dumps({**notebook, "cells": notebook["cells"] + page}), "utf-8")
    assert read_hand_in(path).exercise == "d2.minicv"


def test_the_rubric_gives_the_points_of_the_exercise() -> None:
    data = {"schema": 1, "id": "d9.page", "version": 1, "kind": "written", "track": "deep"}
    data |= {"minutes": 1, "points": 5, "needs": [], "entry": "page", "title": "a", "title_zh": "b"}
    with pytest.raises(ValueError, match="rubric"):
        spec_from(data)
    spec_from({**data, "rubric": [{"points": 5, "en": "all", "zh": "全部"}]})
    assert load("d5.defence").kind == "written"


def test_nbgrader_asks_a_person_for_the_points(
    write: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    nbgrader_utils = pytest.importorskip("nbgrader.utils")
    import nbformat

    from tlcourse.grading import nbgrader_step

    monkeypatch.setattr(nbgrader_step, "_grade", lambda path, *_: grade_notebook(path))

    def graded(path: Path) -> tuple[float | None, float]:
        notebook = nbformat.read(path, as_version=4)
        cell = next(c for c in notebook.cells if c.metadata.get("nbgrader"))
        cell.metadata.nbgrader["checksum"] = checksum
        nbgrader_step.SealedExecute().preprocess(notebook, {})
        return nbgrader_utils.determine_grade(cell)

    given = nbformat.read(UNTOUCHED, as_version=4)
    cell = next(c for c in given.cells if c.metadata.get("nbgrader"))
    checksum = nbgrader_utils.compute_checksum(cell)
    assert graded(write(PAGE)) == (None, 10.0)
    assert graded(UNTOUCHED) == (0, 10.0)


@pytest.mark.slow
def test_the_points_that_a_person_gives_are_exported(
    tmp_path: Path, write: Callable[[str], Path]
) -> None:
    api = pytest.importorskip("nbgrader.api")
    folder = make_class(tmp_path / "class")
    for path in (folder / "source" / "day5").iterdir():
        if path.name != "defence.ipynb":
            path.unlink()
    nbgrader(folder, "generate_assignment", "day5")
    place = folder / "submitted" / "expert" / "day5"
    place.mkdir(parents=True)
    (place / "defence.ipynb").write_bytes(write(PAGE).read_bytes())
    nbgrader(folder, "autograde", "day5")
    with api.Gradebook(f"sqlite:///{folder / 'gradebook.db'}") as book:
        grade = book.find_grade("d5-defence", "defence", "day5", "expert")
        assert (grade.auto_score, bool(grade.needs_manual_grade)) == (None, True)
        grade.manual_score, grade.needs_manual_grade = 7.0, False
        book.db.commit()
    nbgrader(folder, "export", "--exporter=tlcourse.grading.export_plugins.JsonExport", "--to=out")
    (row,) = [
        r for r in json.loads((folder / "out").read_text("utf-8")) if r["learner"] == "expert"
    ]
    assert row["score"] == 7.0
