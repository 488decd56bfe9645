"""How long a recorded launch takes on a chip: the functions that the layers above call."""

from __future__ import annotations

from collections import Counter

from tlcourse.chips import Chip
from tlcourse.records import Timeline
from tlcourse.simulator.cycles.show import timeline_of
from tlcourse.simulator.cycles.stream import Recording, Total
from tlcourse.simulator.cycles.waves import Waves


def launch_cycles(recording: Recording, chip: Chip, *, cold: bool = False) -> int:
    """Cycles from the launch until the last block has come to its end.

    Args:
        recording: the launch.
        chip: constants; its core groups decide the waves of blocks.
        cold: L2 is empty at the start, else it holds what an equal launch before left there.

    Raises:
        StandstillError: a wait has no raise that comes.
    """
    cycles = Waves(recording, chip, cold=cold).cycles()
    return chip.timing.launch_cycles[recording.kind] + cycles


def microseconds(recording: Recording, chip: Chip, *, cold: bool = False) -> float:
    """`launch_cycles` in microseconds of the chip's clock."""
    return launch_cycles(recording, chip, cold=cold) / chip.clock_mhz


def pipe_cycles(recording: Recording, chip: Chip, *, cold: bool = False) -> dict[str, int]:
    """Busy cycles of each lane, for example `aiv0.MTE2`, of the slot that ends last."""
    waves = Waves(recording, chip, cold=cold)
    found: Counter[str] = Counter()
    for turn in waves.last():
        cores = recording.streams[recording.class_of[turn.block]].cores
        for (core, pipe), cycles in waves.time(turn, keep=False).busy.items():
            found[f"{cores[core].name}.{pipe}"] += cycles
    return dict(found)


def totals(recording: Recording) -> dict[tuple[str, str], Total]:
    """What all blocks did, by pipe and op; no times are needed for it."""
    found: dict[tuple[str, str], Total] = {}
    for place, blocks in Counter(recording.class_of).items():
        stream = recording.streams[place]
        for work in (work for core in stream.cores for work in core.works):
            shape, op = recording.shapes[work.shape], recording.sites[work.site].op
            before = found.get((work.pipe, op), Total())
            times = blocks // stream.slots
            found[work.pipe, op] = Total(
                count=before.count + times,
                bytes=before.bytes + times * (shape.bytes if shape.tensor >= 0 else 0),
                operations=before.operations + times * shape.operations,
            )
    return found


def timeline(
    recording: Recording,
    chip: Chip,
    *,
    cold: bool = False,
    block: int | None = None,
    all_blocks: bool = False,
) -> Timeline:
    """The timeline of one slot.

    Args:
        recording: the launch.
        chip: constants.
        cold: as in `launch_cycles`.
        block: the block whose slot is shown; None is the slot that ends last.
        all_blocks: show every block of the slot, not one of each class.

    Raises:
        StandstillError: a wait has no raise that comes.
    """
    waves = Waves(recording, chip, cold=cold)
    return timeline_of(recording, chip, waves, block=block, all_blocks=all_blocks)


def limits(recording: Recording, chip: Chip, *, cold: bool = False) -> tuple[int, int]:
    """What bounds a launch with one block a slot, in cycles without the launch itself.

    Returns:
        its time when all others leave it their part of L2 and HBM, and the least in which all
        together can move their bytes.
    """
    return Waves(recording, chip, cold=cold).limits()
