"""The roofline as a figure: what each part of the chip alone would need, and the launch."""

from __future__ import annotations

from tlcourse.profile.roofline import Ceiling, Roofline
from tlcourse.records import Timeline
from tlcourse.widgets import palette, svg

_WIDTH, _LEFT, _RIGHT = 1000.0, 172.0, 210.0
_BAR, _GAP, _TOP = 26.0, 8.0, 62.0
_LOOKS = {"cube": "M", "vector": "V", "L2": "MTE2", "HBM": "gm"}


def roofline_svg(found: Roofline, timeline: Timeline) -> str:
    """Draws the time of each ceiling as a bar, and the time of the launch as a line behind."""
    most = max([found.microseconds, *(one.microseconds for one in found.ceilings)])
    scale = (_WIDTH - _LEFT - _RIGHT) / max(most, 1e-9)
    bars = [_bar(one, number, scale) for number, one in enumerate(found.ceilings)]
    bottom = _TOP + len(found.ceilings) * (_BAR + _GAP)
    end = _LEFT + found.microseconds * scale
    time = f"launch: {found.microseconds:.2f} us"
    title = f"Roofline of {timeline.kernel} on {timeline.chip}"
    swatches = {_swatch(one).key: _swatch(one) for one in found.ceilings}
    return svg.document(
        _WIDTH,
        bottom + 64,
        title,
        found.verdict,
        svg.tag("defs", {}, *map(svg.pattern, swatches.values())),
        svg.words(16, 28, title, "ink head"),
        *bars,
        svg.line(end, _TOP - 10, end, bottom, "limit", "6 4"),
        svg.words(end + 6, _TOP - 2, time, "ink small"),
        *(
            svg.words(16, bottom + 24 + 20 * number, line, "muted small")
            for number, line in enumerate(_lines(found.verdict, 125))
        ),
    )


def _bar(one: Ceiling, number: int, scale: float) -> str:
    y = _TOP + number * (_BAR + _GAP) + 6
    width = one.microseconds * scale
    unit = "B" if one.is_memory else "op"
    amount = f"{one.microseconds:.2f} us for {_short(one.amount)}{unit}"
    return (
        svg.words(_LEFT - 12, y + 18, f"{one.name} alone", "ink small", "end")
        + svg.box(_LEFT, y, width, _BAR, fill=svg.fill_of(_swatch(one)), stroke=palette.INK)
        + svg.words(_LEFT + width + 10, y + 18, amount, "muted small")
    )


def _swatch(one: Ceiling) -> palette.Swatch:
    look = palette.memory(_LOOKS[one.name])
    return look if look.key != "other" else palette.pipe(_LOOKS[one.name])


def _short(amount: int) -> str:
    for power, letter in ((9, "G"), (6, "M"), (3, "k")):
        if amount >= 10**power:
            return f"{amount / 10**power:.3g} {letter}"
    return f"{amount} "


def _lines(text: str, width: int) -> list[str]:
    lines = [""]
    for word in text.split():
        if len(lines[-1]) + len(word) >= width:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines
