"""Takes hand-ins out of zips into a class folder: each to its learner, day and exercise.

Every zip is kept in `inbox/`, and a hand-in that a later one takes the place of in `replaced/`,
so nothing is ever lost. What was taken stands in `collected.jsonl`.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import shutil
import tempfile
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path, PurePosixPath
from typing import cast

from tlcourse.diagnostics import TLError
from tlcourse.grading import strict
from tlcourse.grading.bulk.gather import BAD_ZIP
from tlcourse.grading.classes import folder as class_folder
from tlcourse.grading.classes.decisions import Decision, decisions
from tlcourse.grading.classes.names import Place, by_number, place_of
from tlcourse.grading.classes.roster import Learner, roster
from tlcourse.grading.notebook_file import MAX_BYTES, read_hand_in
from tlcourse.grading.spec import load
from tlcourse.grading.whole import write_whole

RECEIPT = "receipt.json"
_LOG = "collected.jsonl"
_MAX_ZIP_BYTES = 4 * MAX_BYTES
_MAX_RECEIPT_BYTES = 2**20
# A zip of the system with zips of the learners in it, and no deeper.
_DEPTH = 2


@dataclass(frozen=True, kw_only=True)
class Taken:
    """One notebook that was taken in.

    Args:
        learner: whose it is.
        exercise: what it is for.
        sha256: of its bytes.
        when: its time in the zip, local.
        marked_late: whether the system it came from says so.
        system: where it came from: canvas, moodle or zip.
        owner: as the system calls the learner's hand-in.
        file: the learner's name for it.
    """

    learner: str
    exercise: str
    sha256: str
    when: str
    marked_late: bool
    system: str
    owner: str
    file: str


@dataclass(kw_only=True)
class Collected:
    """What became of one zip: lists for the person who collects.

    Args:
        zip: its name.
        taken: what now counts.
        late: those of it that are late.
        double: what a later hand-in of the same learner took the place of.
        unknown: files of nobody on the roster.
        left_out: other files that are no hand-in, with the reason.
    """

    zip: str
    taken: list[Taken] = field(default_factory=list[Taken])
    late: list[str] = field(default_factory=list[str])
    double: list[str] = field(default_factory=list[str])
    unknown: list[str] = field(default_factory=list[str])
    left_out: list[str] = field(default_factory=list[str])


@dataclass(frozen=True, kw_only=True)
class _File:
    """A file of a zip, whose it is and when it was made, and the zip's receipt."""

    place: Place
    data: bytes
    when: datetime
    receipt: Mapping[str, object]


def collect(folder: Path, zips: Iterable[Path]) -> list[Collected]:
    """Takes the notebooks out of zips. Notebooks are told apart by the ids in their cells.

    Raises:
        TL621: the roster cannot be used.
        TL622, TL623: the class's decisions or settings cannot be used.
    """
    collector = _Collector(folder)
    return [collector.take(path) for path in zips]


def collected(folder: Path) -> list[Taken]:
    """All that was ever taken in, the oldest first."""
    path = folder / _LOG
    if not path.is_file():
        return []
    found: list[Taken] = []
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        try:
            found.append(strict.read(Taken, json.loads(line)))
        except ValueError:
            continue  # the line that a process was writing when it was ended
    return found


