"""A class through nbgrader's own commands: our judgement, its gradebook, feedback and export."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.grading.classes.class_files import PEOPLE, make_class
from tests.grading.hand_ins import EXPERT, MUTANTS, UNTOUCHED, mutated, write
from tlcourse.diagnostics import TLError

pytest.importorskip("nbgrader")

NO_EXP = mutated(next(mutant for mutant in MUTANTS if mutant.name == "no_exp"))
# What each learner hands in, and the points of 15 that it is worth.
HAND_INS = {
    "expert": (EXPERT, 15.0),
    "warns": (f"import sys, warnings\nwarnings.warn('x'); print(1, file=sys.stderr)\n{EXPERT}", 15),
    "wrong": (NO_EXP, 1.5),
    "blanks": (
        "get_ipython().input_transformers_cleanup.append(lambda lines: ['pass'])\n",
        0.0,
    ),
    "reads": ("open('../../../gradebook.db').read()\n", 0.0),
    "exits": ("import os; os._exit(0)", 0.0),
}


def nbgrader(folder: Path, *arguments: str) -> str:
    command = [sys.executable, "-m", "nbgrader", *arguments]
    # nbgrader calls a program that lies beside Python.
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path}
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False, env=environment
    )
    assert done.returncode == 0, done.stderr
    return done.stderr


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    people = ("expert,Ex Pert,A,,en,", "wrong,W Rong,A,,zh,", *PEOPLE[1:])
    folder = make_class(tmp_path_factory.mktemp("nbgrader") / "class", *people)
    for path in (folder / "source" / "day2").iterdir():
        if path.name != "minicv.ipynb":
            path.unlink()
    nbgrader(folder, "generate_assignment", "day2")
    for learner, (source, _) in HAND_INS.items():
        place = folder / "submitted" / learner / "day2"
        place.mkdir(parents=True)
        write(place / "minicv.ipynb", source)
    nbgrader(folder, "autograde", "day2")
    return folder


def export(course: Path, kind: str) -> str:
    nbgrader(
        course, "export", f"--exporter=tlcourse.grading.export_plugins.{kind}Export", "--to=out"
    )
    return (course / "out").read_text(encoding="utf-8")


@pytest.mark.slow
def test_the_release_is_that_of_the_build(course: Path) -> None:
    ours = json.loads(UNTOUCHED.read_text(encoding="utf-8"))["cells"]
    released = json.loads((course / "release/day2/minicv.ipynb").read_text(encoding="utf-8"))
    assert ["".join(cell["source"]) for cell in released["cells"]] == [
        "".join(cell["source"]) for cell in ours
    ]


@pytest.mark.slow
def test_scores_are_those_that_we_give(course: Path) -> None:
    rows = json.loads(export(course, "Json"))
    assert {row["learner"]: row["score"] for row in rows if row["learner"] in HAND_INS} == {
        learner: points for learner, (_, points) in HAND_INS.items()
    }
    # Learners of the roster without a hand-in are there, too.
    assert {row["learner"]: row["name"] for row in rows if row["score"] is None} == {
        "ana2": "B, Ana",
        "bo": "Grön, Bo",
    }
    assert next(row["name"] for row in rows if row["learner"] == "expert") == "Pert, Ex"


@pytest.mark.slow
def test_feedback_shows_the_verdict(course: Path) -> None:
    nbgrader(course, "generate_feedback", "day2")
    page = (course / "feedback" / "wrong" / "day2" / "minicv.html").read_text(encoding="utf-8")
    assert "漏掉了 exp" in page
    assert "Traceback (most recent" not in page


@pytest.mark.slow
def test_tables_for_learning_management_systems(course: Path) -> None:
    canvas = list(csv.reader(export(course, "Canvas").splitlines()))
    assert canvas[0] == ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "day2"]
    assert canvas[1] == ["    Points Possible", "", "", "", "", "15"]
    assert {row[2]: row[5] for row in canvas[2:]}["wrong"] == "1.5"
    moodle = list(csv.reader(export(course, "Moodle").splitlines()))
    assert {row[0]: row[2] for row in moodle[1:]}["expert"] == "15"
    junit = export(course, "JUnit")
    assert junit.count("<testcase") == len(HAND_INS) + 2
    assert junit.count("<skipped") == 2
    assert junit.count("<failure") == 4


def test_a_fault_of_the_graders_costs_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import nbformat

    from tlcourse.grading import nbgrader_step
    from tlcourse.grading.spec import load
    from tlcourse.grading.verdicts import grader_failed

    failed = grader_failed(load("d2.minicv"), "the machine fell over", "en")
    tries: list[Path] = []

    def grade(path: Path, root: Path, language: str) -> object:
        tries.append(path)
        return failed

    monkeypatch.setattr(nbgrader_step, "_grade", grade)
    notebook = nbformat.read(UNTOUCHED, as_version=4)
    with pytest.raises(TLError, match="TL634"):
        nbgrader_step.SealedExecute().preprocess(notebook, {})
    assert len(tries) == 3
