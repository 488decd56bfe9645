"""Small parts of static SVG figures: elements, hatches, axes and the page around them."""

from __future__ import annotations

import base64
import html
import math
from collections.abc import Iterable, Sequence
from itertools import chain, repeat
from pathlib import Path

from tlcourse.widgets.pagefile import write_text
from tlcourse.widgets.palette import INK, Swatch

_STYLE = (
    ".tl-svg{font:16px system-ui,'Noto Sans','Noto Sans CJK SC',sans-serif}"
    ".tl-svg .bg{fill:#fff;stroke:#d4d9e0}.tl-svg .ink{fill:#1b1f24}.tl-svg .muted{fill:#56606b}"
    ".tl-svg .axis{stroke:#c3c9d1}.tl-svg .band{fill:#f4f6f8}.tl-svg .wait{stroke:#8a94a0}"
    ".tl-svg .limit{stroke:#b3261e}.tl-svg .over{fill:#b3261e}.tl-svg .small{font-size:14px}"
    ".tl-svg .arrow{fill:none;stroke:#1b1f24;stroke-width:1.2}"
    f".tl-svg .on{{fill:{INK};font-size:14px}}.tl-svg .head{{font-weight:600}}"
    "@media (prefers-color-scheme:dark){.tl-svg .bg{fill:#15181d;stroke:#353c47}"
    ".tl-svg .ink{fill:#e8ebf0}.tl-svg .muted{fill:#a3adba}.tl-svg .axis{stroke:#48505c}"
    ".tl-svg .band{fill:#1c2128}.tl-svg .wait{stroke:#7d8794}"
    ".tl-svg .arrow{stroke:#e8ebf0}"
    ".tl-svg .limit{stroke:#ff8a80}.tl-svg .over{fill:#ff8a80}}"
)
_HATCHES = {
    "none": "",
    "/": "M0 8L8 0M-1 1L1 -1M7 9L9 7",
    "\\": "M0 0L8 8M-1 7L1 9M7 -1L9 1",
    "x": "M0 0L8 8M0 8L8 0",
    "-": "M0 4H8",
    "|": "M4 0V8",
    ".": "M3 3h2v2h-2z",
}


def tag(name: str, attributes: dict[str, object], *children: str) -> str:
    """One element; numbers are cut to a tenth, children are markup."""
    listed = "".join(f' {key}="{_value(value)}"' for key, value in attributes.items())
    body = "".join(children)
    return f"<{name}{listed}>{body}</{name}>" if body else f"<{name}{listed}/>"


def words(x: float, y: float, text: str, style: str = "ink", anchor: str = "start") -> str:
    """A line of text with its baseline at (x, y)."""
    attributes: dict[str, object] = {"x": x, "y": y, "class": style}
    if anchor != "start":
        attributes["text-anchor"] = anchor
    return tag("text", attributes, html.escape(text))


def box(x: float, y: float, width: float, height: float, **attributes: object) -> str:
    """A rectangle; `title` becomes its tooltip, `style` its class."""
    title = attributes.pop("title", "")
    shape: dict[str, object] = {"x": x, "y": y, "width": width, "height": height}
    shape |= {"class" if key == "style" else key: value for key, value in attributes.items()}
    return tag("rect", shape, tag("title", {}, html.escape(str(title))) if title else "")


def path_box(x: float, y: float, width: float, height: float) -> str:
    """A rectangle as a piece of a path, a quarter of the text of an element."""
    return f"M{_value(x)} {_value(y)}h{_value(width)}v{_value(height)}h-{_value(width)}z"


def line(x1: float, y1: float, x2: float, y2: float, style: str, dash: str = "") -> str:
    """A straight line."""
    attributes: dict[str, object] = {"x1": x1, "y1": y1, "x2": x2, "y2": y2, "class": style}
    return tag("line", attributes | ({"stroke-dasharray": dash} if dash else {}))


def pattern(swatch: Swatch) -> str:
    """The fill of a swatch: its colour under its hatch; refer to it by `fill_of`."""
    path = _HATCHES[swatch.hatch]
    hatch = f'<path d="{path}" stroke="{INK}" stroke-opacity=".38" fill="none"/>' if path else ""
    ground = f'<rect width="8" height="8" fill="{swatch.fill}"/>'
    return _pattern(f"tl-{swatch.key}", ground + hatch)


def wait_pattern() -> str:
    """The fill of a gap: thin lines and no ground."""
    return _pattern("tl-wait", '<path d="M0 8L8 0" class="wait" stroke-opacity=".55"/>')


def shared_pattern() -> str:
    """The fill over what two things have in common: `tl-shared`, bold lines and no ground."""
    return _pattern(
        "tl-shared", f'<path d="M0 0L8 8" stroke="{INK}" stroke-width="1.4" stroke-opacity=".55"/>'
    )


