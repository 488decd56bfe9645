"""Runs a simulator Program: all blocks, with checks, and the timeline of one core group."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import torch

from tlcourse import work
from tlcourse.chips import DEFAULT_CHIP, Chip
from tlcourse.records import Finding, MemoryMap, Program, Timeline
from tlcourse.simulator.arguments import Buffer, bind
from tlcourse.simulator.capacity import overfull
from tlcourse.simulator.loading import load
from tlcourse.simulator.params import Checks, Params
from tlcourse.simulator.session import Session


@dataclass(frozen=True, kw_only=True)
class SimulatorRun:
    """What a launch gave besides the numbers, which are in the caller's tensors.

    Args:
        findings: faults, each once.
        timeline: cycles of the launch and the instructions of one core group.
        memory: where the buffers of the kernel lie.
    """

    findings: tuple[Finding, ...]
    timeline: Timeline
    memory: tuple[MemoryMap, ...]


def run(
    program: Program,
    buffers: Sequence[Buffer],
    *,
    symbols: Mapping[str, int],
    checks: Checks = "class",
    seed: int = 0,
    chip: Chip = DEFAULT_CHIP,
    trace: bool = False,
) -> SimulatorRun:
    """Runs a kernel on the simulated chip.

    Args:
        program: from `generate`, of kind `simulator`.
        buffers: one entry per parameter in order, symbols left out: contiguous CPU tensors,
            written in place, and Python numbers.
        symbols: values of the symbols in shapes.
        checks: `off`, `class` or `all`, see `Params`.
        seed: which legal order of the pipes is run; 0 is the latest.
        chip: sizes and timing constants.
        trace: keep the instructions of all blocks of the shown core group.

    Raises:
        TLError: TL410 the grid has no blocks, TL414 too many; TL424 TLCOURSE_STEP_LIMIT is no
            number.
    """
    limit = work.step_limit()
    params = Params(checks=checks, seed=seed, trace=trace, step_limit=limit)
    with _one_thread(), torch.no_grad():
        launch = bind(program, buffers, symbols)
        session = Session(load(program), launch, params, chip)
        full = overfull(program, chip)
        findings = full or session.run()
        return SimulatorRun(
            findings=findings,
            timeline=session.timeline(),
            memory=program.memory,
        )


@contextmanager
def _one_thread() -> Generator[None, None, None]:
    """Tile-sized work is faster on one thread; the caller's setting comes back."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)
