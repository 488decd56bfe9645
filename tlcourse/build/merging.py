"""A newer notebook meets a learner's one: a merge of three sides, cell by cell, by id.

A cell that the learner changed stays as it is, with its outputs. A cell that only the course
changed comes in. Where both did, the learner's stays and the course's text is put under it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from tlcourse.build.issued import Cell, Notebook, digest, text_of

What = Literal["new text", "new", "removed", "both", "gone", "left out"]
_SUFFIX = "-new-text"
_NOTE = {
    "en": "**The course has another text for the cell above.** Yours was kept. Take over what you "
    "want, and delete this cell.",
    "zh": "**课程对上面的单元格有新的内容。**你的内容保留未动。需要的部分请自行采用，"
    "然后删除本单元格。",
}


@dataclass(frozen=True, kw_only=True)
class CellChange:
    """What a merge does about a cell.

    Args:
        cell: its id.
        what: `new text` and `new` come in, `removed` goes; `both` changed it and the learner's
            stays; `gone` from the course, but the learner's stays; `left out`: the learner had
            deleted it.
    """

    cell: str
    what: What


@dataclass(frozen=True, kw_only=True)
class Merged:
    """A merged notebook, and what came of each cell that changed."""

    notebook: Notebook
    changes: tuple[CellChange, ...]


def has_ids(notebook: Notebook) -> bool:
    """Whether every cell has an id of its own: else cells cannot be told apart."""
    ids = [cell.get("id") for cell in notebook["cells"]]
    return all(ids) and len(set(ids)) == len(ids)


def merge(base: Mapping[str, str], mine: Notebook, new: Notebook) -> Merged:
    """Brings a learner's notebook up to date.

    Args:
        base: the hash of each cell as the learner was given it; empty where nobody knows.
        mine: the learner's notebook.
        new: the course's.
    """
    own = {str(cell["id"]): cell for cell in mine["cells"]}
    course = {str(cell["id"]): cell for cell in new["cells"]}
    changes: list[CellChange] = []
    taken: dict[str, list[Cell]] = {}
    for name in _in_order(base, list(own), list(course)):
        cells, what = _decide(base.get(name), own.get(name), course.get(name), _language(new))
        taken[name] = cells
        if what:
            changes.append(CellChange(cell=name, what=what))
    replaced = {change.cell + _SUFFIX for change in changes if change.what == "both"}
    cells = [cell for name, some in taken.items() if name not in replaced for cell in some]
    metadata = {**mine["metadata"], "tlcourse": new["metadata"].get("tlcourse", {})}
    return Merged(notebook={**mine, "metadata": metadata, "cells": cells}, changes=tuple(changes))


def _decide(
    base: str | None, own: Cell | None, course: Cell | None, language: str
) -> tuple[list[Cell], What | None]:
    """The cells that stand for one id, and what to say of it."""
    if own is None:
        assert course is not None
        if base is None or _is_needed(course):
            return [course], "new"
        return [], "left out"
    mine = digest(own)
    if course is None:
        if base is None:
            return [own], None  # a cell of the learner's
        return ([], "removed") if mine == base else ([own], "gone")
    theirs = digest(course)
    if mine == theirs or theirs == base:
        return [_with_metadata(own, course)], None
    if mine == base:
        return [course], "new text"
    return [_with_metadata(own, course), _note(course, language)], "both"


def _in_order(base: Iterable[str], own: list[str], course: list[str]) -> list[str]:
    """All ids: in the course's order, but in the learner's where the learner moved cells."""
    known = [name for name in base if name in own]
    moved = known != [name for name in own if name in set(known)]
    first, second = (own, course) if moved else (course, own)
    order = list(first)
    for before, name in zip([None, *second], second, strict=False):
        if name not in order:
            order.insert(0 if before is None else order.index(before) + 1, name)
    return order


def _with_metadata(own: Cell, course: Cell) -> Cell:
    return {**own, "metadata": {**own["metadata"], **course["metadata"]}}


def _note(course: Cell, language: str) -> Cell:
    kind = "python" if course["cell_type"] == "code" else "markdown"
    text = f"{_NOTE[language]}\n\n````{kind}\n{text_of(course).rstrip()}\n````"
    name = f"{course['id']}{_SUFFIX}"
    return {
        "cell_type": "markdown",
        "id": name,
        "metadata": {},
        "source": text.splitlines(keepends=True),
    }


def _is_needed(course: Cell) -> bool:
    """Whether a hand-in cannot be graded without the cell."""
    metadata = course["metadata"]
    return "nbgrader" in metadata or "setup" in metadata.get("tags", [])


def _language(notebook: Notebook) -> str:
    about: dict[str, Any] = notebook["metadata"].get("tlcourse", {})
    return "zh" if about.get("language") == "zh" else "en"
