"""Tiles of indices: T.arange."""

from __future__ import annotations

from tlcourse.dialects import tl
from tlcourse.dialects.vector_ops import FLOATS
from tlcourse.language.affine import ssa
from tlcourse.language.buffers import index_of
from tlcourse.language.builder import builder
from tlcourse.language.calls import statement
from tlcourse.language.host import entries
from tlcourse.language.regions import shape_text
from tlcourse.language.tile_operands import check_tiles, source

_DTYPES = ("int16", "int32", "int64", *FLOATS)


@statement
def arange(dst: object, strides: object, offset: object = 0) -> None:
    """Fills a tile with offset + the sum of index times stride: `T.arange(t, [128, 1])`.

    Args:
        dst: tile to write.
        strides: one integer for each dimension.
        offset: the first element, an integer.

    Dtypes: int16, int32, int64, float16, float32.

    Raises:
        TL120: a stride or the offset is no integer.
        TL121: `dst` is no tile.
        TL123: another number of strides than dimensions.
        TL124: the dtype is not among these.
    """
    write = source(dst, "dst")
    check_tiles("arange", {"dst": write}, _DTYPES)
    steps = [index_of(stride, "an entry of `strides`") for stride in entries(strides)]
    if len(steps) != len(write.extents):
        raise builder().fail(
            "TL123",
            f"T.arange gets {len(steps)} strides for {len(write.extents)} dimensions",
            why="each dimension has the number that one step along it adds",
            fix="write one stride a dimension; 0 repeats along it",
            at={"strides": "", "dst": shape_text(write.extents)},
        )
    first = index_of(offset, "`offset`")
    builder().emit(tl.ArangeOp(write.tile(), [ssa(step) for step in steps], ssa(first)))


npuir_arange = arange
