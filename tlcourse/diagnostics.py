"""What a learner reads when something is wrong: a code, what, where, why and how to fix it.

Every error and finding of the package is a `Diagnostic`. It names places by `Span`; the
text of those places travels beside it in a `SourceMap`, so that a caret can be drawn long
after the notebook cell was edited. This module draws it for a terminal and for a page.
"""

from __future__ import annotations

import html
import inspect
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from tlcourse.chinese import FRAME, Language, chinese_errors, chosen_language

Severity = Literal["error", "warning", "note"]

_PACKAGE = str(Path(__file__).parent)


@dataclass(frozen=True, kw_only=True, slots=True)
class Span:
    """A stretch of a learner's source text.

    Args:
        source: source id, `cell:<8 hex>` or a path relative to the working folder.
        line: first line, from 1.
        column: first column in characters, from 1.
        end_line: last line, from 1.
        end_column: column after the last character, from 1.
    """

    source: str
    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True, kw_only=True, slots=True)
class SourceFile:
    """One source text a span can point into: its id, its text and the title shown for it."""

    id: str
    text: str
    title: str


SourceMap = dict[str, SourceFile]


@dataclass(frozen=True, kw_only=True, slots=True)
class Label:
    """A span and the words that stand beside its caret."""

    span: Span
    text: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Diagnostic:
    """One error, warning or note in four parts.

    Args:
        code: `TL` and three digits, explained in docs/errors.md.
        severity: error, warning or note.
        what: one sentence with the learner's own names and numbers.
        labels: places in the learner's text, the first one being the main one.
        why: the reason, one or two sentences.
        fix: what to do, ready to paste where possible.
    """

    code: str
    severity: Severity = "error"
    what: str
    labels: tuple[Label, ...] = ()
    why: str
    fix: str


@dataclass(eq=False)
class TLError(Exception):
    """The only exception a learner meets: a diagnostic and the texts it points into."""

    diagnostic: Diagnostic
    sources: SourceMap = field(default_factory=lambda: dict[str, SourceFile]())

    def __str__(self) -> str:
        return render_text(self.diagnostic, self.sources)

    @property
    def code(self) -> str:
        """The error's code, for example `TL203`."""
        return self.diagnostic.code

    def _render_traceback_(self) -> list[str]:
        """Lets IPython show the message alone, without a traceback through our files."""
        return str(self).splitlines()


def error(
    code: str,
    what: str,
    *,
    why: str,
    fix: str,
    labels: tuple[Label, ...] = (),
    sources: SourceMap | None = None,
) -> TLError:
    """Builds a `TLError` from its four parts."""
    diagnostic = Diagnostic(code=code, what=what, labels=labels, why=why, fix=fix)
    return TLError(diagnostic, dict(sources or {}))


def levels_to_the_learner() -> int:
    """How many calls above `warnings.warn` the first line outside this package is."""
    level, frame = 0, inspect.currentframe()
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        level, frame = level + 1, frame.f_back
    return level


def render_text(
    diagnostic: Diagnostic, sources: SourceMap, language: Language | None = None
) -> str:
    """Draws a diagnostic for a terminal, with carets under the learner's lines.

    Args:
        diagnostic: what is drawn.
        sources: the texts that its places point into.
        language: `en` or `zh`; default: that of TLCOURSE_LANG. In Chinese the title, and the usual
            reason and way out, come from a table; what is said of this case follows as it is.
    """
    if (language or chosen_language()) == "zh":
        return _in_chinese(diagnostic, sources)
    lines = [f"{diagnostic.severity}[{diagnostic.code}]: {diagnostic.what}"]
    for label in diagnostic.labels:
        lines += excerpt(label, sources)
    lines += [f"  = why: {diagnostic.why}", f"  = fix: {diagnostic.fix}"]
    lines.append(f"  = see: docs/errors.md#{diagnostic.code}")
    return "\n".join(lines)


def _in_chinese(diagnostic: Diagnostic, sources: SourceMap) -> str:
    known = chinese_errors().get(diagnostic.code)
    head = f"{FRAME[diagnostic.severity]}[{diagnostic.code}]"
    lines = [f"{head}：{known.title}" if known else head, f"  {diagnostic.what}"]
    for label in diagnostic.labels:
        lines += excerpt(label, sources)
    usual = {"why": known.why, "fix": known.fix} if known else {}
    for key, said in {"why": diagnostic.why, "fix": diagnostic.fix}.items():
        word = FRAME[key]
        lines += [f"  = {word}：{usual[key]}"] if usual.get(key) else []
        lines.append(f"  = {word}（{key}）：{said}")
    lines.append(f"  = {FRAME['see']}：docs/errors.md#{diagnostic.code}")
    return "\n".join(lines)


def render_html(diagnostic: Diagnostic, sources: SourceMap) -> str:
    """Draws a diagnostic as one self-contained `<pre>` block."""
    text = html.escape(render_text(diagnostic, sources))
    return f'<pre class="tl-diagnostic" role="alert">{text}</pre>'


def excerpt(label: Label, sources: SourceMap) -> list[str]:
    """A label's line of source with a caret under it, a line of text each."""
    span = label.span
    source = sources.get(span.source)
    title = source.title if source else span.source
    head = f"  --> {title}, line {span.line}"
    text = _line(source, span.line)
    if text is None:
        return [f"{head}: {label.text}" if label.text else head]
    gutter = " " * len(str(span.line))
    end = span.end_column if span.end_line == span.line else len(text) + 1
    caret = "^" * max(1, end - span.column)
    return [
        head,
        f" {gutter} |",
        f" {span.line} | {text}",
        f" {gutter} | {' ' * (span.column - 1)}{caret} {label.text}".rstrip(),
    ]


def _line(source: SourceFile | None, line: int) -> str | None:
    lines = source.text.splitlines() if source else []
    return lines[line - 1] if 0 < line <= len(lines) else None
