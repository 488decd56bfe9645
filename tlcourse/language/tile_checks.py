"""Checks that vector ops share: dtypes and extents of their tiles."""

from __future__ import annotations

from collections.abc import Mapping

from tlcourse.dialects.vector_ops import VectorOp
from tlcourse.language.affine import Index
from tlcourse.language.buffers import Region, known
from tlcourse.language.builder import builder
from tlcourse.language.regions import shape_text


def check_dtypes(row: VectorOp, name: str, tiles: Mapping[str, Region]) -> None:
    """Refuses tiles of different dtypes, or of a dtype that the op does not take.

    Raises:
        TL124: one of the two.
    """
    found = {parameter: region.dtype for parameter, region in tiles.items()}
    if len(set(found.values())) > 1:
        raise builder().fail(
            "TL124",
            f"T.{name} gets tiles of different dtypes",
            why="a vector operation works in one dtype",
            fix="convert one of them with T.vcast(src, dst, round_mode='rint')",
            at=found,
        )
    dtype = next(iter(found.values()))
    if dtype in row.dtypes or (dtype == "bfloat16" and "float32" in row.dtypes):
        return
    raise builder().fail(
        "TL124",
        f"T.{name} does not work on {dtype}",
        why=f"the vector unit has it for {', '.join(row.dtypes)}",
        fix="convert with T.vcast to one of these first",
        at=dict.fromkeys(found, dtype),
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
