"""How a blocked product is cut: the strips of A and B that one block reads, its tile of C."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tlcourse.diagnostics import TLError, error
from tlcourse.widgets import palette, svg
from tlcourse.widgets.labels import Language, label

_WIDTH, _SIDE, _GAP = 1000.0, 190.0, 34.0
_LEFT, _TOP, _NOTES = 76.0, 74.0, 560.0
_MOST_NUMBERS = 64  # more tiles than this are drawn without their number


@dataclass(frozen=True)
class TileView:
    """A picture of C = A @ B in tiles, for A (M, K) and B (K, N).

    Blocks are counted row by row over the whole tiles, as `M // block_M` and `N // block_N`
    count them; rows and columns that no whole tile covers are marked.

    Args:
        M: rows of A and C.
        N: columns of B and C.
        K: columns of A, rows of B.
        block_M: rows of a tile.
        block_N: columns of a tile.
        block_K: columns of A, rows of B that one trip of the K loop loads.
        block: number of the block that is shown.
        trip: trip of the K loop whose part of the strips is shown; None shows the strips only.
        language: `en` or `zh`.

    Raises:
        TL733: there is no such block or trip, or a size is below 1.

    Example:
        `TileView(256, 256, 256, block=6, trip=1)` as the last line of a notebook cell.
    """

    M: int
    N: int
    K: int
    block_M: int = 64
    block_N: int = 64
    block_K: int = 64
    block: int = 0
    trip: int | None = None
    language: Language = "en"

    def __post_init__(self) -> None:
        sizes = (self.M, self.N, self.K, self.block_M, self.block_N, self.block_K)
        if min(sizes) < 1:
            raise _refused("a size is below 1", "each size counts rows or columns")
        blocks = max((self.M // self.block_M) * (self.N // self.block_N), 1)
        trips = max(self.K // self.block_K, 1)
        if self.block not in range(blocks):
            raise _refused(f"there is no block {self.block}", f"blocks are 0 to {blocks - 1}")
        if self.trip is not None and self.trip not in range(trips):
            raise _refused(f"there is no trip {self.trip}", f"trips are 0 to {trips - 1}")

    def __repr__(self) -> str:
        return f"TileView({self.title()})"

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self.to_html()}

    def title(self) -> str:
        """The picture in one sentence, also its alternative text."""
        x, y = self.corner()
        last = (x + self.block_M - 1, y + self.block_N - 1)
        return label("tiles", self.language, self.block, x, last[0], y, last[1])

    def corner(self) -> tuple[int, int]:
        """First row and first column of the block's tile: `bx` and `by` of the kernel."""
        row, column = divmod(self.block, max(self.N // self.block_N, 1))
        return row * self.block_M, column * self.block_N

    def missed(self) -> tuple[int, int]:
        """Rows and columns of C that no whole tile covers."""
        return self.M % self.block_M, self.N % self.block_N

    def to_html(self) -> str:
        """The figure as HTML without a script."""
        return svg.figure_html(tiles_svg(self), self.title(), self.title(), "")

    def export_html(self, path: str | Path) -> Path:
        """Writes the figure as one HTML file; returns its path."""
        return svg.write_page(path, self.title(), self.to_html(), self.language)


@dataclass(frozen=True, kw_only=True)
class _Place:
    """A matrix on the page: its corner and the points of one element."""

    x: float
    y: float
    unit: float

    def box(self, row: int, column: int, rows: int, columns: int, **look: object) -> str:
        x, y = self.x + column * self.unit, self.y + row * self.unit
        return svg.box(x, y, columns * self.unit, rows * self.unit, **look)


def tiles_svg(view: TileView) -> str:
    """Draws the three matrices; equal views give equal text."""
    unit = _SIDE / max(view.M, view.N, view.K)
    left = svg.width_of(_name("A", view.M, view.K), 7.2)
    right = _LEFT + max(view.K * unit, left) + _GAP
    below = _TOP + view.K * unit + _GAP
    a = _Place(x=_LEFT, y=below, unit=unit)
    b = _Place(x=right, y=_TOP, unit=unit)
    c = _Place(x=right, y=below, unit=unit)
    swatches = [palette.memory(name) for name in ("gm", "cc", "cbuf")]
    body = [
        svg.tag("defs", {}, "".join(map(svg.pattern, swatches)), svg.wait_pattern()),
        svg.words(16, 28, label("tiles_short", view.language), "ink head"),
        *_strips(view, a, b),
        *_grid(view, c),
        svg.words(a.x, a.y - 9, _name("A", view.M, view.K), "ink small"),
        svg.words(b.x, b.y - 9, _name("B", view.K, view.N), "ink small"),
        svg.words(c.x, c.y - 9, _name("C", view.M, view.N), "ink small"),
        *_notes(view),
    ]
    height = max(below + view.M * unit + 20, _TOP + 216)
    return svg.document(_WIDTH, height, view.title(), view.title(), *body)


def _name(matrix: str, rows: int, columns: int) -> str:
    return f"{matrix} ({rows}, {columns})"


def _strips(view: TileView, a: _Place, b: _Place) -> list[str]:
    """A and B, the strips of the block, and the part of one trip of the K loop."""
    x, y = view.corner()
    rows, columns = min(view.block_M, view.M), min(view.block_N, view.N)
    parts = [
        a.box(0, 0, view.M, view.K, style="band wait"),
        b.box(0, 0, view.K, view.N, style="band wait"),
        a.box(x, 0, rows, view.K, fill=_fill("gm"), stroke=palette.INK),
        b.box(0, y, view.K, columns, fill=_fill("gm"), stroke=palette.INK),
    ]
    if view.trip is None:
        return parts
    k, part = view.trip * view.block_K, min(view.block_K, view.K)
    look: dict[str, object] = {"fill": _fill("cbuf"), "stroke": palette.INK, "stroke-width": 1.6}
    return [*parts, a.box(x, k, rows, part, **look), b.box(k, y, part, columns, **look)]


def _fill(memory: str) -> str:
    return svg.fill_of(palette.memory(memory))


def _grid(view: TileView, c: _Place) -> list[str]:
    """C with one box a block; what is left over is framed in the colour of a limit."""
    n_num = view.N // view.block_N
    blocks = view.M // view.block_M * n_num
    parts = [c.box(0, 0, view.M, view.N, fill="url(#tl-wait)", style="limit")]
    for number in range(blocks):
        row, column = divmod(number, n_num)
        x, y = row * view.block_M, column * view.block_N
        chosen = number == view.block
        look: dict[str, object] = {"fill": _fill("cc")} if chosen else {"style": "band wait"}
        parts.append(c.box(x, y, view.block_M, view.block_N, stroke=palette.INK, **look))
        if blocks <= _MOST_NUMBERS:
            parts.append(_number(view, c, x, y, number))
    return parts


def _number(view: TileView, c: _Place, x: int, y: int, number: int) -> str:
    middle = c.x + (y + view.block_N / 2) * c.unit
    line = c.y + (x + view.block_M / 2) * c.unit + 5
    style = "on" if number == view.block else "muted small"
    return svg.words(middle, line, str(number), style, "middle")


def _notes(view: TileView) -> list[str]:
    """How `bx` and `by` follow from `cid`, and what the colours mean."""
    language, n_num = view.language, max(view.N // view.block_N, 1)
    x, y = view.corner()
    blocks = (view.M // view.block_M) * (view.N // view.block_N)
    row, column = divmod(view.block, n_num)
    lines = [
        svg.words(_NOTES, _TOP + 16, label("tile_place", language, view.block, blocks)),
        svg.words(_NOTES, _TOP + 42, label("tile_row", language, view.block, n_num, row, x)),
        svg.words(_NOTES, _TOP + 68, label("tile_column", language, view.block, n_num, column, y)),
    ]
    for number, (fill, text) in enumerate(_keys(view)):
        line = _TOP + 106 + 28 * number
        lines.append(svg.box(_NOTES, line - 12, 22, 15, fill=fill, stroke=palette.INK))
        lines.append(svg.words(_NOTES + 32, line, text, "muted"))
    return lines


def _keys(view: TileView) -> list[tuple[str, str]]:
    keys = [
        (_fill("cc"), label("tile_c", view.language)),
        (_fill("gm"), label("tile_strips", view.language)),
    ]
    if view.trip is not None:
        keys.append((_fill("cbuf"), label("tile_trip", view.language, view.trip)))
    if any(view.missed()):
        keys.append(("url(#tl-wait)", label("tile_missed", view.language, *view.missed())))
    return keys


def _refused(what: str, why: str) -> TLError:
    return error(
        "TL733",
        f"TileView cannot draw this: {what}",
        why=why,
        fix="give sizes of at least 1, a block below (M // block_M) * (N // block_N), "
        "and a trip below K // block_K",
    )
