"""Tiles: typed, strided parts of a memory, as the memref values of HIVM describe them."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from math import prod

import torch

from tlcourse.simulator import bits
from tlcourse.simulator.memory import BIT, WIDTH_BYTES, Memory

# Tiles of the cube core: columns of blocks, blocks, rows of a block, columns of a block.
_BLOCKS_RANK, _ROW = 4, 2
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


Place = tuple[int, int, tuple[int, ...], tuple[int, ...]]
Units = tuple[tuple[int, ...], tuple[int, ...], int]


class Tile:
    """A typed, strided part of a memory. Offsets and strides count elements, as in MLIR.

    `base_bytes` is where the buffer starts from which `offset` counts; `reinterpret` goes
    back to it. `width` is the bytes of an element, 0 where an element `is_bit`.
    """

    __slots__ = (
        "_layout",
        "_parts",
        "_place",
        "_span",
        "_units",
        "_view",
        "base_bytes",
        "dtype",
        "is_bit",
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
        base_bytes: int,
        offset: int,
        sizes: tuple[int, ...],
        strides: tuple[int, ...],
        name: str = "",
        outside: Outside | None = None,
    ) -> None:
        self.memory = memory
        self.dtype = dtype
        self.is_bit = dtype == BIT
        self.width = 0 if self.is_bit else WIDTH_BYTES[dtype]
        self.base_bytes = base_bytes
        self.offset = offset
        self.sizes = sizes
        self.strides = strides
        self.name = name or memory.name
        self.outside = outside
        self._view: torch.Tensor | None = None
        self._span: tuple[int, int] | None = None
        self._layout: Layout | None = None
        self._parts: dict[Hashable, Tile] = {}
        self._place: Place | None = None
        self._units: Units | None = None

    @property
    def elements(self) -> int:
        """The number of elements."""
        return prod(self.sizes)

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
        if self.outside is not None or 0 in self.sizes:
            return self.outside if 0 not in self.sizes else None
        start, stop = self.span_bytes()
        if 0 <= start and stop <= self.memory.own_bytes:
            return None
        sizes = start, stop, self.memory.own_bytes
        first, last, limit = (n * 8 if self.is_bit else n // self.width for n in sizes)
        return Outside(dim=-1, start=first, stop=last, limit=limit)

    def is_in_memory(self) -> bool:
        """Whether all elements lie inside the memory, so that the tile can be touched."""
        start, stop = self.span_bytes()
        return 0 <= start and stop <= self.memory.size_bytes

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
            self._layout = _layout(self)
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
            self._units = _units(self.layout(), self.memory.unit_bytes)
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
        shift = 0
        for dim, (start, count, step, limit) in enumerate(
            zip(offsets, sizes, strides, self.sizes, strict=True)
        ):
            shift += start * self.strides[dim]
            stop = start + (count - 1) * step + 1 if count > 0 else start
            if outside is None and count > 0 and (start < 0 or stop > limit):
                if dim == _ROW and self._goes_on(offsets, sizes):
                    continue
                outside = Outside(dim=dim, start=start, stop=stop, limit=limit, span=span)
        return Tile(
            self.memory,
            self.dtype,
            self.base_bytes,
            self.offset + shift,
            tuple(max(sizes[dim], 0) for dim in dims),
            tuple(strides[dim] * self.strides[dim] for dim in dims),
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

    def reinterpret(self, offset: int, sizes: Sequence[int], strides: Sequence[int]) -> Tile:
        """Other sizes and strides on the same buffer, counted from the buffer's start."""
        return Tile(
            self.memory,
            self.dtype,
            self.base_bytes,
            offset,
            tuple(sizes),
            tuple(strides),
            self.name,
            self.outside,
        )

    def bitcast(self, dtype: str) -> Tile:
        """The same bytes as elements of another dtype of the same width."""
        return Tile(
            self.memory,
            dtype,
            self.base_bytes,
            self.offset,
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
            self.base_bytes,
            self.offset,
            tuple(sizes),
            tuple(strides),
            self.name,
            self.outside,
        )

    def bytes_as(
        self, shift_bytes: int, dtype: str, sizes: Sequence[int], strides: Sequence[int]
    ) -> Tile:
        """A buffer of another dtype that starts `shift_bytes` behind this one's start."""
        return Tile(
            self.memory,
            dtype,
            self.base_bytes + shift_bytes,
            0,
            tuple(sizes),
            tuple(strides),
            self.name,
        )

    def _inner_stride(self, group: Sequence[int]) -> int:
        for dim in reversed(group):
            if self.sizes[dim] != 1:
                return self.strides[dim]
        return self.strides[group[-1]] if group else 1


def _units(layout: Layout, unit: int) -> Units | None:
    if any(step % unit for _, step in layout.loops):
        return None
    first = layout.start_bytes // unit
    length = -(-(layout.start_bytes + layout.run_bytes) // unit) - first
    sizes = (*(count for count, _ in layout.loops), length)
    return sizes, (*(step // unit for _, step in layout.loops), 1), first


def _layout(tile: Tile) -> Layout:
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
