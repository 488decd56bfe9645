"""Finds hand-ins in whatever is named: notebooks, folders, zips, nbgrader's submitted/ tree."""

from __future__ import annotations

import tempfile
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from tlcourse.diagnostics import Diagnostic, TLError, error
from tlcourse.grading.notebook_file import MAX_BYTES, HandIn, read_hand_in
from tlcourse.grading.spec import load
from tlcourse.grading.whole import readable

BAD_ZIP = (OSError, EOFError, ValueError, RuntimeError, zipfile.BadZipFile, zlib.error)
"""What Python raises for zips that are cut, damaged, encrypted or packed in an unknown way."""
_SUBMITTED = "submitted"


@dataclass(frozen=True, kw_only=True)
class Found:
    """One file that somebody handed in.

    Args:
        learner: as far as folders and names tell.
        file: what a person would call it.
        path: where it lies.
        member: its name inside, where `path` is a zip.
        problem: why it cannot be looked into, for a zip that is damaged.
    """

    learner: str
    file: str
    path: Path
    member: str = ""
    problem: Diagnostic | None = None


def found_in(paths: Iterable[Path]) -> list[Found]:
    """All hand-ins in the order in which a person would list them."""
    return [found for path in paths for found in _found(path)]


def _found(path: Path) -> Iterator[Found]:
    if not path.is_dir():
        yield from _file(path, readable(path.stem), readable(path.name))
        return
    root = path / _SUBMITTED if (path / _SUBMITTED).is_dir() else path
    for file in sorted(_files(root)):
        parts = [readable(part) for part in file.relative_to(root).parts]
        learner = parts[0] if len(parts) > 1 else readable(file.stem)
        yield from _file(file, learner, "/".join(parts))


def _files(folder: Path) -> Iterator[Path]:
    """Notebooks and zips, without the copies that editors keep in hidden folders."""
    for path in folder.rglob("*"):
        hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
        if path.suffix.lower() in (".ipynb", ".zip") and not hidden and not path.is_dir():
            yield path


def _file(path: Path, learner: str, name: str) -> Iterator[Found]:
    if path.suffix.lower() != ".zip":
        yield Found(learner=learner, file=name, path=path)
        return
    try:
        if path.is_symlink() or not path.is_file():
            raise ValueError("it is a link, a folder or a pipe, not a file of its own")
        with zipfile.ZipFile(path) as archive:
            members = sorted(notebooks_of(archive), key=lambda member: member.filename)
            if not members:
                raise ValueError("there is no notebook in it")
    except BAD_ZIP as problem:
        diagnostic = bad_zip(readable(path.name), readable(str(problem))).diagnostic
        yield Found(learner=learner, file=name, path=path, problem=diagnostic)
        return
    for member in members:
        inner = f"{name}:{member.filename}"
        yield Found(learner=learner, file=inner, path=path, member=member.filename)


def notebooks_of(archive: zipfile.ZipFile) -> Iterator[zipfile.ZipInfo]:
    """The notebooks of a zip, without what systems and editors add to it."""
    for member in archive.infolist():
        name = PurePosixPath(member.filename.replace("\\", "/"))
        hidden = any(part.startswith((".", "__MACOSX")) and part != ".." for part in name.parts)
        if not member.is_dir() and not hidden and name.suffix.lower() == ".ipynb":
            yield member


def hand_in_of(found: Found) -> HandIn:
    """The cells that run.

    Raises:
        TL601, TL610, TL611, TL632: there are none, and why.
    """
    if found.problem is not None:
        raise TLError(found.problem)
    if not found.member:
        hand_in = read_hand_in(found.path)
    else:
        with tempfile.TemporaryDirectory(prefix="tlcourse-") as scratch:
            name = PurePosixPath(found.member.replace("\\", "/")).name
            hand_in = read_hand_in(_unpacked(found, Path(scratch) / name))
    load(hand_in.exercise)
    return hand_in


def _unpacked(found: Found, target: Path) -> Path:
    try:
        with zipfile.ZipFile(found.path) as archive, archive.open(found.member) as stream:
            # One byte more than a notebook may have: a packed bomb is not blown up.
            target.write_bytes(stream.read(MAX_BYTES + 1))
    except BAD_ZIP as problem:
        raise bad_zip(found.file, str(problem)) from problem
    return target


def bad_zip(name: str, why: str) -> TLError:
    """TL632: a zip that is cut, damaged or locked."""
    return error(
        "TL632",
        f"{name} is not a zip of notebooks that can be read",
        why=why or "the file is damaged",
        fix="ask for it once more; `tlcourse handin` makes one",
    )
