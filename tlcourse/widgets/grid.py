"""The blocks of a launch: which tile of a matrix each one takes, and in which round it runs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from tlcourse.diagnostics import TLError, error
from tlcourse.widgets import palette, svg
from tlcourse.widgets.labels import Language

_WIDTH, _SIDE, _LEFT, _TOP, _NOTES = 1000.0, 260.0, 60.0, 70.0, 520.0
_CELL, _GAP = 30.0, 4.0
_MOST_NUMBERS = 128  # more tiles than this are drawn without their number
_MOST_ROUNDS = 12
_WORDS = {
    "matrix": (
        "({0}, {1}) in tiles of {2} x {3}: block {4} of {5} takes rows {6} to {7}, "
        "columns {8} to {9}",
        "({0}, {1}) 分成 {2} x {3} 的数据块：{5} 块中的 {4} 号块取第 {6} 到 {7} 行、"
        "第 {8} 到 {9} 列",
    ),
    "row": ("row of tiles: {0} // {1} = {2}", "块行号：{0} // {1} = {2}"),
    "column": ("column of tiles: {0} % {1} = {2}", "块列号：{0} % {1} = {2}"),
    "chosen": ("tile of block {0}", "{0} 号块的数据块"),
    "missed": ("no whole tile: {0} rows, {1} columns", "没有完整的数据块：{0} 行，{1} 列"),
    "waves": ("{0} blocks on {1} core groups: {2}", "{1} 个核组上的 {0} 个逻辑块：{2}"),
    "rounds": ("{0} rounds", "{0} 轮"),
    "round": ("round {0}", "第 {0} 轮"),
    "one": ("1 round", "1 轮"),
    "and": ("{0} and {1} blocks more", "{0}，另有 {1} 块"),
    "idle": ("{0} groups idle in the last round", "最后一轮有 {0} 个核组空闲"),
    "more": ("rounds not shown: {0}", "未画出的轮数：{0}"),
}


def _say(language: Language, key: str, *values: object) -> str:
    return _WORDS[key][language == "zh"].format(*values)


@dataclass(frozen=True)
class MatrixTiles:
    """A matrix cut into tiles, one block each, counted row by row over the whole tiles.

    Args:
        M: rows of the matrix.
        N: columns of it.
        block_M: rows of a tile.
        block_N: columns of a tile.
        block: number of the block that is shown.
        language: `en` or `zh`.

    Raises:
        TL733: there is no such block, or a size is below 1.
    """

    M: int
    N: int
    block_M: int = 64
    block_N: int = 64
    block: int = 0
    language: Language = "en"

    def __post_init__(self) -> None:
        if min(self.M, self.N, self.block_M, self.block_N) < 1:
            raise _refused("a size is below 1", "each size counts rows or columns")
        if self.blocks and self.block not in range(self.blocks):
            raise _refused(f"there is no block {self.block}", f"blocks are 0 to {self.blocks - 1}")

    def __repr__(self) -> str:
        return f"MatrixTiles({self.title()})"

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self.to_html()}

    @property
    def columns(self) -> int:
        """Whole tiles side by side."""
        return self.N // self.block_N

    @property
    def blocks(self) -> int:
        """Whole tiles, and so blocks."""
        return self.M // self.block_M * self.columns

    def place(self) -> tuple[int, int]:
        """Row and column of the block's tile, counted in tiles."""
        return divmod(self.block, max(self.columns, 1))

    def title(self) -> str:
        """The picture in one sentence, also its alternative text."""
        row, column = self.place()
        x, y = row * self.block_M, column * self.block_N
        sizes = (self.M, self.N, self.block_M, self.block_N, self.block, self.blocks)
        ends = (x, x + self.block_M - 1, y, y + self.block_N - 1)
        return _say(self.language, "matrix", *sizes, *ends)

    def to_html(self) -> str:
        """The figure as HTML without a script."""
        return svg.figure_html(_matrix_svg(self), self.title(), self.title(), "")

    def export_html(self, path: str | Path) -> Path:
        """Writes the figure as one HTML file; returns its path."""
        return svg.write_page(path, self.title(), self.to_html(), self.language)


