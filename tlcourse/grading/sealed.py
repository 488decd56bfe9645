"""The sealed document: all that crosses from a learner's process to the trusted one.

It is a header as canonical JSON on the first line and the kernel's Tile IR text behind it.
The hash covers every byte, so that what was judged can be told from what was handed in.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import cast

from tlcourse.diagnostics import SourceFile, TLError, error
from tlcourse.grading import strict
from tlcourse.grading.words import plain
from tlcourse.records import to_data

SCHEMA = "tlcourse.Sealed/1"
MAX_BYTES = 4 * 2**20


@dataclass(frozen=True, kw_only=True)
class Sealed:
    """A kernel for one binding of the shapes.

    Args:
        exercise: spec id.
        spec_version: version of the spec that the kernel was traced for.
        tlcourse_version: version of the package that traced it.
        binding: shape names to values.
        sources: texts behind the kernel's locations; for carets only.
        text: Tile IR with locations.
    """

    exercise: str
    spec_version: int
    tlcourse_version: str
    binding: dict[str, int]
    sources: dict[str, SourceFile]
    text: str

    def to_text(self) -> str:
        """The document; equal kernels give equal texts."""
        header = {
            "schema": SCHEMA,
            "exercise": self.exercise,
            "spec_version": self.spec_version,
            "tlcourse_version": self.tlcourse_version,
            "binding": self.binding,
            "sources": {name: to_data(source) for name, source in self.sources.items()},
        }
        line = json.dumps(header, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        return f"{line}\n{self.text}"

    @property
    def sha256(self) -> str:
        """Hash over every byte of the document."""
        return hashlib.sha256(self.to_text().encode()).hexdigest()


def from_text(document: str) -> Sealed:
    """Reads a document that somebody else wrote.

    Raises:
        TL603: it is too large or not a sealed document.
    """
    try:
        size_bytes = len(document.encode())
        if size_bytes > MAX_BYTES:
            raise ValueError(f"it has {size_bytes:,} bytes, {MAX_BYTES:,} are the limit")
        head, newline, text = document.partition("\n")
        header = json.loads(head)
        if not newline or not isinstance(header, dict):
            raise ValueError("it has no header line")
        known = cast(dict[str, object], header)
        if known.get("schema") != SCHEMA:
            raise ValueError(f"its schema is {known.get('schema')}, not {SCHEMA}")
        return strict.read(Sealed, {**known, "text": text}, "header")
    except (ValueError, RecursionError) as problem:
        raise refused(plain(str(problem))) from problem


def refused(reason: str) -> TLError:
    """TL603: a text that sealing does not make."""
    return error(
        "TL603",
        f"the handed-in kernel cannot be read: {reason}",
        why="only the text that tracing a kernel makes is judged",
        fix="hand in the notebook as it is; do not write the document yourself",
    )
