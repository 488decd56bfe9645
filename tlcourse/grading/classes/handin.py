"""`tlcourse handin`: a zip of notebooks with a receipt that says what is in it."""

from __future__ import annotations

import hashlib
import io
import json
import platform
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path

import tlcourse
from tlcourse.diagnostics import TLError, error
from tlcourse.grading.classes.collecting import RECEIPT
from tlcourse.grading.notebook_file import read_hand_in
from tlcourse.grading.spec import load
from tlcourse.grading.version import grading_version
from tlcourse.grading.whole import write_whole
from tlcourse.records import Verdict

SCHEMA = "tlcourse.Receipt/1"


@dataclass(frozen=True, kw_only=True)
class Line:
    """One notebook in a receipt.

    Args:
        file: its name in the zip.
        exercise: what it is for.
        sha256: of its bytes.
        spec_version: of the exercise.
        state: of the self-check.
        points: what the self-check saw; the class's own cases may differ.
        max_points: what it could have seen.
    """

    file: str
    exercise: str
    sha256: str
    spec_version: int
    state: str
    points: float
    max_points: float


def hand_in(
    learner: str, notebooks: Sequence[Path], target: Path, judged: Callable[[Path], Verdict]
) -> list[Line]:
    """Makes the zip.

    Args:
        learner: the learner's id.
        notebooks: what to hand in.
        target: the zip.
        judged: the self-check of a notebook.

    Returns:
        what the receipt says of each notebook.

    Raises:
        TL601, TL610, TL611: a file is no notebook that can be graded; no zip is made.
        TL635: there is none, or two are for one exercise.
    """
    read = [(path, read_hand_in(path).exercise) for path in notebooks]
    for exercise in (names := [exercise for _, exercise in read]):
        load(exercise)
        if names.count(exercise) > 1:
            raise _not_one(f"two notebooks are for {exercise}")
    if not read:
        raise _not_one("there is no notebook")
    lines = [_line(path, exercise, judged(path)) for path, exercise in read]
    receipt = {
        "schema": SCHEMA,
        "id": learner,
        "files": [asdict(line) for line in lines],
        "todo": [line.exercise for line in lines if line.state == "TODO"],
        "versions": {
            "tlcourse": tlcourse.__version__,
            "grading": grading_version(),
            "python": platform.python_version(),
        },
    }
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for line, (path, _) in zip(lines, read, strict=True):
            archive.writestr(_info(line.file), path.read_bytes())
        text = json.dumps(receipt, sort_keys=True, ensure_ascii=False, indent=1)
        archive.writestr(_info(RECEIPT), text + "\n")
    write_whole(target, stream.getvalue())
    return lines


def _line(path: Path, exercise: str, verdict: Verdict) -> Line:
    day, slug = exercise.split(".")
    return Line(
        file=f"day{day[1:]}/{slug}.ipynb",
        exercise=exercise,
        sha256=hashlib.sha256(path.read_bytes()).hexdigest(),
        spec_version=load(exercise).version,
        state=verdict.state,
        points=verdict.points,
        max_points=verdict.max_points,
    )


def _info(name: str) -> zipfile.ZipInfo:
    now = datetime.now()
    info = zipfile.ZipInfo(name, now.timetuple()[:6])
    info.compress_type = zipfile.ZIP_DEFLATED
    return info


def _not_one(why: str) -> TLError:
    return error(
        "TL635",
        f"nothing to hand in: {why}",
        why="a zip holds one notebook for each exercise",
        fix="name the notebooks, or the folder that holds one for each exercise",
    )
