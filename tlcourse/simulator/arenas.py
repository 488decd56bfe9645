"""The on-chip memories of many blocks, and their tiles in them.

A block's share of the compiler's workspace is its own as well, and nobody sees it afterwards, so
that it is kept here and not in GM.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import torch

from tlcourse.simulator.memory import DTYPES, POISON
from tlcourse.simulator.tile import Tile

_ALIGNED = 64


def reach_of(tiles: Iterable[Tile], starts: Mapping[int, int]) -> dict[int, int]:
    """For each memory that a block has to itself, by its id: the bytes up to the last tile's end.

    Args:
        tiles: all tiles.
        starts: of memories in GM, by their ids: where the share of the first block starts.
    """
    found: dict[int, int] = {}
    for tile in tiles:
        memory = id(tile.memory)
        if tile.memory.space != "gm" or memory in starts:
            size = tile.span_bytes()[1] - starts.get(memory, 0)
            found[memory] = max(found.get(memory, _ALIGNED), -(-size // _ALIGNED) * _ALIGNED)
    return found


class Arenas:
    """A stretch of bytes in each memory for each block.

    Args:
        reach: how many bytes, by the id of the memory.
        lanes: number of blocks.
        starts: the byte of a memory that they start with, where that is not the first.
    """

    def __init__(self, reach: dict[int, int], lanes: int, starts: Mapping[int, int]) -> None:
        self._starts = starts
        self._data = {
            memory: torch.empty((lanes, size), dtype=torch.uint8) for memory, size in reach.items()
        }
        self._typed: dict[tuple[int, str], torch.Tensor] = {}
        self.poison()

    def poison(self) -> None:
        """Fills all memories with poison."""
        for data in self._data.values():
            data.view(torch.int16).fill_(POISON)

    def has(self, tile: Tile) -> bool:
        """Whether a tile lies in a memory that each block has to itself."""
        return id(tile.memory) in self._data

    def bytes_of(self, tile: Tile, lanes: int) -> torch.Tensor:
        """[blocks, bytes] of the memory that a tile lies in."""
        return self._data[id(tile.memory)][:lanes]

    def view(self, tile: Tile, counts: tuple[int, ...]) -> torch.Tensor:
        """The tile of each block, with one or two dimensions of blocks in front."""
        key = id(tile.memory), tile.dtype
        flat = self._typed.get(key)
        if flat is None:
            flat = self._data[key[0]].view(DTYPES[tile.dtype]).view(-1)
            self._typed[key] = flat
        lane = self._data[key[0]].shape[1] // tile.width
        steps = (counts[1] * lane, lane) if len(counts) == 2 else (lane,)
        start = (tile.base_bytes - self._starts.get(key[0], 0)) // tile.width + tile.offset
        return flat.as_strided((*counts, *tile.sizes), (*steps, *tile.strides), start)
