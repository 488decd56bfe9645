"""What a pass has to say about its work: kept on the module until the trace takes it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import ArrayAttr, ModuleOp, StringAttr

_NOTES = "tl.notes"


def leave_notes(module: ModuleOp, notes: Sequence[str]) -> None:
    """Keeps notes on a module, behind those that are there."""
    if notes:
        texts = [StringAttr(note) for note in (*notes_of(module), *notes)]
        module.attributes[_NOTES] = ArrayAttr(texts)


def notes_of(module: ModuleOp) -> tuple[str, ...]:
    """The notes on a module, oldest first."""
    found = cast("ArrayAttr[StringAttr] | None", module.attributes.get(_NOTES))
    return tuple(note.data for note in found) if found is not None else ()


def take_notes(module: ModuleOp) -> tuple[str, ...]:
    """The notes on a module, which it no longer holds afterwards."""
    notes = notes_of(module)
    module.attributes.pop(_NOTES, None)
    return notes
