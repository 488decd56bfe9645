"""A small precompiled package, and three copies of it to compare: one of them was changed."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from tlcourse.ops.artefact import INDEX, METADATA, PROGRAM
from tlcourse.ops.new_package import new_package
from tlcourse.ops.precompile import precompile
from tlcourse.ops.sources import ARTEFACTS

NAME = "gates"
COPIES = ("a", "b", "c")
_TOUCHED, _CHANGED = "a", "b"
_YEAR_2030 = 1_893_456_000


def three_copies(where: Path) -> dict[str, Path]:
    """Precompiles a new package and copies its artefacts three times.

    Args:
        where: a folder that gets the package and the copies.

    Returns:
        name of a copy to its folder, in which `index.json` lies.
    """
    package = new_package(NAME, where)
    list(precompile(package, native=False))
    found: dict[str, Path] = {}
    for name in COPIES:
        found[name] = Path(shutil.copytree(package / ARTEFACTS, where / name))
    # A date says nothing of the contents, and a change may leave the size as it was.
    for path in found[_TOUCHED].rglob("*.json"):
        os.utime(path, (_YEAR_2030, _YEAR_2030))
    program = sorted(found[_CHANGED].rglob(PROGRAM))[0]
    kept = program.stat()
    text = program.read_text(encoding="utf-8")
    program.write_text(text.replace("clamp_min", "clamp_max"), encoding="utf-8")
    os.utime(program, (kept.st_atime, kept.st_mtime))
    return found


def files_of(copy: Path) -> list[Path]:
    """The files of a copy that are looked at, in one order for all copies."""
    names = (INDEX, METADATA, PROGRAM)
    return sorted(path for path in copy.rglob("*.json") if path.name in names)
