"""A zip of verdict pages to give back, in the form in which Canvas or Moodle takes it.

Moodle takes a folder for each learner with the name that its own zip had; Canvas a file for each
hand-in that starts as the handed-in one did. Learners whose hand-ins came another way get a
folder of their id.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from tlcourse.diagnostics import TLError, error
from tlcourse.grading.classes import folder as class_folder
from tlcourse.grading.classes.collecting import Taken, collected
from tlcourse.grading.classes.roster import roster
from tlcourse.grading.reports.pages import file_of
from tlcourse.grading.whole import write_whole

Form = Literal["moodle", "canvas", "plain"]
# Equal pages give equal zips, whenever they are packed.
_DAY = (2000, 1, 1, 0, 0, 0)


def feedback(folder: Path, target: Path, form: Form) -> int:
    """Makes the zip; how many learners it has a page for.

    Raises:
        TL621: the roster cannot be used.
        TL637: the class has no report yet.
    """
    pages = folder / class_folder.REPORT / "learners"
    if not pages.is_dir():
        raise _no_report(folder)
    owners = {one.learner: one for one in collected(folder) if one.system == form}
    stream = io.BytesIO()
    count = 0
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for learner in roster(folder):
            page = pages / file_of(learner.id)
            if page.is_file():
                count += 1
                name = _name(form, learner.id, owners.get(learner.id))
                archive.writestr(zipfile.ZipInfo(name, _DAY), page.read_bytes())
    write_whole(target, stream.getvalue())
    return count


def _name(form: Form, learner: str, taken: Taken | None) -> str:
    if taken is None:
        return f"{learner}/feedback.html"
    if form == "moodle":
        start = taken.owner.removesuffix(taken.file)
        return f"{start}/feedback.html"
    return f"{taken.owner}{Path(taken.file).stem}.html"


def archive(folder: Path, target: Path) -> int:
    """Packs a whole class into one zip, its secret included, so keep it where staff alone reads.

    Returns:
        how many files it has.

    Raises:
        TL623: the folder is no class.
        TL638: the zip would lie inside the class.
    """
    class_folder.settings(folder)
    if target.resolve().is_relative_to(folder.resolve()):
        raise _inside(folder)
    files = sorted(_kept(folder))
    stream_path = target.with_name(f".{target.name}.part")
    try:
        with zipfile.ZipFile(stream_path, "w", zipfile.ZIP_DEFLATED) as packed:
            for path in files:
                info = zipfile.ZipInfo(path.relative_to(folder.parent).as_posix(), _DAY)
                info.compress_type = zipfile.ZIP_DEFLATED
                packed.writestr(info, path.read_bytes())
        stream_path.replace(target)
    finally:
        stream_path.unlink(missing_ok=True)
    return len(files)


def _kept(folder: Path) -> Iterator[Path]:
    for path in folder.resolve().rglob("*"):
        parts = path.relative_to(folder.resolve()).parts
        if path.is_file() and not any(part.startswith(".") for part in parts):
            yield folder / path.relative_to(folder.resolve())


def _no_report(folder: Path) -> TLError:
    return error(
        "TL637",
        f"{folder.resolve().name} has no report to give back",
        why="feedback is made of the pages that grading writes",
        fix=f"run `tlcourse grade {folder}` first",
    )


def _inside(folder: Path) -> TLError:
    return error(
        "TL638",
        f"the archive would lie inside {folder.resolve().name}",
        why="an archive that packs itself never ends, and goes with the folder when that goes",
        fix="name a file in another folder with `--out`",
    )
