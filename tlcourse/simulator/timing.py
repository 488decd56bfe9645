"""Cycles of one block: each pipe serves its queue in order, flags make pipes wait.

The engine takes the instructions of a block in an order in which they were executed and gives
each a start and an end. All figures are constants of the chip; nothing here is a hardware
number. A pipe is busy from start to end; what a DMA brings is there `gm_latency_cycles` later,
and a flag that follows it is raised then.

An instruction starts when all of these are true: the scalar unit has issued it, its pipe is
free, the flags it waits for are up. Worked by hand, with issue 8, DMA start 100, segment 6,
latency 500, 40 bytes a cycle, flag 20, vector start 110, one cycle a repeat:

    load 4,096 contiguous bytes   issued 8     MTE2  8 to 8+100+103+6 = 217, data at 717
    set_flag MTE2 -> V            issued 16    up at 717
    wait_flag                     issued 24    V stands until 717+20 = 737
    vadd 4,096 bytes              issued 32    V     737 to 737+110+16 = 863
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tlcourse.chips import Chip, Timing
from tlcourse.simulator.instruction import Instruction
from tlcourse.simulator.tile import Tile

# Terms of a product that the cube adds in one step, by bytes of an element.
_K_STEP = {1: 32, 2: 16, 4: 4}


@dataclass(frozen=True, kw_only=True)
class Cost:
    """What an instruction takes: cycles on its pipe, and cycles until its result is there."""

    occupy: int
    latency: int = 0
    gm_bytes: int = 0


@dataclass(frozen=True, kw_only=True)
class Timed:
    """An instruction with its times.

    Args:
        instruction: the instruction.
        start: first cycle on its pipe.
        end: cycle after the last on its pipe.
        gm_bytes: bytes moved through GM.
        cause: what its pipe waited for in front of it: `flag`, `barrier`, `issue` or nothing.
        waited_for: the work behind that flag.
        flags: all work that it waited for through flags.
    """

    instruction: Instruction
    start: int
    end: int
    gm_bytes: int
    cause: str
    waited_for: Instruction | None
    flags: tuple[Instruction, ...]


@dataclass(frozen=True, kw_only=True)
class BlockTime:
    """The times of one block, from its first issue on."""

    cycles: int
    timed: tuple[Timed, ...]


def time_block(
    executed: Sequence[Instruction], chip: Chip, active_groups: int, *, shown_block: int
) -> BlockTime:
    """Times a block, or blocks that run side by side.

    Args:
        executed: its instructions in an order in which they were executed.
        chip: constants.
        active_groups: core groups that run at the same time and share L2.
        shown_block: the block whose instructions are kept.
    """
    clock = _Clock(chip, active_groups)
    for instruction in executed:
        clock.add(instruction)
    shown = (t for t in clock.timed if t.instruction.core.block == shown_block)
    return BlockTime(cycles=clock.end, timed=tuple(shown))


class _Lane:
    """A pipe as the clock sees it."""

    def __init__(self) -> None:
        self.free = 0
        self.drained = 0
        self.last: Instruction | None = None
        self.cause = ""
        self.waited_for: Instruction | None = None
        self.flags: list[Instruction] = []

    def blame(self, start: int, cause: str, waited_for: Instruction | None) -> None:
        """Moves the start of the next work and notes what did so."""
        if start > self.free:
            self.free, self.cause, self.waited_for = start, cause, waited_for


class _Clock:
    def __init__(self, chip: Chip, active_groups: int) -> None:
        self._chip = chip
        self._timing = chip.timing
        self._groups = active_groups
        self._lanes: dict[int, _Lane] = {}
        self._end_of: dict[int, int] = {}
        self.timed: list[Timed] = []
        self.end = 0

    def add(self, instruction: Instruction) -> None:
        """Times an instruction whose predecessors are timed."""
        lane = self._lanes.setdefault(instruction.pipe.thread, _Lane())
        self._hold_back(lane, instruction)
        cost = cost_of(instruction, self._chip, self._groups)
        start, end = lane.free, lane.free + cost.occupy
        visible = max(end + cost.latency, lane.drained if instruction.sets else 0)
        lane.free, lane.drained = end, max(lane.drained, visible)
        self._end_of[id(instruction)] = visible
        self.end = max(self.end, visible)
        if instruction.site.kind:
            self._note(lane, instruction, start, end, cost)

    def _note(
        self, lane: _Lane, instruction: Instruction, start: int, end: int, cost: Cost
    ) -> None:
        self.timed.append(
            Timed(
                instruction=instruction,
                start=start,
                end=end,
                gm_bytes=cost.gm_bytes,
                cause=lane.cause,
                waited_for=lane.waited_for,
                flags=tuple(lane.flags),
            )
        )
        lane.last, lane.cause, lane.waited_for, lane.flags = instruction, "", None, []

    def _hold_back(self, lane: _Lane, instruction: Instruction) -> None:
        """Lets the pipe wait for the issue, the flags and the barrier of an instruction."""
        lane.blame(self._issued(instruction), "issue", None)
        for token in instruction.waits:
            setter = token.setter
            assert setter is not None
            worker = self._worker(setter)
            up = self._end_of[id(setter)] + self._flag_cycles(instruction, setter)
            lane.blame(up, "flag", worker)
            lane.flags.append(worker)
        if instruction.barrier:
            lane.blame(lane.drained + self._timing.barrier_cycles, "barrier", None)

    def _worker(self, setter: Instruction) -> Instruction:
        """The last work in front of a set on its pipe."""
        return setter if setter.site.kind else self._lanes[setter.pipe.thread].last or setter

    def _issued(self, instruction: Instruction) -> int:
        """When the scalar unit has issued it: one step for each instruction since its last wait."""
        before = instruction.after
        start = 0 if before is None else self._end_of[id(before)]
        return start + instruction.since * self._timing.scalar_issue_cycles

    def _flag_cycles(self, waiter: Instruction, setter: Instruction) -> int:
        if waiter.core is not setter.core:
            return self._timing.cross_core_flag_cycles
        if not setter.sets or setter.sets[0].flag is None:
            return self._timing.barrier_cycles if waiter.pipe.name == "S" else 0
        return self._timing.flag_cycles


def cost_of(instruction: Instruction, chip: Chip, active_groups: int = 1) -> Cost:
    """The cost of one instruction; flags and scalar code cost nothing but their issue."""
    formula = _FORMULAS.get(instruction.site.kind)
    return Cost(occupy=0) if formula is None else formula(instruction, chip, active_groups)


def _vector(instruction: Instruction, chip: Chip, active_groups: int) -> Cost:
    """Repeats of 256 bytes of the widest operand, times the cycles of the op's class."""
    timing = chip.timing
    tiles = (*instruction.reads, *instruction.writes)
    widest = max((tile.size_bytes for tile in tiles), default=0)
    repeats = -(-widest // timing.vector_bytes_per_repeat)
    each = timing.vector_cycles_per_repeat[instruction.site.cost_class]
    return Cost(occupy=timing.vector_start_cycles + repeats * each)


def _dma(instruction: Instruction, chip: Chip, active_groups: int) -> Cost:
    """GM to or from a core: bytes over the port, and a fixed part for each contiguous segment."""
    timing = chip.timing
    tile = next(t for t in (*instruction.writes, *instruction.reads) if t.memory.space == "gm")
    rate = _port(instruction, timing, active_groups)
    occupy = timing.dma_start_cycles + -(-tile.size_bytes // rate) + _segments(tile, timing)
    return Cost(occupy=occupy, latency=timing.gm_latency_cycles, gm_bytes=tile.size_bytes)


def _fixpipe(instruction: Instruction, chip: Chip, active_groups: int) -> Cost:
    """L0C to GM: the wider of the two sides at the rate of the fix pipe, and the segments."""
    timing = chip.timing
    tile = instruction.writes[0]
    moved = max(tile.size_bytes, instruction.reads[0].width * tile.elements)
    rate = timing.fixpipe_bytes_per_cycle
    occupy = timing.dma_start_cycles + -(-moved // rate) + _segments(tile, timing)
    return Cost(occupy=occupy, latency=timing.gm_latency_cycles, gm_bytes=tile.size_bytes)


def _l1_to_l0(instruction: Instruction, chip: Chip, active_groups: int) -> Cost:
    """MTE1 carries an operand to L0A (the left one) or L0B."""
    timing = chip.timing
    tile = instruction.reads[0]
    left = instruction.sets[0].index == 0
    rate = timing.l1_to_l0a_bytes_per_cycle if left else timing.l1_to_l0b_bytes_per_cycle
    return Cost(occupy=-(-tile.size_bytes // rate))


def _mmad(instruction: Instruction, chip: Chip, active_groups: int) -> Cost:
    """One cycle for 16 x 16 results and one step of k."""
    _, m, k, n = (int(value) for value in instruction.operands if not isinstance(value, Tile))
    step = _K_STEP[_stage(instruction).reads[0].width]
    occupy = -(-m // 16) * -(-n // 16) * -(-k // step) + chip.timing.mmad_start_cycles
    return Cost(occupy=occupy)


def _stage(instruction: Instruction) -> Instruction:
    """The MTE1 part of a matrix product, which feeds its M part."""
    setter = instruction.waits[0].setter
    assert setter is not None
    return setter


def _port(instruction: Instruction, timing: Timing, active_groups: int) -> int:
    """Bytes a cycle of a core's port to GM, or its share of L2 where that is less."""
    cube = instruction.core.kind == "cube"
    port = timing.aic_gm_bytes_per_cycle if cube else timing.aiv_gm_bytes_per_cycle
    return max(1, min(port, timing.l2_read_bytes_per_cycle // max(active_groups, 1)))


def _segments(tile: Tile, timing: Timing) -> int:
    return tile.layout().runs * timing.dma_segment_cycles


_FORMULAS: dict[str, Callable[[Instruction, Chip, int], Cost]] = {
    "vector": _vector,
    "dma": _dma,
    "nd2nz": _dma,
    "fixpipe": _fixpipe,
    "l0": _l1_to_l0,
    "mmad": _mmad,
}
