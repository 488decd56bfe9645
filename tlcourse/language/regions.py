"""The region algebra: which parts of two buffers a tile op reads and writes.

Rules of T.copy, shared by every op that takes slices, start points and `size=`:

1. a slice says its extents itself; `size=` beside a slice is refused;
2. a whole buffer beside a slice of the same rank takes the slice's extents, from offset 0;
3. an element `A[i, j]` is a start point; its extents come from `size=` or the other side;
4. `size=` applies to both sides; a buffer of lower rank takes the last entries;
5. dimensions of extent 1 may be left out on either side; the others agree in order.
"""

from __future__ import annotations

from collections.abc import Sequence

from tlcourse.language.affine import Index
from tlcourse.language.buffers import (
    Buffer,
    Element,
    Region,
    check_bounds,
    describe,
    index_of,
    known,
)
from tlcourse.language.builder import builder
from tlcourse.language.host import entries

Operand = Buffer | Region | Element


def operand(value: object, parameter: str) -> Operand:
    """A learner's value as an operand that names memory.

    Raises:
        TL121: it is a scalar or something else.
    """
    if isinstance(value, (Buffer, Region, Element)):
        return value
    raise builder().fail(
        "TL121",
        f"`{parameter}` is {describe(value)}, not a tile",
        why="the operation works on a buffer, or on a part of one",
        fix="pass a buffer `A`, a slice `A[0:rows, :]` or an element `A[i, j]`",
        at={parameter: describe(value)},
    )


def tile(value: object, parameter: str) -> Region:
    """An operand alone: a buffer is whole, an element is a region of extent 1."""
    found = operand(value, parameter)
    if isinstance(found, Element):
        return check_bounds(found.region((1,) * len(found.indices)))
    return check_bounds(whole(found))


def whole(value: Buffer | Region) -> Region:
    """A buffer as the region of all of it."""
    return value.whole() if isinstance(value, Buffer) else value


def sized(value: object, size: Sequence[Index], parameter: str, *, slices: bool = False) -> Region:
    """The part of an operand that starts at its origin and has the extents `size`.

    Args:
        value: the operand.
        size: extents; they count from the last dimension.
        parameter: its name in the call.
        slices: whether a slice may stand beside `size`, and gives its start only.

    Raises:
        TL122: the operand is a slice, which says its extents itself.
        TL123: `size` does not fit the operand's rank.
    """
    found = operand(value, parameter)
    if isinstance(found, Region) and slices:
        part = Element(buffer=found.buffer, indices=found.offsets)
        return check_bounds(part.region(_fit(size, len(found.offsets), parameter)))
    if isinstance(found, Region):
        raise builder().fail(
            "TL122",
            f"`size` is given, and `{parameter}` is a slice",
            why="a slice says its extents itself; two answers could disagree",
            fix=f"write the start point {found.name}[i, j] with size=, or the slice without it",
            at={parameter: "a slice", "size": ""},
        )
    start = found.region if isinstance(found, Element) else _from_origin(found)
    if isinstance(found, Element):
        return check_bounds(start(_fit(size, len(found.indices), parameter)))
    return check_bounds(start(_inside(size, found.shape, parameter)))


def sizes(size: object) -> tuple[Index, ...]:
    """The `size=` argument as extents."""
    return tuple(index_of(entry, "an entry of `size`") for entry in entries(size))


def pair(src: object, dst: object, size: object, op: str) -> tuple[Region, Region]:
    """Source and destination of a move, by the rules above.

    Raises:
        TL122: `size` beside a slice.
        TL123: extents cannot be found, or do not agree.
    """
    if size is not None:
        extents = sizes(size)
        regions = sized(src, extents, "src"), sized(dst, extents, "dst")
    else:
        regions = _deduced(operand(src, "src"), operand(dst, "dst"), op)
    check_same_backbone(*regions, op=op)
    return check_bounds(regions[0]), check_bounds(regions[1])


def check_same_backbone(src: Region, dst: Region, *, op: str) -> None:
    """Refuses two regions whose extents other than 1 certainly disagree.

    Raises:
        TL123: they do.
    """
    a, b = backbone(src.extents), backbone(dst.extents)
    agree = len(a) == len(b) and all(
        x == y
        for x, y in ((known(x), known(y)) for x, y in zip(a, b, strict=True))
        if x is not None and y is not None
    )
    if agree:
        return
    raise builder().fail(
        "TL123",
        f"T.{op} moves {shape_text(src.extents)} to {shape_text(dst.extents)}",
        why="extents other than 1 must agree, in number and in order",
        fix="slice the larger side: T.copy(A[i:i + rows, :], buffer[0:rows, :])",
        at={"src": shape_text(src.extents), "dst": shape_text(dst.extents)},
    )


