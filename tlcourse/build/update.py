"""`tlcourse update`: a newer course comes into a working copy, around what the learner did.

First a plan, which changes nothing; then the plan is carried out: what stood there is kept in a
folder of its own, and each file appears whole. A file that was saved in between is left alone.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import count
from pathlib import Path, PurePosixPath
from typing import Literal, cast

from tlcourse.build.issued import Issued, Notebook, cells_of, note_issued, read_issued
from tlcourse.build.merging import CellChange, What, has_ids, merge
from tlcourse.build.workspace import (
    as_given,
    course_files,
    file_hash,
    notebook_bytes,
    read_manifest,
    trust,
    write,
    write_manifest,
)

BACKUPS = ".tlcourse/before_update"

Kind = Literal["new", "changed", "merged", "beside", "removed", "kept"]


@dataclass(frozen=True, kw_only=True)
class FileChange:
    """What an update does about a file.

    Args:
        name: of the file, in the working copy.
        kind: `new` comes; `changed` is replaced, the learner never changed it; `merged` takes in
            what the learner did not touch; `beside`: the learner's stays, the course's is put
            beside it; `removed` goes; `kept`: the course dropped it, the learner's stays.
        data: what is written; None for `removed` and `kept`.
        before: the hash of what stands there now; empty where nothing does.
        cells: what happens to cells.
    """

    name: str
    kind: Kind
    data: bytes | None = None
    before: str = ""
    cells: tuple[CellChange, ...] = ()

    @property
    def target(self) -> str:
        """The name of the file that is written."""
        path = PurePosixPath(self.name)
        return str(path.with_suffix(f".new{path.suffix}")) if self.kind == "beside" else self.name

    def named(self, what: What) -> list[str]:
        """The cells of which something is said."""
        return [change.cell for change in self.cells if change.what == what]


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What an update does: the changes, and all files of the newer course."""

    changes: tuple[FileChange, ...]
    course: Mapping[str, bytes]


@dataclass(frozen=True, kw_only=True)
class Done:
    """What an update did: where old files lie, and what it left, since it was saved just now."""

    backup: Path | None
    skipped: tuple[str, ...]


def plan_update(copy: Path, source: Path) -> Plan:
    """Compares a working copy with a course, and writes nothing.

    Args:
        copy: the working copy.
        source: the folder of the newer course.
    """
    course = {p.relative_to(source).as_posix(): as_given(p) for p in course_files(source)}
    manifest, issued = read_manifest(copy), read_issued(copy)
    found = [_change(copy, name, data, manifest, issued) for name, data in course.items()]
    found += [_dropped(copy, name, manifest[name]) for name in manifest if name not in course]
    changes = sorted((one for one in found if one), key=lambda one: one.name)
    return Plan(changes=tuple(changes), course=course)


def carry_out(
    plan: Plan, copy: Path, by_version: str = "", trust_folder: Path | None = None
) -> Done:
    """Does what a plan says.

    Args:
        plan: made for this working copy.
        copy: the working copy.
        by_version: the version of the course.
        trust_folder: where signatures of trusted notebooks lie, default Jupyter's data folder.
    """
    late = [one.name for one in plan.changes if _hash_of(copy / one.name) != one.before]
    now = [one for one in plan.changes if one.name not in late]
    backup = _keep(copy, [copy / one.name for one in now if one.before and one.kind != "beside"])
    manifest = read_manifest(copy)
    for one in now:
        _write(one, copy, trust_folder)
        if one.kind == "removed":
            manifest.pop(one.name, None)
    given = {name: data for name, data in plan.course.items() if name not in late}
    note_issued(copy, given, by_version)
    write_manifest(copy, manifest | {name: file_hash(data) for name, data in given.items()})
    return Done(backup=backup, skipped=tuple(late))


def _change(
    copy: Path, name: str, data: bytes, manifest: Mapping[str, str], issued: Issued
) -> FileChange | None:
    path = copy / name
    now, given = _hash_of(path), manifest.get(name, "")
    if not now:
        return FileChange(name=name, kind="new", data=data)
    if file_hash(data) in (now, given):
        return None  # as the course has it, or the course has nothing newer
    base = issued.cells.get(name, {})
    if now == given:
        cells = _cell_changes(path, data)
        return FileChange(name=name, kind="changed", data=data, before=now, cells=cells)
    mine = _notebook(path)
    if mine is None:
        return FileChange(name=name, kind="beside", data=data, before=now)
    merged = merge(base, mine, json.loads(data))
    if merged.notebook == mine:
        return None
    written = notebook_bytes(merged.notebook)
    return FileChange(name=name, kind="merged", data=written, before=now, cells=merged.changes)


def _dropped(copy: Path, name: str, given: str) -> FileChange | None:
    now = _hash_of(copy / name)
    if not now:
        return None
    return FileChange(name=name, kind="removed" if now == given else "kept", before=now)


def _cell_changes(path: Path, new: bytes) -> tuple[CellChange, ...]:
    """What is new in a notebook that the learner never changed."""
    old = path.read_bytes()
    if path.suffix != ".ipynb":
        return ()
    return merge(cells_of(old), json.loads(old), json.loads(new)).changes


def _write(one: FileChange, copy: Path, trust_folder: Path | None) -> None:
    path = copy / one.name
    if one.kind == "removed":
        path.unlink()
    if one.data is None:
        return
    if one.target.endswith(".ipynb") and (one.kind != "merged" or _trusted(path, trust_folder)):
        trust(json.loads(one.data), trust_folder)
    write(copy / one.target, one.data)


def _trusted(path: Path, folder: Path | None) -> bool:
    """Whether Jupyter trusts a notebook: one from elsewhere is not trusted by an update."""
    import nbformat
    from jupyter_core.paths import jupyter_data_dir
    from nbformat.sign import NotebookNotary

    notebook = json.loads(path.read_bytes())
    notary = NotebookNotary(data_dir=str(folder or jupyter_data_dir()))
    try:
        return bool(notary.check_signature(nbformat.from_dict(notebook)))
    finally:
        notary.store.close()


def _notebook(path: Path) -> Notebook | None:
    """A learner's notebook; None where it cannot be merged cell by cell."""
    if path.suffix != ".ipynb":
        return None
    try:
        notebook = cast("Notebook", json.loads(path.read_text(encoding="utf-8")))
        return notebook if has_ids(notebook) else None
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


def _keep(copy: Path, paths: list[Path]) -> Path | None:
    if not paths:
        return None
    root = copy / BACKUPS
    folder = next(root / str(n) for n in count(1) if not (root / str(n)).exists())
    for path in paths:
        write(folder / path.relative_to(copy), path.read_bytes())
    return folder


def _hash_of(path: Path) -> str:
    return file_hash(path.read_bytes()) if path.is_file() else ""