@dataclass(frozen=True)
class WaveView:
    """Blocks on core groups, round by round: block i runs on group i modulo their number.

    Args:
        blocks: logical blocks of the launch, at least 1.
        groups: core groups of the chip, at least 1.
        language: `en` or `zh`.

    Raises:
        TL733: a number is below 1.
    """

    blocks: int
    groups: int = 24
    language: Language = "en"

    def __post_init__(self) -> None:
        if min(self.blocks, self.groups) < 1:
            raise _refused("a number is below 1", "a launch has a block, a chip a core group")

    def __repr__(self) -> str:
        return f"WaveView({self.title()})"

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self.to_html()}

    def title(self) -> str:
        """The picture in one sentence, also its alternative text."""
        whole, rest = divmod(self.blocks, self.groups)
        rounds = _say(self.language, "one" if whole == 1 else "rounds", whole)
        text = _say(self.language, "and", rounds, rest) if rest else rounds
        return _say(self.language, "waves", self.blocks, self.groups, text)

    @property
    def idle(self) -> int:
        """Groups without a block in the last round."""
        return -self.blocks % self.groups

    def to_html(self) -> str:
        """The figure as HTML without a script."""
        return svg.figure_html(_wave_svg(self), self.title(), self.title(), "")

    def export_html(self, path: str | Path) -> Path:
        """Writes the figure as one HTML file; returns its path."""
        return svg.write_page(path, self.title(), self.to_html(), self.language)


def _matrix_svg(view: MatrixTiles) -> str:
    unit = _SIDE / max(view.M, view.N * 0.62)
    swatch = palette.memory("cc")
    body = [
        svg.tag("defs", {}, svg.pattern(swatch), svg.wait_pattern()),
        svg.words(16, 28, f"({view.M}, {view.N})", "ink head"),
        svg.box(_LEFT, _TOP, view.N * unit, view.M * unit, fill="url(#tl-wait)", style="limit"),
        *_tiles(view, unit),
        *_matrix_notes(view),
    ]
    height = max(_TOP + view.M * unit + 24, 230.0)
    return svg.document(_WIDTH, height, view.title(), view.title(), *body)


def _tiles(view: MatrixTiles, unit: float) -> Iterable[str]:
    width, height = view.block_N * unit, view.block_M * unit
    for number in range(view.blocks):
        row, column = divmod(number, view.columns)
        x, y = _LEFT + column * width, _TOP + row * height
        chosen = number == view.block
        look: dict[str, object] = {"style": "band"}
        if chosen:
            look = {"fill": svg.fill_of(palette.memory("cc"))}
        yield svg.box(x, y, width, height, stroke=palette.INK, **look)
        if view.blocks <= _MOST_NUMBERS:
            style = "on" if chosen else "muted small"
            yield svg.words(x + width / 2, y + height / 2 + 5, str(number), style, "middle")


def _matrix_notes(view: MatrixTiles) -> Iterable[str]:
    row, column = view.place()
    language, columns = view.language, max(view.columns, 1)
    yield svg.words(_NOTES, _TOP + 16, _say(language, "row", view.block, columns, row))
    yield svg.words(_NOTES, _TOP + 42, _say(language, "column", view.block, columns, column))
    keys = [(svg.fill_of(palette.memory("cc")), _say(language, "chosen", view.block))]
    missed = (view.M % view.block_M, view.N % view.block_N)
    if any(missed):
        keys.append(("url(#tl-wait)", _say(language, "missed", *missed)))
    for number, (fill, text) in enumerate(keys):
        line = _TOP + 80 + 28 * number
        yield svg.box(_NOTES, line - 12, 22, 15, fill=fill, stroke=palette.INK)
        yield svg.words(_NOTES + 32, line, text, "muted")


def _wave_svg(view: WaveView) -> str:
    rounds = -(-view.blocks // view.groups)
    shown = min(rounds, _MOST_ROUNDS)
    cell = min(_CELL, (_WIDTH - 120) / view.groups - _GAP)
    swatch = palette.pipe("M")
    body = [
        svg.tag("defs", {}, svg.pattern(swatch), svg.wait_pattern()),
        svg.words(16, 28, view.title(), "ink head"),
        *(part for number in range(shown) for part in _round(view, number, cell)),
    ]
    below = _TOP + shown * (cell + 10)
    if shown < rounds:
        body.append(svg.words(16, below + 14, _say(view.language, "more", rounds - shown), "muted"))
    elif view.idle:
        body.append(svg.words(16, below + 14, _say(view.language, "idle", view.idle), "muted"))
    return svg.document(_WIDTH, below + 32, view.title(), view.title(), *body)


def _round(view: WaveView, number: int, cell: float) -> Iterable[str]:
    y = _TOP - 14 + number * (cell + 10)
    yield svg.words(16, y + cell / 2 + 5, _say(view.language, "round", number + 1), "muted small")
    for group in range(view.groups):
        block = number * view.groups + group
        busy = block < view.blocks
        x = 104 + group * (cell + _GAP)
        fill = svg.fill_of(palette.pipe("M")) if busy else "url(#tl-wait)"
        yield svg.box(x, y, cell, cell, fill=fill, stroke=palette.INK, rx=3)
        if busy and cell >= 24:
            yield svg.words(x + cell / 2, y + cell / 2 + 5, str(block), "on", "middle")


def _refused(what: str, why: str) -> TLError:
    return error(
        "TL733",
        f"the picture of blocks cannot be drawn: {what}",
        why=why,
        fix="give sizes of at least 1 and a block below the number of whole tiles",
    )
