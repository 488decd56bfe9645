"""`tlcourse explain`: judges one hand-in again with the same seed, beside what was said before."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from tlcourse.diagnostics import TLError, error
from tlcourse.grading.bulk import station
from tlcourse.grading.bulk.gather import Found, found_in, hand_in_of
from tlcourse.grading.bulk.grading import Options
from tlcourse.grading.bulk.job import job_of
from tlcourse.grading.classes import folder as class_folder
from tlcourse.grading.classes.grading import open_class, options_of, reported
from tlcourse.records import Verdict


@dataclass(frozen=True, kw_only=True)
class Explained:
    """A verdict and what else is known of the hand-in.

    Args:
        learner: whose it is.
        verdict: of just now, with the same inputs.
        reported: state and points in the class's report; empty where there is none.
        receipt: the learner's own self-check; empty where there is none.
        output: the head of what the code printed; for staff, since it may tell hidden shapes.
    """

    learner: str
    verdict: Verdict
    reported: str = ""
    receipt: str = ""
    output: str = ""

    @property
    def is_same(self) -> bool:
        """Whether the report says the same, as far as there is one."""
        now = f"{self.verdict.state} {self.verdict.points:g}"
        return not self.reported or self.reported == now


def explain(submission: Path, exercise: str) -> Explained:
    """Grades a hand-in for an exercise once more.

    Args:
        submission: a notebook, a zip, or a learner's folder; inside a class, with its seed.
        exercise: its id.

    Raises:
        TL639: there is no hand-in for that exercise.
    """
    folder = _class_of(submission)
    options = Options()
    before: dict[tuple[str, str], str] = {}
    if folder is not None:
        run = open_class(folder)
        options = options_of(run, class_folder.secret(folder))
        before = reported(run.report)
    learner, found = _wanted(submission, exercise, folder)
    language = options.languages.get(learner, "en")
    job = job_of(hand_in_of(found), options.limits, language, options.secret)
    try:
        done = station.work(job).done
    finally:
        station.close_all()
    return Explained(
        learner=learner,
        verdict=done.verdict,
        output=done.output,
        reported=before.get((learner, exercise), ""),
        receipt=_receipt(folder, learner, exercise) if folder is not None else "",
    )


def _class_of(submission: Path) -> Path | None:
    parents = submission.resolve().parents
    return next((one for one in parents if (one / "class.toml").is_file()), None)


def _wanted(submission: Path, exercise: str, folder: Path | None) -> tuple[str, Found]:
    for found in found_in([submission]):
        try:
            hand_in = hand_in_of(found)
        except TLError:
            continue
        if hand_in.exercise == exercise:
            return _learner(found, folder), found
    raise _missing(submission, exercise)


def _learner(found: Found, folder: Path | None) -> str:
    if folder is None:
        return found.learner
    inside = found.path.resolve().relative_to(folder.resolve()).parts
    return inside[1] if inside[0] == "submitted" else found.learner


def _receipt(folder: Path, learner: str, exercise: str) -> str:
    path = folder / "receipts" / learner / f"{exercise}.json"
    if not path.is_file():
        return ""
    lines = json.loads(path.read_text(encoding="utf-8")).get("files", [])
    for line in lines:
        if isinstance(line, dict) and line.get("exercise") == exercise:
            return f"{line.get('state')} {line.get('points')}/{line.get('max_points')}"
    return ""


def _missing(submission: Path, exercise: str) -> TLError:
    return error(
        "TL639",
        f"{submission.name} has no hand-in for {exercise}",
        why="notebooks are known by the ids in their cells, whatever their files are called",
        fix="name the learner's folder in submitted/ and the exercise's id, as in d2.minicv",
    )
