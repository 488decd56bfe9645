"""A learner's working copy of the course: copied once, never overwritten where it was changed.

The copy is a folder of notebooks and exercises. A list of what was copied, with the hash of
each file, lies in it; a file is brought up to date only while it still has that hash.
Notebooks are trusted as they are copied, so that stored figures and widgets are shown, and
cells tagged `reveal` come without outputs, so that a prediction comes before the answer.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from tlcourse.build.issued import note_issued
from tlcourse.diagnostics import error
from tlcourse.grading.progress_file import MANIFEST
from tlcourse.stored import put

PARTS = ("notebooks", "exercises", "days")
START = ("START_HERE.ipynb", "START_HERE.zh.ipynb")
SETTINGS = {
    # A saved notebook must show its widgets again when it is opened without a kernel.
    "@jupyter-widgets/jupyterlab-manager:plugin": {"saveState": True},
    # No question about news and no request to the network in a classroom.
    "@jupyterlab/apputils-extension:notification": {"checkForUpdates": False, "fetchNews": "false"},
}


@dataclass(frozen=True, kw_only=True)
class CopyReport:
    """What happened to the files of a working copy: paths relative to it.

    Args:
        written: new, or brought up to date.
        kept: the learner's own work.
        newer: those of them that the course has a newer text for.
    """

    written: tuple[str, ...]
    kept: tuple[str, ...]
    newer: tuple[str, ...] = ()


def course_folder() -> Path:
    """The folder with `notebooks/` and `exercises/`: of this checkout, else of the package.

    Raises:
        TL707: neither holds a notebook.
    """
    package = Path(__file__).parents[1]
    for folder in (package.parent, package / "course_files"):
        if any((folder / "notebooks").glob("*/*.ipynb")):
            return folder
    raise error(
        "TL707",
        "the course's notebooks are not here",
        why=f"neither {package.parent / 'notebooks'} nor the installed package holds any",
        fix="run `tlcourse build` in a checkout, or install tlcourse again",
    )


def make_workspace(
    target: Path, source: Path | None = None, trust_folder: Path | None = None
) -> CopyReport:
    """Copies the course into `target` and trusts its notebooks; changed files are kept.

    Args:
        target: folder of the working copy, made if it is missing.
        source: folder with the course, default `course_folder()`.
        trust_folder: where signatures of trusted notebooks lie, default Jupyter's data folder.

    Raises:
        TL707: the course's notebooks are not here.
    """
    source = source or course_folder()
    manifest = read_manifest(target)
    given: dict[str, bytes] = {}
    written: list[str] = []
    kept: list[str] = []
    newer: list[str] = []
    for path in course_files(source):
        name = path.relative_to(source).as_posix()
        data = for_learner(path, trust_folder)
        copy = target / name
        now = file_hash(copy.read_bytes()) if copy.exists() else None
        if now not in (None, file_hash(data), manifest.get(name)):
            kept.append(name)  # the learner's own work
            if manifest.get(name) != file_hash(data):
                newer.append(name)
            continue
        if now != file_hash(data):
            write(copy, data)
            written.append(name)
        manifest[name] = file_hash(data)
        given[name] = data
    note_issued(target, given)
    write_manifest(target, manifest)
    return CopyReport(written=tuple(written), kept=tuple(kept), newer=tuple(newer))


def write_settings(folder: Path) -> None:
    """Writes JupyterLab's settings overrides into an application settings folder."""
    write(folder / "overrides.json", json.dumps(SETTINGS, indent=1).encode())


def course_files(source: Path) -> list[Path]:
    """The files of a course that a working copy holds."""
    files = [path for part in PARTS for path in (source / part).rglob("*") if path.is_file()]
    files += [source / name for name in START if (source / name).is_file()]
    return sorted(path for path in files if not _is_private(path.relative_to(source)))


def note_in_manifest(target: Path, name: str, data: bytes) -> None:
    """Says that a file of a working copy is as the course has it, so that it may follow it."""
    write_manifest(target, read_manifest(target) | {name: file_hash(data)})
    note_issued(target, {name: data})


def write_manifest(target: Path, manifest: dict[str, str]) -> None:
    """Writes the list of the files that a working copy was given, with their hashes."""
    write(target / MANIFEST, json.dumps(manifest, indent=1, sort_keys=True).encode())


def _is_private(path: Path) -> bool:
    return any(part.startswith((".", "__")) for part in path.parts)


def for_learner(path: Path, trust_folder: Path | None = None) -> bytes:
    """The bytes of a course file as a learner gets it; a notebook is trusted on the way."""
    if path.suffix != ".ipynb":
        return path.read_bytes()
    data = as_given(path)
    trust(json.loads(data), trust_folder)
    return data


def as_given(path: Path) -> bytes:
    """The bytes of a course file as a learner gets it; nothing is trusted yet."""
    if path.suffix != ".ipynb":
        return path.read_bytes()
    notebook = json.loads(path.read_text(encoding="utf-8"))
    for cell in notebook["cells"]:
        if "reveal" in cell["metadata"].get("tags", []):
            _clear(cell)
    return notebook_bytes(notebook)


def notebook_bytes(notebook: dict[str, Any]) -> bytes:
    """A notebook as a file holds it."""
    return (json.dumps(notebook, indent=1, ensure_ascii=False) + "\n").encode()


def _clear(cell: dict[str, Any]) -> None:
    # Folding would not do: JupyterLab shows the first line of a folded output.
    cell["outputs"] = []
    cell["execution_count"] = None


def trust(notebook: dict[str, Any], folder: Path | None = None) -> None:
    """Signs a notebook, so that JupyterLab shows its stored outputs."""
    import nbformat
    from jupyter_core.paths import jupyter_data_dir
    from nbformat.sign import NotebookNotary

    folder = folder or Path(jupyter_data_dir())
    folder.mkdir(parents=True, exist_ok=True)
    notary = NotebookNotary(data_dir=str(folder))
    try:
        notary.sign(nbformat.from_dict(notebook))
    finally:
        notary.store.close()


def read_manifest(target: Path) -> dict[str, str]:
    """The files that a working copy was given, with their hashes."""
    path = target / MANIFEST
    if not path.exists():
        return {}
    return cast("dict[str, str]", json.loads(path.read_text(encoding="utf-8")))


def file_hash(data: bytes) -> str:
    """The hash that stands in the list."""
    return hashlib.sha256(data).hexdigest()


def write(path: Path, data: bytes) -> None:
    """Writes a file and the folders above it, so that nobody ever sees a part of it."""
    put(path, data)
