"""What the blocks of a launch issued, kept for their cycles until these are asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tlcourse.chips import Chip
from tlcourse.records import Timeline
from tlcourse.simulator.arguments import Launch
from tlcourse.simulator.classes import BlockClass
from tlcourse.simulator.cycles import StandstillError, timeline
from tlcourse.simulator.cycles.building import ShapeTable, StreamBuilder
from tlcourse.simulator.cycles.recording import assemble, empty_stream, places
from tlcourse.simulator.cycles.stream import Recording, Stream
from tlcourse.simulator.instruction import Instruction
from tlcourse.simulator.loading import Loaded
from tlcourse.simulator.machine import Machine


class Issued:
    """The streams of the blocks that stand for their classes.

    Args:
        loaded: the program.
        launch: its arguments.
        chip: sizes and constants.
        subs: vector cores of a block.
    """

    def __init__(self, loaded: Loaded, launch: Launch, chip: Chip, subs: int) -> None:
        self._loaded = loaded
        self._launch = launch
        self._chip = chip
        self._subs = subs
        self._streams: dict[int, Stream] = {}
        self._shapes = ShapeTable()
        self._last: tuple[Machine, list[int], Sequence[Instruction]] | None = None
        self.classes: tuple[BlockClass, ...] = ()

    def keep(self, machine: Machine, blocks: list[int], executed: Sequence[Instruction]) -> None:
        """Takes what a machine executed; the last one waits for somebody who asks."""
        self._settle()
        self._last = machine, blocks, executed

    def timeline(self, *, all_blocks: bool) -> Timeline:
        """The timeline of the blocks that were run."""
        self._settle()
        try:
            return timeline(self._recording(self._streams), self._chip, all_blocks=all_blocks)
        except StandstillError:
            return timeline(self._recording({}), self._chip, all_blocks=all_blocks)

    def recording(self) -> Recording:
        """What the blocks that were run issued, without times."""
        self._settle()
        return self._recording(self._streams)

    def _recording(self, streams: Mapping[int, Stream]) -> Recording:
        """What each class issued; a class that was not run issued nothing."""
        class_of = [0] * self._launch.blocks
        for place, found in enumerate(self.classes):
            for block in found.blocks:
                class_of[block] = place
        firsts = [found.representative for found in self.classes] or [0]
        nothing = empty_stream(self._loaded, self._subs)
        return assemble(
            self._loaded,
            self._launch,
            self._chip,
            self._shapes,
            [streams.get(first, nothing) for first in firsts],
            class_of,
        )

    def _settle(self) -> None:
        """Makes the stream of what was kept last: the cores, each in its own order."""
        if self._last is None:
            return
        (machine, blocks, executed), self._last = self._last, None
        issued: dict[int, list[Instruction]] = {core.number: [] for core in machine.cores}
        for instruction in sorted(executed, key=lambda i: i.order):
            issued[instruction.core.number].append(instruction)
        l0_bytes = self._chip.sizes_bytes["ca"]
        builder = StreamBuilder(self._shapes, places(self._launch), l0_bytes)
        cores = [(core, issued[core.number]) for core in machine.cores]
        self._streams[blocks[0]] = builder.stream(cores, len(blocks))
