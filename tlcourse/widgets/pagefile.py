"""Where a page of a widget goes: a file in a folder, or an error that says why not."""

from __future__ import annotations

from pathlib import Path

from tlcourse.diagnostics import TLError, error


def write_text(path: object, text: str) -> Path:
    """Writes a page; returns its path.

    Raises:
        TL718: the file cannot be written, or that is no path.
    """
    target = path_of(path)
    try:
        target.write_text(text, encoding="utf-8")
    except OSError as problem:
        raise _no_file(str(path), f"the system says: {problem.strerror}") from problem
    return target


def path_of(path: object) -> Path:
    """What was given for a path, if it is one.

    Raises:
        TL718: it is something else.
    """
    if not isinstance(path, str | Path) or not str(path):
        raise _no_file(repr(path), "a page needs the path of a file")
    return Path(path)


def make_folder(path: object) -> None:
    """Makes the folder of a page, where it is not there yet.

    Raises:
        TL718: it cannot be made, or that is no path.
    """
    folder = path_of(path).parent
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise _no_file(str(folder), f"the system says: {problem.strerror}") from problem


def _no_file(path: str, why: str) -> TLError:
    return error(
        "TL718",
        f"The file {path} cannot be used",
        why=why,
        fix='name a file in a folder that is there and may be written, as in "page.html"',
    )
