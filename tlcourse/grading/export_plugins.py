"""Grades out of nbgrader's gradebook in further forms.

Use: `nbgrader export --exporter tlcourse.grading.export_plugins.CanvasExport --to canvas.csv`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, cast
from xml.etree import ElementTree

from nbgrader.api import MissingEntry
from nbgrader.plugins.export import ExportPlugin

from tlcourse.grading.reports.tables import table, xml_text
from tlcourse.grading.whole import write_whole


@dataclass(frozen=True, kw_only=True)
class Score:
    """What one learner has in one assignment; `score` is None where nothing was handed in."""

    learner: str
    name: str
    assignment: str
    score: float | None
    max_score: float
    needs_person: bool


def scores(gradebook: Any, assignments: Sequence[str], students: Sequence[str]) -> Iterator[Score]:
    """The scores of a gradebook.

    Args:
        gradebook: nbgrader's.
        assignments: names of those that are wanted; all where it is empty.
        students: ids of those that are wanted; all where it is empty.
    """
    for assignment in gradebook.assignments:
        for student in gradebook.students:
            wanted = not students or student.id in students
            if wanted and (not assignments or assignment.name in assignments):
                yield _score(gradebook, assignment, student)


def _score(gradebook: Any, assignment: Any, student: Any) -> Score:
    names = (student.last_name, student.first_name)
    points: float | None = None
    needs_person = False
    try:
        found = gradebook.find_submission(assignment.name, student.id)
        points = max(0.0, found.score - found.late_submission_penalty)
        needs_person = bool(found.needs_manual_grade)
    except MissingEntry:
        pass  # nothing was handed in
    return Score(
        learner=student.id,
        name=", ".join(name for name in names if name),
        assignment=assignment.name,
        score=points,
        max_score=float(assignment.max_score),
        needs_person=needs_person,
    )


class _Export(ExportPlugin):  # pyright: ignore[reportUntypedBaseClass]
    """Writes the text that `text_of` makes of the scores."""

    file = ""

    def export(self, gradebook: Any) -> None:
        """Writes the file that `--to` names."""
        own = cast(Any, self)
        wanted = [str(name) for name in own.assignment], [str(name) for name in own.student]
        found = list(scores(gradebook, *wanted))
        write_whole(Path(own.to or self.file), self.text_of(found))

    def text_of(self, found: Sequence[Score]) -> str:
        raise NotImplementedError


class JsonExport(_Export):
    """A list of scores as JSON."""

    file = "grades.json"

    def text_of(self, found: Sequence[Score]) -> str:
        """A list of objects, one a score."""
        rows = [asdict(score) for score in found]
        return json.dumps(rows, sort_keys=True, ensure_ascii=False, indent=1) + "\n"


class JUnitExport(_Export):
    """A test suite for each assignment."""

    file = "grades.xml"

    def text_of(self, found: Sequence[Score]) -> str:
        """A test case for each learner: passed with all points, skipped without a hand-in."""
        root = ElementTree.Element("testsuites")
        for name in dict.fromkeys(score.assignment for score in found):
            suite = ElementTree.SubElement(root, "testsuite", {"name": xml_text(name)})
            for score in found:
                if score.assignment == name:
                    _test_case(suite, score)
        ElementTree.indent(root)
        return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _test_case(suite: ElementTree.Element, score: Score) -> None:
    about = {"classname": xml_text(score.assignment), "name": xml_text(score.learner)}
    case = ElementTree.SubElement(suite, "testcase", about)
    if score.score is None or score.needs_person:
        why = "not handed in" if score.score is None else "a person has still to grade it"
        ElementTree.SubElement(case, "skipped", {"message": why})
    elif score.score < score.max_score:
        points = f"{score.score:g} of {score.max_score:g} points"
        ElementTree.SubElement(case, "failure", {"message": points})


def _matrix(found: Sequence[Score]) -> tuple[list[str], dict[str, dict[str, Score]]]:
    """Assignments, and for each learner the scores by assignment."""
    assignments = list(dict.fromkeys(score.assignment for score in found))
    learners: dict[str, dict[str, Score]] = {}
    for score in found:
        learners.setdefault(score.learner, {})[score.assignment] = score
    return assignments, learners


def _points(score: Score | None) -> str:
    return "" if score is None or score.score is None else f"{score.score:g}"


class CanvasExport(_Export):
    """The table that Canvas's gradebook imports."""

    file = "canvas.csv"

    def text_of(self, found: Sequence[Score]) -> str:
        """One column an assignment; the second row has the points that are possible."""
        assignments, learners = _matrix(found)
        most = {score.assignment: f"{score.max_score:g}" for score in found}
        rows: list[Sequence[str]] = [
            ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", *assignments],
            ["    Points Possible", "", "", "", "", *(most[name] for name in assignments)],
        ]
        for learner, own in learners.items():
            name = next(iter(own.values())).name or learner
            points = [_points(own.get(name)) for name in assignments]
            rows.append([name, "", learner, learner, "", *points])
        return table(rows)


class MoodleExport(_Export):
    """The table that Moodle's gradebook imports, learners known by their ID number."""

    file = "moodle.csv"

    def text_of(self, found: Sequence[Score]) -> str:
        """One column an assignment; learners without a hand-in have a dash, as Moodle writes it."""
        assignments, learners = _matrix(found)
        rows: list[Sequence[str]] = [["ID number", "Full name", *assignments]]
        for learner, own in learners.items():
            points = [_points(own.get(name)) or "-" for name in assignments]
            rows.append([learner, next(iter(own.values())).name, *points])
        return table(rows)
