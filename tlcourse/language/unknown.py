"""What `T.name` raises outside a kernel when the language has no such name."""

from __future__ import annotations

from types import FrameType, ModuleType

from tlcourse.diagnostics import Diagnostic, Label, TLError
from tlcourse.language.elsewhere import way_out
from tlcourse.language.source import place_of_frame


class UnknownNameError(TLError, AttributeError):
    """TL105 as Python's own lookup needs it: `hasattr` sees an AttributeError."""


def unknown_name(name: str, namespace: ModuleType, frame: FrameType) -> AttributeError:
    """The error for a name that the language does not have.

    Args:
        name: what was asked for.
        namespace: the T namespace.
        frame: the Python frame that asked.
    """
    if name.startswith("__"):
        return AttributeError(f"module {namespace.__name__!r} has no attribute {name!r}")
    span, sources = place_of_frame(frame)
    diagnostic = Diagnostic(
        code="TL105",
        what=f"T has no function `{name}`",
        labels=(Label(span=span),) if span else (),
        why="the language does not know this name",
        fix=way_out(name, namespace, "T"),
    )
    return UnknownNameError(diagnostic, sources)
