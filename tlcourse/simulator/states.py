"""A small number for each byte of a memory, and for each bit where the bits of a byte differ."""

from __future__ import annotations

import torch

from tlcourse.simulator.bits import bits_of
from tlcourse.simulator.tile import Place, Tile

_MIXED = -2  # look at the bits


# Each write goes through what is remembered, so little of it is.
_MOST_EVEN = 128


class States:
    """Numbers of a memory's bytes, read and written by tiles.

    Args:
        size_bytes: how many bytes.
        fresh: their number at first, at least -1.
        mixed: the number of a byte, to a tile of bytes, whose bits have several.
    """

    def __init__(self, size_bytes: int, fresh: int, mixed: int) -> None:
        self._bytes = torch.full((size_bytes,), fresh, dtype=torch.int16)
        self._mixed = mixed
        self._bits: torch.Tensor | None = None
        # Tiles whose elements all have one number, as long as it is known without a look.
        self._even: dict[Place, tuple[int, int, int]] = {}

    def even(self, tile: Tile) -> int | None:
        """The number of all elements of a tile, where it is known without a look."""
        known = self._even.get(tile.place())
        return None if known is None else known[2]

    def note(self, tile: Tile, number: int) -> None:
        """Remembers what a look showed: all elements of a tile have one number."""
        if len(self._even) >= _MOST_EVEN:
            self._even.clear()
        self._even[tile.place()] = (*tile.span_bytes(), number)

    def fill(self, tile: Tile, start_bytes: int, number: int) -> None:
        """Gives all elements of a tile one number."""
        if self.even(tile) == number:
            return
        self.put(tile, start_bytes, torch.tensor(number, dtype=torch.int16).expand(tile.sizes))
        self.note(tile, number)

    def of(self, tile: Tile, start_bytes: int) -> torch.Tensor:
        """The number of each element, by its first byte; to read.

        Args:
            tile: which elements.
            start_bytes: byte of the memory that the numbers start with.
        """
        if tile.is_bit:
            return bits_of(tile, self._bits_of(tile).reshape(-1))
        found = self._elements(tile, start_bytes)[..., 0]
        return found if self._bits is None else found.masked_fill(found == _MIXED, self._mixed)

    def put(
        self, tile: Tile, start_bytes: int, values: torch.Tensor, part: torch.Tensor | None = None
    ) -> None:
        """Gives the elements numbers of their own; of a tile of bytes only the `part`, if given."""
        first, last = tile.span_bytes()
        for place, (start, stop, _) in list(self._even.items()):
            if start < last and first < stop:
                del self._even[place]
        if tile.is_bit:
            self._put_bits(tile, values)
            return
        elements = self._elements(tile, start_bytes)
        if part is None:
            elements.copy_(values.unsqueeze(-1))
        else:
            elements[part] = values[part].unsqueeze(-1)

    def _elements(self, tile: Tile, start_bytes: int) -> torch.Tensor:
        """The numbers of all bytes, shaped as the tile with the bytes of an element last."""
        sizes = (*tile.sizes, tile.width)
        strides = (*(stride * tile.width for stride in tile.strides), 1)
        return self._bytes.as_strided(sizes, strides, tile.span_bytes()[0] - start_bytes)

    def _bits_of(self, tile: Tile) -> torch.Tensor:
        """[bytes, 8]: the numbers of all bits that a tile spans; bool tiles lie on chip only."""
        start, stop = tile.span_bytes()
        whole = self._bytes[start:stop].unsqueeze(1).expand(-1, 8)
        if self._bits is None:
            return whole
        return torch.where(whole == _MIXED, self._bits[start:stop], whole)

    def _put_bits(self, tile: Tile, values: torch.Tensor) -> None:
        start, stop = tile.span_bytes()
        numbers = self._bits_of(tile).contiguous()
        bits_of(tile, numbers.reshape(-1)).copy_(values)
        if self._bits is None:
            self._bits = torch.zeros((self._bytes.numel(), 8), dtype=torch.int16)
        self._bits[start:stop] = numbers
        even = (numbers == numbers[:, :1]).all(1)
        self._bytes[start:stop] = torch.where(even, numbers[:, 0], _MIXED)
