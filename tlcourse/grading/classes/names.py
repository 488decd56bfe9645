"""Whose a file in a zip of a learning management system is: the name forms of Canvas and Moodle.

```
Canvas   doejane_LATE_4711_99_minicv.ipynb          one flat zip
Moodle   Jane Doe_4711_assignsubmission_file_/x.ipynb   a folder each, or a flat name
ours     ana_week2.zip, or a zip of `tlcourse handin` with a receipt
```
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Literal

from tlcourse.grading.classes.roster import Learner

System = Literal["canvas", "moodle", "zip"]
_MOODLE = re.compile(r"(?P<name>.+)_(?P<number>\d+)_assignsubmission_file_?(?P<file>.*)")
_CANVAS = re.compile(r"(?P<name>[^_]+)_(?P<late>LATE_)?(?P<number>\d+)_\d+_(?P<file>.+)")


@dataclass(frozen=True, kw_only=True)
class Place:
    """What a name in a zip tells.

    Args:
        system: whose form it has.
        owner: as the form calls the learner.
        file: the learner's own name for the file.
        learner: of the roster; None where nobody fits.
        late: whether the system marked it as late.
    """

    system: System
    owner: str
    file: str
    learner: Learner | None
    late: bool = False


def place_of(learners: Sequence[Learner], zip_stem: str, member: str) -> Place:
    """Whose a member of a zip is.

    Args:
        learners: the roster.
        zip_stem: the zip's name without its ending.
        member: the member's name.
    """
    path = PurePosixPath(member.replace("\\", "/"))
    for part in path.parts[:-1] or (path.name,):
        if found := _MOODLE.fullmatch(part):
            learner = by_number(learners, found["number"]) or by_name(learners, found["name"])
            file = found["file"] or path.name
            return Place(system="moodle", owner=part, file=file, learner=learner)
    if found := _CANVAS.fullmatch(path.name):
        learner = by_number(learners, found["number"]) or by_name(learners, found["name"])
        late = bool(found["late"])
        stem = path.name.removesuffix(found["file"])
        return Place(system="canvas", owner=stem, file=found["file"], learner=learner, late=late)
    learner = by_start(learners, zip_stem)
    return Place(system="zip", owner=zip_stem, file=path.name, learner=learner)


def by_number(learners: Iterable[Learner], number: str) -> Learner | None:
    """The learner with that number in the system, or with that id."""
    return next((one for one in learners if number in (one.lms, one.id)), None)


def by_name(learners: Iterable[Learner], name: str) -> Learner | None:
    """The only learner with that name, in whatever order and without accents and blanks."""
    wanted = _letters(name)
    fitting = [one for one in learners if wanted in (_letters(one.name), _turned(one.name))]
    return fitting[0] if len(fitting) == 1 else None


def by_start(learners: Iterable[Learner], stem: str) -> Learner | None:
    """The learner with the longest id that starts the name and ends at a word boundary."""
    fitting = [
        one for one in learners if stem.startswith(one.id) and not stem[len(one.id) :][:1].isalnum()
    ]
    return max(fitting, key=lambda one: len(one.id), default=None)


def _turned(name: str) -> str:
    """The name with the family name first, as Canvas writes it."""
    words = name.replace(",", " ").split()
    return _letters("".join([*words[-1:], *words[:-1]]))


def _letters(name: str) -> str:
    plain = unicodedata.normalize("NFKD", name).casefold()
    return "".join(sign for sign in plain if sign.isalnum())
