"""Reductions and prefix sums: T.reduce and its short forms, T.cumsum."""

from __future__ import annotations

from collections.abc import Sequence

from tlcourse.dialects import tl
from tlcourse.dialects.vector_ops import FLOATS, INTS, VECTOR_OPS
from tlcourse.language.affine import Index
from tlcourse.language.buffers import Buffer, Region, known
from tlcourse.language.builder import builder
from tlcourse.language.calls import statement
from tlcourse.language.host import entries
from tlcourse.language.regions import shape_text
from tlcourse.language.tile_operands import (
    check_mode,
    check_tiles,
    dimension,
    dimensions,
    is_part,
    source,
    target,
)

_LOGIC = ("bool", *INTS)
_NUMBERS = (*INTS, *FLOATS, "bfloat16")
_DTYPES = {"any": _LOGIC, "all": _LOGIC, "xori": _LOGIC, "ori": _LOGIC}
_CUMSUM_DTYPES = ("int16", "int32", "int64", *FLOATS)


@statement
def reduce(
    src: object,
    dst: object,
    dims: object,
    reduce_mode: str,
    size: object = None,
    clear: bool = True,
) -> None:
    """Reduces a tile along dimensions: `T.reduce(scores, row_max, dims=1, reduce_mode="max")`.

    Sums are added up in the tile's dtype, in no fixed order; NaN wins in max and min.

    Args:
        src: tile to read; it keeps its numbers.
        dst: tile of the same rank to write; the reduced dimensions have extent 1. For the modes
            with an index a pair (values, positions), the positions int32.
        dims: dimension or list of dimensions; negative ones count from the last.
        reduce_mode: sum, prod, max, min, any, all, xori, ori, abssum, absmax, or max or min with
            `_with_index_left` or `_with_index_right`: which of several equal ones counts.
        size: extents of the part that counts, from the start of `src`.
        clear: False joins the result with what `dst` holds: sum, max, min, abssum and absmax.

    Dtypes: integers, float16, float32, bfloat16 (through float32; `dst` may be float32 then),
    and bool for any, all, xori, ori.

    Raises:
        TL121: an operand is no tile.
        TL123: extents or ranks do not agree.
        TL124: the dtypes do not agree, or the mode does not take them.
        TL138: there is no such mode, or it does not go with `dst` or `clear`.
        TL139: a dimension does not exist, or none is given.
    """
    _reduce("reduce", src, dst, dims, reduce_mode, size, clear)


@statement
def reduce_max(
    buffer: object, out: object, dim: object = -1, size: object = None, clear: bool = True
) -> None:
    """The largest element along a dimension; NaN wins.

    Args:
        buffer: tile to read.
        out: tile to write; the dimension has extent 1.
        dim: the dimension; a negative one counts from the last.
        size: extents of the part that counts.
        clear: False joins the result with what `out` holds.

    Raises:
        TL123: extents or ranks do not agree.
        TL124: the dtypes do not fit.
        TL139: there is no such dimension.
    """
    _reduce("reduce_max", buffer, out, dim, "max", size, clear)


@statement
def reduce_min(
    buffer: object, out: object, dim: object = -1, size: object = None, clear: bool = True
) -> None:
    """The smallest element along a dimension; NaN wins. Arguments as those of T.reduce_max.

    Raises:
        TL123: extents or ranks do not agree.
        TL124: the dtypes do not fit.
        TL139: there is no such dimension.
    """
    _reduce("reduce_min", buffer, out, dim, "min", size, clear)


@statement
def reduce_sum(
    buffer: object, out: object, dim: object = -1, size: object = None, clear: bool = True
) -> None:
    """The sum along a dimension, in the tile's dtype. Arguments as those of T.reduce_max.

    Raises:
        TL123: extents or ranks do not agree.
        TL124: the dtypes do not fit.
        TL139: there is no such dimension.
    """
    _reduce("reduce_sum", buffer, out, dim, "sum", size, clear)


@statement
def reduce_absmax(buffer: object, out: object, dim: object = -1, clear: bool = True) -> None:
    """The largest |element| along a dimension; `buffer` keeps its signs.

    Raises:
        TL123: extents or ranks do not agree.
        TL124: the dtypes do not fit.
        TL139: there is no such dimension.
    """
    _reduce("reduce_absmax", buffer, out, dim, "absmax", None, clear)


@statement
def reduce_abssum(buffer: object, out: object, dim: object = -1) -> None:
    """The sum of |element| along a dimension; `buffer` keeps its signs.

    Raises:
        TL123: extents or ranks do not agree.
        TL124: the dtypes do not fit.
        TL139: there is no such dimension.
    """
    _reduce("reduce_abssum", buffer, out, dim, "abssum", None, True)


