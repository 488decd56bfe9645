"""Tiles in L1 and L0C of many blocks, kept as the matrices that their fractals store.

A buffer of fractals becomes one matrix for each block, in the dtype that the cube multiplies in:
converted once when it is loaded, not at each product.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

import torch

from tlcourse.simulator.memory import DTYPES
from tlcourse.simulator.tape import Op
from tlcourse.simulator.tile import Tile

SPACES = ("cbuf", "cc")
_WIDE = {"float16": torch.float32, "bfloat16": torch.float32, "int8": torch.float64}

Rectangle = tuple[int, int, int, int]
"""First row and column, rows, columns."""
Key = tuple[int, int, str, int]


@dataclass(kw_only=True)
class _Buffer:
    """One buffer of fractals.

    Args:
        dtype: of the matrix.
        rows: of the matrix.
        columns: of the matrix.
        start: first byte.
        stop: the byte behind the last.
        fresh: what was written since others used these bytes; None where nobody did.
        sources: tiles in GM that it is loaded from.
    """

    dtype: torch.dtype
    rows: int
    columns: int = 0
    start: int
    stop: int
    fresh: list[Rectangle] | None = None
    sources: list[Tile] = field(default_factory=lambda: list[Tile]())


class Matrices:
    """All buffers of fractals that a tape touches."""

    def __init__(self) -> None:
        self._buffers: dict[Key, _Buffer] = {}
        self._places: dict[int, tuple[Key, Rectangle]] = {}

    def lane_bytes(self) -> int:
        """Bytes of all matrices of one block."""
        return sum(b.rows * b.columns * b.dtype.itemsize for b in self._buffers.values())

    def shared(self, alike: Collection[int]) -> set[Key]:
        """Buffers that are loaded from tiles that all blocks share, given by their ids."""
        return {
            key
            for key, buffer in self._buffers.items()
            if buffer.sources and all(id(tile) in alike for tile in buffer.sources)
        }

    def make(self, lanes: int, shared: Collection[Key]) -> dict[Key, torch.Tensor]:
        """[lanes or 1, rows, columns] for each buffer; NaN, or 0 for integers."""
        return {
            key: torch.full(
                (1 if key in shared else lanes, buffer.rows, buffer.columns),
                float("nan") if buffer.dtype.is_floating_point else 0,
                dtype=buffer.dtype,
            )
            for key, buffer in self._buffers.items()
        }

    def place(self, tile: Tile) -> tuple[Key, Rectangle]:
        """The buffer of a tile, and where in its matrix it lies."""
        return self._places[id(tile)]

    def take(self, op: Op) -> bool:
        """Follows an instruction; False where it reads what is not kept here."""
        sources = [operand for operand in op.operands if isinstance(operand, Tile)]
        read = (*sources, *op.writes) if op.accumulates else sources
        if not all(self._is_fresh(tile) for tile in read if tile.memory.space in SPACES):
            return False
        for tile in op.writes:
            if tile.memory.space in SPACES:
                self._write(tile, op, sources)
        return True

    def find(self, op: Op) -> bool:
        """Makes room for the tiles of an instruction; False where they are no matrices."""
        if op.site.batch != "matrices" or op.cloned:
            return False
        return all(map(self._find, op.tiles()))

    def _find(self, tile: Tile) -> bool:
        if tile.memory.space not in SPACES:
            return tile.memory.space == "gm" and len(tile.sizes) == 2
        if id(tile) in self._places:
            return True
        found = _in_fractals(tile)
        if found is None:
            return False
        key, rectangle, rows = found
        start, stop = tile.span_bytes()
        buffer = self._buffers.get(key)
        if buffer is None:
            dtype = _WIDE.get(tile.dtype, DTYPES[tile.dtype])
            buffer = _Buffer(dtype=dtype, rows=rows, start=start, stop=stop)
            self._buffers[key] = buffer
        buffer.columns = max(buffer.columns, rectangle[1] + rectangle[3])
        buffer.start, buffer.stop = min(buffer.start, start), max(buffer.stop, stop)
        self._places[id(tile)] = key, rectangle
        return True

    def _is_fresh(self, tile: Tile) -> bool:
        """Whether the last writes to a tile went through the same buffer."""
        key, rectangle = self._places[id(tile)]
        fresh = self._buffers[key].fresh
        return fresh is None or any(_holds(outer, rectangle) for outer in fresh)

    def _write(self, tile: Tile, op: Op, sources: Sequence[Tile]) -> None:
        key, rectangle = self._places[id(tile)]
        mine = self._buffers[key]
        if op.operands[0] is not tile:
            mine.sources += [s for s in sources if s.memory.space == "gm"]
        for other_key, other in self._buffers.items():
            if other_key == key or other_key[0] != key[0]:
                continue
            if other.start < mine.stop and mine.start < other.stop:
                other.fresh = []
        if mine.fresh is not None and rectangle not in mine.fresh:
            mine.fresh.append(rectangle)


def followed(ops: Iterable[Op]) -> Matrices | None:
    """The matrices of a tape; None where L1 or L0C hold anything else."""
    found = Matrices()
    mine = [op for op in ops if any(tile.memory.space in SPACES for tile in op.tiles())]
    if all(map(found.find, mine)) and all(map(found.take, mine)):
        return found
    return None


def _in_fractals(tile: Tile) -> tuple[Key, Rectangle, int] | None:
    """The buffer of a tile of fractals, its place in the matrix, and the rows of that."""
    if len(tile.sizes) != 4 or tile.is_bit or not tile.elements:
        return None
    c1, r1, rows, c0 = tile.sizes
    column, block = tile.strides[:2]
    if rows != 16 or tile.strides[2:] != (c0, 1) or column % (16 * c0):
        return None
    if r1 > 1 and block != 16 * c0:
        return None
    first_column, rest = divmod(tile.offset, column)
    first_row, inside = divmod(rest, c0)
    whole_rows = column // c0
    if inside or first_row + r1 * 16 > whole_rows:
        return None
    key = id(tile.memory), tile.base_bytes, tile.dtype, column
    return key, (first_row, first_column * c0, r1 * 16, c1 * c0), whole_rows


def _holds(outer: Rectangle, inner: Rectangle) -> bool:
    return all(
        outer[i] <= inner[i] and inner[i] + inner[i + 2] <= outer[i] + outer[i + 2] for i in (0, 1)
    )
