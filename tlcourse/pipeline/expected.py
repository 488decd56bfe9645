"""`// expected-error {{..}}` comments: what a file of MLIR says must go wrong, and where."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.passes import ModulePass

from tlcourse.diagnostics import Label, SourceFile, Span, TLError, error
from tlcourse.pipeline.opt import Listener, run_opt, split_pieces

_COMMENT = re.compile(r"//\s*expected-error(?:-re)?\s*(?:@([+-]\d+|\w+))?\s*\{\{(.*?)\}\}")


@dataclass(frozen=True, kw_only=True)
class _Expected:
    """One comment: the line that it speaks of, 0 where any line will do, and the words."""

    at: int
    line: int
    words: str


def verify_diagnostics(
    text: str,
    passes: Sequence[ModulePass],
    *,
    name: str = "<stdin>",
    split: bool = False,
    listener: Listener | None = None,
) -> None:
    """Runs passes and demands exactly the errors that the text announces.

    A module that fails stops at its first error, so one comment is for one module.

    Args:
        text: as for `run_opt`, with comments `// expected-error@+1 {{words of the message}}`.
        passes: in order.
        name: the file's name.
        split: the text holds several modules with `// -----` between them.
        listener: is told after each pass.

    Raises:
        TL324: an expected error did not come, or another came.
    """
    for piece in split_pieces(text) if split else (text,):
        expected = _expected(piece)
        try:
            run_opt(piece, passes, name=name, listener=listener)
        except TLError as problem:
            _check(problem, expected, name, piece)
            continue
        if expected:
            what = f"The error {expected[0].words!r} did not come"
            raise _wrong(what, "every pass ran to its end", expected[0].at, name, piece)


def _expected(text: str) -> list[_Expected]:
    found: list[_Expected] = []
    for number, line in enumerate(text.splitlines(), 1):
        for comment in _COMMENT.finditer(line):
            place = comment[1] or "+0"
            at = number + int(place) if place[0] in "+-" else 0
            found.append(_Expected(at=number, line=at, words=comment[2]))
    return found


def _check(problem: TLError, expected: Sequence[_Expected], name: str, text: str) -> None:
    diagnostic = problem.diagnostic
    lines = {label.span.line for label in diagnostic.labels} or {0}
    said = f"{diagnostic.code} {diagnostic.what} {diagnostic.why}"
    if any(one.words in said and (one.line in lines or not one.line) for one in expected):
        return
    what = f"An error came that is not expected: {diagnostic.what}"
    raise _wrong(what, diagnostic.why, max(lines), name, text) from problem


def _wrong(what: str, why: str, line: int, name: str, text: str) -> TLError:
    label = Label(span=Span(source=name, line=line, column=1, end_line=line, end_column=2))
    return error(
        "TL324",
        what,
        why=why,
        fix="change the comment `// expected-error@+1 {{..}}`, or the passes",
        labels=(label,) if line else (),
        sources={name: SourceFile(id=name, text=text, title=name)},
    )
