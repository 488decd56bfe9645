"""A rule of the lint: one way in which a kernel can rely on a difference from upstream."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tlcourse.diagnostics import Diagnostic, Label, SourceMap
from tlcourse.lint.statement import Statement
from tlcourse.records import Mode

CODE = "TL140"


@dataclass(frozen=True, kw_only=True)
class Rule:
    """One rule.

    Args:
        id: its name in reports and in docs/differences.md; never changes.
        row: the names in the table of docs/differences.md that it speaks of, as they stand there.
        finds: whether a statement relies on the difference.
        what: what the statement does, a sentence that goes on behind its text.
        why: what upstream does and what tlcourse does.
        fix: how to write it so that both do the same.
        mode: the only mode in which the two differ; None for both.
        lowered: whether it looks at Tile IR behind the TIR phase, where loops of T.Parallel are
            vector operations if they can be.
    """

    id: str
    row: str
    finds: Callable[[Statement], bool]
    what: str
    why: str
    fix: str
    mode: Mode | None = None
    lowered: bool = False

    def diagnostic(self, statement: Statement, sources: SourceMap) -> Diagnostic:
        """What a learner reads of a statement."""
        span = statement.span
        labels = () if span is None else (Label(span=span, text=self.id),)
        return Diagnostic(
            code=CODE,
            severity="warning",
            what=f"`{_text(statement, sources)}` {self.what}",
            labels=labels,
            why=self.why,
            fix=self.fix,
        )


def _text(statement: Statement, sources: SourceMap) -> str:
    """What the caret underlines; the name of the op where its text is not known."""
    span = statement.span
    if span is None or span.source not in sources:
        return statement.op.name
    line = sources[span.source].text.splitlines()[span.line - 1]
    if span.end_line > span.line:
        return f"{line[span.column - 1 :]} .."
    return line[span.column - 1 : span.end_column - 1]
