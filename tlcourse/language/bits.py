"""T.vbitcast: the bits of a tile, read as another dtype."""

from __future__ import annotations

from tlcourse.dialects import tl
from tlcourse.dialects.dtypes import DTYPES
from tlcourse.language.buffers import Buffer
from tlcourse.language.builder import builder
from tlcourse.language.calls import statement
from tlcourse.language.dtype_rules import check_dtype
from tlcourse.language.regions import sized, sizes, tile
from tlcourse.language.scratch import scratch_like


def bitcast(src: object, dtype: str, size: object) -> Buffer:
    """A new tile with the bits of another one; see `vbitcast`."""
    target = check_dtype(dtype)
    found = tile(src, "src") if size is None else sized(src, sizes(size), "src", slices=True)
    width = _width(found.dtype)
    if _width(target) != width:
        raise builder().fail(
            "TL124",
            f"the bits of {found.dtype} cannot be read as {target}",
            why=f"an element of {found.dtype} has {width} bits, one of {target} {_width(target)}",
            fix="name a dtype of the same width; T.vcast(src, dst) converts numbers",
            at={"src": found.dtype, "dtype": target},
        )
    result = scratch_like(found, "bits", target)
    builder().emit(tl.BitcastOp(found.tile(), result.tile()))
    return result.buffer


def _width(dtype: str) -> int:
    return 1 if dtype == "bool" else DTYPES[dtype].bits


@statement
def vbitcast(src: object, dtype: str, size: object = None) -> Buffer:
    """The bits of a tile as a new tile of another dtype: `bits = T.vbitcast(a, "int32")`.

    Args:
        src: tile to read.
        dtype: TileLang dtype of the same width.
        size: extents from the first element of `src`.

    Returns:
        the new tile.

    Raises:
        TL116: there is no such dtype.
        TL121: the operand is no tile.
        TL124: the widths differ.
    """
    return bitcast(src, dtype, size)


npuir_bitcast = vbitcast
