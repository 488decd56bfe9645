"""Tiles as runs of bytes."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING

from tlcourse.simulator import bits

if TYPE_CHECKING:
    from tlcourse.simulator.tile import Tile

Units = tuple[tuple[int, ...], tuple[int, ...], int]


@dataclass(frozen=True, kw_only=True, slots=True)
class Layout:
    """A tile as equal runs of bytes: where the first starts, its length, and the loops over it.

    `loops` holds (count, step in bytes), the largest step first; it is empty for one run.
    """

    start_bytes: int
    run_bytes: int
    loops: tuple[tuple[int, int], ...]

    @property
    def runs(self) -> int:
        """The number of runs, which a DMA moves as its segments."""
        return prod(count for count, _ in self.loops)


def units_of(layout: Layout, unit: int) -> Units | None:
    """Runs of bytes in units of a memory; None where they start inside units."""
    if any(step % unit for _, step in layout.loops):
        return None
    first = layout.start_bytes // unit
    length = -(-(layout.start_bytes + layout.run_bytes) // unit) - first
    sizes = (*(count for count, _ in layout.loops), length)
    return sizes, (*(step // unit for _, step in layout.loops), 1), first


def layout_of(tile: Tile) -> Layout:
    """The runs of bytes of a tile."""
    width = 1 if tile.is_bit else tile.width
    dims = sorted(
        (abs(stride) * width, count)
        for count, stride in zip(tile.sizes, tile.strides, strict=True)
        if count > 1 and stride != 0
    )
    run = width
    while dims and dims[0][0] == run:
        run *= dims.pop(0)[1]
    loops = tuple((count, step) for step, count in reversed(dims))
    start, stop = tile.span_bytes()
    if tile.is_bit:
        # Rows of bits that start inside a byte count as all the bytes between them.
        run, loops = bits.runs_in_bytes(tile.first_bit() % 8 + run, loops) or (stop - start, ())
    return Layout(start_bytes=start, run_bytes=run, loops=loops)
