"""T.copy and its older forms: moving tiles between global memory and the chip."""

from __future__ import annotations

from tlcourse.dialects import tl
from tlcourse.language.buffers import Region
from tlcourse.language.builder import builder
from tlcourse.language.calls import statement
from tlcourse.language.memory_paths import check_path
from tlcourse.language.regions import pair
from tlcourse.language.tile_checks import check_conversion

# What the FIX pipe converts on the way out of L0C.
_QUANTISED = (("float32", "float16"), ("float32", "bfloat16"), ("int32", "int8"))


@statement
def copy(src: object, dst: object, coalesced_width: object = None, size: object = None) -> None:
    """Copies a tile: `T.copy(A[bx, 0], a_ub)`. Only the stated part of `dst` changes.

    Args:
        src: buffer, slice or start point to read.
        dst: buffer, slice or start point to write.
        coalesced_width: accepted as upstream does, without effect.
        size: extents for start points, in place of slices.

    Raises:
        TL122: `size` beside a slice.
        TL123: the extents cannot be found, or do not agree.
        TL124: the copy would convert from or to unsigned integers.
        TL203: no data path joins the two memories.
    """
    regions = pair(src, dst, size, "copy")
    check_conversion("copy", *regions)
    _move(*regions, op="copy")


@statement
def load_nd2nz(src: object, dst: object, size: object = None) -> None:
    """Copies a tile from global memory to L1 and lays it out in fractals (Expert form).

    Args:
        src: part of a tensor in global memory.
        dst: buffer in L1.
        size: extents for start points, in place of slices.

    Raises:
        TL122: `size` beside a slice.
        TL123: the extents cannot be found, or do not agree.
        TL124: the dtypes differ.
        TL203: no data path joins the two memories.
    """
    regions = pair(src, dst, size, "load_nd2nz")
    check_path(*regions, op="load_nd2nz", sources=("GM",), targets=("L1",))
    check_equal_dtypes(*regions, op="load_nd2nz")
    _move(*regions, op="load_nd2nz")


@statement
def store_fixpipe(
    src: object,
    dst: object,
    size: object = None,
    enable_nz2nd: bool = False,
    channel_split: bool = False,
    pre_relu_mode: str = "",
) -> None:
    """Copies a tile from L0C to global memory through the FIX pipe (Expert form).

    float32 may be rounded to float16 or bfloat16 on the way, int32 saturated to int8.

    Args:
        src: buffer in L0C.
        dst: part of a tensor in global memory.
        size: extents for start points, in place of slices.
        enable_nz2nd: writes rows in order; needed, see TL205.
        channel_split: not supported, see TL205.
        pre_relu_mode: "relu" turns negative numbers to 0 on the way; "" leaves them. Others are
            not supported, see TL205.

    Raises:
        TL122: `size` beside a slice.
        TL123: the extents cannot be found, or do not agree.
        TL124: the FIX pipe does not convert between the dtypes.
        TL203: no data path joins the two memories.
        TL205: the result would not be in row order, or another extra is asked for.
    """
    _check_extras(enable_nz2nd, channel_split, pre_relu_mode)
    regions = pair(src, dst, size, "store_fixpipe")
    check_path(*regions, op="store_fixpipe", sources=("L0C",), targets=("GM",))
    _check_quantisation(*regions)
    _move(*regions, op="store_fixpipe", relu=pre_relu_mode == "relu")


@statement
def store_nz2nd(src: object, dst: object, size: object = None) -> None:
    """Copies a tile from L0C to global memory: an older form of T.store_fixpipe.

    Args:
        src: buffer in L0C.
        dst: part of a tensor in global memory.
        size: extents for start points, in place of slices.

    Raises:
        TL122: `size` beside a slice.
        TL123: the extents cannot be found, or do not agree.
        TL124: the FIX pipe does not convert between the dtypes.
        TL203: no data path joins the two memories.
    """
    regions = pair(src, dst, size, "store_nz2nd")
    check_path(*regions, op="store_nz2nd", sources=("L0C",), targets=("GM",))
    _check_quantisation(*regions)
    _move(*regions, op="store_nz2nd")


npuir_load_nd2nz = load_nd2nz
npuir_store_fixpipe = store_fixpipe
npuir_store_nz2nd = store_nz2nd


def check_equal_dtypes(src: Region, dst: Region, *, op: str) -> None:
    """Refuses two tiles of different dtypes.

    Raises:
        TL124: they differ.
    """
    if src.dtype == dst.dtype:
        return
    raise builder().fail(
        "TL124",
        f"T.{op} moves {src.dtype} to {dst.dtype}",
        why="the data mover copies bits; it does not convert",
        fix="allocate the destination in the source's dtype, and convert with T.vcast",
        at={"src": src.dtype, "dst": dst.dtype},
    )


def _move(src: Region, dst: Region, *, op: str, relu: bool = False) -> None:
    check_path(src, dst, op=op)
    builder().emit(tl.CopyOp(src.tile(), dst.tile(), relu=relu))


def _check_quantisation(src: Region, dst: Region) -> None:
    if src.dtype == dst.dtype or (src.dtype, dst.dtype) in _QUANTISED:
        return
    pairs = ", ".join(f"{a} to {b}" for a, b in _QUANTISED)
    raise builder().fail(
        "TL124",
        f"the FIX pipe does not convert {src.dtype} to {dst.dtype}",
        why=f"on the way out of L0C it converts {pairs}",
        fix="declare the tensor in one of these dtypes, or convert a tile in UB with T.vcast",
        at={"src": src.dtype, "dst": dst.dtype},
    )


def _check_extras(enable_nz2nd: bool, channel_split: bool, pre_relu_mode: str) -> None:
    if enable_nz2nd and not channel_split and pre_relu_mode in ("", "relu"):
        return
    raise builder().fail(
        "TL205",
        "T.store_fixpipe is asked for something else than rows in order",
        why="global memory holds tensors row by row; fractal order, split channels and a relu "
        "with slopes are not modelled",
        fix='write enable_nz2nd=True and pre_relu_mode="relu" or none, leave the other extras '
        "out, and compute the rest in UB",
        at={"enable_nz2nd": "", "channel_split": "", "pre_relu_mode": ""},
    )
