"""The numbers that a format has in a range, as marks on a line, one line for each format."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tlcourse.widgets import palette, svg
from tlcourse.widgets.labels import Language

_WIDTH, _LEFT, _RIGHT = 1000.0, 172.0, 40.0
_ROW, _TOP, _HALF = 48.0, 76.0, 11.0


@dataclass(frozen=True)
class TickView:
    """Number lines side by side.

    Args:
        title: what the lines show, also the figure's alternative text.
        marks: name of a format, and its numbers; those outside the range are left out.
        low: left end of the range.
        high: right end of it, above `low`.
        look: name of a pipe or a memory, for the colour of the marks.
        language: `en` or `zh`, of the title.
    """

    title: str
    marks: Mapping[str, Sequence[float]]
    low: float
    high: float
    look: str = "UB"
    language: Language = "en"

    def __post_init__(self) -> None:
        assert self.low < self.high, "a range has a width"

    def __repr__(self) -> str:
        return f"TickView({self.title}: {self.summary()})"

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self.to_html()}

    def inside(self, name: str) -> list[float]:
        """The numbers of a format that lie in the range."""
        return [value for value in self.marks[name] if self.low <= value <= self.high]

    def summary(self) -> str:
        """How many numbers each format has in the range, in one line of text."""
        counts = ", ".join(f"{name} {len(self.inside(name))}" for name in self.marks)
        return f"{self.low:g} .. {self.high:g}, {counts}"

    def to_html(self) -> str:
        """The figure as HTML without a script."""
        return svg.figure_html(ticks_svg(self), self.title, self.summary(), "")

    def export_html(self, path: str | Path) -> Path:
        """Writes the figure as one HTML file; returns its path."""
        return svg.write_page(path, self.title, self.to_html(), self.language)


def ticks_svg(view: TickView) -> str:
    """Draws the lines below each other, over one scale."""
    bottom = _TOP + len(view.marks) * _ROW
    parts = [_line(view, number, name) for number, name in enumerate(view.marks)]
    for place in (view.low, (view.low + view.high) / 2, view.high):
        x = _x(view, place)
        parts.append(svg.line(x, _TOP - _ROW / 2, x, bottom - _ROW / 2, "axis", "4 4"))
        parts.append(svg.words(x, bottom, f"{place:g}", "muted small", "middle"))
    return svg.document(
        _WIDTH,
        bottom + 14,
        view.title,
        view.summary(),
        svg.words(16, 28, view.title, "ink head"),
        *parts,
    )


def _line(view: TickView, number: int, name: str) -> str:
    y = _TOP + number * _ROW
    numbers = view.inside(name)
    fill = palette.memory(view.look).fill
    marks = (
        svg.box(_x(view, value) - 2, y - _HALF, 4, 2 * _HALF, fill=fill, stroke=palette.INK)
        for value in numbers
    )
    label = svg.words(_LEFT - 24, y + 5, f"{name}: {len(numbers)}", "ink small", "end")
    return label + svg.line(_LEFT, y, _WIDTH - _RIGHT, y, "axis") + "".join(marks)


def _x(view: TickView, value: float) -> float:
    return _LEFT + (_WIDTH - _LEFT - _RIGHT) * (value - view.low) / (view.high - view.low)
