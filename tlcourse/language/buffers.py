"""Buffers, parts of buffers and elements, as a kernel's names hold them.

`A` is a buffer, `A[0:4, j]` a region (one index keeps its dimension, with extent 1) and
`A[i, j]` an element: a scalar in expressions, a start point in tile ops.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, cast

from xdsl.ir import SSAValue

from tlcourse.diagnostics import Span
from tlcourse.dialects import tl
from tlcourse.language.affine import Index, difference, ssa
from tlcourse.language.builder import builder
from tlcourse.language.dtype_rules import INDEX, is_integer
from tlcourse.language.host import entries
from tlcourse.language.scalar import Expr, Operand, to_expr
from tlcourse.language.scalar import cast as cast_expr

Space = Literal["GM", "UB", "L1", "L0A", "L0B", "L0C"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Buffer:
    """A tensor parameter or an on-chip buffer.

    Args:
        name: the learner's name for it.
        value: its SSA value.
        dtype: its TileLang dtype.
        shape: extents, integers or symbols.
        space: the memory where the allocation call names one; none in Developer form.
        span: where it is declared.
    """

    name: str
    value: SSAValue
    dtype: str
    shape: tuple[Index, ...]
    space: Space | None
    span: Span

    def __getitem__(self, key: object) -> Region | Element:
        """`A[i, j]` is an element, `A[i, 0:4]` a region."""
        items = entries(key)
        self._check_count(len(items))
        if not any(isinstance(item, slice) for item in items):
            return Element(buffer=self, indices=tuple(_index(item, self) for item in items))
        dims = [_dim(item, self, axis) for axis, item in enumerate(items)]
        return Region(
            buffer=self,
            offsets=tuple(offset for offset, _ in dims),
            extents=tuple(extent for _, extent in dims),
        )

    def whole(self) -> Region:
        """All of the buffer."""
        return Region(buffer=self, offsets=(0,) * len(self.shape), extents=self.shape)

    def _check_count(self, count: int) -> None:
        rank = len(self.shape)
        if count == rank:
            return
        raise builder().fail(
            "TL118",
            f"`{self.name}` has {rank} dimension{'s' * (rank != 1)}, but {count} "
            f"{'indices are' if count != 1 else 'index is'} given",
            why="each dimension of a buffer takes one index or slice; none is left out",
            fix=f"write {self.name}[{', '.join([':'] * rank)}] with one entry a dimension",
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class Region:
    """A rectangular part of a buffer: first index and extent in each dimension."""

    buffer: Buffer
    offsets: tuple[Index, ...]
    extents: tuple[Index, ...]

    @property
    def dtype(self) -> str:
        """The buffer's dtype."""
        return self.buffer.dtype

    @property
    def name(self) -> str:
        """The buffer's name."""
        return self.buffer.name

    @property
    def shape(self) -> tuple[Index, ...]:
        """The extents."""
        return self.extents

    def is_whole(self) -> bool:
        """Whether the region is the buffer itself."""
        if any(not isinstance(offset, int) or offset != 0 for offset in self.offsets):
            return False
        return all(same(a, b) for a, b in zip(self.extents, self.buffer.shape, strict=True))

    def tile(self) -> SSAValue:
        """The region as a tile view; the buffer itself where the region is all of it."""
        if self.is_whole():
            return self.buffer.value
        offsets = [ssa(offset) for offset in self.offsets]
        extents = [extent if isinstance(extent, int) else extent.value for extent in self.extents]
        return builder().emit(tl.RegionOp(self.buffer.value, offsets, extents)).result


@dataclass(frozen=True, kw_only=True, eq=False)
class Element(Operand):
    """One element of a buffer: a scalar in expressions, a start point in tile ops."""

    buffer: Buffer
    indices: tuple[Index, ...]
    place: Span = field(default_factory=lambda: builder().span)

    __hash__ = object.__hash__

    @property
    def dtype(self) -> str:
        """The buffer's dtype."""
        return self.buffer.dtype

    @property
    def name(self) -> str:
        """The buffer's name."""
        return self.buffer.name

    def expr(self) -> Expr:
        """The element, loaded."""
        self._check_bounds()
        build = builder()
        with build.at(self.place):
            op = build.emit(tl.LoadOp(self.buffer.value, [ssa(index) for index in self.indices]))
        return Expr(op.result, self.buffer.dtype)

    def store(self, value: object) -> None:
        """Writes a scalar into the element, in the buffer's dtype."""
        self._check_bounds()
        scalar = to_expr(value, self.buffer.dtype)
        indices = [ssa(index) for index in self.indices]
        builder().emit(tl.StoreOp(scalar.value, self.buffer.value, indices))

    def region(self, extents: Sequence[Index]) -> Region:
        """The part of the buffer that starts here."""
        return Region(buffer=self.buffer, offsets=self.indices, extents=tuple(extents))

    def _check_bounds(self) -> None:
        if not builder().in_kernel:
            raise builder().fail(
                "TL110",
                f"an element of `{self.name}` is used outside `with T.Kernel(..)`",
                why="memory is read and written by the cores, inside the kernel frame",
                fix="move the line into `with T.Kernel(blocks, is_npu=True) as (cid, vid):`",
            )
        check_bounds(self.region((1,) * len(self.indices)))


