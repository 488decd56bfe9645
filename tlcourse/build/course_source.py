"""Where a newer course comes from: the installed tlcourse, or a wheel file."""

from __future__ import annotations

import re
import tempfile
import zipfile
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from tlcourse.build.workspace import course_folder
from tlcourse.diagnostics import TLError, error

_NAME = re.compile(r"tlcourse-([0-9][^-]*)-.*\.whl")
_INSIDE = "tlcourse/course_files/"


@dataclass(frozen=True, kw_only=True)
class CourseSource:
    """A course: its folder and the version of tlcourse that it belongs to."""

    folder: Path
    version: str


@contextmanager
def course_in(wheel: Path | None) -> Generator[CourseSource, None, None]:
    """The course of a wheel, unpacked for a while; that of the installed tlcourse if None.

    Raises:
        TL707: the installed tlcourse has no course.
        TL809: the file is no wheel of tlcourse with a course in it.
    """
    if wheel is None:
        yield CourseSource(folder=course_folder(), version=version("tlcourse"))
        return
    name = _NAME.fullmatch(wheel.name)
    if name is None:
        raise _no_course(wheel, "a wheel of tlcourse is named tlcourse-VERSION-py3-none-any.whl")
    with tempfile.TemporaryDirectory(prefix="tlcourse-update-") as temp:
        yield CourseSource(folder=_unpacked(wheel, Path(temp)), version=name[1])


def is_older(one: str, other: str) -> bool:
    """Whether a version is older than another, by the numbers at its start."""
    return _numbers(one) < _numbers(other)


def _numbers(text: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", re.split(r"[^\d.]", text)[0])]


def _unpacked(wheel: Path, folder: Path) -> Path:
    try:
        with zipfile.ZipFile(wheel) as archive:
            names = [name for name in archive.namelist() if name.startswith(_INSIDE)]
            archive.extractall(folder, names)
    except zipfile.BadZipFile as problem:
        raise _no_course(wheel, f"it cannot be unpacked: {problem}") from problem
    if not any((folder / _INSIDE / "notebooks").glob("*/*.ipynb")):
        raise _no_course(wheel, f"it holds no notebooks under {_INSIDE}")
    return folder / _INSIDE


def _no_course(wheel: Path, why: str) -> TLError:
    return error(
        "TL809",
        f"{wheel} is no wheel of tlcourse with a course in it",
        why=why,
        fix="give the file that your lecturer gave out, unchanged; if it was damaged on the way, "
        "copy it again",
    )
