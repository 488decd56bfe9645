"""The same elements in another shape: T.reshape."""

from __future__ import annotations

from collections.abc import Sequence

from tlcourse.dialects import tl
from tlcourse.dialects.dtypes import DTYPES
from tlcourse.language.affine import Index
from tlcourse.language.buffers import Region
from tlcourse.language.builder import builder
from tlcourse.language.calls import statement
from tlcourse.language.regions import shape_text
from tlcourse.language.tile_operands import check_tiles, source


@statement
def reshape(src: object, dst: object) -> None:
    """From here on `dst` holds the elements of `src`, row by row in its own shape.

    Later writes to one of them are not seen in the other.

    Args:
        src: buffer to read.
        dst: buffer of as many elements.

    Raises:
        TL121: an operand is no tile.
        TL123: another number of elements.
        TL124: the dtypes do not agree.
    """
    read, write = (whole("reshape", v, name) for v, name in ((src, "src"), (dst, "dst")))
    check_tiles("reshape", {"src": read, "dst": write}, tuple(DTYPES))
    check_counts("reshape", read, write)
    if read.buffer is not write.buffer:
        builder().emit(tl.ReshapeOp(read.tile(), write.tile()))


npuir_reshape = reshape


def check_counts(op: str, read: Region, write: Region) -> None:
    """Refuses two shapes with different numbers of elements, or with numbers not known yet.

    Raises:
        TL123: one of the two.
    """
    counts = [_count(region.extents) for region in (read, write)]
    if None in counts or counts[0] != counts[1]:
        raise builder().fail(
            "TL123",
            f"T.{op} cannot write {shape_text(read.extents)} as {shape_text(write.extents)}",
            why="both have the same number of elements, known when the kernel is read",
            fix="give both as many elements",
            at={"src": f"{counts[0]} elements", "dst": f"{counts[1]} elements"},
        )


def whole(op: str, value: object, parameter: str) -> Region:
    """A whole buffer as an operand.

    Raises:
        TL121: it is no tile, or a part of a buffer.
    """
    found = source(value, parameter)
    if found.is_whole():
        return found
    raise builder().fail(
        "TL121",
        f"`{parameter}` of T.{op} is a part of `{found.name}`",
        why="it gives a whole buffer another shape; rows of a part do not lie next to each other",
        fix="copy the part to a buffer of its own with T.copy, and take that",
        at={parameter: "a part of a buffer"},
    )


def _count(extents: Sequence[Index]) -> int | None:
    count = 1
    for extent in extents:
        if not isinstance(extent, int):
            return None
        count *= extent
    return count
