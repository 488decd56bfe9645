"""A verdict as text for a terminal and as HTML for a notebook."""

from __future__ import annotations

import html

from tlcourse.records import Check, State, Verdict

_SIGN: dict[State, str] = {
    "PASS": "✓",
    "PARTIAL": "~",
    "FAIL": "✗",
    "TODO": "·",
    "TIMEOUT": "⏱",
    "ERROR": "!",
}
_FIRST: dict[State, str] = {
    "PASS": "Right: all checks pass.",
    "PARTIAL": "Partly right.",
    "FAIL": "Not right yet.",
    "TODO": "Not started: write your kernel into the solution cell.",
    "TIMEOUT": "Stopped: it ran too long.",
    "ERROR": "The grader failed. This costs you nothing.",
}
_FIRST_ZH: dict[State, str] = {
    "PASS": "正确:所有检查通过。",
    "PARTIAL": "部分正确。",
    "FAIL": "还不正确。",
    "TODO": "尚未开始:请在解答单元格中编写内核。",
    "TIMEOUT": "已停止:运行时间过长。",
    "ERROR": "评分程序出错,不影响你的分数。",
}


def first_sentence(verdict: Verdict, language: str = "en") -> str:
    """What happened, without a formula: the first failing check's reason and likely cause."""
    words = (_FIRST_ZH if language == "zh" else _FIRST)[verdict.state]
    failing = next((check for check in verdict.checks if check.state not in ("PASS", "TODO")), None)
    if failing is None:
        return words
    cause = f" Likely cause: {failing.hint}." if failing.hint else ""
    return f"{words} {failing.reason[:1].upper()}{failing.reason[1:]}.{cause}"


def as_text(verdict: Verdict, language: str = "en") -> str:
    """The verdict for a terminal: one line that says it all, then a line per check."""
    head = (
        f"{_SIGN[verdict.state]} {verdict.exercise} {verdict.state} "
        f"{verdict.points:g}/{verdict.max_points:g}"
    )
    mode = f" ({verdict.mode} mode)" if verdict.mode else ""
    lines = [head + mode, first_sentence(verdict, language)]
    return "\n".join([*lines, *(_line(check) for check in verdict.checks)])


def as_html(verdict: Verdict, language: str = "en") -> str:
    """The verdict for a notebook: a heading, a sentence and a table, readable without colour."""
    rows = "".join(_row(check) for check in verdict.checks)
    mode = f" · {html.escape(verdict.mode)}" if verdict.mode else ""
    return (
        f'<div class="tl-verdict" role="status"><strong>{_SIGN[verdict.state]} '
        f"{html.escape(verdict.exercise)}: {verdict.state}</strong> "
        f"{verdict.points:g}/{verdict.max_points:g}{mode}"
        f"<p>{html.escape(first_sentence(verdict, language))}</p>"
        f"<table><thead><tr><th></th><th>check</th><th>points</th><th>reason</th></tr></thead>"
        f"<tbody>{rows}</tbody></table></div>"
    )


def _line(check: Check) -> str:
    place = f" (line {check.span.line})" if check.span is not None else ""
    points = f"{check.points:g}/{check.max_points:g}"
    return f"  {_SIGN[check.state]} {check.name}: {check.reason}{place} [{points}]"


def _row(check: Check) -> str:
    place = f" (line {check.span.line})" if check.span is not None else ""
    return (
        f"<tr><td>{_SIGN[check.state]} {check.state}</td><td>{html.escape(check.name)}</td>"
        f"<td>{check.points:g}/{check.max_points:g}</td>"
        f"<td>{html.escape(check.reason + place)}</td></tr>"
    )
