"""What stands in a precompiled package besides code: records, written as canonical JSON.

`index.json` names every variant's folder with the sha256 of its `metadata.json`, which names
every other file of the folder with the file's sha256.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import ClassVar

from tlcourse.records import Signature

INDEX, METADATA, PROGRAM, WRAPPER = "index.json", "metadata.json", "program.json", "wrapper.cpp"
TEXT, LIBRARY = "main.c", "main.so"


@dataclass(frozen=True, kw_only=True)
class FileStamp:
    """What a file must be: its sha256 and its size."""

    sha256: str
    size_bytes: int


@dataclass(frozen=True, kw_only=True)
class Artefact:
    """One compiled variant of one kernel: everything that a launch must know before it starts.

    Args:
        operator: name of the operator.
        variant: name of its folder.
        constants: what the kernel was made with, as texts.
        signature: parameters, outputs and grid.
        written: parameters that the kernel writes.
        unused: parameters that it neither reads nor writes.
        kernel_sha256: hash of the kernel's source texts, to tell an old artefact.
        machine: the kind of machine that `main.so` was built for; empty where there is none.
        files: the other files of the folder.
    """

    schema: ClassVar[str] = "tlcourse.Artefact/1"
    operator: str
    variant: str
    constants: dict[str, str] = field(default_factory=lambda: dict[str, str]())
    signature: Signature
    written: tuple[str, ...]
    unused: tuple[str, ...]
    kernel_sha256: str
    machine: str = ""
    files: dict[str, FileStamp]


@dataclass(frozen=True, kw_only=True)
class Index:
    """All variants of a package, and the versions that they were made with."""

    schema: ClassVar[str] = "tlcourse.ArtefactIndex/1"
    package: str
    tlcourse: str
    torch: str
    folders: dict[str, FileStamp]


def stamp(data: bytes) -> FileStamp:
    """The stamp of a file with these bytes."""
    return FileStamp(sha256=digest(data), size_bytes=len(data))


def digest(data: bytes) -> str:
    """The sha256 of bytes, in hex."""
    return hashlib.sha256(data).hexdigest()
