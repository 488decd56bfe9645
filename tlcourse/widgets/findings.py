"""What the simulator found in a launch, as cards with the learner's line and a caret under it."""

from __future__ import annotations

import html
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tlcourse.diagnostics import Label, SourceFile, SourceMap, excerpt, render_text
from tlcourse.records import Finding
from tlcourse.widgets import svg
from tlcourse.widgets.cards import BAD, FLAT, GOOD, LINES, NOTE, WARNING, card
from tlcourse.widgets.labels import Language

_WORDS: dict[str, tuple[str, str]] = {
    "title": ("What the simulator found", "模拟器的发现"),
    "count": ("{0} findings", "{0} 处发现"),
    "count_one": ("1 finding", "1 处发现"),
    "none": ("No findings: the launch broke no rule.", "没有发现：本次启动没有违反任何规则。"),
    "error": ("error", "错误"),
    "warning": ("warning", "警告"),
    "note": ("note", "提示"),
    "block": ("block {0}", "逻辑块 {0}"),
    "turn": ("loop turn {0}", "第 {0} 轮循环"),
    "times": ("{0:,} times", "共 {0:,} 次"),
    "why": ("why", "原因"),
    "fix": ("fix", "改法"),
    "see": ("see docs/errors.md, {0}", "见 docs/errors.md，{0}"),
}
_KIND = "tl-finding"
_LOOKS = {"error": ("✗", BAD), "warning": ("!", WARNING), "note": ("i", NOTE)}


def word(key: str, language: Language, *values: object) -> str:
    """The words for `key`, with `values` filled in."""
    return _WORDS[key][language == "zh"].format(*values)


@dataclass(frozen=True)
class FindingsView:
    """Findings that show themselves: cards in a notebook, the text with carets in a terminal.

    Args:
        findings: the records, errors first.
        sources: the learner's texts that they point into.
        language: of the words around them; the findings are in English.
    """

    findings: tuple[Finding, ...]
    sources: SourceMap = field(default_factory=lambda: dict[str, SourceFile](), compare=False)
    language: Language = "en"

    def __repr__(self) -> str:
        found = [render_text(one.diagnostic, self.sources) for one in self.findings]
        return "\n\n".join(found) or word("none", self.language)

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self.to_html()}

    def to_html(self) -> str:
        """The cards as HTML without a script; it reads where styles are taken away too."""
        if not self.findings:
            good = f"<b>✓</b> {word('none', self.language)}"
            return card(_KIND, GOOD, f"<p {FLAT}>{good}</p>")
        cards = (card(_KIND, _look(one)[1], *self._parts(one)) for one in self.findings)
        head = word("count" if len(self.findings) > 1 else "count_one", self.language, len(self))
        return f"<p {FLAT}><b>{head}</b></p>" + "".join(cards)

    def __len__(self) -> int:
        return len(self.findings)

    def export_html(self, path: str | Path) -> Path:
        """Writes the cards as one HTML file; returns its path."""
        return svg.write_page(path, word("title", self.language), self.to_html(), self.language)

    def _parts(self, one: Finding) -> Iterator[str]:
        said, language = one.diagnostic, self.language
        sign, _ = _look(one)
        head = f"{sign} {word(said.severity, language)} {said.code}"
        yield f"<p {FLAT}><b>{head}</b>{_colon(language)}{html.escape(said.what)}</p>"
        yield f"<p {FLAT}><small>{html.escape(_place(one, language))}</small></p>"
        lines = [line for label in _labels(one) for line in excerpt(label, self.sources)]
        if lines:
            listed = html.escape("\n".join(lines))
            yield f"<pre {LINES}>{listed}</pre>"
        for key, text in (("why", said.why), ("fix", said.fix)):
            name = f"<b>{word(key, language)}</b>{_colon(language)}"
            yield f"<p {FLAT}>{name}{html.escape(text)}</p>"
        yield f"<p {FLAT}><small>{word('see', language, said.code)}</small></p>"


def _look(one: Finding) -> tuple[str, str]:
    return _LOOKS[one.diagnostic.severity]


def _colon(language: Language) -> str:
    return "：" if language == "zh" else ": "


def _place(one: Finding, language: Language) -> str:
    """Core, pipe, block, loop turn and how often."""
    parts = [f"{one.agent} {one.pipe}".strip(), word("block", language, one.block)]
    if one.iteration:
        parts.append(word("turn", language, ", ".join(map(str, one.iteration))))
    if one.count > 1:
        parts.append(word("times", language, one.count))
    return " · ".join(parts)


def _labels(one: Finding) -> tuple[Label, ...]:
    """The places that it names, and the other access where no label names that."""
    labels, other = one.diagnostic.labels, one.other_span
    if other is None or any(label.span == other for label in labels):
        return labels
    return (*labels, Label(span=other))