class _Collector:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._learners = roster(folder)
        self._lateness = Lateness(class_folder.settings(folder), decisions(folder))
        self._latest = {(one.learner, one.exercise): one for one in collected(folder)}

    def take(self, path: Path) -> Collected:
        report = Collected(zip=path.name)
        try:
            kept = self._keep(path)
            with zipfile.ZipFile(kept) as archive:
                for file in self._files(archive, path.stem, report, _DEPTH, None):
                    self._take_one(file, report)
        except BAD_ZIP as problem:
            report.left_out.append(f"not a zip that can be read: {problem}")
        return report

    def _keep(self, path: Path) -> Path:
        """A copy of the zip, named by its content, so that the same zip is kept once."""
        inbox = self._folder / "inbox"
        inbox.mkdir(exist_ok=True)
        with path.open("rb") as stream:
            digest = hashlib.file_digest(stream, "sha256").hexdigest()[:12]
        target = inbox / f"{digest}-{path.name}"
        if not target.exists():
            handle, name = tempfile.mkstemp(dir=inbox, prefix=".", suffix=".tmp")
            os.close(handle)
            shutil.copyfile(path, name)
            Path(name).replace(target)
        return target

    def _files(
        self,
        archive: zipfile.ZipFile,
        stem: str,
        report: Collected,
        depth: int,
        outer: Place | None,
    ) -> Iterator[_File]:
        receipt = _receipt(archive)
        for member in archive.infolist():
            path = PurePosixPath(member.filename.replace("\\", "/"))
            # A path that climbs out is harmless: only its parts are looked at.
            hidden = any(p.startswith((".", "__MACOSX")) and p != ".." for p in path.parts)
            if member.is_dir() or hidden or path.name == RECEIPT:
                continue
            place = outer or self._place(stem, member.filename, receipt)
            ending = path.suffix.lower()
            limit = _MAX_ZIP_BYTES if ending == ".zip" else MAX_BYTES
            if place.learner is None:
                report.unknown.append(f"{path.name}: {place.owner}")
            elif ending not in (".ipynb", ".zip") or (ending == ".zip" and depth == 1):
                report.left_out.append(f"{path.name}: not a notebook")
            elif member.file_size > limit:
                report.left_out.append(f"{path.name}: {member.file_size:,} bytes are too many")
            else:
                found = _File(place=place, data=b"", when=_when(member), receipt=receipt)
                yield from self._opened(archive, member, found, report, depth)

    def _opened(
        self,
        archive: zipfile.ZipFile,
        member: zipfile.ZipInfo,
        found: _File,
        report: Collected,
        depth: int,
    ) -> Iterator[_File]:
        """A notebook, or the files of a learner's zip inside the system's."""
        name = PurePosixPath(member.filename.replace("\\", "/")).name
        try:
            data = archive.read(member)
            if not name.lower().endswith(".zip"):
                yield replace(found, data=data)
                return
            with zipfile.ZipFile(io.BytesIO(data)) as inner:
                place = found.place
                yield from self._files(inner, place.owner, report, depth - 1, place)
        except BAD_ZIP as problem:
            report.left_out.append(f"{name}: not a zip that can be read: {problem}")

    def _place(self, stem: str, member: str, receipt: Mapping[str, object]) -> Place:
        place = place_of(self._learners, stem, member)
        if place.learner is None and place.system == "zip":
            learner = by_number(self._learners, str(receipt.get("id", "")))
            file = PurePosixPath(member).name
            return Place(system="zip", owner=stem, file=file, learner=learner)
        return place

    def _take_one(self, file: _File, report: Collected) -> None:
        learner = file.place.learner
        assert learner is not None, "files of nobody are listed before"
        try:
            exercise = _exercise(file.data)
        except TLError as problem:
            report.left_out.append(f"{file.place.file}: {problem.diagnostic.what}")
            return
        one = Taken(
            learner=learner.id,
            exercise=exercise,
            sha256=hashlib.sha256(file.data).hexdigest(),
            when=file.when.isoformat(timespec="seconds"),
            marked_late=file.place.late,
            system=file.place.system,
            owner=file.place.owner,
            file=file.place.file,
        )
        self._store(one, file, report)
        if one in report.taken and self._lateness.is_late(learner, one):
            report.late.append(f"{one.file}: {one.exercise} of {one.learner}, {one.when}")

    def _store(self, one: Taken, file: _File, report: Collected) -> None:
        before = self._latest.get((one.learner, one.exercise))
        is_again = any(t.exercise == one.exercise for t in report.taken if t.learner == one.learner)
        if before is not None and before.sha256 == one.sha256:
            report.taken += [] if is_again else [before]  # the same once more
            return
        told = f"{one.file}: a second notebook for {one.exercise} of {one.learner}"
        # Of two in one zip with the same time the first counts; of two zips the later one.
        if before is not None and (one.when, not is_again) < (before.when, True):
            report.double.append(f"{told}; the one of {before.when} counts")
            self._put_aside(one.learner, one.exercise, file.data)
            return
        if before is not None:
            report.double.append(f"{told}; it takes the place of the one of {before.when}")
            report.taken[:] = [t for t in report.taken if t != before]
        self._replace(one, file)
        report.taken.append(one)

    def _replace(self, one: Taken, file: _File) -> None:
        target = self._target(one)
        if target.is_file():
            self._put_aside(one.learner, one.exercise, target.read_bytes())
        target.parent.mkdir(parents=True, exist_ok=True)
        write_whole(target, file.data)
        write_whole(target.parent / "timestamp.txt", f"{one.when.replace('T', ' ')}\n")
        if file.receipt:
            receipts = self._folder / "receipts" / one.learner
            receipts.mkdir(parents=True, exist_ok=True)
            write_whole(receipts / f"{one.exercise}.json", json.dumps(file.receipt, indent=1))
        with (self._folder / _LOG).open("a", encoding="utf-8") as log:
            log.write(json.dumps(asdict(one), sort_keys=True, ensure_ascii=False) + "\n")
        self._latest[one.learner, one.exercise] = one

    def _target(self, one: Taken) -> Path:
        day, slug = one.exercise.split(".")
        return self._folder / "submitted" / one.learner / f"day{day[1:]}" / f"{slug}.ipynb"

    def _put_aside(self, learner: str, exercise: str, data: bytes) -> None:
        place = self._folder / "replaced" / learner
        place.mkdir(parents=True, exist_ok=True)
        digest = hashlib.sha256(data).hexdigest()[:8]
        write_whole(place / f"{exercise}-{digest}.ipynb", data)


