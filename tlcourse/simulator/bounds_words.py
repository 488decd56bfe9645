"""A tile outside of its bounds, in words."""

from __future__ import annotations

from collections.abc import Hashable

from tlcourse.simulator import wording
from tlcourse.simulator.findings import Fault
from tlcourse.simulator.instruction import Instruction
from tlcourse.simulator.tile import Outside, Tile
from tlcourse.slack import BESIDE_WHY

_WHY = (
    "nothing on the chip checks this; the hardware would touch whatever lies beside it, "
    "without a word"
)
_BLOCK_ROWS = 16


def fault(
    instruction: Instruction, tile: Tile, how: Outside, access: str, key: Hashable, cut: int
) -> Fault:
    """TL501; TL508 where the tile stays in memory that the device keeps for its tensor.

    Args:
        instruction: what touches the tile.
        tile: the part that reaches outside.
        how: along which dimension, and how far.
        access: `reads` or `writes`.
        key: of the fault.
        cut: the statement that cuts the tile, where it is another one; else -1.
    """
    beside = tile.is_beside()
    name = wording.tile(tile)
    op = wording.operation(instruction)
    return Fault(
        key=key,
        code="TL508" if beside else "TL501",
        severity="warning" if beside else "error",
        at=instruction,
        cut=cut,
        other_span=instruction.site.span if cut >= 0 else -1,
        other_label=f"{op} {access} it here",
        what=f"{op} {access} {name} outside its bounds {wording.where(instruction)}: "
        f"{_extent(tile, how)}",
        why=BESIDE_WHY if beside else _WHY,
        fix=_fix(wording.short(tile) or name, tile, how),
        label=_label(tile, how),
        # What lies outside holds nothing; that it is used is no second fault.
        excuses=(("uninitialised", instruction.site.index), ("unwritten", instruction.site.index)),
    )


def inside_a_slot(
    instruction: Instruction, tile: Tile, start: int, slot: int, key: Hashable
) -> Fault:
    """TL533: a transfer between GM and UB starts inside a slot.

    Args:
        instruction: the transfer.
        tile: its side in UB.
        start: bytes from the start of the slot.
        slot: bytes of a slot.
        key: of the fault.
    """
    return Fault(
        key=key,
        code="TL533",
        at=instruction,
        what=f"{instruction.site.op} starts {start} B into a slot of {wording.tile(tile)}, "
        f"{wording.where(instruction)}, but needs a multiple of {slot} B",
        why=f"the DMA between GM and UB moves whole slots of {slot} B, and Expert mode adds no "
        "instructions that shift data inside one",
        fix="copy to the front of a tile and move it on inside UB, or let the offset be a "
        f"multiple of {slot // max(tile.width, 1)} elements",
        label=f"{start} B into a slot",
    )


def _label(tile: Tile, how: Outside) -> str:
    if how.is_negative:
        return f"the extent is {how.stop - how.start:,}"
    if how.stop > how.limit:
        return f"reaches {how.stop - how.limit:,}{_unit(tile, how)} too far"
    return f"starts at {how.start:,}"


def _extent(tile: Tile, how: Outside) -> str:
    if how.is_negative:
        return (
            f"dimension {how.dim} from {how.start:,} on has an extent of {how.stop - how.start:,}"
        )
    if how.dim < 0:
        return f"elements {how.start:,} to {how.stop - 1:,}, but there are {how.limit:,}"
    if _unit(tile, how):
        width = tile.sizes[-1] if how.dim == 0 else _BLOCK_ROWS
        what = "columns" if how.dim == 0 else "rows"
        return (
            f"blocks {how.start:,} to {how.stop - 1:,} of {width} {what} each, but there are "
            f"{how.limit:,}"
        )
    if how.stop - how.start == 1:
        return f"index {how.start:,} of dimension {how.dim}, but its extent is {how.limit:,}"
    return (
        f"dimension {how.dim} from {how.start:,} to {how.stop - 1:,}, but its extent is "
        f"{how.limit:,}"
    )


def _unit(tile: Tile, how: Outside) -> str:
    """Tiles of the cube core are counted in blocks along their first two dimensions."""
    in_blocks = tile.memory.space in ("cbuf", "cc") and len(tile.sizes) == 4 and how.dim in (0, 1)
    return (" block" if how.stop - how.limit == 1 else " blocks") if in_blocks else ""


def _fix(name: str, tile: Tile, how: Outside) -> str:
    if how.is_negative:
        return (
            "an extent such as T.min(block, size - start) is below 0 where nothing is left: put an "
            "`if` around, or end the grid or the loop earlier"
        )
    if how.start < 0:
        return f"correct the start: the first index of {name} is 0"
    if tile.elements == 1:
        return (
            f"keep the index below {how.limit:,}: correct the end of the loop, or put an if around"
        )
    if how.start >= how.limit:
        return f"nothing of {name} is left there: end the grid or the loop earlier"
    return (
        f"let the last tile end with {name}: an extent of T.min(block, size - start) on both "
        "sides of the statement"
    )
