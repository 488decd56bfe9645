"""Integers that differ from block to block, where many blocks run at once."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

Combine = Callable[[int, int], int]
Loops = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Blocks:
    """An integer for each block of a group."""

    values: tuple[int, ...]

    def __add__(self, other: Blocks | int) -> Blocks:
        return _combined(self, other, "add")

    __radd__ = __add__

    def __sub__(self, other: Blocks | int) -> Blocks:
        return _combined(self, other, "sub")

    def __rsub__(self, other: int) -> Blocks:
        return Blocks(tuple(other - value for value in self.values))

    def __mul__(self, other: Blocks | int) -> Blocks:
        return _combined(self, other, "mul")

    __rmul__ = __mul__

    def __floordiv__(self, other: Blocks | int) -> Blocks:
        return _combined(self, other, "floordiv")

    def __mod__(self, other: Blocks | int) -> Blocks:
        return _combined(self, other, "mod")

    @property
    def lattice(self) -> Loops | None:
        """Loops as (count, step) that give the values in order, from the first; None if none do.

        At most two: (0, 1, 8, 9) is ((2, 8), (2, 1)); all equal is ().
        """
        return _lattice(self.values)


@lru_cache(maxsize=4096)
def _combined(blocks: Blocks, other: Blocks | int, name: str) -> Blocks:
    # Loops come back to the same sums, turn after turn and group after group.
    combine: Combine = getattr(operator, name)
    if isinstance(other, int):
        return Blocks(tuple(combine(value, other) for value in blocks.values))
    return Blocks(tuple(map(combine, blocks.values, other.values)))


@lru_cache(maxsize=4096)
def _lattice(values: tuple[int, ...]) -> Loops | None:
    first, count = values[0], len(values)
    if all(value == first for value in values):
        return ()
    step = values[1] - first
    run = next((i for i in range(1, count) if values[i] - first != i * step), count)
    if run == count:
        return ((count, step),) if step > 0 else None
    outer = values[run] - first
    loops, rows = ((count // run, outer), (run, step)), range(count // run)
    points = tuple(first + i * outer + j * step for i in rows for j in range(run))
    return loops if points == values and step >= 0 and outer >= 0 else None
