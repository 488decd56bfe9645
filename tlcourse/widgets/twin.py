"""The pass explorer without a script: what an untrusted page or a code host shows.

One `<details>` for each pass that changed the IR, with a coloured difference. Signs stand
before every line, so that it reads where styles are taken away.
"""

from __future__ import annotations

import html
from collections.abc import Iterator
from itertools import groupby

from tlcourse.records import PassTrace
from tlcourse.widgets.diff import Row, Words
from tlcourse.widgets.labels import Language, label
from tlcourse.widgets.steps import Step, steps, summary

_CONTEXT = 1
_CONTEXT_WIDTH = 120
_ROW_LIMIT = 40
_CHARACTER_LIMIT = 40_000
# Signs: removed, added, was here, is here now. Half clear, for light and dark pages.
_COLOURS = {
    "-": "rgba(213,94,0,0.22)",
    "+": "rgba(0,158,115,0.22)",
    "<": "rgba(86,180,233,0.22)",
    ">": "rgba(86,180,233,0.22)",
}


def twin_html(trace: PassTrace, language: Language = "en") -> str:
    """The passes that changed the IR, as HTML without script, style sheet or picture."""
    head = f"<b>{html.escape(trace.kernel)}</b> ({trace.mode}): {summary(trace, language)}"
    parts = [f'<div class="tl-twin" lang="{language}"><p>{head}</p>']
    shown = [step for step in steps(trace) if step.status in ("changed", "failed")]
    used = 0
    for number, step in enumerate(shown):
        parts.append(_pass_html(step, language))
        used += len(parts[-1])
        if used > _CHARACTER_LIMIT and number + 1 < len(shown):
            parts.append(f"<p>{label('more_passes', language, len(shown) - number - 1)}</p>")
            break
    return "\n".join([*parts, "</div>"])


def _pass_html(step: Step, language: Language) -> str:
    name = html.escape(step.snapshot.pass_name)
    notes = "".join(f"<p>{html.escape(note)}</p>" for note in step.snapshot.notes)
    body = "\n".join(_lines(step, language))
    return (
        f"<details><summary>{step.snapshot.index} <code>{name}</code> "
        f"{_headline(step, language)}</summary>{notes}<pre>{body}</pre></details>"
    )


def _headline(step: Step, language: Language) -> str:
    if step.status == "failed":
        return label("failed", language)
    kinds = [row.kind for row in step.rows]
    added = kinds.count("added") + kinds.count("changed")
    removed = kinds.count("removed") + kinds.count("changed")
    moved = kinds.count("moved") // 2
    if not added and not removed:
        return f"{moved} {label('moved', language)}" if moved else label("renamed", language)
    ops = "".join(f", {html.escape(op)} {n:+d}" for op, n in list(step.op_changes.items())[:4])
    return f"+{added} -{removed} {label('lines', language)}{ops}"


def _lines(step: Step, language: Language) -> Iterator[str]:
    """The lines shown; neighbours with one sign share one coloured span."""
    for sign, group in groupby(_signed(step, language), key=lambda pair: pair[0]):
        body = "\n".join(f"{html.escape(sign)} {text}" for _, text in group)
        colour = _COLOURS.get(sign)
        yield f'<span style="background-color:{colour}">{body}</span>' if colour else body


def _signed(step: Step, language: Language) -> Iterator[tuple[str, str]]:
    before, after = step.before.splitlines(), step.after.splitlines()
    near = _near_changes(step.rows)
    last = -1
    for count, number in enumerate(near):
        if count == _ROW_LIMIT:
            yield " ", label("more_rows", language, len(near) - count)
            return
        if number > last + 1:
            yield " ", "..."
        yield from _row(step.rows[number], before, after)
        last = number


def _near_changes(rows: tuple[Row, ...]) -> list[int]:
    near: set[int] = set()
    for number, row in enumerate(rows):
        if row.kind not in ("same", "renamed"):
            near.update(range(number - _CONTEXT, number + _CONTEXT + 1))
    return sorted(n for n in near if 0 <= n < len(rows))


def _row(row: Row, before: list[str], after: list[str]) -> Iterator[tuple[str, str]]:
    if row.kind in ("removed", "changed") and row.before is not None:
        yield "-", _marked(before[row.before], row.words, 0, "del")
    if row.kind in ("added", "changed") and row.after is not None:
        yield "+", _marked(after[row.after], row.words, 2, "ins")
    if row.kind == "moved":
        side, number = (after, row.after) if row.before is None else (before, row.before)
        yield "<>"[row.before is None], html.escape(side[number or 0])
    if row.kind in ("same", "renamed") and row.after is not None:
        yield " ", html.escape(_shortened(after[row.after]))


def _shortened(text: str) -> str:
    return text if len(text) <= _CONTEXT_WIDTH else text[: _CONTEXT_WIDTH - 3] + "..."


def _marked(text: str, stretches: tuple[Words, ...], side: int, tag: str) -> str:
    parts: list[str] = []
    column = 0
    for words in stretches:
        start, end = words[side], words[side + 1]
        parts.append(html.escape(text[column:start]))
        piece = html.escape(text[start:end])
        parts.append(piece if words.renamed or not piece else f"<{tag}>{piece}</{tag}>")
        column = end
    return "".join([*parts, html.escape(text[column:])])
