"""Records what a launch issues: generated code runs, nothing is computed."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field

import torch

from tlcourse.chips import Chip
from tlcourse.simulator.arguments import Launch
from tlcourse.simulator.classes import group
from tlcourse.simulator.core import Core, Kind, Steps
from tlcourse.simulator.cycles.building import ShapeTable, StreamBuilder
from tlcourse.simulator.cycles.l2 import Touch, fits, with_misses, with_uses, with_walk
from tlcourse.simulator.cycles.stream import (
    CoreStream,
    Recording,
    SiteName,
    Stream,
    TensorUse,
)
from tlcourse.simulator.cycles.waves import slots_of
from tlcourse.simulator.instruction import Instruction
from tlcourse.simulator.loading import Loaded
from tlcourse.simulator.machine import Machine
from tlcourse.simulator.memory import Memory
from tlcourse.simulator.tile import Tile
from tlcourse.simulator.wording import MEMORY_NAMES

# Works of the blocks that are walked to see what L2 holds; two waves at least.
_MOST_WORKS = 40_000


class IssuingCore(Core):
    """A core that keeps what it issues and executes none of it."""

    def begin(self) -> None:
        """Forgets what was issued."""
        self.issued: list[Instruction] = []

    def load(self, site: int, tile: Tile, indices: tuple[int, ...]) -> int | float:
        super().load(site, tile, indices)
        return 0

    def _push(self, instruction: Instruction, *, issues: bool = True) -> None:
        self._issued += 1
        instruction.order = self._issued
        self.issued.append(instruction)


@dataclass(kw_only=True)
class _Recorder:
    loaded: Loaded
    launch: Launch
    chip: Chip
    steps: Steps
    shapes: ShapeTable = field(default_factory=ShapeTable)
    memories: dict[tuple[int, str], Memory] = field(
        default_factory=lambda: dict[tuple[int, str], Memory]()
    )

    def stream(self, blocks: Sequence[int]) -> Stream:
        """What blocks issue that run side by side."""
        cores = self._issue(blocks)
        builder = StreamBuilder(self.shapes, places(self.launch), self.chip.sizes_bytes["ca"])
        return builder.stream([(core, core.issued) for core in cores], len(blocks))

    def touches(self, block: int) -> list[list[Touch]]:
        """The transfers of each core of a block."""
        known = places(self.launch)
        return [
            [
                Touch(
                    tensor=known[id(tile.memory)],
                    layout=tile.layout(),
                    size_bytes=tile.size_bytes,
                    writes=writes,
                )
                for instruction in core.issued
                for tiles, writes in ((instruction.reads, False), (instruction.writes, True))
                for tile in tiles
                if id(tile.memory) in known and tile.elements
            ]
            for core in self._issue([block])
        ]

    def _issue(self, blocks: Sequence[int]) -> list[IssuingCore]:
        machine = Machine(sites=self.loaded.sites, observers=(), seed=0)
        cores = [core for block in blocks for core in self._cores(machine, block)]
        for core in cores:
            core.begin()
            for _ in self.loaded.code(core, self.launch.arguments):
                pass
        return cores

    def _cores(self, machine: Machine, block: int) -> list[IssuingCore]:
        functions = self.loaded.functions
        subs = self.chip.vector_cores_per_group if self.loaded.kind == "mix" else 1
        members: list[tuple[Kind, int]] = [("cube", 0)] if "cube" in functions else []
        if "vector" in functions:
            members.extend(("vector", sub) for sub in range(subs))
        return [
            IssuingCore(
                machine,
                kind=kind,
                block=block,
                sub=sub,
                blocks=self.launch.blocks,
                subs=subs,
                memories=self._memories(len(machine.cores)),
                steps=self.steps,
            )
            for kind, sub in members
        ]

    def _memories(self, core: int) -> dict[str, Memory]:
        for space in sorted({entry.space for entry in self.loaded.program.memory}):
            if (core, space) not in self.memories:
                size = self.chip.sizes_bytes[space]
                data = torch.empty(size, dtype=torch.uint8, device="meta")
                self.memories[core, space] = Memory(
                    name=MEMORY_NAMES[space], space=space, data=data
                )
        return {space: memory for (owner, space), memory in self.memories.items() if owner == core}


def record(loaded: Loaded, launch: Launch, chip: Chip, step_limit: int) -> Recording:
    """Records one block of each class.

    Args:
        loaded: the program; its control flow does not depend on data.
        launch: its arguments; tensors may be on the meta device.
        chip: how many cores a group has and how large L0 and L2 are.
        step_limit: steps after which a block is given up.

    Raises:
        StepLimitError: the kernel takes more steps.
    """
    recorder = _Recorder(loaded=loaded, launch=launch, chip=chip, steps=Steps(step_limit))
    if loaded.program.options["block_barrier"]:
        streams = [recorder.stream(range(launch.blocks))]
        class_of = [0] * launch.blocks
    elif not loaded.program.options["block_control"]:
        streams, class_of = [recorder.stream([0])], [0] * launch.blocks
    else:
        streams, class_of = _by_class(recorder)
    found = assemble(loaded, launch, chip, recorder.shapes, streams, class_of)
    return found if fits(found, chip) else _walked(recorder, found)


def touched(loaded: Loaded, launch: Launch, chip: Chip, step_limit: int) -> Iterator[list[Touch]]:
    """The transfers of each block, one block after another.

    Raises:
        StepLimitError: all together take more steps.
    """
    recorder = _Recorder(loaded=loaded, launch=launch, chip=chip, steps=Steps(step_limit))
    for block in range(launch.blocks):
        yield [touch for touches in recorder.touches(block) for touch in touches]


def _walked(recorder: _Recorder, found: Recording) -> Recording:
    """The recording with the misses of tensors that are larger than L2."""
    slots = min(slots_of(recorder.chip, found.kind), found.blocks)
    works = max(sum(len(core.works) for core in stream.cores) for stream in found.streams)
    most = max(2 * slots, _MOST_WORKS // max(works, 1))
    waves: list[list[list[Touch]]] = []
    for first in range(0, min(found.blocks, most), slots):
        blocks = range(first, min(first + slots, found.blocks))
        waves.append([touches for block in blocks for touches in recorder.touches(block)])
    return with_walk(found, recorder.chip, waves, -(-found.blocks // slots))


def _by_class(recorder: _Recorder) -> tuple[list[Stream], list[int]]:
    """Records every block and keeps one of those that are alike."""
    found: dict[Hashable, Stream] = {}

    def key(block: int) -> Hashable:
        stream = recorder.stream([block])
        alike = tuple((core.name, core.works) for core in stream.cores)
        found.setdefault(alike, stream)
        return alike

    classes = group(recorder.launch.blocks, key)
    class_of = [0] * recorder.launch.blocks
    for place, found_class in enumerate(classes):
        for block in found_class.blocks:
            class_of[block] = place
    return list(found.values()), class_of


def assemble(
    loaded: Loaded,
    launch: Launch,
    chip: Chip,
    shapes: ShapeTable,
    streams: Sequence[Stream],
    class_of: Sequence[int],
) -> Recording:
    """A recording from its streams, with what L2 does not hold."""
    spans = loaded.program.spans
    memories = gm_memories(launch)
    plain = Recording(
        kernel=loaded.program.signature.kernel,
        kind=loaded.kind,
        blocks=launch.blocks,
        class_of=tuple(class_of),
        streams=tuple(streams),
        shapes=shapes.shapes(),
        sites=tuple(
            SiteName(op=site.op, span=spans[site.span] if site.span >= 0 else None)
            for site in loaded.sites
        ),
        tensors=tuple(TensorUse(name=m.name, size_bytes=m.own_bytes) for m in memories),
    )
    return with_misses(with_uses(plain), chip)


def empty_stream(loaded: Loaded, subs: int) -> Stream:
    """The cores of a block that issue nothing."""
    names = ["aic"] if "cube" in loaded.functions else []
    names += [f"aiv{sub}" for sub in range(subs)] if "vector" in loaded.functions else []
    cores = tuple(CoreStream(name=name, block=0, works=()) for name in names)
    return Stream(cores=cores, raises=())


def gm_memories(launch: Launch) -> list[Memory]:
    """The tensors of a launch and its workspace."""
    workspace = launch.arguments[2]
    assert isinstance(workspace, Tile)
    return [*launch.tensors.values(), workspace.memory]


def places(launch: Launch) -> dict[int, int]:
    """The place of each memory in `Recording.tensors`, by its id."""
    return {id(memory): place for place, memory in enumerate(gm_memories(launch))}
