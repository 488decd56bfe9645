"""Opens a precompiled package: every file is compared with its hash, and no code runs yet.

Only the standard library is needed here. torch and the executor come with the first launch;
xDSL, the parser and the compiler never do.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, cast

from tlcourse import __version__

if TYPE_CHECKING:
    from tlcourse.ops.artefact import Artefact
    from tlcourse.ops.launching import Launcher
    from tlcourse.records import Program

_INDEX, _METADATA, _PROGRAM = "index.json", "metadata.json", "program.json"
_LIBRARY = "main.so"
_SCHEMAS = {_INDEX: "tlcourse.ArtefactIndex/1", _METADATA: "tlcourse.Artefact/1"}
_MOST_BYTES = 64 * 2**20  # a kernel is some kilobytes; a file of gigabytes is no artefact

Stamps = dict[str, tuple[str, int]]
"""File or folder to sha256 and bytes."""


class Variant:
    """One compiled variant, whose files are those that were built."""

    def __init__(self, folder: Path, data: dict[str, object], files: Stamps) -> None:
        self.folder = folder
        self.operator = str(data["operator"])
        self.name = str(data["variant"])
        self.files = files
        self._data = data

    @cached_property
    def artefact(self) -> Artefact:
        """What the metadata say.

        Raises:
            TL483: they have other keys or types than the schema.
        """
        from tlcourse.grading.strict import read
        from tlcourse.ops.artefact import Artefact
        from tlcourse.ops.refusals import not_readable

        try:
            return read(Artefact, self._data, _METADATA)
        except ValueError as problem:
            raise not_readable(self.folder / _METADATA, str(problem)) from None

    @cached_property
    def program(self) -> Program:
        """The compiled kernel, read and checked at its first launch.

        Raises:
            TL480, TL483: the file is another one, or no Program.
            TL482: its code is no kernel.
        """
        from tlcourse.ops.code_check import check_program
        from tlcourse.ops.refusals import not_readable
        from tlcourse.records import Program, from_json

        path = self.folder / _PROGRAM
        try:
            program = from_json(Program, _bytes(path, self.files[_PROGRAM]).decode())
            check_program(program, f"{self.folder.name}/{_PROGRAM}")
        except (ValueError, KeyError, TypeError, AttributeError) as problem:
            raise not_readable(path, str(problem)) from None
        # C text and paths come from the package's own files, never from what this file says.
        options = program.options | {"native": None, "library": self._library()}
        return replace(program, options=options)

    def _library(self) -> str | None:
        """The compiled code's path, where it was built for such a machine as this."""
        from tlcourse.functional.compiled import machine_tag

        if _LIBRARY not in self.files or self.artefact.machine != machine_tag():
            return None
        path = self.folder / _LIBRARY
        _bytes(path, self.files[_LIBRARY])
        return str(path)


class Kernels:
    """The precompiled kernels of one package. `kernels("softmax")` gives what can be called."""

    def __init__(self, package: str, folder: Path, variants: tuple[Variant, ...]) -> None:
        self.package = package
        self.folder = folder
        self.variants = variants

    def __call__(self, operator: str, **constants: object) -> Launcher:
        """What launches an operator's kernel, in the variant that fits the tensors.

        Args:
            operator: its name in the recipe.
            constants: constants that the variant must have been made with, where tensors
                do not tell, for example `causal=True`.

        Raises:
            TL484: there is no such variant.
        """
        from tlcourse.ops.launching import launcher

        return launcher(self, operator, {name: str(value) for name, value in constants.items()})

    def operators(self) -> tuple[str, ...]:
        """Names of the operators, each once."""
        return tuple(dict.fromkeys(variant.operator for variant in self.variants))


def load(folder: str | Path, *, sha256: str) -> Kernels:
    """Opens the artefacts of a package.

    Args:
        folder: where `index.json` lies.
        sha256: of `index.json`; it stands in the package's code, so that artefacts cannot be
            exchanged without the code.

    Raises:
        TL480: a file is missing, cut off or changed.
        TL481: the package was made with another version of tlcourse.
        TL483: a file is no artefact.
    """
    root = Path(folder)
    path = root / _INDEX
    index = _json(path, (sha256, -1), ("package", "tlcourse", "folders"))
    made_with = str(index["tlcourse"])
    if made_with != __version__:
        from tlcourse.ops.refusals import other_version

        raise other_version(made_with, __version__)
    folders = _stamps(index["folders"], path)
    variants = tuple(_variant(root, name, wanted) for name, wanted in folders.items())
    return Kernels(str(index["package"]), root, variants)


def _variant(root: Path, name: str, wanted: tuple[str, int]) -> Variant:
    path = root / name / _METADATA
    if ".." in Path(name).parts or Path(name).is_absolute():
        raise _unreadable(root / _INDEX, f"{name} leads out of the package")
    data = _json(path, wanted, ("operator", "variant", "files"))
    files = _stamps(data["files"], path)
    if _PROGRAM not in files:
        raise _unreadable(path, f"files lacks {_PROGRAM}")
    for file, stamp in files.items():
        if Path(file).name != file:
            raise _unreadable(path, f"{file} leads out of its folder")
        _bytes(path.with_name(file), stamp)
    return Variant(path.parent, data, files)


def _json(path: Path, wanted: tuple[str, int], keys: tuple[str, ...]) -> dict[str, object]:
    """The table in a file, with the schema of its name and the keys that loading needs."""
    text = _bytes(path, wanted)
    try:
        data: object = json.loads(text)
    except (ValueError, RecursionError) as problem:
        raise _unreadable(path, str(problem)) from None
    if not isinstance(data, dict):
        raise _unreadable(path, "it is no table")
    table = cast("dict[str, object]", data)
    if table.get("schema") != _SCHEMAS[path.name]:
        raise _unreadable(path, f"its schema is {table.get('schema')}")
    missing = [key for key in keys if key not in table]
    if missing:
        raise _unreadable(path, f"it lacks {', '.join(missing)}")
    return table


def _stamps(data: object, path: Path) -> Stamps:
    """Hash and size of each file that a table names."""
    try:
        table = cast("dict[str, dict[str, str | int]]", data)
        pairs = {name: (one["sha256"], one["size_bytes"]) for name, one in table.items()}
    except (AttributeError, KeyError, TypeError):
        raise _unreadable(path, "a file has no sha256 and size_bytes") from None
    found: Stamps = {}
    for name, (sha256, size) in pairs.items():
        if type(sha256) is not str or type(size) is not int:
            raise _unreadable(path, f"{name} has no sha256 and size_bytes")
        found[name] = (sha256, size)
    return found


def _bytes(path: Path, wanted: tuple[str, int]) -> bytes:
    """The contents of a file that is the one that was built; a size of -1 is not known."""
    sha256, size = wanted
    try:
        found = path.stat().st_size
        if found > _MOST_BYTES or size not in (found, -1):
            raise _changed(path, f"it has {found:,} bytes, not {size:,}")
        data = path.read_bytes()
    except OSError as problem:
        raise _changed(path, problem.strerror or "it cannot be read") from None
    if hashlib.sha256(data).hexdigest() != sha256:
        raise _changed(path, "its sha256 differs")
    return data


def _changed(path: Path, what: str) -> Exception:
    from tlcourse.ops.refusals import changed

    return changed(path, what)


def _unreadable(path: Path, what: str) -> Exception:
    from tlcourse.ops.refusals import not_readable

    return not_readable(path, what)
