"""Carets for errors of passes. A pass knows points only; the pipeline widens them to spans."""

from __future__ import annotations

from xdsl.ir import Operation

from tlcourse.diagnostics import Label
from tlcourse.dialects.locations import span_of


def labels_of(op: Operation, text: str = "") -> tuple[Label, ...]:
    """A label at the learner's line that made an op; none where the op has no place."""
    span = span_of(op, {})
    return () if span is None else (Label(span=span, text=text),)
