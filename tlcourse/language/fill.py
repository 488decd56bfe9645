"""Filling, broadcasting and converting tiles: T.clear, T.fill, T.vbrc, T.vcast."""

from __future__ import annotations

from tlcourse.dialects import tl
from tlcourse.language.buffers import Region
from tlcourse.language.builder import builder
from tlcourse.language.calls import statement
from tlcourse.language.names import near_name
from tlcourse.language.regions import sized, sizes, tile
from tlcourse.language.scalar import is_operand, to_expr
from tlcourse.language.tile_checks import check_broadcast, check_conversion


@statement
def clear(buffer: object) -> None:
    """Fills a tile with 0: `T.clear(acc)`.

    Args:
        buffer: tile to write.

    Raises:
        TL121: it is no tile.
    """
    _broadcast("clear", 0, buffer, "buffer")


@statement
def fill(buffer: object, value: object) -> None:
    """Fills a tile with a scalar: `T.fill(m, -T.infinity("float32"))`.

    Args:
        buffer: tile to write.
        value: number or scalar; it is converted to the tile's dtype.

    Raises:
        TL121: the first argument is no tile, or the second no scalar.
    """
    if not is_operand(value):
        tile(value, "value")
        raise builder().fail(
            "TL121",
            "T.fill gets a tile as its value",
            why="it writes one number to every element",
            fix="copy with T.copy(src, dst), or broadcast with T.vbrc(src, dst)",
            at={"value": "a tile"},
        )
    _broadcast("fill", value, buffer, "buffer")


@statement
def vbrc(src: object, dst: object) -> None:
    """Broadcasts: fills `dst` with a scalar, or repeats `src` along its extents of 1.

    Args:
        src: scalar, or tile of the same rank whose extents are the destination's or 1.
        dst: tile to write.

    Raises:
        TL121: `dst` is no tile.
        TL123: the extents do not agree.
        TL124: the dtypes differ.
    """
    _broadcast("vbrc", src, dst, "dst")


@statement
def vcast(src: object, dst: object, size: object = None, round_mode: str = "rint") -> None:
    """Converts a tile to the dtype of another: `T.vcast(acc_f32, out_f16)`.

    Args:
        src: tile to read.
        dst: tile to write, of another dtype.
        size: extents of both sides; a slice or element beside it says the start only.
        round_mode: rint (nearest, ties to even), round (ties away from 0), floor, ceil, trunc,
            or odd from float32 to float16.

    Raises:
        TL121: an operand is no tile.
        TL123: the extents do not agree.
        TL124: a dtype is an unsigned integer or float64.
        TL133: there is no such round mode, or not for these dtypes.
    """
    if round_mode not in tl.ROUND_MODES:
        raise builder().fail(
            "TL133",
            f"there is no round mode {round_mode!r}",
            why=f"the round modes are {', '.join(tl.ROUND_MODES)}",
            fix=f"{near_name(str(round_mode), tl.ROUND_MODES)}rint is the usual one",
            at={"round_mode": ""},
        )
    regions = _sides(src, dst, size)
    check_broadcast("vcast", {"src": regions[0]}, "dst", regions[1])
    check_conversion("vcast", *regions)
    _check_odd(round_mode, *regions)
    builder().emit(tl.CastOp(regions[0].tile(), regions[1].tile(), round_mode))


npuir_clear = clear
npuir_fill = fill
npuir_brc = vbrc
npuir_cast = vcast


def _broadcast(name: str, value: object, target: object, parameter: str) -> None:
    dst = tile(target, parameter)
    if is_operand(value):
        scalar = to_expr(value, dst.dtype)
        builder().emit(tl.BroadcastOp(scalar.value, dst.tile()))
        return
    src = tile(value, "src")
    check_broadcast(name, {"src": src}, parameter, dst)
    _check_equal(name, src, dst)
    builder().emit(tl.BroadcastOp(src.tile(), dst.tile()))


def _check_equal(name: str, src: Region, dst: Region) -> None:
    if src.dtype == dst.dtype:
        return
    raise builder().fail(
        "TL124",
        f"T.{name} gets tiles of different dtypes",
        why="it repeats elements; it does not convert them",
        fix="convert with T.vcast(src, dst) first",
        at={"src": src.dtype, "dst": dst.dtype},
    )


def _sides(src: object, dst: object, size: object) -> tuple[Region, Region]:
    if size is None:
        return tile(src, "src"), tile(dst, "dst")
    extents = sizes(size)
    return sized(src, extents, "src", slices=True), sized(dst, extents, "dst", slices=True)


def _check_odd(round_mode: str, src: Region, dst: Region) -> None:
    if round_mode != "odd" or (src.dtype, dst.dtype) == ("float32", "float16"):
        return
    raise builder().fail(
        "TL133",
        f"T.vcast does not round {src.dtype} to {dst.dtype} to odd",
        why="that round mode is for float32 to float16, before another rounding",
        fix="use rint, or another of the round modes",
        at={"round_mode": "", "src": src.dtype, "dst": dst.dtype},
    )
