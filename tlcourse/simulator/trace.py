"""The timeline of a launch: one core group, block after block, and how long the chip takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tlcourse.chips import Chip
from tlcourse.diagnostics import Span
from tlcourse.records import Bubble, Instruction, Lane, Timeline
from tlcourse.simulator import wording
from tlcourse.simulator.timing import BlockTime, Timed

_LANE_ORDER = ("MTE2", "MTE1", "M", "FIX", "V", "MTE3")


@dataclass(frozen=True, kw_only=True)
class Plan:
    """How the blocks of a launch are laid over the chip.

    Args:
        kernel: name of the kernel.
        kind: `vector`, `cube` or `mix`: which launch cost applies.
        blocks: number of logical blocks.
        slots: how many blocks the chip runs at a time.
        class_of: the representative of each block.
        times: block times by representative.
    """

    kernel: str
    kind: str
    blocks: int
    slots: int
    class_of: Sequence[int]
    times: Mapping[int, BlockTime]


def slots_of(chip: Chip, kind: str) -> int:
    """How many blocks run at a time: a vector kernel's block takes one vector core."""
    return chip.core_groups * (chip.vector_cores_per_group if kind == "vector" else 1)


def timeline(plan: Plan, chip: Chip, spans: Sequence[Span | None], *, all_blocks: bool) -> Timeline:
    """The timeline of the slot that ends last; the first one where several do.

    Block i runs on slot i mod slots; a further block starts `block_cycles` after the one
    before it has ended.

    Args:
        plan: blocks and their times.
        chip: clock and launch cost.
        spans: the program's table of places.
        all_blocks: show every block of the slot, not one block of each class.
    """
    launch = chip.timing.launch_cycles[plan.kind]
    slot = max(range(min(plan.slots, plan.blocks)), key=lambda s: (_slot_cycles(plan, chip, s), -s))
    shown = _Shown(plan, chip, spans, launch, all_blocks=all_blocks)
    for block in range(slot, plan.blocks, plan.slots):
        shown.add(block)
    return Timeline(
        kernel=plan.kernel,
        chip=chip.name,
        clock_mhz=chip.clock_mhz,
        cycles=launch + _slot_cycles(plan, chip, slot),
        launch_cycles=launch,
        lanes=shown.lanes(slot),
        instructions=tuple(shown.instructions),
        bubbles=tuple(shown.bubbles),
        replicated_blocks=plan.blocks - len(plan.times),
    )


def _slot_cycles(plan: Plan, chip: Chip, slot: int) -> int:
    blocks = range(slot, plan.blocks, plan.slots)
    work = sum(plan.times[plan.class_of[block]].cycles for block in blocks)
    return work + (len(blocks) - 1) * chip.timing.block_cycles


class _Shown:
    """Collects the instructions of one slot."""

    def __init__(
        self,
        plan: Plan,
        chip: Chip,
        spans: Sequence[Span | None],
        launch: int,
        *,
        all_blocks: bool,
    ) -> None:
        self._plan = plan
        self._chip = chip
        self._spans = spans
        self._now = launch
        self._all = all_blocks
        self._seen: set[int] = set()
        self._busy: dict[tuple[str, str], int] = {}
        self.instructions: list[Instruction] = []
        self.bubbles: list[Bubble] = []

    def add(self, block: int) -> None:
        """Puts a block behind the ones before."""
        representative = self._plan.class_of[block]
        time = self._plan.times[representative]
        is_shown = self._all or representative not in self._seen
        self._seen.add(representative)
        if is_shown:
            self._show(block, time)
        for timed in time.timed:
            lane = _lane(timed)
            self._busy[lane] = self._busy.get(lane, 0) + timed.end - timed.start
        self._now += time.cycles + self._chip.timing.block_cycles

    def lanes(self, slot: int) -> tuple[Lane, ...]:
        """One lane for each pipe that did any work, in the order of the data's way."""
        group = slot // self._chip.vector_cores_per_group if self._is_vector() else slot
        keys = sorted(self._busy, key=lambda key: (key[0], _LANE_ORDER.index(key[1])))
        return tuple(
            Lane(
                name=f"{agent}.{pipe}",
                agent=agent,
                pipe=pipe,
                core=group,
                busy_cycles=self._busy[agent, pipe],
            )
            for agent, pipe in keys
        )

    def _is_vector(self) -> bool:
        return self._plan.kind == "vector"

    def _show(self, block: int, time: BlockTime) -> None:
        ids = {id(timed.instruction): i for i, timed in enumerate(time.timed)}
        base = len(self.instructions)
        ends: dict[tuple[str, str], int] = {}
        for timed in time.timed:
            waits = sorted({base + ids[id(w)] for w in timed.flags if id(w) in ids})
            self.instructions.append(self._instruction(base, ids, timed, block, tuple(waits)))
            self._bubble(timed, ends.get(_lane(timed), 0))
            ends[_lane(timed)] = timed.end

    def _instruction(
        self,
        base: int,
        ids: Mapping[int, int],
        timed: Timed,
        block: int,
        waits: tuple[int, ...],
    ) -> Instruction:
        site = timed.instruction.site
        return Instruction(
            id=base + ids[id(timed.instruction)],
            block=block,
            agent=timed.instruction.core.name,
            pipe=site.pipe,
            op=site.op,
            start_cycle=self._now + timed.start,
            end_cycle=self._now + timed.end,
            bytes=timed.gm_bytes,
            span=self._spans[site.span] if site.span >= 0 else None,
            waits_on=waits,
        )

    def _bubble(self, timed: Timed, free: int) -> None:
        if timed.start > free:
            agent, pipe = _lane(timed)
            self.bubbles.append(
                Bubble(
                    lane=f"{agent}.{pipe}",
                    start_cycle=self._now + free,
                    end_cycle=self._now + timed.start,
                    cause=self._cause(timed),
                )
            )

    def _cause(self, timed: Timed) -> str:
        if timed.cause == "barrier":
            return f"barrier of {timed.instruction.site.pipe}"
        other = timed.waited_for
        if other is None:
            return "issue"
        place = "" if other.core is timed.instruction.core else f" of {wording.core(other.core)}"
        span = self._spans[other.site.span] if other.site.span >= 0 else None
        line = f", line {span.line}" if span else ""
        return f"{other.site.op} on {other.pipe.name}{place}{line}"


def _lane(timed: Timed) -> tuple[str, str]:
    return timed.instruction.core.name, timed.instruction.site.pipe
