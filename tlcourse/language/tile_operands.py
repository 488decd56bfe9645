"""Operands of the tile ops that change extents: what they read, what they write, along what.

A source is a buffer, slice or start point, with `size=` from its start. What an op gives has
extents of its own; a destination is a slice of these extents, or a buffer that takes them from
its origin.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from tlcourse.language.affine import Index
from tlcourse.language.buffers import Buffer, Element, Region, check_bounds, describe, known, same
from tlcourse.language.builder import builder
from tlcourse.language.host import entries
from tlcourse.language.names import near_name
from tlcourse.language.regions import operand, shape_text, sized, sizes, tile
from tlcourse.language.scalar import Expr


def source(value: object, parameter: str, size: object = None) -> Region:
    """The part of an operand that an op reads.

    Raises:
        TL121: it is no tile.
        TL122: `size` beside a slice.
    """
    return tile(value, parameter) if size is None else sized(value, sizes(size), parameter)


def target(
    value: object, parameter: str, extents: Sequence[Index], op: str, *, partial: bool
) -> Region:
    """The part of an operand that an op writes.

    Args:
        value: the operand.
        parameter: its name in the call.
        extents: what the op gives.
        op: name of the T function.
        partial: a whole buffer may be larger: the result stands at its origin.

    Raises:
        TL121: it is no tile.
        TL123: it has another rank or other extents.
    """
    found = operand(value, parameter)
    rank = len(found.indices) if isinstance(found, Element) else len(found.shape)
    if rank != len(extents):
        raise _mismatch(parameter, found, extents, op)
    if isinstance(found, Element):
        return check_bounds(found.region(extents))
    if isinstance(found, Buffer) and partial:
        corner = Region(buffer=found, offsets=(0,) * rank, extents=tuple(extents))
        return found.whole() if _fits(found.shape, extents) else check_bounds(corner)
    region = check_bounds(found.whole() if isinstance(found, Buffer) else found)
    if not _agree(region.extents, extents):
        raise _mismatch(parameter, found, extents, op)
    return region


def is_part(value: object, size: object = None) -> bool:
    """Whether an operand is said to be less than a buffer, by a slice or by `size=`."""
    return size is not None or not isinstance(value, Buffer)


def dimension(value: object, rank: int, parameter: str) -> int:
    """A dimension counted from 0; a negative one counts from the last.

    Raises:
        TL139: the tile has no such dimension.
    """
    number = int(value.known) if isinstance(value, Expr) and value.known is not None else value
    if isinstance(number, int) and not isinstance(number, bool) and -rank <= number < rank:
        return int(number) % rank
    shown = number if isinstance(number, int) else describe(value)
    raise builder().fail(
        "TL139",
        f"the tile has no dimension {shown}",
        why=f"it has {rank} dimension{'s' * (rank != 1)}, 0 to {rank - 1}, or -{rank} to -1 from "
        "the last; which one is fixed when the kernel is read",
        fix="write one of these numbers",
        at={parameter: ""},
    )


def dimensions(value: object, rank: int, parameter: str) -> tuple[int, ...]:
    """One or more dimensions, each once, in order.

    Raises:
        TL139: there are none, one comes twice, or the tile has no such dimension.
    """
    items = entries(value)
    found = [dimension(item, rank, parameter) for item in items]
    if found and len(set(found)) == len(found):
        return tuple(sorted(found))
    raise builder().fail(
        "TL139",
        "no dimension is named" if not found else f"a dimension is named twice: {list(items)}",
        why="the operation runs along the dimensions that are named, along each once",
        fix="write one dimension, for example 1, or several, for example [0, 1]",
        at={parameter: ""},
    )


def check_mode(mode: object, modes: Sequence[str], parameter: str) -> str:
    """A word out of a list.

    Raises:
        TL138: there is no such mode.
    """
    if isinstance(mode, str) and mode in modes:
        return str(mode)
    raise builder().fail(
        "TL138",
        f"there is no mode {mode!r}",
        why=f"the modes are {', '.join(modes)}",
        fix=f"{near_name(str(mode), modes)}choose one of these",
        at={parameter: ""},
    )


def check_tiles(op: str, tiles: Mapping[str, Region], dtypes: Collection[str]) -> None:
    """Refuses tiles of several dtypes, or of a dtype that the op does not take.

    Raises:
        TL124: one of the two.
    """
    found = {parameter: region.dtype for parameter, region in tiles.items()}
    kinds = set(found.values())
    if len(kinds) == 1 and kinds <= set(dtypes):
        return
    if len(kinds) > 1:
        what, why = f"T.{op} gets tiles of different dtypes", "it does not convert elements"
    else:
        what, why = f"T.{op} does not work on {kinds.pop()}", f"it takes {', '.join(dtypes)}"
    raise builder().fail("TL124", what, why=why, fix="convert with T.vcast(src, dst)", at=found)


def check_same_rank(op: str, tiles: Mapping[str, Region]) -> None:
    """Refuses tiles of different rank.

    Raises:
        TL123: the ranks differ.
    """
    if len({len(region.extents) for region in tiles.values()}) == 1:
        return
    raise builder().fail(
        "TL123",
        f"T.{op} gets tiles of different rank",
        why="all its tiles have the same number of dimensions",
        fix="allocate them with extents of 1 where a dimension is missing, for example (64, 1)",
        at={parameter: shape_text(region.extents) for parameter, region in tiles.items()},
    )


def check_same_extents(op: str, tiles: Mapping[str, Region], skip: int = -1) -> None:
    """Refuses tiles whose extents certainly differ, but for one dimension.

    Raises:
        TL123: rank or extents differ.
    """
    check_same_rank(op, tiles)
    first, *others = (region.extents for region in tiles.values())
    if all(_agree(_without(first, skip), _without(other, skip)) for other in others):
        return
    raise builder().fail(
        "TL123",
        f"T.{op} gets tiles of different extents",
        why="its tiles belong together element by element"
        + ("" if skip < 0 else f", except along dimension {skip}"),
        fix="slice the larger one, for example tile[0:rows, :]",
        at={parameter: shape_text(region.extents) for parameter, region in tiles.items()},
    )


def _without(extents: Sequence[Index], skip: int) -> list[Index]:
    return [extent for dim, extent in enumerate(extents) if dim != skip]


def _agree(left: Sequence[Index], right: Sequence[Index]) -> bool:
    pairs = ((known(a), known(b)) for a, b in zip(left, right, strict=True))
    return all(a is None or b is None or a == b for a, b in pairs)


def _fits(shape: Sequence[Index], extents: Sequence[Index]) -> bool:
    return all(same(a, b) for a, b in zip(shape, extents, strict=True))


def _mismatch(
    parameter: str, found: Buffer | Region | Element, extents: Sequence[Index], op: str
) -> Exception:
    shape = (1,) * len(found.indices) if isinstance(found, Element) else found.shape
    return builder().fail(
        "TL123",
        f"T.{op} gives {shape_text(extents)}, but `{parameter}` has {shape_text(shape)}",
        why="rank and extents of the destination are those of the result",
        fix=f"allocate `{found.name}` with {shape_text(extents)}, or pass a slice of these extents",
        at={parameter: shape_text(shape)},
    )
