"""Tile sizes, their cost, and the best of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product

GRANULE_BYTES = 32  # what a core's memories are cut into
CUBE_EDGE = 16
START_BYTES = 16 * 1024  # what starting a tile's copies costs: about 400 cycles at 40 B per cycle


@dataclass(frozen=True, kw_only=True)
class Hint:
    """One choice of tile sizes.

    Args:
        block: the output tile, one size per dimension.
        rstep: the step along each summed dimension.
        cost: bytes that the busiest core moves; lower is better.
    """

    block: list[int]
    rstep: list[int]
    cost: float = 0.0

    def to_dict(self) -> dict[str, list[int]]:
        """The block and the rstep."""
        return {"block": self.block, "rstep": self.rstep}

    def __repr__(self) -> str:
        return str(self.to_dict())


def tile_sizes(extent: int, granule: int = 1) -> list[int]:
    """Powers of two from `granule` up to the extent, and the extent itself."""
    powers = [1 << bit for bit in range(max(extent, 1).bit_length())]
    return sorted({size for size in powers if granule <= size < extent} | {extent})


def best(hints: Iterator[Hint], topk: int) -> list[Hint]:
    """The cheapest hints, cheapest first; equal ones in the order of their sizes."""
    return sorted(hints, key=lambda hint: (hint.cost, hint.block, hint.rstep))[:topk]


def tiles(choices: Sequence[Sequence[int]]) -> Iterator[tuple[int, ...]]:
    """Every combination of one size per dimension."""
    return product(*choices)


def busiest_core(
    shape: Sequence[int], block: Sequence[int], cores: int, tile_cost: Callable[[], float]
) -> float:
    """Cost of the core with the most tiles.

    Args:
        shape: the output.
        block: its tile.
        cores: how many share the tiles.
        tile_cost: cost of one tile.
    """
    grid = math.prod(-(-extent // size) for extent, size in zip(shape, block, strict=True))
    return -(-grid // cores) * tile_cost()


def row_bytes(block: Sequence[int], item_bytes: int) -> int:
    """Bytes of a tile as memories hold it: rows end on a granule."""
    row = -(-block[-1] * item_bytes // GRANULE_BYTES) * GRANULE_BYTES
    return row * math.prod(block[:-1])