def backbone(extents: Sequence[Index]) -> list[Index]:
    """The extents that are not certainly 1."""
    return [extent for extent in extents if known(extent) != 1]


def shape_text(extents: Sequence[Index]) -> str:
    """Extents for a message; what is not known is `?`."""
    shown = ["?" if known(extent) is None else str(known(extent)) for extent in extents]
    return f"({', '.join(shown)}{',' if len(shown) == 1 else ''})"


def _deduced(src: Operand, dst: Operand, op: str) -> tuple[Region, Region]:
    if isinstance(src, Element) and isinstance(dst, Element):
        raise builder().fail(
            "TL123",
            f"T.{op} cannot tell how much to move",
            why="both sides are start points, and a start point has no extents",
            fix="write a slice on one side, A[i:i + rows, j:j + cols], or size=[rows, cols]",
            at={"src": "a start point", "dst": "a start point"},
        )
    if isinstance(src, Element):
        other = whole(_not_element(dst))
        return _beside(src, other), other
    if isinstance(dst, Element):
        other = whole(src)
        return other, _beside(dst, other)
    _check_no_broadcast(src, dst, op)
    return _matched(src, dst), _matched(dst, src)


def _not_element(value: Operand) -> Buffer | Region:
    assert not isinstance(value, Element)
    return value


def _beside(start: Element, other: Region) -> Region:
    """A start point takes the other side's last extents; leading ones that it lacks are 1."""
    rank = len(start.indices)
    extents = other.extents[-rank:]
    return start.region((1,) * (rank - len(extents)) + extents)


def _matched(value: Buffer | Region, other: Buffer | Region) -> Region:
    """A whole buffer takes the extents of a slice of the same rank."""
    if isinstance(value, Region):
        return value
    if isinstance(other, Region) and len(other.extents) == len(value.shape):
        return Region(buffer=value, offsets=(0,) * len(value.shape), extents=other.extents)
    return value.whole()


def _check_no_broadcast(src: Buffer | Region, dst: Buffer | Region, op: str) -> None:
    """Refuses a row or column beside a whole buffer that it would fill if copies repeated."""
    if not isinstance(src, Region) or not isinstance(dst, Buffer):
        return
    if len(src.extents) != len(dst.shape):
        return
    pairs = [(known(a), known(b)) for a, b in zip(src.extents, dst.shape, strict=True)]
    others = [(a, b) for a, b in pairs if a != b]
    if not others or any(a != 1 or b is None for a, b in others) or len(others) == len(pairs):
        return
    raise builder().fail(
        "TL123",
        f"T.{op} moves {shape_text(src.extents)} to {shape_text(dst.shape)}",
        why="a copy does not repeat elements: only a part of the buffer would change",
        fix=f"copy to a slice of `{dst.name}` that has the extents {shape_text(src.extents)}; to "
        f"repeat it, copy it to a tile of its own and T.vbrc(tile, {dst.name})",
        at={"src": shape_text(src.extents), "dst": shape_text(dst.shape)},
    )


class _FromOrigin:
    def __init__(self, buffer: Buffer) -> None:
        self.buffer = buffer

    def __call__(self, extents: Sequence[Index]) -> Region:
        return Region(
            buffer=self.buffer, offsets=(0,) * len(self.buffer.shape), extents=tuple(extents)
        )


def _from_origin(buffer: Buffer) -> _FromOrigin:
    return _FromOrigin(buffer)


def _inside(size: Sequence[Index], shape: Sequence[Index], parameter: str) -> tuple[Index, ...]:
    """`size` in a buffer: its extents other than 1 go where the buffer's are not 1."""
    wide, extents = [d for d, n in enumerate(shape) if known(n) != 1], backbone(size)
    if len(wide) != len(extents):
        return _fit(size, len(shape), parameter)
    found = dict(zip(wide, extents, strict=True))
    return tuple(found.get(dim, 1) for dim in range(len(shape)))


def _fit(size: Sequence[Index], rank: int, parameter: str) -> tuple[Index, ...]:
    if len(size) >= rank:
        return tuple(size[len(size) - rank :])
    return (1,) * (rank - len(size)) + tuple(size)
