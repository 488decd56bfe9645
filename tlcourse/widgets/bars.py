"""A few numbers as horizontal bars, each with its value written out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tlcourse.widgets import palette, svg
from tlcourse.widgets.labels import Language

_WIDTH, _LEFT, _RIGHT = 1000.0, 172.0, 140.0
_BAR, _GAP, _TOP = 26.0, 8.0, 48.0


@dataclass(frozen=True)
class BarView:
    """Numbers side by side, in the look of the pipe or memory they speak of.

    Args:
        title: what the bars show, also the figure's alternative text.
        values: the text beside each bar, and its number; no number is below 0.
        unit: written after each number.
        look: name of a pipe or a memory, for example `MTE2` or `L1`.
        language: `en` or `zh`, of the title.
    """

    title: str
    values: Mapping[str, int]
    unit: str = ""
    look: str = "MTE2"
    language: Language = "en"

    def __repr__(self) -> str:
        return f"BarView({self.title}: {self.summary()})"

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self.to_html()}

    def summary(self) -> str:
        """All bars in one line of text."""
        return ", ".join(f"{name} {self.amount(value)}" for name, value in self.values.items())

    def amount(self, value: int) -> str:
        """A number with its unit."""
        return f"{value:,} {self.unit}".rstrip()

    def to_html(self) -> str:
        """The figure as HTML without a script."""
        return svg.figure_html(bars_svg(self), self.title, self.title, "")

    def export_html(self, path: str | Path) -> Path:
        """Writes the figure as one HTML file; returns its path."""
        return svg.write_page(path, self.title, self.to_html(), self.language)


def bars_svg(view: BarView) -> str:
    """Draws the bars; the longest one has the whole width."""
    swatch = _swatch(view.look)
    most = max([*view.values.values(), 1])
    parts: list[str] = []
    for number, (name, value) in enumerate(view.values.items()):
        y = _TOP + number * (_BAR + _GAP)
        width = (_WIDTH - _LEFT - _RIGHT) * value / most
        parts.append(svg.words(_LEFT - 12, y + 18, name, "ink small", "end"))
        parts.append(svg.box(_LEFT, y, width, _BAR, fill=svg.fill_of(swatch), stroke=palette.INK))
        parts.append(svg.words(_LEFT + width + 10, y + 18, view.amount(value), "muted small"))
    return svg.document(
        _WIDTH,
        _TOP + len(view.values) * (_BAR + _GAP) + 10,
        view.title,
        view.summary(),
        svg.tag("defs", {}, svg.pattern(swatch)),
        svg.words(16, 28, view.title, "ink head"),
        *parts,
    )


def _swatch(name: str) -> palette.Swatch:
    known = palette.memory(name)
    return known if known.key != "other" else palette.pipe(name)
