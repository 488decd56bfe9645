"""A verdict as text for a terminal and as HTML for a notebook."""

from __future__ import annotations

import html

from tlcourse.diagnostics import Label, SourceMap, excerpt
from tlcourse.grading.words import Language, say
from tlcourse.records import Check, State, Verdict
from tlcourse.widgets.cards import BAD, FLAT, GOOD, LINES, NOTE, WARNING, card

_SIGN: dict[State, str] = {
    "PASS": "✓",
    "PARTIAL": "~",
    "FAIL": "✗",
    "TODO": "·",
    "TIMEOUT": "⏱",
    "ERROR": "!",
}
_EDGE: dict[State, str] = {"PASS": GOOD, "PARTIAL": WARNING, "TODO": NOTE}
_TABLE = 'style="border-collapse:collapse;margin:0.4em 0;table-layout:fixed;width:100%"'
_WIDTHS = ("6.5em", "34%", "5.5em", "auto")
_CELL = (
    'style="text-align:left;vertical-align:baseline;white-space:normal;padding:0.2em 0.9em 0.2em 0"'
)


def first_sentence(verdict: Verdict, language: Language = "en") -> str:
    """What happened, without a formula: the first failing check's reason and likely cause."""
    if verdict.state == "TODO":
        return say("TODO", language)
    failing = next((check for check in verdict.checks if check.state not in ("PASS", "TODO")), None)
    if failing is not None:
        reason = f"{failing.reason[:1].upper()}{failing.reason[1:]}{_full_stop(language)}"
        return _joined((say(verdict.state, language), reason, failing.hint), language)
    left = sum(check.max_points for check in verdict.checks if check.state == "TODO")
    return say("PASS public", language, points=left) if left else say("PASS", language)


def as_text(verdict: Verdict, language: Language = "en", sources: SourceMap | None = None) -> str:
    """The verdict for a terminal: one line that says it all, then a line per check.

    Args:
        verdict: what to show.
        language: of the words around it; those inside it are in its own.
        sources: texts of the learner's kernel, to show the lines at fault.
    """
    head = (
        f"{_SIGN[verdict.state]} {verdict.exercise} {verdict.state} "
        f"{verdict.points:g}/{verdict.max_points:g}"
    )
    mode = f" ({verdict.mode})" if verdict.mode else ""
    lines = [head + mode, first_sentence(verdict, language)]
    is_told = len(verdict.checks) == 1 and verdict.checks[0].state not in ("PASS", "TODO")
    for check in verdict.checks:
        lines += [_line(check, language, is_told), *_more(check, sources or {}, is_told)]
    whys = dict.fromkeys(check.why for check in verdict.checks if check.why)
    lines += [f"  {say('why limit', language)}{say('colon', language)}{why}" for why in whys]
    return "\n".join(lines)


def as_html(verdict: Verdict, language: Language = "en", sources: SourceMap | None = None) -> str:
    """The verdict for a notebook: a heading, a sentence and a table, readable without colour.

    Args:
        verdict: what to show.
        language: of the words around it; those inside it are in its own.
        sources: texts of the learner's kernel, to show the lines at fault.
    """
    mode = f" · {html.escape(verdict.mode)}" if verdict.mode else ""
    told = first_sentence(verdict, language)
    names = ("", "check", "points", "result")
    head = "".join(
        f'<th {_CELL[:-1]};width:{width}">{say(name, language) if name else ""}</th>'
        for name, width in zip(names, _WIDTHS, strict=True)
    )
    rows = "".join(
        _row(check, language, _new_sources(check, verdict.checks[:k], sources or {}), told)
        for k, check in enumerate(verdict.checks)
    )
    return card(
        "tl-verdict",
        _EDGE.get(verdict.state, BAD),
        f'<p {FLAT} role="status"><strong>{_SIGN[verdict.state]} '
        f"{html.escape(verdict.exercise)}: {verdict.state}</strong> "
        f"{verdict.points:g}/{verdict.max_points:g}{mode}</p>"
        f"<p {FLAT}>{html.escape(told)}</p>"
        f"<table {_TABLE}><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>",
    )


def _full_stop(language: Language) -> str:
    return "。" if language == "zh" else "."


def _joined(sentences: tuple[str, ...], language: Language) -> str:
    return ("" if language == "zh" else " ").join(sentence for sentence in sentences if sentence)


def _line(check: Check, language: Language, is_told: bool) -> str:
    """A check's line; the reason is left out where the first sentence told it."""
    reason = "" if is_told else f"{say('colon', language)}{check.reason}"
    points = f"{check.points:.3g}/{check.max_points:.3g}"
    place = _place(check, language)
    return f"  {_SIGN[check.state]} {check.name}{reason}{place} [{points}]"


def _more(check: Check, sources: SourceMap, is_told: bool) -> list[str]:
    told = (check.detail,) if is_told else (check.hint, check.detail)
    words = [line for text in told for line in text.splitlines()]
    return [f"      {line}" for line in [*words, *_excerpt(check, sources)]]


def _excerpt(check: Check, sources: SourceMap) -> list[str]:
    is_known = check.span is not None and check.span.source in sources
    return excerpt(Label(span=check.span), sources) if is_known and check.span else []


def _new_sources(check: Check, before: tuple[Check, ...], sources: SourceMap) -> SourceMap:
    """The texts of a check's line; none where a check above it has shown that line."""
    return {} if any(one.span == check.span for one in before) else sources


def _row(check: Check, language: Language, sources: SourceMap, told: str) -> str:
    """A check; its hint is left out where the sentence above the table told it."""
    words = [check.reason + _place(check, language), "" if check.hint in told else check.hint]
    said = "<br>".join(html.escape(text) for text in words if text)
    why = html.escape(check.why)
    limit = f"<details><summary>{say('why limit', language)}</summary>{why}</details>"
    state = f"{_SIGN[check.state]} {check.state}"
    points = f"{check.points:.3g}/{check.max_points:.3g}"
    row = (
        f"<tr><td {_CELL}>{state}</td><td {_CELL}>{html.escape(check.name)}</td>"
        f"<td {_CELL}>{points}</td><td {_CELL}>{said}{limit if why else ''}</td></tr>"
    )
    return row + _lines_row([*check.detail.splitlines(), *_excerpt(check, sources)])


def _lines_row(lines: list[str]) -> str:
    """Details, which may be a table, and the learner's lines with carets, below their check."""
    if not lines:
        return ""
    text = html.escape("\n".join(lines))
    return f'<tr><td></td><td {_CELL} colspan="3"><pre {LINES}>{text}</pre></td></tr>'


def _place(check: Check, language: Language) -> str:
    return say("line", language, line=check.span.line) if check.span is not None else ""
