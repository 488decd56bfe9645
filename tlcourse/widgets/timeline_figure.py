"""The timeline of a launch as a static figure: who works when, and who waits for whom."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

from tlcourse.records import Bubble, Instruction, Timeline
from tlcourse.widgets import palette, svg
from tlcourse.widgets.labels import Language, label
from tlcourse.widgets.lanes import Row, busy_share, timeline_rows
from tlcourse.widgets.timeline_arrows import arrow_head, arrows
from tlcourse.widgets.timeline_words import cause_words, word

_WIDTH, _LEFT, _RIGHT = 1000.0, 172.0, 16.0
_LANE, _GAP, _HEAD = 28.0, 5.0, 27.0
_TOP = 70.0
_BYTE_LIMIT = 40_000
_AGENTS = ("aic", "aiv0", "aiv1")


@dataclass(frozen=True, kw_only=True)
class Slice:
    """One or several neighbouring instructions of a lane, drawn as one rectangle."""

    start_cycle: int
    end_cycle: int
    text: str
    title: str
    count: int


@dataclass(frozen=True, kw_only=True)
class Span:
    """A stretch of time in microseconds."""

    start: float
    end: float


@dataclass(frozen=True, kw_only=True)
class _Scale:
    """Cycles to columns; a stretch shorter than `finest` cycles is merged or left out."""

    start: int
    end: int
    finest: int

    def x(self, cycle: float) -> float:
        share = (cycle - self.start) / max(self.end - self.start, 1)
        return _LEFT + share * (_WIDTH - _LEFT - _RIGHT)

    def span(self, item: Slice | Bubble) -> tuple[float, float]:
        """Left edge and width, never too thin to be seen."""
        x = self.x(item.start_cycle)
        return x, max(self.x(item.end_cycle) - x, 0.8)


def timeline_svg(
    timeline: Timeline,
    *,
    block: int | None = None,
    language: Language = "en",
    tooltips: bool = True,
    byte_limit: int = _BYTE_LIMIT,
    span: Span | None = None,
) -> str:
    """Draws a timeline as SVG; equal records give equal text.

    Args:
        timeline: the record of a launch.
        block: logical block whose core group is drawn; default: the first one.
        language: words on the figure.
        tooltips: each slice and gap tells its cycles, bytes and cause when pointed at; of no
            use inside an `<img>`.
        byte_limit: neighbouring short instructions are merged until the text is this short.
        span: what the axis covers; default: from the first instruction to the last.
    """
    rows = timeline_rows(timeline, block)
    work = [i for row in rows for i in row.instructions]
    if not work:
        return _empty(timeline, language)
    whole = span or span_of(timeline, block)
    start, end = (round(time * timeline.clock_mhz) for time in (whole.start, whole.end))
    finest = max((end - start) // 800, 1)
    text = ""
    for doubling in range(24):
        scale = _Scale(start=start, end=end, finest=finest << doubling)
        text = _draw(timeline, rows, scale, language, tooltips)
        if len(text.encode()) <= byte_limit:
            break
    return text


def span_of(timeline: Timeline, block: int | None = None) -> Span:
    """The time from the first instruction of a block to its last."""
    work = [i for row in timeline_rows(timeline, block) for i in row.instructions]
    start = min((i.start_cycle for i in work), default=0)
    end = max((i.end_cycle for i in work), default=0)
    return Span(start=start / timeline.clock_mhz, end=end / timeline.clock_mhz)


def _empty(timeline: Timeline, language: Language) -> str:
    title = label("timeline", language, timeline.kernel)
    body = svg.words(16, 60, label("no_instructions", language), "muted")
    return svg.document(_WIDTH, 84, title, title, svg.words(16, 28, title, "ink head"), body)


def _draw(
    timeline: Timeline, rows: tuple[Row, ...], scale: _Scale, language: Language, tooltips: bool
) -> str:
    title = label("timeline", language, timeline.kernel)
    about = "; ".join(f"{row.agent} {busy_share(timeline, row)}" for row in rows)
    lanes, bottom, middles = _lanes(timeline, rows, scale, language, tooltips)
    over = arrows(rows, middles, scale.x, scale.finest)
    swatches = sorted({row.swatch.key: row.swatch for row in rows}.values(), key=_order)
    wait = replace(palette.pipe("?"), key="wait", label=label("bubble", language))
    notes = {s.key: s.chinese if language == "zh" else s.english for s in swatches}
    defs = "".join([*map(svg.pattern, swatches), svg.wait_pattern(), arrow_head()])
    half = (len(swatches) + 2) // 2
    return svg.document(
        _WIDTH,
        bottom + (122 if over else 98),
        title,
        about,
        svg.tag("defs", {}, defs),
        svg.words(16, 28, title, "ink head"),
        svg.words(_WIDTH - _RIGHT, 28, _subtitle(timeline, language), "muted", "end"),
        _axis(scale, bottom, timeline.clock_mhz, language),
        lanes,
        over,
        svg.legend(16, bottom + 60, swatches[:half], notes),
        svg.legend(16, bottom + 84, [*swatches[half:], wait], notes),
        svg.words(16, bottom + 108, _arrow_note(over, language), "muted small") if over else "",
    )


def _arrow_note(over: str, language: Language) -> str:
    note = word("arrows_stall", language)
    return f"{note}; {word('crossing', language)}" if "stroke-dasharray" in over else note


def _order(swatch: palette.Swatch) -> int:
    return palette.lane_order(swatch.key)


def _subtitle(timeline: Timeline, language: Language) -> str:
    time = timeline.cycles / timeline.clock_mhz
    return f"{timeline.chip}, {timeline.cycles:,} {label('cycles', language)} = {time:.2f} us"


def _lanes(
    timeline: Timeline, rows: tuple[Row, ...], scale: _Scale, language: Language, tooltips: bool
) -> tuple[str, float, dict[tuple[str, str], float]]:
    """The lanes, where they end, and the middle of each."""
    parts: list[str] = []
    middles: dict[tuple[str, str], float] = {}
    y = _TOP
    agent = ""
    for row in rows:
        if row.agent != agent:
            name = label(row.agent, language) if row.agent in _AGENTS else row.agent
            parts.append(svg.words(16, y + 18, name, "muted small"))
            agent, y = row.agent, y + _HEAD
        parts.append(_lane(timeline, row, scale, y, language, tooltips))
        middles[row.agent, row.pipe] = y + _LANE / 2
        y += _LANE + _GAP
    return "".join(parts), y, middles


def _lane(
    timeline: Timeline, row: Row, scale: _Scale, y: float, language: Language, tooltips: bool
) -> str:
    share = busy_share(timeline, row).split(" ", 1)[1]
    gaps = _seen(row.bubbles, scale)
    slices = merged(row.instructions, scale.finest, language)
    return "".join(
        [
            svg.words(24, y + 19.5, row.swatch.label),
            svg.words(_LEFT - 10, y + 19, share, "muted small", "end"),
            svg.box(_LEFT, y, _WIDTH - _LEFT - _RIGHT, _LANE, style="band"),
            *(_bubble(bubble, scale, y, language, tooltips) for bubble in gaps),
            _shapes([item for item in slices if item.count == 1], row, scale, y, tooltips),
            _shapes([item for item in slices if item.count > 1], row, scale, y, tooltips),
            *(_inside(i.text, scale, i.start_cycle, i.end_cycle, y, "on") for i in slices),
        ]
    )


def _shapes(slices: list[Slice], row: Row, scale: _Scale, y: float, tooltips: bool) -> str:
    """Slices of one look; merged ones are half clear, because they hold gaps as well."""
    if not slices:
        return ""
    look: dict[str, object] = {
        "fill": svg.fill_of(row.swatch),
        "stroke": palette.INK,
        "stroke-width": 0.6,
    }
    if slices[0].count > 1:
        look["fill-opacity"] = ".6"
    if not tooltips:
        steps = [svg.path_box(x, y, width, _LANE) for x, width in map(scale.span, slices)]
        return svg.tag("path", look | {"d": "".join(steps)})
    boxes = [svg.box(*_place(item, scale, y), title=item.title) for item in slices]
    return svg.tag("g", look, *boxes)


def _place(item: Slice, scale: _Scale, y: float) -> tuple[float, float, float, float]:
    x, width = scale.span(item)
    return x, y, width, _LANE


def merged(
    instructions: tuple[Instruction, ...], finest: int, language: Language = "en"
) -> list[Slice]:
    """Slices of a lane: an instruction shorter than `finest` joins its near neighbours."""
    groups: list[list[Instruction]] = []
    for item in instructions:
        last = groups[-1] if groups else []
        short = item.end_cycle - item.start_cycle < finest
        joins = bool(last) and item.start_cycle - last[-1].end_cycle < finest
        last_short = bool(last) and last[-1].end_cycle - last[-1].start_cycle < finest
        if joins and short and last_short:
            last.append(item)
        else:
            groups.append([item])
    return [_slice(group, language) for group in groups]


def _slice(group: list[Instruction], language: Language) -> Slice:
    start, end = group[0].start_cycle, max(i.end_cycle for i in group)
    names = Counter(i.op for i in group)
    one = len(group) == 1
    share = 100 * sum(i.end_cycle - i.start_cycle for i in group) // max(end - start, 1)
    busy = label("busy_percent", language, share)
    ops = ", ".join(op if one else f"{count:,} {op}" for op, count in names.items())
    size = sum(i.bytes for i in group)
    details = [label("cycle_range", language, start, end)]
    details += [] if one else [busy]
    details += [f"{size:,} B"] if size else []
    details += [label("at_line", language, group[0].span.line)] if one and group[0].span else []
    return Slice(
        start_cycle=start,
        end_cycle=end,
        text=ops if one else f"{ops}, {busy}",
        title=f"{ops}: {', '.join(details)}",
        count=len(group),
    )


def _seen(bubbles: tuple[Bubble, ...], scale: _Scale) -> list[Bubble]:
    """Gaps inside the drawn stretch that are wide enough to be seen."""
    inside: list[Bubble] = []
    for bubble in bubbles:
        start, end = max(bubble.start_cycle, scale.start), min(bubble.end_cycle, scale.end)
        if end - start >= 2 * scale.finest:
            inside.append(replace(bubble, start_cycle=start, end_cycle=end))
    return inside


def _bubble(bubble: Bubble, scale: _Scale, y: float, language: Language, tooltips: bool) -> str:
    x, width = scale.span(bubble)
    cause = label("waits_for", language, cause_words(bubble.cause, language))
    cycles = f"{bubble.end_cycle - bubble.start_cycle:,} {label('cycles', language)}"
    title = f"{cause}: {cycles}" if tooltips else ""
    shape = svg.box(x, y + 4, width, _LANE - 8, fill="url(#tl-wait)", title=title)
    return shape + _inside(cause, scale, bubble.start_cycle, bubble.end_cycle, y, "muted small")


def _inside(text: str, scale: _Scale, start: int, end: int, y: float, style: str) -> str:
    """A text in the middle of a stretch, where it has room."""
    left, right = scale.x(start), scale.x(end)
    if svg.width_of(text) > right - left - 6:
        return ""
    return svg.words((left + right) / 2, y + 19, text, style, "middle")


def _axis(scale: _Scale, bottom: float, clock_mhz: int, language: Language) -> str:
    parts: list[str] = []
    cycles, _ = svg.ticks(scale.start, scale.end)
    times, decimals = svg.ticks(scale.start / clock_mhz, scale.end / clock_mhz)
    for cycle in cycles:
        x = scale.x(cycle)
        parts.append(svg.line(x, _TOP - 8, x, bottom, "axis"))
        parts.append(svg.words(x, _TOP - 13, f"{cycle:,.0f}", "muted small", "middle"))
    for time in times:
        x = scale.x(time * clock_mhz)
        parts.append(svg.line(x, bottom, x, bottom + 6, "axis"))
        parts.append(svg.words(x, bottom + 21, f"{time:.{decimals}f}", "muted small", "middle"))
    parts.append(svg.words(_LEFT - 32, _TOP - 13, label("cycles", language), "muted small", "end"))
    parts.append(svg.words(_LEFT - 32, bottom + 21, "us", "muted small", "end"))
    return "".join(parts)
