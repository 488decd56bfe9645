"""Tiles that a T function allocates itself."""

from __future__ import annotations

from tlcourse.dialects import tl
from tlcourse.dialects.dtypes import DTYPES
from tlcourse.language.affine import Index
from tlcourse.language.buffers import Buffer, Region, known
from tlcourse.language.builder import builder


def scratch_like(like: Region, label: str, dtype: str) -> Region:
    """A fresh tile with the extents of another, in the same memory.

    Extents that are not known take the buffer's extents; the tile is a part of its buffer then.
    """
    pairs = zip(like.extents, like.buffer.shape, strict=True)
    bounds = tuple(_bound(extent, whole) for extent, whole in pairs)
    build = builder()
    kind = tl.buffer_type(bounds, DTYPES[dtype].mlir, tl.scope_of(like.buffer.value))
    op = build.emit(tl.AllocOp(label, kind))
    buffer = Buffer(
        name="",
        value=op.result,
        dtype=dtype,
        shape=bounds,
        space=like.buffer.space,
        span=build.span,
    )
    return Region(buffer=buffer, offsets=(0,) * len(bounds), extents=like.extents)


def _bound(extent: Index, whole: Index) -> int:
    found = known(extent) or known(whole)
    assert found is not None, "a buffer on the chip has known extents"
    return found