@statement
def cumsum(src: object, dst: object = None, dim: object = 0, reverse: bool = False) -> None:
    """Sums up along a dimension: each element becomes the sum of those up to it.

    Args:
        src: tile to read.
        dst: tile of the same extents to write; None writes `src` itself.
        dim: the dimension; a negative one counts from the last.
        reverse: each element becomes the sum of those from it on.

    Dtypes: int16, int32, int64, float16, float32.

    Raises:
        TL121: an operand is no tile.
        TL123: extents or ranks do not agree.
        TL124: the dtypes do not agree, or are not among these.
        TL139: there is no such dimension.
    """
    read = source(src, "src")
    written = src if dst is None else dst
    write = target(written, "dst", read.extents, "cumsum", partial=is_part(src))
    check_tiles("cumsum", {"src": read, "dst": write}, _CUMSUM_DTYPES)
    axis = dimension(dim, len(read.extents), "dim")
    builder().emit(tl.CumsumOp(read.tile(), write.tile(), axis, reverse=reverse))


npuir_reduce = reduce
npuir_cumsum = cumsum


def _reduce(
    op: str,
    src: object,
    dst: object,
    dims: object,
    mode: str,
    size: object,
    clear: bool,
) -> None:
    check_mode(mode, tl.REDUCE_MODES, "reduce_mode")
    read = source(src, "src" if op == "reduce" else "buffer", size)
    axes = dimensions(dims, len(read.extents), "dims" if op == "reduce" else "dim")
    if not clear:
        _check_joins(mode)
    _check_order(op, read, dst, axes)
    given = [1 if dim in axes else extent for dim, extent in enumerate(read.extents)]
    writes = _destinations(op, dst, given, mode, partial=is_part(src, size))
    _check_dtypes(op, mode, read, writes, axes)
    _check_steps(op, mode, writes[0], joins=not clear)
    tiles = [write.tile() for write in writes]
    builder().emit(tl.ReduceOp(read.tile(), tiles, mode, axes, accumulate=not clear))


def _check_order(op: str, read: Region, dst: object, axes: Sequence[int]) -> None:
    """Refuses a destination that would reduce to the source: the two are swapped."""
    if not isinstance(dst, Buffer) or len(dst.shape) != len(read.extents):
        return
    have, want = [known(x) for x in read.extents], [known(x) for x in dst.shape]
    reduced = [1 if dim in axes else extent for dim, extent in enumerate(want)]
    if have == want or have != reduced or None in have:
        return
    first, second = ("src", "dst") if op == "reduce" else ("buffer", "out")
    raise builder().fail(
        "TL123",
        f"T.{op} cannot reduce {shape_text(read.extents)} to {shape_text(dst.shape)}; are the "
        "arguments swapped?",
        why="the tile that is read comes first, the one that is written second",
        fix=f"T.{op}({dst.name}, {read.name}, ..)",
        at={first: shape_text(read.extents), second: shape_text(dst.shape)},
    )


def _destinations(
    op: str, dst: object, extents: Sequence[Index], mode: str, *, partial: bool
) -> list[Region]:
    parts = entries(dst)
    wanted = 2 if mode in tl.INDEX_MODES else 1
    if len(parts) != wanted:
        raise _wrong_count(mode, wanted)
    parameter = "dst" if op == "reduce" else "out"
    return [target(part, parameter, extents, op, partial=partial) for part in parts]


def _wrong_count(mode: str, wanted: int) -> Exception:
    pair = "a pair (values, positions)" if wanted == 2 else "one tile"
    return builder().fail(
        "TL138",
        f"mode {mode!r} writes {pair}",
        why="the modes with an index give the element and where it stands, the others one tile",
        fix='T.reduce(src, (values, positions), dims=1, reduce_mode="max_with_index_left")',
        at={"dst": "", "out": ""},
    )


def _check_dtypes(
    op: str, mode: str, read: Region, writes: Sequence[Region], axes: Sequence[int]
) -> None:
    tiles = {"src": read, "dst": writes[0]}
    if (read.dtype, writes[0].dtype) == ("bfloat16", "float32"):
        tiles = {"dst": writes[0]}
    check_tiles(op, tiles, _DTYPES.get(mode, _NUMBERS))
    if len(writes) == 1:
        return
    check_tiles(op, {"dst": writes[1]}, ("int32",))
    if len(axes) > 1:
        raise builder().fail(
            "TL139",
            f"mode {mode!r} runs along one dimension, not along {len(axes)}",
            why="a position counts along one dimension",
            fix="reduce one dimension after the other, or reshape the tile first",
            at={"dims": ""},
        )


def _check_steps(op: str, mode: str, write: Region, *, joins: bool) -> None:
    """Refuses a dtype that |x| or the joining with the old contents does not take."""
    steps = ["vabs"] if mode in tl.ABS_MODES else []
    steps += [tl.JOINING[mode]] if joins else []
    for step in steps:
        check_tiles(op, {"dst": write}, (*VECTOR_OPS[step].dtypes, "bfloat16"))


def _check_joins(mode: str) -> None:
    if mode in tl.JOINING:
        return
    raise builder().fail(
        "TL138",
        f"mode {mode!r} does not go with clear=False",
        why=f"the modes that join with what is there are {', '.join(tl.JOINING)}",
        fix="reduce into a tile of its own, and join it with a T.v function",
        at={"clear": "", "reduce_mode": ""},
    )
