"""The roster's learners in nbgrader's gradebook, so that its tables show names and not only ids."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator, Sequence
from contextlib import closing, contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any, cast

from tlcourse.grading.classes.roster import Learner

_COLUMNS = ("first_name", "last_name", "lms_user_id")


def is_here() -> bool:
    """Whether nbgrader is installed."""
    return find_spec("nbgrader") is not None


def address(folder: Path) -> str:
    """The gradebook that nbgrader makes in a course root, where its settings name no other one."""
    return f"sqlite:///{(folder / 'gradebook.db').resolve().as_posix()}"


def write_students(url: str, learners: Sequence[Learner]) -> int:
    """Makes or renames students; how many of them.

    Args:
        url: of the gradebook.
        learners: the roster. A student who is not on it stays, with all grades.
    """
    from nbgrader.api import Gradebook

    with _programs_of_python(), closing(cast(Any, Gradebook(url))) as book:
        known = {one.id: {name: getattr(one, name) for name in _COLUMNS} for one in book.students}
        new = [one for one in learners if known.get(one.id) != _columns(one)]
        for learner in new:
            book.update_or_create_student(learner.id, **_columns(learner))
    return len(new)


@contextmanager
def _programs_of_python() -> Generator[None]:
    """Lets nbgrader find the program that it makes a new gradebook with, beside this Python."""
    before = os.environ.get("PATH", "")
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{before}"
    try:
        yield
    finally:
        os.environ["PATH"] = before


def _columns(learner: Learner) -> dict[str, str | None]:
    return dict(zip(_COLUMNS, (*split(learner.name), learner.lms or None), strict=True))


def split(name: str) -> tuple[str, str]:
    """First and family name of `Ana Lima` and of `Lima, Ana`; one word is the family name."""
    if "," in name:
        family, _, first = name.partition(",")
    else:
        first, _, family = name.rpartition(" ")
    return first.strip(), family.strip()
