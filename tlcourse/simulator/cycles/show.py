"""The timeline of a launch: one slot, block after block, with bubbles and their causes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tlcourse.chips import Chip
from tlcourse.records import Bubble, Instruction, Lane, Timeline
from tlcourse.simulator.cycles.engine import StreamTime, Timed
from tlcourse.simulator.cycles.stream import CoreStream, Recording, Stream
from tlcourse.simulator.cycles.waves import Turn, Waves

_LANE_ORDER = ("S", "MTE2", "MTE1", "M", "FIX", "V", "MTE3")
_CORE_WORDS = {"aic": "the cube core", "aiv0": "vector core 0", "aiv1": "vector core 1"}

Place = tuple[int, int]


def timeline_of(
    recording: Recording, chip: Chip, waves: Waves, *, block: int | None, all_blocks: bool
) -> Timeline:
    """The timeline of a slot.

    Args:
        recording: the launch.
        chip: clock and launch cost.
        waves: its blocks, timed.
        block: the block whose slot is shown; None is the slot that ends last.
        all_blocks: show every block of the slot, not one of each class.
    """
    last = waves.last()
    turns = last if block is None else waves.slot_of(block)
    launch = chip.timing.launch_cycles[recording.kind]
    shown = _Shown(recording=recording, waves=waves, launch=launch)
    seen: set[int] = set()
    for turn in turns:
        place = recording.class_of[turn.block]
        is_new = place not in seen if block is None else turn.block == block
        seen.add(place)
        shown.add(turn, is_shown=all_blocks or is_new)
    return Timeline(
        kernel=recording.kernel,
        chip=chip.name,
        clock_mhz=chip.clock_mhz,
        cycles=launch + waves.cycles(),
        launch_cycles=launch,
        lanes=shown.lanes(_group(recording, chip, turns)),
        instructions=tuple(shown.instructions),
        bubbles=tuple(shown.bubbles),
        replicated_blocks=recording.blocks - len(recording.streams),
    )


@dataclass(kw_only=True)
class _Shown:
    """Collects what one slot did."""

    recording: Recording
    waves: Waves
    launch: int
    busy: dict[tuple[str, str], int] = field(default_factory=lambda: dict[tuple[str, str], int]())
    instructions: list[Instruction] = field(default_factory=lambda: list[Instruction]())
    bubbles: list[Bubble] = field(default_factory=lambda: list[Bubble]())

    def add(self, turn: Turn, *, is_shown: bool) -> None:
        """Puts a block behind the ones before."""
        stream = self.recording.streams[self.recording.class_of[turn.block]]
        time = self.waves.time(turn, keep=is_shown)
        first = stream.cores[0].block
        for (core, pipe), cycles in time.busy.items():
            if stream.cores[core].block == first:
                lane = stream.cores[core].name, pipe
                self.busy[lane] = self.busy.get(lane, 0) + cycles
        if is_shown:
            base = self.launch + min(turn.starts)
            self._show(turn, stream, time, base, [c for c in stream.cores if c.block == first])

    def _show(
        self, turn: Turn, stream: Stream, time: StreamTime, base: int, cores: list[CoreStream]
    ) -> None:
        timed = [t for t in time.timed if t.core < len(cores)]
        first = len(self.instructions)
        ids = {(t.core, t.place): first + i for i, t in enumerate(timed)}
        waits = [_waits(self.recording, core) for core in cores]
        free = {
            (i, pipe): start - min(turn.starts)
            for i, start in enumerate(turn.starts)
            for pipe in _LANE_ORDER
        }
        for t in timed:
            setters = [ids.get(time.setters[wait]) for wait in waits[t.core][t.place]]
            self.instructions.append(
                self._instruction(t, cores[t.core], base, turn.block, ids, setters)
            )
            pipe = cores[t.core].works[t.place].pipe
            self._bubble(stream, time, t, base, free[t.core, pipe])
            free[t.core, pipe] = t.end

    def _instruction(
        self,
        t: Timed,
        core: CoreStream,
        base: int,
        block: int,
        ids: Mapping[Place, int],
        setters: Sequence[int | None],
    ) -> Instruction:
        work = core.works[t.place]
        shape, site = self.recording.shapes[work.shape], self.recording.sites[work.site]
        return Instruction(
            id=ids[t.core, t.place],
            block=block,
            agent=core.name,
            pipe=work.pipe,
            op=site.op,
            start_cycle=base + t.start,
            end_cycle=base + t.end,
            bytes=shape.bytes if shape.tensor >= 0 else 0,
            span=site.span,
            waits_on=tuple(sorted({found for found in setters if found is not None})),
            operations=shape.operations,
            dtype=shape.dtype,
        )

    def _bubble(self, stream: Stream, time: StreamTime, t: Timed, base: int, free: int) -> None:
        if t.start > free:
            core = stream.cores[t.core]
            self.bubbles.append(
                Bubble(
                    lane=f"{core.name}.{core.works[t.place].pipe}",
                    start_cycle=base + free,
                    end_cycle=base + t.start,
                    cause=self._cause(stream, time, t),
                )
            )

    def _cause(self, stream: Stream, time: StreamTime, t: Timed) -> str:
        if t.cause == "barrier":
            return f"barrier of {stream.cores[t.core].works[t.place].pipe}"
        if t.cause != "flag":
            return "issue"
        core, place = time.setters[t.behind]
        if place < 0:
            return "flag"
        work = stream.cores[core].works[place]
        site = self.recording.sites[work.site]
        where = "" if core == t.core else f" of {_CORE_WORDS[stream.cores[core].name]}"
        line = f", line {site.span.line}" if site.span else ""
        return f"{site.op} on {work.pipe}{where}{line}"

    def lanes(self, group: int) -> tuple[Lane, ...]:
        """One lane for each pipe that did any work, in the order of the data's way."""
        keys = sorted(self.busy, key=lambda key: (key[0], _LANE_ORDER.index(key[1])))
        return tuple(
            Lane(
                name=f"{agent}.{pipe}",
                agent=agent,
                pipe=pipe,
                core=group,
                busy_cycles=self.busy[agent, pipe],
            )
            for agent, pipe in keys
        )


def _waits(recording: Recording, core: CoreStream) -> list[list[int]]:
    """The raises that each work waited for, those of the flags in front of it among them."""
    found: list[list[int]] = []
    open_waits: dict[str, list[int]] = {}
    for work in core.works:
        waits = [*open_waits.get(work.pipe, ()), *work.waits]
        found.append(waits)
        open_waits[work.pipe] = [] if recording.shapes[work.shape].kind else waits
    return found


def _group(recording: Recording, chip: Chip, turns: Sequence[Turn]) -> int:
    """The core group of a slot, which its first block has given its number."""
    slot = turns[0].block if turns else 0
    return slot // chip.vector_cores_per_group if recording.kind == "vector" else slot
