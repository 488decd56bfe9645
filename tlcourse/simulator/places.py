"""Who touched which part of a memory last, by the places that instructions touch.

A block touches few places, again and again. So each place keeps for every pipe the number of its
last access, and knows the places that have a unit of the memory in common with it.
"""

from __future__ import annotations

from bisect import bisect_left, insort

import torch

from tlcourse.simulator.marks import units_of_tile
from tlcourse.simulator.memory import Memory
from tlcourse.simulator.tile import Place, Tile

Last = dict[int, int]
"""By the number of a pipe: the number of its last access."""


class Touched:
    """A place of a memory.

    `near` are all places that have a unit in common with it, itself included.
    """

    __slots__ = ("atomic", "near", "read", "tile", "write")

    def __init__(self, tile: Tile) -> None:
        self.tile = tile
        self.read: Last = {}
        self.write: Last = {}
        self.atomic: Last = {}
        self.near: list[Touched] = [self]


class Places:
    """The places of one memory.

    Args:
        memory: the memory.
    """

    def __init__(self, memory: Memory) -> None:
        self._unit = memory.unit_bytes
        self._found: dict[Place, Touched] = {}
        # First unit, unit behind the last, number in the order of finding.
        self._spans: list[tuple[int, int, int]] = []
        self._all: list[Touched] = []
        self._longest = 0

    def of(self, tile: Tile) -> Touched:
        """The place of a tile."""
        found = self._found.get(tile.place())
        return self._new(tile) if found is None else found

    def _new(self, tile: Tile) -> Touched:
        first, last = _range(tile, self._unit)
        new = self._found[tile.place()] = Touched(tile)
        low = bisect_left(self._spans, (first - self._longest, 0, 0))
        high = bisect_left(self._spans, (last, 0, 0))
        for _, stop, number in self._spans[low:high]:
            other = self._all[number]
            if first < stop and _meet(tile, other.tile, self._unit):
                new.near.append(other)
                other.near.append(new)
        self._longest = max(self._longest, last - first)
        insort(self._spans, (first, last, len(self._all)))
        self._all.append(new)
        return new


def _range(tile: Tile, unit: int) -> tuple[int, int]:
    start, stop = tile.span_bytes()
    return start // unit, -(-stop // unit)


def _meet(one: Tile, other: Tile, unit: int) -> bool:
    """Whether two tiles, whose ranges meet, have a unit in common."""
    if not one.layout().loops and not other.layout().loops:
        return True
    spans = (_range(one, unit), _range(other, unit))
    first = min(start for start, _ in spans)
    cells = torch.zeros(max(stop for _, stop in spans) - first, dtype=torch.bool)
    cells[units_of_tile(one, unit) - first] = True
    return bool(cells[units_of_tile(other, unit) - first].any())
