"""`kernel.profile`: how long the chip takes, without computing a number."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from tlcourse.chips import CHIPS, Chip
from tlcourse.diagnostics import TLError, error
from tlcourse.jit.binding import bind
from tlcourse.jit.settings import unknown
from tlcourse.records import Program, Timeline
from tlcourse.simulator.cycles import Recording, StandstillError, timeline
from tlcourse.simulator.recorded import needs_numbers, record_launch


def chip_from(name: str) -> Chip:
    """The chip that a name means.

    Raises:
        TL425: there is none of that name.
    """
    if name not in CHIPS:
        raise unknown("TL425", "chip", name, CHIPS, "it names the simulated chip")
    return CHIPS[name]


def record_program(
    program: Program, arguments: Sequence[object], chip: Chip, unused: frozenset[str]
) -> Recording:
    """Records a launch of a compiled kernel.

    Args:
        program: for the simulator, compiled for `chip`.
        arguments: as of a call; a tuple of extents, or a tensor on the meta device, may stand
            for a tensor where no numbers are needed.
        chip: the simulated chip.
        unused: names of the tensors that the kernel neither reads nor writes.

    Raises:
        TL401 to TL412: the arguments do not fit.
        TL470: the kernel needs numbers.
        TL504, TL527: it takes too many steps; its buffers do not fit.
    """
    has_numbers = needs_numbers(program) and not any(map(_is_shape, arguments))
    bound = bind(
        program.signature,
        arguments,
        program.sources,
        unused=unused,
        allow_cpu=True,
        shapes_only=not has_numbers,
    )
    return record_launch(program, bound.buffers, symbols=bound.symbols, chip=chip)


def _is_shape(argument: object) -> bool:
    is_meta = isinstance(argument, torch.Tensor) and argument.is_meta
    return is_meta or isinstance(argument, (tuple, list))


def profile_recording(
    recording: Recording,
    chip: Chip,
    *,
    cold: bool,
    block: int | None,
    all_blocks: bool = False,
) -> Timeline:
    """The timeline of a recorded launch; with `all_blocks` of every block of the group shown.

    Raises:
        TL471: there is no such block.
        TL472: the kernel stands still.
    """
    if block is not None and not 0 <= block < recording.blocks:
        raise error(
            "TL471",
            f"{recording.kernel} has no block {block}",
            why=f"this launch has {recording.blocks:,} blocks, counted from 0",
            fix=f"choose a block from 0 to {recording.blocks - 1:,}, or leave it out",
        )
    try:
        return timeline(recording, chip, cold=cold, block=block, all_blocks=all_blocks)
    except StandstillError:
        raise _stands(recording.kernel) from None


def _stands(kernel: str) -> TLError:
    return error(
        "TL472",
        f"{kernel} stands still, so it has no time",
        why="a pipe waits for a flag that nobody raises, or that is raised behind a full queue",
        fix="launch it with tensors: the finding names the flag, both cores and their lines",
    )
