"""Runs the blocks of a class together, once the one that stands for them had no fault.

What was checked for the first block holds for the others where nothing that it was checked by
depends on the block: the order of instructions, flags, sizes, places on chip. That is known from
the run of its generated code, which had the numbers of all blocks. What does depend on the block,
the places in GM, is compared here for all of them. Anything else is left to the blocks, one by
one; nothing has been computed for them until then.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tlcourse.records import Program
from tlcourse.simulator.arenas import Arenas, reach_of
from tlcourse.simulator.arguments import Launch
from tlcourse.simulator.footprints import Footprint, footprints
from tlcourse.simulator.instruction import Instruction
from tlcourse.simulator.lane_matrices import SPACES, followed
from tlcourse.simulator.lane_plan import Distances, Plan
from tlcourse.simulator.lanes import LaneGroup, Values
from tlcourse.simulator.lattice import loops_of
from tlcourse.simulator.loading import Loaded
from tlcourse.simulator.params import Params
from tlcourse.simulator.tape import Op, taped

# Bytes on chip of the blocks of a chunk: about what stays in a cache. Many statements take time
# of their own, so that they are better done for more blocks at once.
_LEAST_BYTES, _MOST_BYTES, _BYTES_PER_OP = 1 << 20, 8 << 20, 16 << 10


@dataclass(frozen=True, kw_only=True)
class Together:
    """Blocks that can run together.

    Args:
        group: the blocks; the first one has run.
        footprints: what they touch of the tensors that the kernel writes.
        ops: what each computes.
        launch: the tensors.
        loaded: the program.
        is_poison_seen: whether a block reads what nobody has written.
    """

    group: LaneGroup
    footprints: Sequence[Footprint]
    ops: Sequence[Op]
    launch: Launch
    loaded: Loaded
    is_poison_seen: bool

    def run(self) -> None:
        """Computes all blocks but the first."""
        lanes = len(self.group.blocks)
        kinds, values = _kinds(self.ops, lanes)
        matrices = followed(self.ops)
        tiles = [t for op in self.ops for t in op.tiles()]
        starts = self._shares()
        reach = reach_of(
            (t for t in tiles if matrices is None or t.memory.space not in SPACES), starts
        )
        size = sum(reach.values()) + (0 if matrices is None else matrices.lane_bytes())
        room = min(max(len(self.ops) * _BYTES_PER_OP, _LEAST_BYTES), _MOST_BYTES)
        chunk = _chunk(lanes, max(1, room // max(size, 1)), values)
        arenas = Arenas(reach, chunk, starts)
        plans: dict[tuple[int | bytes, ...], Plan] = {}
        for start, stop in _chunks(lanes, chunk, skips=self._skips()):
            mine = [value[start:stop] for value in values]
            far = [value - value[0] for value in mine]
            key = stop - start, *(value.tobytes() for value in far)
            plan = plans.get(key)
            if plan is None:
                plan = plans[key] = Plan(
                    self.ops,
                    lanes=stop - start,
                    distances=Distances(kinds=kinds, values=far),
                    arenas=arenas,
                    matrices=matrices,
                    functions=self.loaded.functions_of_many,
                )
            elif self.is_poison_seen:
                arenas.poison()
            plan.run([int(value[0]) for value in mine])

    def _shares(self) -> dict[int, int]:
        """Where the first block's share of the workspace starts, if it keeps to that."""
        blocks, found = self.group.blocks, dict[int, int]()
        for one in self.footprints:
            share = one.memory.share_bytes
            start, stop = one.span_bytes()
            first = int(blocks[0]) * share
            is_own = share and not share % 64 and first <= start and stop <= first + share
            if is_own and np.array_equal(one.shifts, (blocks - blocks[0]) * share):
                found[id(one.memory)] = first
        return found

    def _skips(self) -> bool:
        """Whether the first block must not be computed again: it updates what was there before."""
        fresh = self.launch.fresh
        return any(one.reads and id(one.memory) not in fresh for one in self.footprints)


def group_of(blocks: Sequence[int], params: Params, program: Program) -> LaneGroup | None:
    """The blocks of a class as a group, where a launch lets them run together."""
    alone = params.seed or params.replay > 0 or len(blocks) == 1
    return None if alone or not program.options.get("lanes") else LaneGroup(blocks)


def together(
    order: Sequence[Instruction], group: LaneGroup, launch: Launch, loaded: Loaded, *, poison: bool
) -> Together | None:
    """The blocks of a group, ready to run; None where they must go one by one.

    Args:
        order: the first block's instructions in an order that they may be executed in.
        group: the blocks.
        launch: the tensors.
        loaded: the program.
        poison: whether the first block read what nobody had written.
    """
    if not group.is_alike:
        return None
    found = footprints(order, launch, len(group.blocks))
    if found is None or not all(one.is_apart() for one in found):
        return None
    ops = taped(order, loaded.functions_of_one)
    if ops is None or not group.is_alike:
        return None
    return Together(
        group=group,
        footprints=found,
        ops=ops,
        launch=launch,
        loaded=loaded,
        is_poison_seen=poison,
    )


def _kinds(ops: Sequence[Op], lanes: int) -> tuple[dict[int, int], list[Values]]:
    """Which distances each tile in GM has, by its id, and all that there are."""
    kinds: dict[int, int] = {}
    places: dict[bytes, int] = {}
    values: list[Values] = []
    for op in ops:
        for tile in op.tiles():
            if tile.memory.space != "gm" or id(tile) in kinds:
                continue
            shifts = tile.shifts()
            if shifts is None:
                continue
            kind = places.setdefault(shifts.tobytes(), len(places))
            kinds[id(tile)] = kind
            if kind == len(values):
                values.append(shifts)
    return kinds, values


def _chunk(lanes: int, most: int, values: Sequence[Values]) -> int:
    """Blocks that run at a time: whole or equal parts of the loops over them, if it can be so."""
    most = min(most, lanes)
    loops = [loops_of(value) for value in values]
    inner = {found[1][0] for found in loops if found is not None and len(found) == 2}
    fits = [n for n in range(most, most // 4, -1) if all(n % i == 0 or i % n == 0 for i in inner)]
    even = (n for n in fits if lanes % n == 0)
    return next(even, fits[0] if fits else most)


def _chunks(lanes: int, chunk: int, *, skips: bool) -> list[tuple[int, int]]:
    starts = list(range(0, lanes, chunk))
    found = [(start, min(start + chunk, lanes)) for start in starts]
    if skips:
        found[0] = 1, found[0][1]
    return [(start, stop) for start, stop in found if start < stop]