def fill_of(swatch: Swatch) -> str:
    """Value of a `fill` attribute for this swatch."""
    return f"url(#tl-{swatch.key})"


def legend(x: float, y: float, swatches: Iterable[Swatch], notes: dict[str, str]) -> str:
    """Swatches in a row with label and note."""
    parts: list[str] = []
    for swatch in swatches:
        text = f"{swatch.label}: {notes.get(swatch.key, '')}".removesuffix(": ")
        parts.append(box(x, y - 11, 20, 13, fill=fill_of(swatch), stroke=INK))
        parts.append(words(x + 26, y, text, "muted small"))
        x += 44 + width_of(text)
    return "".join(parts)


def width_of(text: str, advance: float = 7.6) -> float:
    """Rough width of a text; a Chinese sign takes two places."""
    return advance * sum(2 if ord(sign) > 0x2E80 else 1 for sign in text)


def ticks(start: float, end: float, most: int = 8) -> tuple[list[float], int]:
    """Round numbers between two ends, at most `most` steps, and the decimals they need."""
    span = max(end - start, 1e-9)
    power = math.floor(math.log10(span / most))
    step = next(f * 10.0**power for f in (1, 2, 5, 10) if span / (f * 10.0**power) <= most)
    first, last = math.ceil(start / step), math.floor(end / step)
    decimals = max(0, -math.floor(math.log10(step) + 1e-9))
    return [k * step for k in range(first, last + 1)], decimals


def document(width: float, height: float, title: str, about: str, *body: str) -> str:
    """A whole figure on its own ground, readable on light and dark pages."""
    head = tag("title", {}, html.escape(title)) + tag("desc", {}, html.escape(about))
    ground = box(0.5, 0.5, width - 1, height - 1, style="bg", rx=6)
    attributes: dict[str, object] = {
        "xmlns": "http://www.w3.org/2000/svg",
        "class": "tl-svg",
        "viewBox": f"0 0 {width:g} {height:g}",
        "width": width,
        "height": height,
        "role": "img",
        "aria-label": title,
    }
    return tag("svg", attributes, head, tag("style", {}, _STYLE), ground, *body)


def figure_html(svg: str, title: str, caption: str, table: str) -> str:
    """A figure with its table, in HTML that survives an untrusted notebook.

    The picture is an `<img>`: notebook front ends drop inline SVG from files not trusted.
    """
    data = base64.b64encode(svg.encode()).decode()
    image = (
        f'<img alt="{html.escape(title)}" style="width:100%;max-width:1200px" '
        f'src="data:image/svg+xml;base64,{data}">'
    )
    words = html.escape(caption)
    figure = f'<figure style="margin:0">{image}<figcaption>{words}</figcaption></figure>'
    return figure + table


def table_html(
    title: str, head: Sequence[str], rows: Iterable[Sequence[str]], ids: Sequence[str] = ()
) -> str:
    """A table that opens on a click; every cell is text. Links can lead to rows with `ids`."""
    table = grid_html(head, rows, ids)
    return f"<details><summary>{html.escape(title)}</summary>{table}</details>"


def grid_html(head: Sequence[str], rows: Iterable[Sequence[str]], ids: Sequence[str] = ()) -> str:
    """A table; every cell is text."""
    cells = "".join(f"<th>{html.escape(name)}</th>" for name in head)
    starts = chain((f'<tr id="{html.escape(name)}">' for name in ids), repeat("<tr>"))
    lines = "".join(
        start + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>"
        for start, row in zip(starts, rows, strict=False)
    )
    return f"<table><thead><tr>{cells}</tr></thead><tbody>{lines}</tbody></table>"


def write_page(path: str | Path, title: str, body: str, language: str) -> Path:
    """Writes one HTML file that needs nothing beside it; returns its path."""
    return write_text(
        path,
        f'<!doctype html>\n<html lang="{language}">\n<meta charset="utf-8">\n'
        f"<title>{html.escape(title)}</title>\n<style>:root{{color-scheme:light dark}}"
        "body{font:16px system-ui,sans-serif;margin:1em}figure{margin:0 0 1em}"
        "svg{width:100%;height:auto}tr:target{outline:2px solid}"
        "td,th{padding:.2em .8em;text-align:left;white-space:nowrap;"
        "border-bottom:1px solid #8886}details{overflow-x:auto}</style>\n"
        f"<main>{body}</main>\n</html>\n",
    )


def _pattern(key: str, body: str) -> str:
    return (
        f'<pattern id="{key}" width="8" height="8" patternUnits="userSpaceOnUse">{body}</pattern>'
    )


def _value(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.1f}".removesuffix(".0")
    return html.escape(str(value))
