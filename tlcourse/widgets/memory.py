"""On-chip memory as a static figure: which bytes hold which buffer, and when."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tlcourse.records import MemoryMap, PlannedBuffer
from tlcourse.widgets import palette, svg
from tlcourse.widgets.labels import Language, label

_WIDTH, _LEFT, _RIGHT = 1000.0, 96.0, 212.0
_PANEL, _HEAD, _FOOT = 200.0, 44.0, 38.0
_LITTLE = 0.4  # share of a memory below which its upper part is cut off


@dataclass(frozen=True, kw_only=True)
class _Scale:
    first: int
    last: int
    top_bytes: int
    bottom: float

    def x(self, position: float) -> float:
        share = (position - self.first) / max(self.last - self.first, 1)
        return _LEFT + share * (_WIDTH - _LEFT - _RIGHT)

    def y(self, offset_bytes: float) -> float:
        return self.bottom - _PANEL * offset_bytes / max(self.top_bytes, 1)


def peak_bytes(memory: MemoryMap) -> int:
    """The end of the highest buffer, all copies counted."""
    return max((_end_bytes(buffer) for buffer in memory.buffers), default=0)


def memory_svg(maps: Sequence[MemoryMap], *, kernel: str = "", language: Language = "en") -> str:
    """Draws memory maps, one panel a memory: bytes upwards, program order to the right.

    Copies of a multi-buffered tile lie one above the other. A buffer past the limit is
    framed, and the table names it too.
    """
    title = _title(kernel, language)
    shown = [memory for memory in maps if memory.buffers]
    if not shown:
        body = svg.words(16, 60, label("no_buffers", language), "muted")
        return svg.document(_WIDTH, 84, title, title, svg.words(16, 28, title, "ink head"), body)
    swatches = {memory.space: palette.memory(memory.space) for memory in shown}
    about = "; ".join(
        f"{swatches[m.space].label} {peak_bytes(m):,} / {m.capacity_bytes:,} B" for m in shown
    )
    patterns = "".join(svg.pattern(swatch) for swatch in swatches.values()) + svg.shared_pattern()
    height = _HEAD + _PANEL + _FOOT
    panels = [_panel(memory, 36 + k * height, shown, language) for k, memory in enumerate(shown)]
    return svg.document(
        _WIDTH,
        36 + height * len(shown) + 8,
        title,
        about,
        svg.tag("defs", {}, patterns),
        svg.words(16, 28, title, "ink head"),
        *panels,
    )


def memory_table(
    maps: Sequence[MemoryMap], language: Language = "en"
) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """The figure as a table: column heads and one row of texts per buffer."""
    keys = ("space", "buffer", "offset", "size", "copies", "live", "line", "fits")
    head = tuple(label(key, language) for key in keys)
    return head, tuple(_table_row(m, b, language) for m in maps for b in m.buffers)


@dataclass(frozen=True)
class MemoryView:
    """Memory maps that show themselves in a notebook: figure, table and one line of text."""

    maps: tuple[MemoryMap, ...]
    kernel: str = ""
    language: Language = "en"

    def __repr__(self) -> str:
        uses = (
            f"{palette.memory(m.space).label} {peak_bytes(m):,}/{m.capacity_bytes:,} B"
            for m in self.maps
        )
        return f"MemoryView({', '.join(uses)})"

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self.to_html()}

    def to_html(self) -> str:
        """Figure and table as HTML without a script."""
        title = _title(self.kernel, self.language)
        head, rows = memory_table(self.maps, self.language)
        picture = memory_svg(self.maps, kernel=self.kernel, language=self.language)
        parts = [_use(memory, self.language) for memory in self.maps]
        parts += [
            _why_shared(buffer, other, both, self.language)
            for memory in self.maps
            for buffer in memory.buffers
            for other, both in _shared(memory, buffer)
        ]
        caption = ("；" if self.language == "zh" else "; ").join(parts)
        table = svg.table_html(label("as_table", self.language), head, rows)
        return svg.figure_html(picture, title, caption, table)

    def export_html(self, path: str | Path) -> Path:
        """Writes figure and table as one HTML file; returns its path."""
        return svg.write_page(
            path, _title(self.kernel, self.language), self.to_html(), self.language
        )


def _title(kernel: str, language: Language) -> str:
    return label("memory", language, kernel) if kernel else label("memory_any", language)


def _use(memory: MemoryMap, language: Language) -> str:
    peak, capacity = peak_bytes(memory), memory.capacity_bytes
    colon, comma = ("：", "，") if language == "zh" else (": ", ", ")
    words = f"{label('peak', language)} {peak:,} B{comma}{label('capacity', language)}"
    share = f"{capacity:,} B ({100 * peak / max(capacity, 1):.0f}%)"
    return f"{palette.memory(memory.space).label}{colon}{words} {share}"


def _panel(memory: MemoryMap, top: float, others: Sequence[MemoryMap], language: Language) -> str:
    """A memory; those of one core have one axis, as they follow one program."""
    swatch = palette.memory(memory.space)
    beside = [one for one in others if (one.space == "ub") == (memory.space == "ub")]
    scale = _Scale(
        first=min(buffer.first for one in beside for buffer in one.buffers),
        last=max(buffer.last for one in beside for buffer in one.buffers) + 1,
        top_bytes=_top_bytes(memory),
        bottom=top + _HEAD + _PANEL,
    )
    note, comma = (swatch.chinese, "，") if language == "zh" else (swatch.english, ", ")
    ground = svg.box(_LEFT, top + _HEAD, _WIDTH - _LEFT - _RIGHT, _PANEL, style="band")
    return "".join(
        [
            svg.words(16, top + 26, f"{swatch.label}{comma}{note}", "ink head"),
            ground,
            *_axes(scale, language),
            *(_buffer(buffer, memory, scale, language) for buffer in memory.buffers),
            *_in_place(memory, scale, language),
            *(_name(buffer, memory, scale) for buffer in memory.buffers),
            *_limits(memory, scale, language),
        ]
    )


def _top_bytes(memory: MemoryMap) -> int:
    """What the height stands for: the whole memory, or less where little of it is used."""
    peak = peak_bytes(memory)
    if peak >= _LITTLE * memory.capacity_bytes:
        return max(memory.capacity_bytes, peak)
    return min(memory.capacity_bytes, 2 * peak)


def _axes(scale: _Scale, language: Language) -> Iterator[str]:
    step = _round_step(scale.top_bytes)
    for offset in range(0, scale.top_bytes + 1, step):
        y = scale.y(offset)
        yield svg.line(_LEFT - 5, y, _LEFT, y, "axis")
        yield svg.words(_LEFT - 9, y + 4, _amount(offset), "muted small", "end")
    positions, _ = svg.ticks(scale.first, scale.last - 1)
    for position in positions:
        if position == int(position):
            x = scale.x(position + 0.5)
            yield svg.words(x, scale.bottom + 18, f"{position:.0f}", "muted small", "middle")
    order = label("program_order", language)
    yield svg.words(_WIDTH - _RIGHT + 8, scale.bottom + 18, order, "muted small")


def _round_step(top_bytes: int) -> int:
    """A power of two that cuts the height into at most six."""
    step = 16
    while top_bytes / step > 6:
        step *= 2
    return step


def _amount(offset_bytes: int) -> str:
    return f"{offset_bytes} B" if offset_bytes % 1024 else f"{offset_bytes // 1024} KiB"


def _buffer(buffer: PlannedBuffer, memory: MemoryMap, scale: _Scale, language: Language) -> str:
    numbers = range(buffer.copies)
    return "".join(_copy(buffer, number, memory, scale, language) for number in numbers)


def _copy(
    buffer: PlannedBuffer, number: int, memory: MemoryMap, scale: _Scale, language: Language
) -> str:
    swatch = palette.memory(memory.space)
    start, end = _bytes_of(buffer, number)
    name = _copy_name(buffer, number)
    x, width = scale.x(buffer.first), scale.x(buffer.last + 1) - scale.x(buffer.first)
    y, height = scale.y(end), max(scale.y(start) - scale.y(end), 2.0)
    title = label("buffer_place", language, name, start, end, buffer.first, buffer.last)
    over = end > memory.capacity_bytes
    look: dict[str, object] = {"fill": svg.fill_of(swatch), "stroke": palette.INK, "title": title}
    return svg.box(
        x, y, width, height, **look | ({"style": "limit", "stroke-width": 3} if over else {})
    )


def _bytes_of(buffer: PlannedBuffer, number: int) -> tuple[int, int]:
    start = buffer.offset_bytes + number * buffer.size_bytes
    return start, start + buffer.size_bytes


def _copy_name(buffer: PlannedBuffer, number: int) -> str:
    return f"{buffer.name}[{number}]" if buffer.copies > 1 else buffer.name


def _name(buffer: PlannedBuffer, memory: MemoryMap, scale: _Scale) -> str:
    """The names of a buffer's copies, in the middle of what no later buffer covers."""
    covers = [other.first for other, _ in _shared(memory, buffer)]
    x, end = scale.x(buffer.first), scale.x(min([buffer.last + 1, *covers]))
    fill, parts = palette.memory(memory.space).fill, list[str]()
    for number in range(buffer.copies):
        low, high = _bytes_of(buffer, number)
        name = _copy_name(buffer, number)
        text = f"! {name}" if high > memory.capacity_bytes else name
        width, height = svg.width_of(text), scale.y(low) - scale.y(high)
        if width >= end - x - 6 or height <= 14:
            continue
        middle, line = (x + end) / 2, (scale.y(low) + scale.y(high)) / 2
        tall = min(18.0, height - 3)
        parts.append(
            svg.box(middle - width / 2 - 3, line - tall / 2, width + 6, tall, fill=fill, rx=3)
        )
        parts.append(svg.words(middle, line + 5, text, "on", "middle"))
    return "".join(parts)


