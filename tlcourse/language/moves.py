"""T functions that move elements inside the chip: transpose, concat, pad, flip, gather and more."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from tlcourse.dialects import tl
from tlcourse.dialects.vector_ops import FLOATS, INTS
from tlcourse.language.affine import Index, add, ssa
from tlcourse.language.buffers import Region, index_of, known
from tlcourse.language.builder import builder
from tlcourse.language.calls import statement
from tlcourse.language.host import entries
from tlcourse.language.regions import shape_text
from tlcourse.language.scalar import is_operand, to_expr
from tlcourse.language.tile_operands import (
    check_mode,
    check_same_extents,
    check_tiles,
    dimension,
    is_part,
    source,
    target,
)

_WIDE = ("int16", "int32", "int64", *FLOATS, "bfloat16")
_ALL = ("int8", *_WIDE)
_GATHER = ("int16", "int32", *FLOATS, "bfloat16")
_ANY = ("bool", *INTS, *FLOATS, "bfloat16", "uint8", "uint16", "uint32", "uint64")


@statement
def transpose(src: object, dst: object, permutation: object, size: object = None) -> None:
    """Permutes dimensions: `T.transpose(tile, turned, [1, 0])`.

    Args:
        src: tile to read.
        dst: tile to write; its dimension i has the extent of dimension permutation[i] of `src`.
        permutation: each dimension once.
        size: extents of the part of `src` that is moved.

    Raises:
        TL121: an operand is no tile.
        TL123: extents or ranks do not agree.
        TL124: the dtypes do not agree.
        TL139: the permutation does not name each dimension once.
    """
    read = source(src, "src", size)
    rank = len(read.extents)
    order = [dimension(item, rank, "permutation") for item in entries(permutation)]
    if sorted(order) != list(range(rank)):
        raise _no_permutation(order, rank)
    extents = [read.extents[dim] for dim in order]
    write = target(dst, "dst", extents, "transpose", partial=is_part(src, size))
    check_tiles("transpose", {"src": read, "dst": write}, _ALL)
    builder().emit(tl.TransposeOp(read.tile(), write.tile(), order))


@statement
def concat(*tiles: object, size: object = None) -> None:
    """Joins tiles along a dimension: `T.concat(a, b, ab, 1)`.

    Args:
        tiles: the sources, the destination, and the dimension last.
        size: extents of the part of each source that is joined.

    Raises:
        TL109: fewer than one source, a destination and a dimension.
        TL121: an operand is no tile.
        TL123: extents or ranks do not agree.
        TL124: the dtypes do not agree.
        TL139: there is no such dimension.
    """
    _check_count("concat", tiles, 3, "T.concat(a, b, ab, 1)")
    *sources, dst, dim = tiles
    reads = _numbered(sources, size)
    first = next(iter(reads.values()))
    axis = dimension(dim, len(first.extents), f"tiles{len(tiles) - 1}")
    check_same_extents("concat", reads, skip=axis)
    extents = list(first.extents)
    extents[axis] = _total([read.extents[axis] for read in reads.values()])
    partial = any(is_part(value, size) for value in sources)
    parameter = f"tiles{len(sources)}"
    write = target(dst, parameter, extents, "concat", partial=partial)
    check_tiles("concat", {**reads, parameter: write}, _ANY)
    builder().emit(tl.ConcatOp([read.tile() for read in reads.values()], write.tile(), axis))


@statement
def pad(
    src: object,
    dst: object,
    pad_value: object,
    low: object,
    high: object,
    size: object = None,
) -> None:
    """Surrounds a tile with a number: `T.pad(a, b, 0.0, [16, 0], [16, 0])`.

    Args:
        src: tile to read.
        dst: tile to write.
        pad_value: number or scalar; it is converted to the tile's dtype.
        low: elements before the first one, for each dimension; negative cuts off.
        high: elements behind the last one, for each dimension.
        size: extents of the part of `src` that counts.

    Raises:
        TL121: an operand is no tile, or the pad value is none.
        TL123: extents, ranks or the number of lengths do not agree, or several dimensions are
            padded.
        TL124: the dtypes do not agree.
    """
    read = source(src, "src", size)
    if not is_operand(pad_value):
        raise _no_number(pad_value)
    lows, highs = (_lengths(value, name, read) for value, name in ((low, "low"), (high, "high")))
    _check_one_dimension(lows, highs)
    extents = [
        extent if known(a) == 0 and known(b) == 0 else add(add(extent, a), b)
        for extent, a, b in zip(read.extents, lows, highs, strict=True)
    ]
    # Lengths of the run: the padded tile stands at the origin of a tile that is large enough.
    partial = is_part(src, size) or any(known(extent) is None for extent in extents)
    write = target(dst, "dst", extents, "pad", partial=partial)
    check_tiles("pad", {"src": read, "dst": write}, _ANY)
    number = to_expr(pad_value, read.dtype).value
    low_values, high_values = ([ssa(length) for length in side] for side in (lows, highs))
    builder().emit(tl.PadOp(read.tile(), write.tile(), number, low_values, high_values))


@statement
def interleave(*tiles: object, channel_nums: int = 2, size: object = None) -> None:
    """Takes elements of two tiles in turn along the last dimension: `T.interleave(a, b, ab)`.

    Args:
        tiles: two sources of the same extents, and the destination, twice as long.
        channel_nums: 2.
        size: extents of the part of each source that counts.

    Raises:
        TL109: another number of tiles.
        TL123: extents or ranks do not agree.
        TL124: the dtypes do not agree.
    """
    _check_count("interleave", tiles, 3, "T.interleave(a, b, ab)", exact=True)
    _check_two(channel_nums)
    *sources, dst = tiles
    reads = _numbered(sources, size)
    check_same_extents("interleave", reads)
    first = next(iter(reads.values()))
    extents = [*first.extents[:-1], add(first.extents[-1], first.extents[-1])]
    partial = any(is_part(value, size) for value in sources)
    write = target(dst, "tiles2", extents, "interleave", partial=partial)
    check_tiles("interleave", {**reads, "tiles2": write}, _WIDE)
    builder().emit(tl.InterleaveOp([read.tile() for read in reads.values()], write.tile()))


@statement
def deinterleave(
    *tiles: object,
    channel_nums: int = 2,
    index_mode: str = "ALL_CHANNELS",
    size: object = None,
) -> None:
    """Splits even and odd positions of the last dimension: `T.deinterleave(ab, a, b)`.

    Args:
        tiles: the source, and two destinations of half its length; one with CHANNEL_0 (even
            positions) or CHANNEL_1 (odd ones).
        channel_nums: 2.
        index_mode: ALL_CHANNELS, CHANNEL_0 or CHANNEL_1.
        size: extents of the part of the source that counts.

    Raises:
        TL109: another number of tiles.
        TL123: extents or ranks do not agree, or the source's last extent is odd.
        TL124: the dtypes do not agree.
        TL138: there is no such mode.
    """
    check_mode(index_mode, tl.CHANNELS, "index_mode")
    count = 3 if index_mode == "ALL_CHANNELS" else 2
    example = "T.deinterleave(ab, a, b)" if count == 3 else "T.deinterleave(ab, a, index_mode=..)"
    _check_count("deinterleave", tiles, count, example, exact=True)
    _check_two(channel_nums)
    read = source(tiles[0], "tiles0", size)
    extents = [*read.extents[:-1], _half(read)]
    partial = is_part(tiles[0], size)
    writes = {
        f"tiles{number}": target(value, f"tiles{number}", extents, "deinterleave", partial=partial)
        for number, value in enumerate(tiles[1:], 1)
    }
    check_tiles("deinterleave", {"tiles0": read, **writes}, _ALL)
    targets = [write.tile() for write in writes.values()]
    builder().emit(tl.DeinterleaveOp(read.tile(), targets, index_mode))


@statement
def flip(src: object, dst: object, axis: object, size: object = None) -> None:
    """Reverses the order along a dimension: `T.flip(a, b, 1)`.

    Args:
        src: tile to read.
        dst: tile of the same extents to write.
        axis: the dimension; a negative one counts from the last.
        size: extents of the part that counts.

    Raises:
        TL121: an operand is no tile.
        TL123: extents or ranks do not agree.
        TL124: the dtypes do not agree.
        TL139: there is no such dimension.
    """
    read = source(src, "src", size)
    dim = dimension(axis, len(read.extents), "axis")
    write = target(dst, "dst", read.extents, "flip", partial=is_part(src, size))
    check_tiles("flip", {"src": read, "dst": write}, _ALL)
    builder().emit(tl.FlipOp(read.tile(), write.tile(), dim))


@statement
def gather(src: object, dst: object, indices: object, size: object = None) -> None:
    """Picks elements along the last dimension: dst[.., j] = src[.., indices[.., j]].

    Args:
        src: tile to read.
        dst: tile to write, of the extents of `indices`.
        indices: int32 tile; other extents than the last equal those of `src`.
        size: extents of all three.

    Raises:
        TL121: an operand is no tile.
        TL123: extents or ranks do not agree.
        TL124: the dtypes do not agree, or the indices are not int32.
    """
    read, places = source(src, "src", size), source(indices, "indices", size)
    check_tiles("gather", {"indices": places}, ("int32",))
    tiles = {"src": read, "indices": places}
    check_same_extents("gather", tiles, skip=len(read.extents) - 1)
    partial = is_part(indices, size)
    write = target(dst, "dst", places.extents, "gather", partial=partial)
    check_tiles("gather", {"src": read, "dst": write}, _GATHER)
    builder().emit(tl.GatherOp(read.tile(), places.tile(), write.tile()))


npuir_transpose = transpose
npuir_concat = concat
npuir_pad = pad
npuir_interleave = interleave
npuir_deinterleave = deinterleave
npuir_flip = flip
npuir_gather = gather


def _numbered(values: Sequence[object], size: object) -> dict[str, Region]:
    return {f"tiles{n}": source(value, f"tiles{n}", size) for n, value in enumerate(values)}


def _total(extents: Sequence[Index]) -> Index:
    total: Index = 0
    for extent in extents:
        total = add(total, extent)
    return total


def _half(read: Region) -> Index:
    last = read.extents[-1]
    if isinstance(last, int):
        if last % 2 == 0:
            return last // 2
        raise builder().fail(
            "TL123",
            f"T.deinterleave cannot split {last} elements in two halves",
            why="every second element goes to each destination, so the last extent is even",
            fix="slice an even number of elements",
            at={"tiles0": shape_text(read.extents)},
        )
    return cast("Index", last // 2)


def _lengths(value: object, name: str, read: Region) -> list[Index]:
    found = [_length(entry, name) for entry in entries(value)]
    if len(found) == len(read.extents):
        return found
    raise builder().fail(
        "TL123",
        f"`{name}` has {len(found)} lengths for {len(read.extents)} dimensions",
        why="each dimension has its own length, 0 where nothing is added",
        fix="write one length a dimension, for example [16, 0]",
        at={name: "", "src": shape_text(read.extents)},
    )


def _length(entry: object, name: str) -> Index:
    # Python's `/` makes a float of two integers: 32 / 2 is meant as 16.
    whole = isinstance(entry, float) and entry.is_integer()
    return index_of(int(cast("float", entry)) if whole else entry, f"an entry of `{name}`")


def _check_one_dimension(low: Sequence[Index], high: Sequence[Index]) -> None:
    pairs = zip(low, high, strict=True)
    padded = [pair for pair in pairs if any(known(length) != 0 for length in pair)]
    if len(padded) <= 1:
        return
    raise builder().fail(
        "TL123",
        f"T.pad pads {len(padded)} dimensions at once",
        why="the vector unit pads along one dimension",
        fix="pad one dimension after the other, with a tile between",
        at={"low": "", "high": ""},
    )


def _check_two(channel_nums: object) -> None:
    if channel_nums == 2:
        return
    raise builder().fail(
        "TL138",
        f"there are no {channel_nums!r} channels",
        why="the vector unit takes two tiles in turn",
        fix="leave channel_nums out, or write 2",
        at={"channel_nums": ""},
    )


def _check_count(
    op: str, tiles: Sequence[object], count: int, example: str, *, exact: bool = False
) -> None:
    if len(tiles) == count or (len(tiles) > count and not exact):
        return
    raise builder().fail(
        "TL109",
        f"T.{op} gets {len(tiles)} arguments",
        why=f"it takes {count}{'' if exact else ' or more'}",
        fix=f"the call is {example}",
    )


def _no_permutation(order: Sequence[int], rank: int) -> Exception:
    return builder().fail(
        "TL139",
        f"{list(order)} is no order of {rank} dimensions",
        why="each dimension stands in it once",
        fix=f"write the numbers 0 to {rank - 1} in another order, for example "
        f"{list(reversed(range(rank)))}",
        at={"permutation": ""},
    )


def _no_number(value: object) -> Exception:
    return builder().fail(
        "TL121",
        f"T.pad gets a {type(value).__name__.lower()} as its pad value",
        why="the tile is surrounded with one number",
        fix="write a number, for example 0.0",
        at={"pad_value": ""},
    )
