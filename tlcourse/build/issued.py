"""What a working copy was given: of each notebook, its cells' ids and the hashes of their texts.

This is the old side when a newer course meets a learner's changes. It lies in the working copy,
beside the learner's progress.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any, cast

from tlcourse.stored import put

FILE = ".tlcourse/issued.json"

Notebook = dict[str, Any]
Cell = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Issued:
    """What was given.

    Args:
        version: of tlcourse that gave it; empty where nothing is known.
        cells: by file, by cell id, the hash of the cell's text.
    """

    version: str = ""
    cells: Mapping[str, Mapping[str, str]] = field(
        default_factory=lambda: dict[str, Mapping[str, str]]()
    )


def read_issued(copy: Path) -> Issued:
    """What a working copy was given; nothing where that is not known."""
    try:
        data = json.loads((copy / FILE).read_text(encoding="utf-8"))
        return Issued(version=data["version"], cells=data["cells"])
    except (OSError, ValueError, KeyError, TypeError):
        return Issued()


def note_issued(copy: Path, files: Mapping[str, bytes], by_version: str = "") -> None:
    """Notes down the cells of notebooks that were given now.

    Args:
        copy: the working copy.
        files: their bytes by name; what is no notebook is left out.
        by_version: of tlcourse, default the installed one.
    """
    cells = {name: cells_of(data) for name, data in files.items() if name.endswith(".ipynb")}
    before = read_issued(copy).cells
    data = {"version": by_version or version("tlcourse"), "cells": {**before, **cells}}
    put(copy / FILE, json.dumps(data, sort_keys=True).encode())


def cells_of(data: bytes) -> dict[str, str]:
    """The hash of each cell's text by its id, in the order of the notebook."""
    notebook = cast("Notebook", json.loads(data))
    return {str(cell["id"]): digest(cell) for cell in notebook["cells"] if "id" in cell}


def digest(cell: Cell) -> str:
    """A hash of a cell's kind and text; white space at its end does not count."""
    text = f"{cell['cell_type']}\n{text_of(cell).rstrip()}"
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def text_of(cell: Cell) -> str:
    """The text of a cell, however the file holds it."""
    return "".join(cell["source"])