def _shared(
    memory: MemoryMap, buffer: PlannedBuffer
) -> Iterator[tuple[PlannedBuffer, tuple[int, int]]]:
    """Later buffers that lie where this one does while it still lives, and the bytes of both."""
    for other in memory.buffers:
        low = max(buffer.offset_bytes, other.offset_bytes)
        high = min(_end_bytes(buffer), _end_bytes(other))
        if low < high and buffer.first < other.first <= buffer.last:
            yield other, (low, high)


def _why_shared(
    buffer: PlannedBuffer, other: PlannedBuffer, both: tuple[int, int], language: Language
) -> str:
    """At one position, the op there works in place; a longer time needs another reason."""
    until = min(buffer.last, other.last)
    if until == other.first:
        return label("in_place", language, buffer.name, other.name, until)
    return label("overlap", language, buffer.name, other.name, *both, other.first, until)


def _in_place(memory: MemoryMap, scale: _Scale, language: Language) -> Iterator[str]:
    """A hatch where two buffers have one place at one time."""
    for buffer in memory.buffers:
        for other, (low, high) in _shared(memory, buffer):
            x, end = scale.x(other.first), scale.x(min(buffer.last, other.last) + 1)
            title = _why_shared(buffer, other, (low, high), language)
            look: dict[str, object] = {"fill": "url(#tl-shared)", "stroke": palette.INK}
            size = (end - x, scale.y(low) - scale.y(high))
            yield svg.box(x, scale.y(high), *size, title=title, **look)


