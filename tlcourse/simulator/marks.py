"""One small number for each granule of a memory: who touched it, or whether it is written."""

from __future__ import annotations

import mmap

import torch

from tlcourse.simulator.memory import Memory
from tlcourse.simulator.tile import Tile


class Marks:
    """A number, 0 at first, for each unit of a memory.

    The numbers live in pages that the system hands out when they are first touched, so that
    marks of a large tensor cost what a kernel touches and not what the tensor holds.
    No number that `fill` gave is above `highest`.
    """

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.count = -(-memory.size_bytes // memory.unit_bytes)
        pages = mmap.mmap(-1, max(self.count, 1) * 4)
        self.cells = torch.frombuffer(pages, dtype=torch.int32)[: self.count]
        self.highest = 0

    def of(self, tile: Tile) -> torch.Tensor:
        """The numbers of the units that a tile touches, to read."""
        place = tile.units()
        if place is None:
            return self.cells[_scattered(tile, self.memory.unit_bytes)]
        sizes, strides, offset = place
        return self.cells.as_strided(sizes, strides, offset)

    def put(self, tile: Tile, values: torch.Tensor) -> None:
        """Gives the units that a tile touches numbers of their own, shaped as `of` gives them."""
        place = tile.units()
        if place is None:
            self.cells[_scattered(tile, self.memory.unit_bytes)] = values
            return
        sizes, strides, offset = place
        self.cells.as_strided(sizes, strides, offset).copy_(values)

    def fill(self, tile: Tile, value: int) -> None:
        """Gives the units that a tile touches one number."""
        self.highest = max(self.highest, value)
        place = tile.units()
        if place is None:
            self.cells[_scattered(tile, self.memory.unit_bytes)] = value
            return
        sizes, strides, offset = place
        self.cells.as_strided(sizes, strides, offset).fill_(value)


def units_of_tile(tile: Tile, unit: int) -> torch.Tensor:
    """The numbers of the units of its memory that a tile touches, each once or more."""
    place = tile.units()
    if place is None:
        return _scattered(tile, unit)
    sizes, strides, offset = place
    found = torch.tensor(offset)
    for size, stride in zip(sizes, strides, strict=True):
        found = found[..., None] + torch.arange(size) * stride
    return found.reshape(-1)


def _scattered(tile: Tile, unit: int) -> torch.Tensor:
    layout = tile.layout()
    starts = [layout.start_bytes]
    for count, step in layout.loops:
        starts = [start + i * step for start in starts for i in range(count)]
    units = {
        cell
        for start in starts
        for cell in range(start // unit, -(-(start + layout.run_bytes) // unit))
    }
    return torch.tensor(sorted(units))
