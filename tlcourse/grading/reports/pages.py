"""Reports that people read: pages that need no server, no script and no network."""

from __future__ import annotations

import html
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from urllib.parse import quote

from tlcourse.grading.report import as_html
from tlcourse.grading.reports.entries import STATES, Entry, Item, items
from tlcourse.grading.reports.similarity import Pair
from tlcourse.grading.words import Language

_COLOURS = {
    "PASS": "#1b7f3b",
    "PARTIAL": "#b58900",
    "FAIL": "#b3261e",
    "TODO": "#8a8a8a",
    "TIMEOUT": "#6f42c1",
    "ERROR": "#000000",
}
_STYLE = """body{font:16px/1.5 system-ui,sans-serif;max-width:72rem;margin:2rem auto;padding:0 1rem}
table{border-collapse:collapse;margin:1rem 0}th,td{border:1px solid #767676;padding:.3rem .6rem;
text-align:left;vertical-align:top}caption{text-align:left;font-weight:bold}pre{overflow-x:auto}"""
_WIDTH, _ROW = 480, 22


def page(title: str, body: str, language: Language = "en") -> str:
    """A whole page."""
    head = html.escape(title)
    return (
        f'<!doctype html>\n<html lang="{language}"><head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width"><title>{head}</title>'
        f"<style>{_STYLE}</style></head>\n<body><main><h1>{head}</h1>\n{body}</main></body></html>\n"
    )


def file_of(learner: str) -> str:
    """The name of a learner's page; the id may hold any sign."""
    return f"{quote(learner, safe='')}.html"


def index(names: Mapping[str, str], entries: Sequence[Entry], notes: Sequence[str]) -> str:
    """The class overview: states, points, a line a learner."""
    found = items(entries)
    told = "".join(f"<p>{html.escape(note)}</p>" for note in notes)
    counts = Counter(entry.verdict.state for entry in entries)
    totals = ", ".join(f"{state} {counts[state]}" for state in STATES if counts[state])
    body = (
        f"<p>{len(names)} learners, {len(entries)} hand-ins: {totals or 'none'}. "
        '<a href="items.html">Items</a>, <a href="similarity.html">similarity</a>, '
        '<a href="grades.csv">grades.csv</a>, <a href="needs_human.csv">needs_human.csv</a></p>'
        f"{told}<h2>States</h2>{states_chart(found)}<h2>Points</h2>{points_chart(entries)}"
    )
    return page("Grades", body + _learners(names, entries))


def _learners(names: Mapping[str, str], entries: Sequence[Entry]) -> str:
    by_learner: dict[str, list[Entry]] = {}
    for entry in entries:
        by_learner.setdefault(entry.learner, []).append(entry)
    rows = [
        [
            f'<a href="learners/{html.escape(quote(file_of(learner)))}">{html.escape(learner)}</a>'
            if learner in by_learner
            else html.escape(learner),
            html.escape(name),
            html.escape(_short(by_learner.get(learner, ()))),
        ]
        for learner, name in names.items()
    ]
    return _table("Learners", ("id", "name", "hand-ins"), rows)


def _short(entries: Iterable[Entry]) -> str:
    return "; ".join(
        f"{e.verdict.exercise} {e.verdict.state} {e.verdict.points:g}/{e.verdict.max_points:g}"
        for e in entries
    )


def items_page(entries: Sequence[Entry]) -> str:
    """The table for the next lecture: per item states, commonest findings, hidden shapes."""
    rows = [
        [
            html.escape(item.exercise),
            ", ".join(f"{state} {count}" for state, count in item.states.items()),
            f"{item.mean:.0%}",
            "<br>".join(f"{count} x {html.escape(text)}" for text, count in item.findings) or "-",
            f"{item.hidden:.0%}",
        ]
        for item in items(entries)
    ]
    head = ("item", "states", "mean points", "commonest findings", "fail a hidden shape")
    return page("Items", _table("How each item went", head, rows))


