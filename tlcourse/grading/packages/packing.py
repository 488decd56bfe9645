"""The learner's side of a package: the folder that is given, and what is taken out of it.

Only texts are taken. What the learner's process compiled stays behind: the grader compiles the
texts again.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import cast

from tlcourse.diagnostics import TLError, error
from tlcourse.grading import handed
from tlcourse.grading.packages.asked import PackageOrder
from tlcourse.ops.new_package import new_package

MODEL = "model.py"
MOST_FILES, MOST_BYTES = 200, 2**20
_TEXTS = (".py", ".toml", ".md", ".json")
# Of artefacts, what tells whether they are those of the kernels' texts; the rest is made again.
_LEFT = ("program.json", "__pycache__")


def lay_out(order: PackageOrder, place: Path) -> Path:
    """Writes the given package into a folder of its own inside `place`.

    A file without text takes away the one of that name which every new package has.
    """
    folder = new_package(order.name, place)
    for name, text in order.files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        if not text:
            path.unlink()
    return folder


def packed(order: PackageOrder, entry: str, function: object) -> str:
    """The package's texts as JSON, after the learner's function has worked on its folder.

    Raises:
        TL608: it is no function.
        TL642: the package is no package of texts any more.
    """
    if not callable(function) or isinstance(function, type):
        what = type(function).__name__
        raise handed.other_than_asked(entry, f"it is a {what}, not a function of a folder")
    with tempfile.TemporaryDirectory(prefix="tlcourse-") as place:
        folder = lay_out(order, Path(place))
        cast(Callable[[Path], object], function)(folder)
        return json.dumps(_taken(folder), sort_keys=True, ensure_ascii=False)


def unpack(texts: dict[str, str], folder: Path) -> None:
    """Writes texts that were taken into a folder.

    Raises:
        TL642: a path leads out of it.
    """
    for name, text in texts.items():
        if Path(name).is_absolute() or ".." in Path(name).parts:
            raise _not_taken(f"{name} leads out of the package")
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def _taken(folder: Path) -> dict[str, str]:
    found: dict[str, str] = {}
    size_bytes = 0
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.suffix not in _TEXTS or any(part in _LEFT for part in path.parts):
            continue
        if path.is_symlink() or not path.is_file():
            raise _not_taken(f"{name} is no plain file")
        size_bytes += path.stat().st_size
        if size_bytes > MOST_BYTES or len(found) == MOST_FILES:
            raise _not_taken(f"it has more than {MOST_FILES} texts or {MOST_BYTES:,} bytes")
        try:
            found[name] = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            raise _not_taken(f"{name} is no text in UTF-8") from None
    return found


def _not_taken(what: str) -> TLError:
    return error(
        "TL642",
        f"the package cannot be taken: {what}",
        why="a hand-in is a small folder of texts; it is compiled again where it is graded",
        fix="write only the files of the seven steps into the given folder",
    )
