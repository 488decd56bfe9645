"""Adding into global memory while other cores may do the same: T.atomic_add."""

from __future__ import annotations

from tlcourse.dialects import tl
from tlcourse.dialects.vector_ops import FLOATS
from tlcourse.language.buffers import Buffer, Region
from tlcourse.language.builder import builder
from tlcourse.language.calls import statement
from tlcourse.language.regions import pair
from tlcourse.language.tile_operands import check_tiles

_DTYPES = (*FLOATS, "bfloat16", "int8", "int16", "int32")


@statement
def atomic_add(dst: object, src: object, size: object = None) -> None:
    """Adds a tile into global memory: `T.atomic_add(B[start], tile, size=[n])`.

    Each element is added as a whole; the order of the cores is not fixed, so sums of floats may
    differ in their last bits from run to run.

    Args:
        dst: part of a tensor in global memory: buffer, slice or start point.
        src: tile on the chip.
        size: extents for start points, in place of slices.

    Dtypes: float16, float32, bfloat16, int8, int16, int32.

    Raises:
        TL121: an operand is no tile.
        TL122: `size` beside a slice.
        TL123: the extents cannot be found, or do not agree.
        TL124: the dtypes do not agree, or are not among these.
        TL203: neither of the two lies in global memory, or both do.
    """
    _add("atomic_add", dst, src, size)


@statement
def atomic_addx4(dst: object, src: object, size: object = None) -> None:
    """Adds a tile into global memory: another name of T.atomic_add.

    Raises:
        TL121: an operand is no tile.
        TL122: `size` beside a slice.
        TL123: the extents cannot be found, or do not agree.
        TL124: the dtypes do not agree, or are not among these.
        TL203: neither of the two lies in global memory, or both do.
    """
    _add("atomic_addx4", dst, src, size)


npuir_atomic_add = atomic_add
npuir_atomic_addx4 = atomic_addx4


def _add(op: str, dst: object, src: object, size: object) -> None:
    if _is_in_gm(src) and not _is_in_gm(dst):
        builder().warn(
            "TL206",
            f"T.{op} gets the tile first and the tensor second",
            why="it is read the other way round, because only the tensor in global memory can be "
            "added to",
            fix=f"write T.{op}(tensor[start], tile)",
        )
        src, dst = dst, src
    read, write = pair(src, dst, size, op)
    _check_memories(op, read, write)
    check_tiles(op, {"dst": write, "src": read}, _DTYPES)
    builder().emit(tl.AtomicAddOp(read.tile(), write.tile()))


def _is_in_gm(value: object) -> bool:
    buffer = value if isinstance(value, Buffer) else getattr(value, "buffer", None)
    return isinstance(buffer, Buffer) and buffer.space == "GM"


def _check_memories(op: str, read: Region, write: Region) -> None:
    if write.buffer.space == "GM" and read.buffer.space in (None, "UB"):
        return
    raise builder().fail(
        "TL203",
        f"T.{op} adds a tile of UB to a tensor in global memory, not "
        f"`{read.name}` to `{write.name}`",
        why="only the way from UB to global memory adds",
        fix=f"T.{op}(tensor[start], tile): first the tensor, then the tile; on the chip T.vadd "
        "adds, and a product reaches UB through a workspace",
        at={"dst": "", "src": ""},
    )
