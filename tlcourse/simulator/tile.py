"""Tiles: typed, strided parts of a memory, as the memref values of HIVM describe them."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
import torch

from tlcourse.simulator import bits
from tlcourse.simulator.lanes import Lanes, Values, plain, settled
from tlcourse.simulator.layout import Layout as Layout
from tlcourse.simulator.layout import Units, layout_of, units_of
from tlcourse.simulator.memory import BIT, WIDTH_BYTES, Memory

# Tiles of the cube core: columns of blocks, blocks, rows of a block, columns of a block.
_BLOCKS_RANK, _ROW = 4, 2
_NO_SHIFTS = np.empty(0, dtype=np.int64)
# Parts of a tile that are kept.
_MOST_PARTS = 256


@dataclass(frozen=True, kw_only=True, slots=True)
class Outside:
    """How a tile leaves what it was cut from: along `dim`, or along the memory when -1.

    `span` is the place where it was cut, -1 where that is not known.
    """

    dim: int
    start: int
    stop: int
    limit: int
    span: int = -1

    @property
    def is_negative(self) -> bool:
        """Whether the extent is below 0."""
        return self.stop < self.start


Number = int | Lanes
Place = tuple[int, int, tuple[int, ...], tuple[int, ...]]


class Tile:
    """A typed, strided part of a memory. Offsets and strides count elements, as in MLIR.

    `base_bytes` is where the buffer starts from which `offset` counts; `reinterpret` goes
    back to it. `width` is the bytes of an element, 0 where an element `is_bit`. Where base or
    offset depend on the block, `lanes` has the two for all blocks of a class.
    """

    __slots__ = (
        "_elements",
        "_inside",
        "_layout",
        "_parts",
        "_place",
        "_shifts",
        "_span",
        "_units",
        "_view",
        "base_bytes",
        "dtype",
        "is_bit",
        "lanes",
        "memory",
        "name",
        "offset",
        "outside",
        "sizes",
        "strides",
        "width",
    )

    def __init__(
        self,
        memory: Memory,
        dtype: str,
        base_bytes: Number,
        offset: Number,
        sizes: tuple[int, ...],
        strides: tuple[int, ...],
        name: str = "",
        outside: Outside | None = None,
    ) -> None:
        differs = isinstance(base_bytes, Lanes) or isinstance(offset, Lanes)
        self.lanes = (base_bytes, offset) if differs else None
        self.memory = memory
        self.dtype = dtype
        self.is_bit = dtype == BIT
        self.width = 0 if self.is_bit else WIDTH_BYTES[dtype]
        self.base_bytes: int = plain(base_bytes)
        self.offset: int = plain(offset)
        self.sizes = sizes
        self.strides = strides
        self.name = name or memory.name
        self.outside = outside
        self._view: torch.Tensor | None = None
        self._span: tuple[int, int] | None = None
        self._layout: Layout | None = None
        self._parts: dict[Hashable, Tile] = {}
        self._place: Place | None = None
        self._shifts: Values | None = None
        self._elements = -1
        self._inside: bool | None = None
        self._units: Units | None = None

    @property
    def elements(self) -> int:
        """The number of elements."""
        if self._elements < 0:
            self._elements = prod(self.sizes)
        return self._elements

    @property
    def size_bytes(self) -> int:
        """The bytes of all elements."""
        return -(-self.elements // 8) if self.is_bit else self.elements * self.width

    def view(self) -> torch.Tensor:
        """The elements as a torch tensor that shares the memory's bytes; of bits a copy."""
        if self.is_bit:
            return bits.unpacked(self, self.memory.data)
        if self._view is None:
            start = self.base_bytes // self.width + self.offset
            flat = self.memory.typed(self.dtype)
            self._view = flat.as_strided(self.sizes, self.strides, flat.storage_offset() + start)
        return self._view

    def keep(self, view: torch.Tensor) -> None:
        """Takes over what was written into a view of `view`, where that is a copy."""
        if self.is_bit:
            bits.pack(self, self.memory.data, view)

    @property
    def base(self) -> Number:
        """`base_bytes`, of all blocks of a class where it depends on the block."""
        return self.base_bytes if self.lanes is None else self.lanes[0]

    @property
    def place_in_base(self) -> Number:
        """`offset`, of all blocks of a class where it depends on the block."""
        return self.offset if self.lanes is None else self.lanes[1]

    def shifts(self) -> Values | None:
        """How many bytes further on the tile lies in each block of a class, if not in all alike."""
        if self.lanes is None:
            return None
        if self._shifts is None:
            start = self.lanes[0] + self.lanes[1] * self.width
            self._shifts = start.values - start.value if isinstance(start, Lanes) else _NO_SHIFTS
        return self._shifts if len(self._shifts) else None

    def moved(self, shift_bytes: int) -> Tile:
        """The same tile further on in its memory."""
        base = self.base_bytes + shift_bytes
        return Tile(self.memory, self.dtype, base, self.offset, self.sizes, self.strides, self.name)

    def first_bit(self) -> int:
        """The bit of the memory at which the first element of a bool tile lies."""
        return self.base_bytes * 8 + self.offset

    def span_bytes(self) -> tuple[int, int]:
        """First byte, and the byte behind the last; equal for a tile without elements."""
        if self._span is None:
            reach = 0 if 0 in self.sizes else 1
            if reach:
                for count, stride in zip(self.sizes, self.strides, strict=True):
                    reach += (count - 1) * stride
            if self.is_bit:
                start = self.first_bit() // 8
                stop = -(-(self.first_bit() + reach) // 8) if reach else start
            else:
                start = self.base_bytes + self.offset * self.width
                stop = start + reach * self.width
            self._span = start, stop
        return self._span

    def leaves(self) -> Outside | None:
        """How the tile reaches outside its tensor or its memory, None where it does not."""
        if self.outside is not None and (self.outside.is_negative or 0 not in self.sizes):
            return self.outside
        if 0 in self.sizes:
            return None
        start, stop = self.span_bytes()
        if 0 <= start and stop <= self.memory.own_bytes:
            return None
        sizes = start, stop, self.memory.own_bytes
        first, last, limit = (n * 8 if self.is_bit else n // self.width for n in sizes)
        return Outside(dim=-1, start=first, stop=last, limit=limit)

    def is_in_memory(self) -> bool:
        """Whether all elements lie inside the memory, so that the tile can be touched."""
        if self._inside is None:
            start, stop = self.span_bytes()
            self._inside = 0 <= start and stop <= self.memory.size_bytes
        return self._inside

    def is_beside(self) -> bool:
        """Whether a tile that leaves its tensor stays in the block that the device keeps for it.

        A single element must stay inside the tensor itself.
        """
        memory = self.memory
        limit = memory.own_bytes if self.elements == 1 else memory.size_bytes
        start, stop = self.span_bytes()
        return memory.own_bytes < memory.size_bytes and 0 <= start and stop <= limit

    def layout(self) -> Layout:
        """The tile as runs of bytes."""
        if self._layout is None:
            self._layout = layout_of(self)
        return self._layout

    def place(self) -> Place:
        """What two tiles of one memory have in common where they are the same elements."""
        if self._place is None:
            start = self.first_bit() if self.is_bit else self.span_bytes()[0]
            self._place = (start, self.width, self.sizes, self.strides)
        return self._place

    def units(self) -> Units | None:
        """The tile in units of its memory as sizes, strides and first; None where rows start
        inside units.
        """
        if self._units is None:
            self._units = units_of(self.layout(), self.memory.unit_bytes)
        return self._units

    def same_place(self, other: Tile) -> bool:
        """Whether two tiles are the same elements in the same order."""
        return (
            self.memory is other.memory
            and self.dtype == other.dtype
            and self.span_bytes()[0] == other.span_bytes()[0]
            and self.sizes == other.sizes
            and self.strides == other.strides
        )

    def overlaps(self, other: Tile) -> bool:
        """Whether the byte ranges of two tiles meet."""
        if self.memory is not other.memory:
            return False
        start, stop = self.span_bytes()
        other_start, other_stop = other.span_bytes()
        return start < other_stop and other_start < stop

    def subview(
        self,
        offsets: Sequence[int],
        sizes: Sequence[int],
        strides: Sequence[int],
        dims: Sequence[int],
        span: int = -1,
    ) -> Tile:
        """A rectangle of the tile; `dims` are the dimensions that stay, `span` the place."""
        key = (tuple(offsets), tuple(sizes), tuple(strides), tuple(dims), span)
        return self._parts.get(key) or self._keep(
            key, self._cut(offsets, sizes, strides, dims, span)
        )

    def _keep(self, key: Hashable, part: Tile) -> Tile:
        """Loops come back to the same parts, and a part knows its view."""
        if len(self._parts) >= _MOST_PARTS:
            self._parts.clear()
        self._parts[key] = part
        return part

    def _cut(
        self,
        offsets: Sequence[int],
        sizes: Sequence[int],
        strides: Sequence[int],
        dims: Sequence[int],
        span: int,
    ) -> Tile:
        outside = self.outside
        shift: Number = 0
        for dim, (start, count, step, limit) in enumerate(
            zip(offsets, sizes, strides, self.sizes, strict=True)
        ):
            shift += start * self.strides[dim]
            stop = start + (count - 1) * step + 1 if count > 0 else start + count
            if outside is None and (count < 0 or (count > 0 and (start < 0 or stop > limit))):
                if dim == _ROW and self._goes_on(offsets, sizes):
                    continue
                outside = Outside(
                    dim=dim, start=plain(start), stop=plain(stop), limit=limit, span=span
                )
        return Tile(
            self.memory,
            self.dtype,
            self.base,
            self.place_in_base + shift,
            tuple(settled(max(sizes[dim], 0)) for dim in dims),
            tuple(settled(strides[dim] * self.strides[dim]) for dim in dims),
            self.name,
            outside,
        )

    def _goes_on(self, offsets: Sequence[int], sizes: Sequence[int]) -> bool:
        """Whether a part of a tile of blocks takes rows of the next block of the same tile.

        Rows of the last block that lie behind the tile count for nothing in a product.
        """
        if len(self.sizes) != _BLOCKS_RANK or self.memory.space not in ("cbuf", "cc"):
            return False
        rows = self.sizes[_ROW]
        last = (offsets[_ROW - 1] + sizes[_ROW - 1] - 1) * rows + offsets[_ROW]
        is_dense = self.strides[_ROW - 1] == rows * self.strides[_ROW]
        return is_dense and 0 <= offsets[_ROW] < rows and last < self.sizes[_ROW - 1] * rows

    def reinterpret(self, offset: Number, sizes: Sequence[int], strides: Sequence[int]) -> Tile:
        """Other sizes and strides on the same buffer, counted from the buffer's start."""
        return Tile(
            self.memory,
            self.dtype,
            self.base,
            offset,
            tuple(map(settled, sizes)),
            tuple(map(settled, strides)),
            self.name,
            self.outside,
        )

    def bitcast(self, dtype: str) -> Tile:
        """The same bytes as elements of another dtype of the same width."""
        return Tile(
            self.memory,
            dtype,
            self.base,
            self.place_in_base,
            self.sizes,
            self.strides,
            self.name,
            self.outside,
        )

    def collapse(self, groups: Sequence[Sequence[int]]) -> Tile:
        """Merges neighbouring dimensions that are contiguous."""
        key = tuple(map(tuple, groups))
        return self._parts.get(key) or self._keep(
            key,
            self.reshaped(
                [prod(self.sizes[dim] for dim in group) for group in groups],
                [self._inner_stride(group) for group in groups],
            ),
        )

    def expand(self, groups: Sequence[Sequence[int]], sizes: Sequence[int]) -> Tile:
        """Splits each dimension into the dimensions of a group."""
        strides = [0] * len(sizes)
        for dim, group in enumerate(groups):
            step = self.strides[dim]
            for inner in reversed(group):
                strides[inner] = step
                step *= sizes[inner]
        return self.reshaped(sizes, strides)

    def reshaped(self, sizes: Sequence[int], strides: Sequence[int]) -> Tile:
        """The same start with other sizes and strides."""
        return Tile(
            self.memory,
            self.dtype,
            self.base,
            self.place_in_base,
            tuple(map(settled, sizes)),
            tuple(map(settled, strides)),
            self.name,
            self.outside,
        )

    def bytes_as(
        self, shift_bytes: Number, dtype: str, sizes: Sequence[int], strides: Sequence[int]
    ) -> Tile:
        """A buffer of another dtype that starts `shift_bytes` behind this one's start."""
        return Tile(
            self.memory,
            dtype,
            self.base + shift_bytes,
            0,
            tuple(map(settled, sizes)),
            tuple(map(settled, strides)),
            self.name,
        )

    def _inner_stride(self, group: Sequence[int]) -> int:
        for dim in reversed(group):
            if self.sizes[dim] != 1:
                return self.strides[dim]
        return self.strides[group[-1]] if group else 1
