"""nbgrader's autograde with our judgement: a preprocessor in place of the one that runs cells.

It takes the notebook after nbgrader has put locked cells back, grades its setup and solution
cells as `tlcourse grade` does, and writes into the graded cell what nbgrader reads a score from.
"""

from __future__ import annotations

import json
import tempfile
from functools import cache
from pathlib import Path
from typing import Any, cast

import nbformat
from nbformat import NotebookNode
from nbgrader.preprocessors import NbGraderPreprocessor

from tlcourse.diagnostics import TLError, error
from tlcourse.grading.classes import folder as class_folder
from tlcourse.grading.classes import gradebook
from tlcourse.grading.classes.roster import Learner, roster
from tlcourse.grading.hand_in import graded
from tlcourse.grading.notebook import VERDICT_MIME
from tlcourse.grading.notebook_file import given_notebook
from tlcourse.grading.protection import parent_here, protection_of, runner_of
from tlcourse.grading.report import as_html, as_text
from tlcourse.grading.resident import Resident
from tlcourse.grading.sandbox import Limits
from tlcourse.grading.words import Language
from tlcourse.records import Verdict, to_data

_TRIES = 3


class SealedExecute(NbGraderPreprocessor):  # pyright: ignore[reportUntypedBaseClass]
    """Grades a hand-in in a sandbox; no cell of it runs in this process."""

    def preprocess(
        self, nb: NotebookNode, resources: dict[str, Any]
    ) -> tuple[NotebookNode, dict[str, Any]]:
        """Writes the verdict into the graded cell.

        Raises:
            TL634: the grader itself failed; nbgrader leaves the hand-in ungraded.
        """
        about = cast(dict[str, str], resources.get("nbgrader", {}))
        learners = _learners(Path.cwd(), about.get("db_url", ""))
        learner = learners.get(about.get("student", ""))
        verdict = _verdict(nb, Path.cwd(), learner.language if learner else "en")
        nb.cells += _missing_checks(nb, verdict.exercise)
        for cell in nb.cells:
            if cell.cell_type == "code":
                cell.outputs = _outputs(verdict) if _is_graded(cell) else []
        return nb, resources


def _verdict(nb: NotebookNode, root: Path, language: Language) -> Verdict:
    with tempfile.TemporaryDirectory(prefix="tlcourse-") as scratch:
        path = Path(scratch) / "hand_in.ipynb"
        path.write_text(cast(str, nbformat.writes(nb)), encoding="utf-8")
        verdict = _grade(path, root, language)
        for _ in range(_TRIES - 1):
            if verdict.state == "ERROR":
                verdict = _grade(path, root, language)
    if verdict.state == "ERROR":
        raise _failed(verdict.checks[0].reason)
    return verdict


def _grade(path: Path, root: Path, language: Language) -> Verdict:
    limits, resident, runner = _tools(root)
    done = graded(path, limits=limits, resident=resident, runner=runner, language=language)
    return done.verdict


@cache
def _learners(root: Path, url: str) -> dict[str, Learner]:
    """The roster by id; at the first call, its names go into the gradebook."""
    if not (root / "roster.csv").is_file():
        return {}
    learners = roster(root)
    if url:
        gradebook.write_students(url, learners)
    return {learner.id: learner for learner in learners}


@cache
def _tools(root: Path) -> tuple[Limits, Resident, Any]:
    """What grades, set up as the class says."""
    settings = class_folder.settings(root)
    class_folder.use_variants(root, settings)
    parent = parent_here()
    limits = Limits(cpu_seconds=settings.seconds, wall_seconds=4 * settings.seconds)
    resident = Resident(secret=class_folder.secret(root))
    return limits, resident, runner_of(parent, protection_of(parent))


def _is_graded(cell: NotebookNode) -> bool:
    mark = cell.metadata.get("nbgrader", {})
    return bool(mark.get("grade")) and not mark.get("solution")


def _missing_checks(nb: NotebookNode, exercise: str) -> list[NotebookNode]:
    """Graded cells that the learner deleted: the gradebook looks for the score in them."""
    path = given_notebook(exercise)
    if path is None or any(map(_is_graded, nb.cells)):
        return []
    given = cast(Any, nbformat.read(path, as_version=4))
    return [cell for cell in given.cells if cell.cell_type == "code" and _is_graded(cell)]


def _outputs(verdict: Verdict) -> list[NotebookNode]:
    """The report for people, the verdict for programs, and the points for nbgrader."""
    shown = {
        "text/plain": as_text(verdict),
        "text/html": as_html(verdict),
        VERDICT_MIME: json.loads(json.dumps(to_data(verdict))),
    }
    new = cast(Any, nbformat.v4).new_output
    return [
        new("display_data", data=shown),
        new("execute_result", data={"text/plain": f"{verdict.points:g}"}),
    ]


def _failed(what: str) -> TLError:
    return error(
        "TL634",
        f"the grader failed on this hand-in: {what}",
        why="what the learner wrote is not to blame, so no points are taken",
        fix="run `nbgrader autograde` once more; `tlcourse doctor` checks the machine",
    )
