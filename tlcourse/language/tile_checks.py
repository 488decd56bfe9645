"""Checks that vector ops share: dtypes and extents of their tiles."""

from __future__ import annotations

from collections.abc import Mapping

from tlcourse.dialects.vector_ops import VectorOp
from tlcourse.language.affine import Index
from tlcourse.language.buffers import Region, known
from tlcourse.language.builder import builder
from tlcourse.language.regions import shape_text


def check_dtypes(row: VectorOp, name: str, tiles: Mapping[str, Region]) -> str:
    """Refuses tiles of different dtypes, or of a dtype that the op does not take.

    Args:
        row: the op.
        name: how the learner called it.
        tiles: sources that are tiles and, as the last one, the destination.

    Returns:
        the dtype that the op computes in; a bool tile that stands for conditions has none.

    Raises:
        TL124: one of the two.
    """
    found = {parameter: region.dtype for parameter, region in tiles.items()}
    if row.mask:
        _check_mask(name, found, list(found)[0 if row.mask == "source" else -1])
    if len(set(found.values())) > 1:
        raise builder().fail(
            "TL124",
            f"T.{name} gets tiles of different dtypes",
            why="a vector operation works in one dtype",
            fix="convert one of them with T.vcast(src, dst, round_mode='rint')",
            at=found,
        )
    dtype = next(iter(found.values()))
    if dtype in row.dtypes or row.through_float32(dtype):
        return dtype
    raise builder().fail(
        "TL124",
        f"T.{name} does not work on {dtype}",
        why=f"the vector unit has it for {', '.join(row.dtypes)}",
        fix="convert with T.vcast to one of these first",
        at=dict.fromkeys(found, dtype),
    )


def _check_mask(name: str, found: dict[str, str], mask: str) -> None:
    """Takes the tile of conditions out of the dtypes; refuses it where it is not bool."""
    dtype = found.pop(mask)
    if dtype == "bool":
        return
    raise builder().fail(
        "TL124",
        f"`{mask}` of T.{name} is {dtype}, not bool",
        why="conditions are a tile of dtype bool, one true or false for each element",
        fix='allocate it with dtype "bool"; T.vcmp(A, B, mask, "ge") fills it',
        at={mask: dtype},
    )


def check_conversion(op: str, src: Region, dst: Region) -> None:
    """Refuses to convert from or to unsigned integers and float64: no vector cast knows them.

    Raises:
        TL124: it would be such a conversion.
    """
    kinds = {src.dtype, dst.dtype}
    if "float64" in kinds and len(kinds) == 2:
        raise builder().fail(
            "TL124",
            f"T.{op} cannot convert {src.dtype} to {dst.dtype}",
            why="the vector unit has no floats of 64 bits",
            fix="use float32",
            at={"src": src.dtype, "dst": dst.dtype},
        )
    unsigned = sorted(kind for kind in kinds if kind.startswith("uint"))
    if len(kinds) == 1 or not unsigned or "bool" in kinds:
        return
    raise builder().fail(
        "TL124",
        f"T.{op} cannot convert {src.dtype} to {dst.dtype}",
        why="the casts of the vector unit take integers as signed: half of the numbers would "
        "come out wrong",
        fix=f"use {unsigned[0][1:]}, or convert element by element in T.serial with "
        f'T.cast(x, "{dst.dtype}")',
        at={"src": src.dtype, "dst": dst.dtype},
    )


def check_broadcast(
    name: str, sources: Mapping[str, Region], destination: str, dst: Region
) -> None:
    """Refuses sources whose extents are neither the destination's nor 1.

    Ranks are equal, or the longer one has leading extents of 1.

    Raises:
        TL123: an extent certainly disagrees.
    """
    for parameter, source in sources.items():
        if broadcasts(source.extents, dst.extents):
            continue
        raise builder().fail(
            "TL123",
            f"T.{name} cannot write {shape_text(source.extents)} to {shape_text(dst.extents)}",
            why="each extent of a source equals the destination's extent, or is 1; ranks are equal",
            fix="slice the larger tile, for example tile[0:rows, :], or allocate another one",
            at={parameter: shape_text(source.extents), destination: shape_text(dst.extents)},
        )


def broadcasts(source: tuple[Index, ...], target: tuple[Index, ...]) -> bool:
    """Whether extents may be broadcast to others, as far as that is known."""
    surplus = len(source) - len(target)
    leading = source[: max(surplus, 0)] + target[: max(-surplus, 0)]
    if any(known(extent) != 1 for extent in leading):
        return False
    pairs = zip(source[max(surplus, 0) :], target[max(-surplus, 0) :], strict=True)
    return all(_fits(known(a), known(b)) for a, b in pairs)


def _fits(source: int | None, target: int | None) -> bool:
    return source == 1 or source is None or target is None or source == target