def same(left: Index, right: Index) -> bool:
    """Whether two extents are certainly equal."""
    if isinstance(left, int) and isinstance(right, int):
        return left == right
    if isinstance(left, Expr) and isinstance(right, Expr) and left.value is right.value:
        return True
    return False


def check_bounds(region: Region) -> Region:
    """Refuses a region that certainly leaves its buffer; what is not known is left to the run.

    Raises:
        TL119: constant offset and extent reach past the buffer's extent.
    """
    for axis, dim in enumerate(region.buffer.shape):
        start, extent = known(region.offsets[axis]), known(region.extents[axis])
        if start is None or extent is None or not isinstance(dim, int) or start + extent <= dim:
            continue
        raise out_of_bounds(region.buffer, axis, start, extent, dim)
    return region


def out_of_bounds(buffer: Buffer, axis: int, start: int, extent: int, dim: int) -> Exception:
    """The error for a region past the end of a dimension."""
    return builder().fail(
        "TL119",
        f"`{buffer.name}` has {dim} elements in dimension {axis}; "
        f"{_range(start, extent)} is asked for",
        why="the chip does not check bounds: it would read or write what lies behind the buffer",
        fix=f"stay below {dim}, for a tail tile with T.min(block, {dim} - start)",
    )


def known(index: Index) -> int | None:
    """The number behind an index, where there is one before the kernel runs."""
    return index if isinstance(index, int) else None


def index_of(value: object, what: str) -> Index:
    """A learner's value as an index: an integer, or an i32 scalar.

    Raises:
        TL120: the value is no integer.
    """
    if isinstance(value, int) and not isinstance(value, bool):
        return int(value)
    if isinstance(value, Operand):
        scalar = value.expr()
        if is_integer(scalar.dtype):
            return cast_expr(scalar, INDEX) if scalar.known is None else int(scalar.known)
    raise builder().fail(
        "TL120",
        f"{what} is an integer, not {describe(value)}",
        why="indices, extents and loop bounds count elements",
        fix="use an integer expression; T.cast(x, 'int32') makes one of a float",
    )


def describe(value: object) -> str:
    """What a value is, in the learner's words."""
    if isinstance(value, Expr):
        return f"{'an' if value.dtype.startswith('i') else 'a'} {value.dtype} scalar"
    if isinstance(value, Element):
        return f"an element of `{value.name}` ({value.dtype})"
    if isinstance(value, Region):
        return f"a slice of `{value.name}`"
    if isinstance(value, Buffer):
        return f"the buffer `{value.name}`"
    if value is None:
        return "None"
    if isinstance(value, (bool, int, float, str)):
        return f"{value!r} ({type(value).__name__})"
    return f"a {type(value).__name__}"


def _index(item: object, buffer: Buffer) -> Index:
    index = index_of(item, f"an index of `{buffer.name}`")
    number = known(index)
    if number is None or number >= 0:
        return index
    raise _negative(buffer, number)


def _dim(item: object, buffer: Buffer, axis: int) -> tuple[Index, Index]:
    if not isinstance(item, slice):
        return _index(item, buffer), 1
    return _sliced(cast("slice[object, object, object]", item), buffer, axis)


def _sliced(item: slice[object, object, object], buffer: Buffer, axis: int) -> tuple[Index, Index]:
    _check_step(item, buffer)
    low = 0 if item.start is None else _index(item.start, buffer)
    high = buffer.shape[axis] if item.stop is None else _index(item.stop, buffer)
    extent = difference(high, low)
    if isinstance(extent, int) and extent <= 0:
        raise builder().fail(
            "TL119",
            f"the slice of `{buffer.name}` in dimension {axis} has {extent} elements",
            why="its end is not behind its start",
            fix="write A[start:end] with end > start",
        )
    return low, extent


def _check_step(item: slice[object, object, object], buffer: Buffer) -> None:
    if item.step is None or (isinstance(item.step, int) and item.step == 1):
        return
    raise builder().fail(
        "TL118",
        f"a slice of `{buffer.name}` has a step",
        why="a tile is a dense rectangle; the data movers take no step",
        fix="copy the dense tile, then pick elements in a loop",
    )


def _negative(buffer: Buffer, number: int) -> Exception:
    return builder().fail(
        "TL119",
        f"`{buffer.name}` is indexed with {number}",
        why="an index counts from 0; it does not count from the end as in a Python list",
        fix=f"write the extent minus {-number}, for example {buffer.name}.shape[0] - {-number}",
    )


def _range(start: int, extent: int) -> str:
    return f"index {start}" if extent == 1 else f"{start}:{start + extent}"