def _limits(memory: MemoryMap, scale: _Scale, language: Language) -> Iterator[str]:
    """Dashed line at the capacity, full line at the peak; their words keep a distance."""
    right = _WIDTH - _RIGHT
    capacity, peak = scale.y(memory.capacity_bytes), scale.y(peak_bytes(memory))
    cut = memory.capacity_bytes > scale.top_bytes
    if cut:
        capacity = scale.y(scale.top_bytes)
    else:
        yield svg.line(_LEFT, capacity, right, capacity, "limit", "6 4")
    yield svg.line(_LEFT, peak, right, peak, "wait")
    arrow = "\u2191 " if cut else ""
    text = f"{arrow}{label('capacity', language)} {memory.capacity_bytes:,} B"
    yield svg.words(right + 8, capacity + 4, text, "over small")
    near = abs(peak - capacity) < 18
    below = capacity + 22 if near and peak >= capacity else capacity - 13 if near else peak + 4
    text = f"{label('peak', language)} {peak_bytes(memory):,} B"
    yield svg.words(right + 8, below, text, "muted small")


def _end_bytes(buffer: PlannedBuffer) -> int:
    return buffer.offset_bytes + buffer.copies * buffer.size_bytes


def _table_row(memory: MemoryMap, buffer: PlannedBuffer, language: Language) -> tuple[str, ...]:
    over = _end_bytes(buffer) - memory.capacity_bytes
    return (
        palette.memory(memory.space).label,
        buffer.name,
        f"{buffer.offset_bytes:,}",
        f"{buffer.size_bytes:,}",
        str(buffer.copies),
        f"{buffer.first} - {buffer.last}",
        str(buffer.span.line) if buffer.span else "",
        label("no", language, over) if over > 0 else label("yes", language),
    )
