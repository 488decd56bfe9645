"""Tiles that an expansion needs for a moment: allocated where they are used."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import DYNAMIC_INDEX, IntegerAttr, i32
from xdsl.ir import Attribute, Operation, SSAValue

from tlcourse.dialects import tl
from tlcourse.dialects.rewriting import insert_before

Extent = int | SSAValue


def extents_of(tile: SSAValue) -> list[Extent]:
    """The extents of a tile on the chip: numbers, or i32 values of a region."""
    if isinstance(tile.owner, tl.RegionOp):
        return list(tile.owner.extents())
    return list(tl.memref_of(tile).get_shape())


def bounds_of(tile: SSAValue) -> list[int]:
    """Constant upper bounds of a tile's extents: those of its buffer where they vary."""
    shape = list(tl.memref_of(tile).get_shape())
    if isinstance(tile.owner, tl.RegionOp):
        buffer = bounds_of(tile.owner.buffer)
        return [b if n == DYNAMIC_INDEX else n for n, b in zip(shape, buffer, strict=True)]
    return shape


def temporary(
    before: Operation,
    label: str,
    extents: Sequence[Extent],
    bounds: Sequence[int],
    like: SSAValue,
    element: Attribute | None = None,
) -> SSAValue:
    """A tile for an expansion.

    Args:
        before: the op that it is allocated in front of.
        label: name that a memory map shows.
        extents: extents of the tile.
        bounds: constant extents of the buffer that it lies in.
        like: a tile whose memory, and dtype if `element` is left out, it has.
        element: element type.
    """
    kind = element or tl.memref_of(like).element_type
    shape = [e if isinstance(e, int) else b for e, b in zip(extents, bounds, strict=True)]
    alloc = tl.AllocOp(label, tl.buffer_type(shape, kind, tl.scope_of(like)))
    insert_before(before, [alloc])
    if all(isinstance(extent, int) for extent in extents):
        return alloc.result
    zero = arith.ConstantOp(IntegerAttr(0, i32))
    part = tl.RegionOp(alloc.result, [zero.result] * len(shape), extents)
    insert_before(before, [zero, part])
    return part.result
