"""A working copy meets a newer course: file by file, and nothing of the learner's is lost."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbformat.sign import NotebookNotary
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from tlcourse.build.issued import FILE, read_issued
from tlcourse.build.update import Done, Plan, carry_out, plan_update
from tlcourse.build.workspace import for_learner, make_workspace

LESSON = "notebooks/day1/00_start.ipynb"
EXERCISE = "exercises/day1/vadd.ipynb"
DATA = "exercises/day1/times.csv"


def write_course(folder: Path, edition: int, *names: str) -> Path:
    """A course whose prose and data carry the number of the edition."""
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if name.endswith(".ipynb"):
            cells = [
                new_markdown_cell(f"edition {edition}", id="prose"),
                new_code_cell("# your code here", id="solution"),
            ]
            nbformat.write(new_notebook(cells=cells), path)
        else:
            path.write_text(f"edition,{edition}\n")
    return folder


@pytest.fixture
def trust(tmp_path: Path) -> Path:
    return tmp_path / "trust"


@pytest.fixture
def lab(tmp_path: Path, trust: Path) -> Path:
    """A working copy of the first edition."""
    make_workspace(tmp_path / "lab", write_course(tmp_path / "1", 1, LESSON, EXERCISE, DATA), trust)
    return tmp_path / "lab"


@pytest.fixture
def second(tmp_path: Path) -> Path:
    return write_course(tmp_path / "2", 2, LESSON, EXERCISE, DATA)


def answer(path: Path, text: str = "mine = 1") -> None:
    """Does in a notebook what a learner does in JupyterLab."""
    notebook = json.loads(path.read_text())
    notebook["cells"][-1] |= {"source": [text], "execution_count": 4}
    path.write_text(json.dumps(notebook, indent=1))


def texts(path: Path) -> list[str]:
    cells: list[dict[str, Any]] = json.loads(path.read_text())["cells"]
    return ["".join(cell["source"]) for cell in cells]


def kinds(plan: Plan) -> dict[str, str]:
    return {change.name: change.kind for change in plan.changes}


def update(lab: Path, course: Path, trust: Path) -> Done:
    return carry_out(plan_update(lab, course), lab, "0.2", trust)


def test_the_same_course_changes_nothing(lab: Path, tmp_path: Path) -> None:
    answer(lab / EXERCISE)
    assert plan_update(lab, tmp_path / "1").changes == ()


def test_a_plan_writes_nothing(lab: Path, second: Path) -> None:
    answer(lab / EXERCISE)
    before = {path: path.read_bytes() for path in lab.rglob("*") if path.is_file()}
    assert kinds(plan_update(lab, second)) == {
        LESSON: "changed",
        EXERCISE: "merged",
        DATA: "changed",
    }
    assert {path: path.read_bytes() for path in lab.rglob("*") if path.is_file()} == before


def test_prose_comes_in_and_the_answer_stays(lab: Path, second: Path, trust: Path) -> None:
    answer(lab / EXERCISE)
    (change,) = [c for c in plan_update(lab, second).changes if c.name == EXERCISE]
    assert change.named("new text") == ["prose"]
    update(lab, second, trust)
    assert texts(lab / EXERCISE) == ["edition 2", "mine = 1"]
    assert texts(lab / LESSON)[0] == "edition 2"
    assert plan_update(lab, second).changes == ()


def test_what_stood_there_is_kept(lab: Path, second: Path, trust: Path) -> None:
    answer(lab / EXERCISE)
    old = (lab / EXERCISE).read_bytes()
    done = update(lab, second, trust)
    assert done.backup is not None
    assert (done.backup / EXERCISE).read_bytes() == old
    third = write_course(second, 3, LESSON)
    assert update(lab, third, trust).backup != done.backup


def test_files_that_come_and_go(lab: Path, tmp_path: Path, trust: Path) -> None:
    answer(lab / EXERCISE)
    course = write_course(tmp_path / "2", 1, "exercises/day1/new.ipynb")
    assert kinds(plan_update(lab, course)) == {
        LESSON: "removed",
        EXERCISE: "kept",
        DATA: "removed",
        "exercises/day1/new.ipynb": "new",
    }
    update(lab, course, trust)
    assert not (lab / LESSON).exists()
    assert texts(lab / EXERCISE)[-1] == "mine = 1"
    assert (lab / "exercises/day1/new.ipynb").exists()


@pytest.mark.parametrize("spoiled", ["{", json.dumps({"cells": [{"source": "x"}]}), "[1]"])
def test_what_cannot_be_merged_stays_and_the_courses_comes_beside(
    lab: Path, second: Path, trust: Path, spoiled: str
) -> None:
    (lab / EXERCISE).write_text(spoiled)
    (lab / DATA).write_text("my,times\n")
    plan = plan_update(lab, second)
    assert (kinds(plan)[EXERCISE], kinds(plan)[DATA]) == ("beside", "beside")
    carry_out(plan, lab, "0.2", trust)
    assert (lab / EXERCISE).read_text() == spoiled
    assert texts(lab / "exercises/day1/vadd.new.ipynb")[0] == "edition 2"
    assert (lab / "exercises/day1/times.new.csv").read_text() == "edition,2\n"
    assert plan_update(lab, second).changes == ()


def test_a_file_saved_in_between_is_left(lab: Path, second: Path, trust: Path) -> None:
    plan = plan_update(lab, second)
    answer(lab / EXERCISE, "written at the last moment")
    done = carry_out(plan, lab, "0.2", trust)
    assert done.skipped == (EXERCISE,)
    assert texts(lab / EXERCISE) == ["edition 1", "written at the last moment"]
    assert kinds(plan_update(lab, second)) == {EXERCISE: "merged"}


def test_an_update_that_was_killed_can_be_run_again(lab: Path, second: Path, trust: Path) -> None:
    answer(lab / EXERCISE)
    lists = {path: path.read_bytes() for path in (lab / FILE, lab / ".tlcourse.json")}
    update(lab, second, trust)
    for path, data in lists.items():  # the lists are written last
        path.write_bytes(data)
    update(lab, second, trust)
    assert texts(lab / EXERCISE) == ["edition 2", "mine = 1"]


def test_without_a_record_of_the_old_side_nothing_is_overwritten(
    lab: Path, second: Path, trust: Path
) -> None:
    answer(lab / EXERCISE)
    (lab / FILE).unlink()
    update(lab, second, trust)
    assert texts(lab / EXERCISE)[0] == "edition 1"
    assert "edition 2" in texts(lab / EXERCISE)[1]
    assert "mine = 1" in texts(lab / EXERCISE)


def test_only_a_trusted_notebook_stays_trusted(lab: Path, second: Path, trust: Path) -> None:
    answer(lab / EXERCISE, "from elsewhere")  # written by no JupyterLab: not signed
    answer(lab / LESSON)
    notary = NotebookNotary(data_dir=str(trust))
    notary.sign(nbformat.read(lab / LESSON, as_version=4))
    update(lab, second, trust)
    signed = [
        notary.check_signature(nbformat.read(lab / n, as_version=4)) for n in (LESSON, EXERCISE)
    ]
    notary.store.close()
    assert signed == [True, False]


def test_the_version_is_noted(lab: Path, second: Path, trust: Path) -> None:
    update(lab, second, trust)
    assert read_issued(lab).version == "0.2"
    assert for_learner(second / LESSON, trust) == (lab / LESSON).read_bytes()
