"""The grid of a launch as a static figure."""

from __future__ import annotations

from collections.abc import Iterable

from tlcourse.blocks import BlockMap, Box, DrawnTensor
from tlcourse.widgets import palette, svg
from tlcourse.widgets.grid_words import word
from tlcourse.widgets.labels import Language

_WIDTH, _LEFT, _TOP = 1000.0, 92.0, 52.0
_SIDE, _THIN = 220.0, 44.0
_MOST_ROUNDS, _MOST_FRAMES = 6, 256


def shown_size(tensor: DrawnTensor) -> tuple[float, float]:
    """Width and height of a tensor's picture: its own form, unless that is all too thin."""
    scale = _SIDE / max(tensor.rows, tensor.columns, 1)
    return max(tensor.columns * scale, _THIN), max(tensor.rows * scale, _THIN)


def grid_svg(found: BlockMap, block: int, language: Language) -> str:
    """Draws the rounds and, below them, the tensors; equal records give equal text."""
    title = word("title", language, found.kernel)
    looks = (palette.pipe("M"), palette.memory("cbuf"), palette.memory("cc"))
    rounds, below = _rounds(found, block, language)
    tensors, bottom = _tensors(found, block, below + 34, language)
    body = [
        svg.tag("defs", {}, *map(svg.pattern, looks), svg.wait_pattern()),
        svg.words(16, 28, title, "ink head"),
        *rounds,
        *tensors,
    ]
    return svg.document(_WIDTH, bottom, title, title, *body)


def _rounds(found: BlockMap, block: int, language: Language) -> tuple[list[str], float]:
    """A row of cells for each round, and where the last one ends."""
    count = found.chips[0].count
    total = -(-found.blocks // count)
    step = (_WIDTH - _LEFT - 16) / count
    high = min(step - 3, 26.0)
    parts: list[str] = []
    for number in range(min(total, _MOST_ROUNDS)):
        y = _TOP + number * (high + 8)
        name = word("round", language, number + 1)
        parts.append(svg.words(16, y + high / 2 + 5, name, "muted small"))
        for slot in range(count):
            parts += _cell(
                found, number * count + slot, block, (_LEFT + slot * step, y), step, high
            )
    below = _TOP + min(total, _MOST_ROUNDS) * (high + 8)
    if total > _MOST_ROUNDS:
        more = word("more_rounds", language, total - _MOST_ROUNDS)
        parts.append(svg.words(_LEFT, below + 14, more, "muted small"))
        below += 22
    return parts, below


def _cell(
    found: BlockMap, number: int, block: int, at: tuple[float, float], step: float, high: float
) -> Iterable[str]:
    (x, y), busy = at, number < found.blocks
    fill = svg.fill_of(palette.pipe("M")) if number == block else "url(#tl-wait)"
    look: dict[str, object] = {"fill": fill} if number == block or not busy else {"style": "band"}
    yield svg.box(x, y, step - 3, high, stroke=palette.INK if busy else "#8886", rx=2, **look)
    if busy and step >= svg.width_of(str(number), 8.2) + 3:
        style = "on" if number == block else "muted small"
        yield svg.words(x + (step - 3) / 2, y + high / 2 + 5, str(number), style, "middle")


def _tensors(
    found: BlockMap, block: int, top: float, language: Language
) -> tuple[list[str], float]:
    """The tensors in rows, and where the last row ends."""
    parts: list[str] = []
    x, deepest = 16.0, top
    for place, tensor in enumerate(found.tensors):
        width, height = shown_size(tensor)
        name = f"{tensor.name} ({', '.join(map(str, tensor.shape))})"
        wide = max(width, svg.width_of(name))
        if x > 16 and x + wide > _WIDTH - 16:
            x, top = 16.0, deepest + 34
        parts.append(svg.words(x, top, name, "ink small"))
        parts += _tensor(found, place, block, (x, top + 10))
        deepest = max(deepest, top + 10 + height)
        x += wide + 36
    return [*parts, *_legend(found, block, deepest + 30, language)], deepest + 52


def _tensor(found: BlockMap, place: int, block: int, corner: tuple[float, float]) -> Iterable[str]:
    tensor = found.tensors[place]
    width, height = shown_size(tensor)
    yield svg.box(*corner, width, height, style="band", stroke=palette.INK)
    frames = {box: None for boxes in found.boxes for box in boxes if box.writes}
    for box in [box for box in frames if box.tensor == place][:_MOST_FRAMES]:
        yield _box(box, tensor, corner, fill="none", stroke="#8a94a0")
    for box in found.boxes[block] if block < len(found.boxes) else ():
        if box.tensor == place:
            look = palette.memory("cc" if box.writes else "cbuf")
            yield _box(box, tensor, corner, fill=svg.fill_of(look), stroke=palette.INK)


def _box(box: Box, tensor: DrawnTensor, corner: tuple[float, float], **look: object) -> str:
    width, height = shown_size(tensor)
    across, down = width / max(tensor.columns, 1), height / max(tensor.rows, 1)
    (top, bottom), (left, right) = box.rows, box.columns
    x, y = corner[0] + left * across, corner[1] + top * down
    return svg.box(x, y, (right - left + 1) * across, (bottom - top + 1) * down, **look)


def _legend(found: BlockMap, block: int, y: float, language: Language) -> Iterable[str]:
    if block >= len(found.boxes):
        note = ("not_looked", len(found.boxes)) if found.boxes else ("no_tiles",)
        yield svg.words(16, y, word(note[0], language, *note[1:]), "muted small")
        return
    x = 16.0
    for key, memory in (("reads", "cbuf"), ("writes", "cc")):
        look = palette.memory(memory)
        text = f"{word('block', language)} {block} {word(key, language)}"
        yield svg.box(x, y - 11, 20, 13, fill=svg.fill_of(look), stroke=palette.INK)
        yield svg.words(x + 26, y, text, "muted small")
        x += 52 + svg.width_of(text)
    yield svg.words(x, y, word("tiles_of_others", language), "muted small")
