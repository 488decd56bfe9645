"""Bool tiles on chip: one bit for each element, the first in the lowest bit of its byte."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import torch

_PLACES = torch.arange(8, dtype=torch.uint8)


class BitTile(Protocol):
    """What is asked of a tile here."""

    @property
    def sizes(self) -> tuple[int, ...]:
        """Extents."""
        ...

    @property
    def strides(self) -> tuple[int, ...]:
        """Strides in bits."""
        ...

    def first_bit(self) -> int:
        """The bit of the memory where the first element lies."""
        ...

    def span_bytes(self) -> tuple[int, int]:
        """First byte, and the byte behind the last."""
        ...


def unpacked(tile: BitTile, data: torch.Tensor) -> torch.Tensor:
    """The elements as bools, a copy.

    Args:
        tile: where they lie.
        data: the memory, flat `uint8`.
    """
    start, stop = tile.span_bytes()
    return bits_of(tile, bits_in(data[start:stop]))


def pack(tile: BitTile, data: torch.Tensor, values: torch.Tensor) -> None:
    """Writes bools into the bits of a tile; the other bits of its bytes stay."""
    start, stop = tile.span_bytes()
    flat = bits_in(data[start:stop])
    bits_of(tile, flat).copy_(values)
    data[start:stop] = (flat.view(-1, 8).to(torch.uint8) << _PLACES).sum(1, dtype=torch.uint8)


def unpacked_lanes(tile: BitTile, data: torch.Tensor) -> torch.Tensor:
    """The elements of many blocks, a copy [blocks, ..]; `data` is [blocks, bytes]."""
    return _lanes_of(tile, _lanes_in(tile, data))


def pack_lanes(tile: BitTile, data: torch.Tensor, values: torch.Tensor) -> None:
    """Writes the bools [blocks, ..] of many blocks into the bits of their tiles."""
    start, stop = tile.span_bytes()
    flat = _lanes_in(tile, data)
    _lanes_of(tile, flat).copy_(values)
    parts = flat.view(len(flat), -1, 8).to(torch.uint8) << _PLACES
    data[:, start:stop] = parts.sum(2, dtype=torch.uint8)


def bits_in(data: torch.Tensor) -> torch.Tensor:
    """All bits of some bytes, as bools."""
    return ((data.unsqueeze(1) >> _PLACES) & 1).bool().reshape(-1)


def bits_of(tile: BitTile, flat: torch.Tensor) -> torch.Tensor:
    """A tile's part of what stands for the bits of the bytes that it spans."""
    return flat.as_strided(tile.sizes, tile.strides, tile.first_bit() - 8 * tile.span_bytes()[0])


def _lanes_in(tile: BitTile, data: torch.Tensor) -> torch.Tensor:
    start, stop = tile.span_bytes()
    return ((data[:, start:stop].unsqueeze(2) >> _PLACES) & 1).bool().reshape(len(data), -1)


def _lanes_of(tile: BitTile, flat: torch.Tensor) -> torch.Tensor:
    first = tile.first_bit() - 8 * tile.span_bytes()[0]
    sizes, strides = (len(flat), *tile.sizes), (flat.shape[1], *tile.strides)
    return flat.as_strided(sizes, strides, first)


def runs_in_bytes(
    run_bits: int, loops: Sequence[tuple[int, int]]
) -> tuple[int, tuple[tuple[int, int], ...]] | None:
    """Runs of bits as runs of bytes with steps in bytes; None where a run starts inside a byte."""
    if any(step % 8 for _, step in loops):
        return None
    return -(-run_bits // 8), tuple((count, step // 8) for count, step in loops)
