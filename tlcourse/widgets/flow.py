"""Stages in a row, each with its parts in boxes: what a thing passes through on its way."""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tlcourse.widgets import palette, svg
from tlcourse.widgets.labels import Language

_WIDTH, _SIDE, _GAP, _TOP = 1000.0, 16.0, 34.0, 52.0
_BOX, _SPACE = 30.0, 8.0


@dataclass(frozen=True)
class FlowView:
    """Stages from left to right, joined by arrows.

    Args:
        title: what the figure shows, also its alternative text.
        stages: the head of each stage, and the parts that stand in it from top to bottom.
        look: name of a pipe or a memory, whose colours the boxes have.
        language: `en` or `zh`, of the title.
    """

    title: str
    stages: Mapping[str, Sequence[str]]
    look: str = "UB"
    language: Language = "en"

    def __repr__(self) -> str:
        return f"FlowView({self.title}: {self.summary()})"

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self.to_html()}

    def summary(self) -> str:
        """All stages in one line of text."""
        return " > ".join(f"{head} ({', '.join(parts)})" for head, parts in self.stages.items())

    def to_html(self) -> str:
        """The figure as HTML without a script."""
        return svg.figure_html(flow_svg(self), self.title, self.title, "")

    def export_html(self, path: str | Path) -> Path:
        """Writes the figure as one HTML file; returns its path."""
        return svg.write_page(path, self.title, self.to_html(), self.language)


def flow_svg(view: FlowView) -> str:
    """Draws the stages, all equally wide; the longest one decides the height."""
    count = max(len(view.stages), 1)
    width = (_WIDTH - 2 * _SIDE - (count - 1) * _GAP) / count
    rows = max([len(parts) for parts in view.stages.values()], default=0)
    height = _TOP + 28 + rows * (_BOX + _SPACE) + 10
    swatch = palette.memory(view.look)
    parts: list[str] = []
    for number, (head, boxes) in enumerate(view.stages.items()):
        left = _SIDE + number * (width + _GAP)
        parts.extend(_stage(left, width, head, boxes, svg.fill_of(swatch)))
        if number:
            parts.append(_arrow(left - _GAP + 4, left - 4))
    return svg.document(
        _WIDTH,
        height,
        view.title,
        view.summary(),
        svg.tag("defs", {}, svg.pattern(swatch)),
        svg.words(_SIDE, 28, view.title, "ink head"),
        *parts,
    )


def _stage(left: float, width: float, head: str, boxes: Sequence[str], fill: str) -> Iterable[str]:
    yield svg.words(left + width / 2, _TOP + 14, head, "ink small", "middle")
    for row, text in enumerate(boxes):
        y = _TOP + 28 + row * (_BOX + _SPACE)
        yield svg.box(left, y, width, _BOX, fill=fill, stroke=palette.INK, title=text)
        place: dict[str, object] = {"x": left + width / 2, "y": y + 20, "text-anchor": "middle"}
        if svg.width_of(text) > width - 8:
            place |= {"textLength": width - 8, "lengthAdjust": "spacingAndGlyphs"}
        yield svg.tag("text", place | {"class": "on"}, html.escape(text))


def _arrow(start: float, end: float) -> str:
    y = _TOP + 28 + _BOX / 2
    shape = f"M{start:g} {y:g}H{end:g}M{end - 7:g} {y - 5:g}L{end:g} {y:g}L{end - 7:g} {y + 5:g}"
    return svg.tag("path", {"d": shape, "class": "arrow"})
