"""Findings of the functional executor in words: what, where, why and how to fix it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from tlcourse import work
from tlcourse.diagnostics import Diagnostic, Label, Span
from tlcourse.records import Finding, Program
from tlcourse.slack import BESIDE_WHY

Shape = tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class Where:
    """Where something was found: core, place in the learner's text, block, loop turns."""

    program: Program
    agent: str
    place: int
    block: int
    iteration: Shape = ()

    @property
    def text(self) -> str:
        """Block and loop turns in words."""
        turns = ", ".join(map(str, self.iteration))
        return f"in block {self.block}" + (f", loop turn {turns}" if turns else "")


def span_of(program: Program, place: int) -> Span | None:
    """The span at a position of the Program; -1 stands for an unknown place."""
    return program.spans[place] if 0 <= place < len(program.spans) else None


def labels_at(program: Program, *places: tuple[int, str]) -> tuple[Label, ...]:
    """Labels for positions of the Program, each text once a place."""
    known = [(span_of(program, place), text) for place, text in places]
    return tuple(dict.fromkeys(Label(span=span, text=text) for span, text in known if span))


def finding(
    where: Where,
    code: str,
    what: str,
    *,
    why: str,
    fix: str,
    labels: tuple[Label, ...],
    severity: Literal["error", "warning"] = "error",
    other_span: Span | None = None,
) -> Finding:
    """A finding of this executor."""
    return Finding(
        diagnostic=Diagnostic(
            code=code, severity=severity, what=what, why=why, fix=fix, labels=labels
        ),
        agent=where.agent,
        block=where.block,
        iteration=where.iteration,
        other_span=other_span,
    )


def outside(
    where: Where, label: str, verb: str, offsets: Shape, extents: Shape, shape: Shape
) -> Finding:
    """TL501: a range leaves its tensor or buffer."""
    dim = next(
        dim
        for dim, (offset, extent) in enumerate(zip(offsets, extents, strict=True))
        if offset < 0 or extent < 0 or offset + extent > shape[dim]
    )
    start, extent, size = offsets[dim], extents[dim], shape[dim]
    region = ", ".join(_range(o, e) for o, e in zip(offsets, extents, strict=True))
    return finding(
        where,
        "TL501",
        f"the kernel {verb} {label}[{region}] {where.text}, but {label} has the extents {shape}",
        why=f"dimension {dim} has the indices 0 to {size - 1}; hardware would touch whatever "
        "lies beside it, without a word",
        fix=_fix_range(label, start, extent, size),
        labels=labels_at(where.program, (where.place, _beyond(dim, start, extent, size))),
    )


def beside(found: Finding) -> Finding:
    """TL508: a range leaves its tensor, but not the memory that the device keeps for it."""
    diagnostic = replace(
        found.diagnostic,
        code="TL508",
        severity="warning",
        why=BESIDE_WHY,
    )
    return replace(found, diagnostic=diagnostic)


def disagree(where: Where, tiles: tuple[tuple[str, Shape], ...]) -> Finding:
    """TL505: extents that depend on the run do not fit together."""
    shapes = ", ".join(f"{label} {shape}" for label, shape in tiles)
    return finding(
        where,
        "TL505",
        f"the tiles of this statement do not fit together {where.text}: {shapes}",
        why="a statement on tiles pairs element with element, so their extents must be equal",
        fix="give all sides the same extents, for example "
        "T.copy(A[m : m + n, 0:64], A_ub[0:n, 0:64])",
        labels=labels_at(where.program, (where.place, "extents disagree here")),
    )


def too_many_steps(where: Where, what: str, limit: int) -> Finding:
    """TL504: the loops, or the grid, turn more often than the step limit allows."""
    said, why, fix = work.too_many_steps(where.program.signature.kernel, limit, what)
    label = (where.place, "the limit is reached here")
    labels = labels_at(where.program, label)
    return finding(where, "TL504", said, why=why, fix=fix, labels=labels)


def division_by_zero(where: Where) -> Finding:
    """TL506: an integer is divided by zero."""
    return finding(
        where,
        "TL506",
        f"an integer is divided by zero {where.text}",
        why="the divisor is 0 for the values of this launch",
        fix="test the divisor with `if` before the division",
        labels=labels_at(where.program, (where.place, "the divisor is 0")),
    )


def _range(offset: int, extent: int) -> str:
    return str(offset) if extent == 1 else f"{offset}:{offset + extent}"


def _beyond(dim: int, start: int, extent: int, size: int) -> str:
    if extent < 0:
        return f"the extent of dimension {dim} is {extent}"
    if start < 0:
        return f"dimension {dim} starts at {start}"
    return f"dimension {dim} ends at {start + extent}, {start + extent - size} too far"


def _fix_range(label: str, start: int, extent: int, size: int) -> str:
    if start < 0 or extent < 0:
        return "start at 0 or later, and let the end not lie before the start"
    if extent == 1:
        return f"keep the index below {size}"
    return (
        f"let the last tile end with {label}: an extent of T.min({extent}, {size} - start) "
        "on both sides of the statement"
    )