class Lateness:
    """What is late: by the deadline of a day or exercise, extra time and extensions.

    Args:
        settings: of the class.
        made: what people decided; an extension is asked anew each time, so that it holds for
            hand-ins that were taken before it was given.
    """

    def __init__(self, settings: class_folder.Settings, made: Sequence[Decision]) -> None:
        self._settings = settings
        self._extensions = [decision for decision in made if decision.what == "extension"]

    def is_late(self, learner: Learner, one: Taken) -> bool:
        """Whether a hand-in came too late; without a deadline here, what the system says."""
        items = (learner.id, f"{learner.id}/{one.exercise}")
        given = [decision.new for decision in self._extensions if decision.item in items]
        when = datetime.fromisoformat(one.when)
        if given:
            return when > datetime.fromisoformat(given[-1]).replace(tzinfo=None)
        deadline = deadline_of(self._settings, one.exercise)
        if deadline is None:
            return one.marked_late
        return when > deadline.replace(tzinfo=None) + timedelta(hours=learner.extra_hours)


def deadline_of(settings: class_folder.Settings, exercise: str) -> datetime | None:
    """The deadline of an exercise: its own, else its day's."""
    day = f"day{exercise.partition('.')[0][1:]}"
    found = settings.deadlines.get(exercise) or settings.deadlines.get(day)
    return datetime.fromisoformat(found) if found else None


def _when(member: zipfile.ZipInfo) -> datetime:
    try:
        return datetime(*member.date_time)
    except ValueError:
        return datetime(1980, 1, 1)  # what a zip without times says


def _exercise(data: bytes) -> str:
    """Which exercise a notebook is for.

    Raises:
        TL601, TL610, TL611: it is for none.
    """
    with tempfile.TemporaryDirectory(prefix="tlcourse-") as scratch:
        copy = Path(scratch) / "hand_in.ipynb"
        copy.write_bytes(data)
        exercise = read_hand_in(copy).exercise
    load(exercise)
    return exercise


def _receipt(archive: zipfile.ZipFile) -> dict[str, object]:
    """The receipt that `tlcourse handin` puts into a zip; it is believed for the id only."""
    try:
        info = archive.getinfo(RECEIPT)
        if info.file_size > _MAX_RECEIPT_BYTES:
            return {}
        data = json.loads(archive.read(info))
    except (KeyError, *BAD_ZIP):
        return {}
    return cast(dict[str, object], data) if isinstance(data, dict) else {}
