"""Small hand-ins, zips and class folders for tests; nothing here runs a kernel."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping
from pathlib import Path

from tlcourse.grading.classes.folder import init

ROSTER = "id,name,group,extra_time,language,lms\n"
PEOPLE = ("ana,Ana Lima,A,,en,4711", "ana2,Ana B,A,24,en,", "bo,Bo Grön,B,,zh,99")


def notebook(exercise: str = "d2-minicv", source: str = "") -> str:
    """The text of a notebook for an exercise, with one solution cell."""
    marks = [{"grade_id": f"{exercise}-solution"}, {"grade_id": exercise, "grade": True}]
    cells = [{"cell_type": "code", "source": source, "metadata": {"nbgrader": m}} for m in marks]
    return json.dumps({"cells": cells})


def make_class(path: Path, *people: str, **options: Path) -> Path:
    """A class with a roster."""
    init(path, **options)
    text = ROSTER + "".join(f"{line}\n" for line in people or PEOPLE)
    (path / "roster.csv").write_text(text, encoding="utf-8")
    return path


def make_zip(
    path: Path, files: Mapping[str, str | bytes], when: tuple[int, ...] = (2026, 5, 1, 12, 0, 0)
) -> Path:
    """A zip whose members all have the same time."""
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in files.items():
            year, month, day, hour, minute, second = when
            archive.writestr(zipfile.ZipInfo(name, (year, month, day, hour, minute, second)), text)
    return path
