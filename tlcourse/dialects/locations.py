"""Places in the learner's text, on ops.

A location is a point, `loc("<source id>":line:column)`, columns in characters from 1. The
end of the caret is found again in the text that the source map holds.
"""

from __future__ import annotations

from typing import cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    CallSiteLoc,
    FileLineColLoc,
    FusedLoc,
    IntAttr,
    LocationAttr,
    StringAttr,
    UnknownLoc,
)
from xdsl.ir import Attribute, Operation

from tlcourse.diagnostics import SourceMap, Span
from tlcourse.spans import span_at


def location(source: str, line: int, column: int) -> FileLineColLoc:
    """The location of a point in a source text."""
    return FileLineColLoc(StringAttr(source), IntAttr(line), IntAttr(column))


def point(loc: Attribute) -> FileLineColLoc | None:
    """The learner's point behind a location; of a macro call, the place inside the macro."""
    match loc:
        case FileLineColLoc():
            return loc
        case CallSiteLoc():
            return point(loc.callee) or point(loc.caller)
        case FusedLoc():
            inner = cast(ArrayAttr[Attribute], loc.parameters[0])
            return next((found for place in inner if (found := point(place))), None)
        case _:
            return None


def span_of(op: Operation, sources: SourceMap) -> Span | None:
    """The stretch of the learner's text that made an op, where it is known."""
    place = point(op.location)
    if place is None:
        return None
    source = sources.get(place.filename.data)
    line, column = place.line.data, place.column.data
    if source is None:
        return Span(
            source=place.filename.data,
            line=line,
            column=column,
            end_line=line,
            end_column=column + 1,
        )
    return span_at(source, line, column)


def located(op: Operation) -> bool:
    """Whether an op knows its place."""
    return not isinstance(op.location, UnknownLoc)


def inherit(new_ops: tuple[Operation, ...] | list[Operation], loc: LocationAttr) -> None:
    """Gives a location to those of the ops, and ops inside them, that have none."""
    for new_op in new_ops:
        for op in new_op.walk():
            if not located(op):
                op.location = loc
