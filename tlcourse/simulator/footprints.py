"""What like blocks touch in GM, compared: the first block's elements, moved on for each other.

Where all accesses to a tensor move by one distance from block to block, a block does to its own
elements what the first block does to its own, and two blocks meet where the first block's
elements, moved by the difference of their distances, meet themselves.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
import torch

from tlcourse.simulator.arguments import Launch
from tlcourse.simulator.instruction import Instruction
from tlcourse.simulator.lanes import Values
from tlcourse.simulator.memory import Memory
from tlcourse.simulator.tile import Tile

# Units that are looked at: a comparison that takes longer than the blocks is left to them.
_MOST_UNITS = 1 << 26


@dataclass(kw_only=True)
class Footprint:
    """What the first block of a class touches of a tensor that the kernel writes.

    Args:
        memory: the tensor.
        shifts: how many bytes further on each block does the same.
        reads: tiles that are read.
        writes: tiles that are written or added to.
    """

    memory: Memory
    shifts: Values
    reads: list[Tile] = field(default_factory=lambda: list[Tile]())
    writes: list[Tile] = field(default_factory=lambda: list[Tile]())

    def span_bytes(self) -> tuple[int, int]:
        """First byte of the first block's tiles, and the byte behind the last."""
        spans = [tile.span_bytes() for tile in (*self.reads, *self.writes)]
        return min(start for start, _ in spans), max(stop for _, stop in spans)

    def is_apart(self) -> bool:
        """Whether no block touches what another one writes."""
        start, stop = self.span_bytes()
        order = np.sort(self.shifts)
        if len(order) < 2 or not self.writes:
            return True
        gaps = np.diff(order)
        if not gaps.min():
            return False
        return bool(gaps.min() >= stop - start) or self._meets_nobody(order, stop - start)

    def written(self) -> int:
        """The number of units that the first block writes."""
        return int(self._cells(self.writes).sum())

    def _meets_nobody(self, order: Values, reach: int) -> bool:
        unit = self.memory.unit_bytes
        steps = _differences(order, reach)
        if steps is None or (steps % unit).any() or len(steps) * (reach // unit) > _MOST_UNITS:
            return False
        writes = self._cells(self.writes)
        touched = writes | self._cells(self.reads) if self.reads else writes
        return not any(
            bool((writes[step:] & touched[:-step]).any() | (touched[step:] & writes[:-step]).any())
            for step in (steps // unit).tolist()
        )

    def _cells(self, tiles: Sequence[Tile]) -> torch.Tensor:
        """Which units between the first and the last byte belong to tiles."""
        start, stop = self.span_bytes()
        unit = self.memory.unit_bytes
        first = start // unit
        cells = torch.zeros(-(-stop // unit) - first, dtype=torch.bool)
        for tile in tiles:
            units = tile.units()
            if units is None:
                low, high = tile.span_bytes()
                cells[low // unit - first : -(-high // unit) - first] = True
            else:
                sizes, strides, offset = units
                cells.as_strided(sizes, strides, offset - first).fill_(True)
        return cells


def footprints(
    instructions: Iterable[Instruction], launch: Launch, lanes: int
) -> list[Footprint] | None:
    """What a class touches of the tensors that the kernel writes.

    Args:
        instructions: of the first block.
        launch: says which tensors are written.
        lanes: blocks of the class.

    Returns:
        a footprint for each tensor; None where one cannot tell, or a block leaves a tensor.
    """
    found: dict[int, Footprint] = {}
    written = {id(memory) for memory in launch.written}
    seen: set[tuple[int, bool]] = set()
    for tile, writes in _accesses(instructions):
        if (id(tile), writes) in seen or not tile.elements:
            continue
        seen.add((id(tile), writes))
        shifts = tile.shifts()
        if not _is_inside(tile, shifts):
            return None
        if id(tile.memory) not in written:
            continue
        mine = np.zeros(lanes, dtype=np.int64) if shifts is None else shifts
        one = found.get(id(tile.memory))
        if one is None:
            one = found[id(tile.memory)] = Footprint(memory=tile.memory, shifts=mine)
        elif not np.array_equal(one.shifts, mine):
            return None
        (one.writes if writes else one.reads).append(tile)
    return list(found.values())


def _accesses(instructions: Iterable[Instruction]) -> Iterable[tuple[Tile, bool]]:
    """Tiles in GM, and whether they are written or added to."""
    for instruction in instructions:
        for tile in instruction.reads:
            if tile.memory.space == "gm":
                yield tile, False
        for tile in instruction.writes:
            if tile.memory.space == "gm":
                yield tile, True


def _is_inside(tile: Tile, shifts: Values | None) -> bool:
    """Whether the tile of each block lies in its tensor, and that ends where its memory does."""
    start, stop = tile.span_bytes()
    low, high = (0, 0) if shifts is None else (int(shifts.min()), int(shifts.max()))
    memory = tile.memory
    return (
        memory.own_bytes == memory.size_bytes
        and 0 <= start + low
        and stop + high <= (memory.own_bytes)
    )


def _differences(order: Values, reach: int) -> Values | None:
    """The distances between any two blocks that are smaller than `reach`, each once."""
    found: set[int] = set()
    for gap in range(1, len(order)):
        near = order[gap:] - order[:-gap]
        near = near[near < reach]
        if not near.size:
            break
        found.update(np.unique(near).tolist())
        if gap > 4096:
            return None
    return np.array(sorted(found), dtype=np.int64)