def similarity_page(found: Sequence[Pair]) -> str:
    """Hand-ins that are alike. The page says what that means."""
    rows = [
        [
            html.escape(pair.exercise),
            html.escape(", ".join(pair.first)),
            html.escape(", ".join(pair.second) if pair.second != pair.first else "(the same)"),
            f"{pair.alike:.0%}",
            "-" if pair.published is None else f"{pair.published:.0%}",
        ]
        for pair in found
    ]
    text = (
        "<p>Hand-ins whose compiled form is alike, names and sizes aside. This is no verdict: a "
        "short exercise has few right answers, and a high share of the published solution says "
        "that these learners may all have come to it.</p>"
    )
    head = ("item", "learners", "and", "alike", "of the published solution")
    return page("Similarity", text + _table("Pairs", head, rows))


def learner_page(
    learner: str, name: str, entries: Sequence[Entry], language: Language = "en"
) -> str:
    """What a learner gets back: every verdict in full."""
    parts = [
        f"<h2>{html.escape(entry.verdict.exercise)}</h2>"
        f"<p>{html.escape(entry.file)}</p>{as_html(entry.verdict, language)}"
        for entry in entries
    ]
    return page(f"{name} ({learner})" if name else learner, "".join(parts), language)


def states_chart(found: Sequence[Item]) -> str:
    """A bar an item, split by state; the words stand beside it, so it reads without colour."""
    bars: list[str] = []
    for row, item in enumerate(found):
        total, x, y = sum(item.states.values()), 0.0, row * _ROW
        for state, count in item.states.items():
            width = _WIDTH * count / total
            bars.append(
                f'<rect x="{160 + x:.1f}" y="{y + 3}" width="{width:.1f}" height="16" '
                f'fill="{_COLOURS[state]}" stroke="#fff"><title>{state} {count}</title></rect>'
            )
            x += width
        words = ", ".join(f"{state} {count}" for state, count in item.states.items())
        bars.append(_text(0, y, item.exercise) + _text(170 + _WIDTH, y, words))
    return _svg("States of each item", 1000, len(found) * _ROW, bars)


def points_chart(entries: Sequence[Entry]) -> str:
    """How many learners have which share of the points that they could have."""
    earned, possible = defaultdict[str, float](float), defaultdict[str, float](float)
    for entry in entries:
        earned[entry.learner] += entry.verdict.points
        possible[entry.learner] += entry.verdict.max_points
    shares = [earned[learner] / most for learner, most in possible.items() if most]
    counts = Counter(min(int(share * 10), 9) for share in shares)
    highest = max(counts.values(), default=1)
    bars: list[str] = []
    for tenth in range(10):
        y, width = tenth * _ROW, _WIDTH * counts[tenth] / highest
        bars.append(
            f'<rect x="160" y="{y + 3}" width="{width:.1f}" height="16" fill="#2f5d8a"/>'
            + _text(0, y, f"{tenth * 10} to {tenth * 10 + 10} %")
            + _text(170 + int(width), y, str(counts[tenth]))
        )
    return _svg("Learners by share of points", 1000, 10 * _ROW, bars)


def _text(x: int, y: int, words: str) -> str:
    return f'<text x="{x}" y="{y + 16}" font-size="13">{html.escape(words)}</text>'


def _svg(title: str, width: int, height: int, parts: Iterable[str]) -> str:
    return (
        f'<svg role="img" aria-label="{html.escape(title)}" viewBox="0 0 {width} {height}" '
        f'width="100%" style="max-width:{width}px"><title>{html.escape(title)}</title>'
        f"{''.join(parts)}</svg>"
    )


def _table(caption: str, head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    names = "".join(f'<th scope="col">{html.escape(name)}</th>' for name in head)
    lines = ("".join(f"<td>{cell}</td>" for cell in row) for row in rows)
    body = "\n".join(f"<tr>{line}</tr>" for line in lines)
    return (
        f"<table><caption>{html.escape(caption)}</caption><thead><tr>{names}</tr></thead>\n"
        f"<tbody>{body}</tbody></table>"
    )
