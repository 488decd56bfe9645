"""Runs a simulator Program: all blocks, with checks, and the timeline of one core group."""

from __future__ import annotations

import gc
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache

import torch

from tlcourse import work
from tlcourse.chips import DEFAULT_CHIP, Chip
from tlcourse.config import read_config
from tlcourse.diagnostics import TLError, error
from tlcourse.records import Finding, MemoryMap, Program, Timeline
from tlcourse.replay import Replay
from tlcourse.simulator import nonfinite
from tlcourse.simulator.arguments import Buffer, Launch, bind
from tlcourse.simulator.capacity import overfull
from tlcourse.simulator.cycles.stream import Total
from tlcourse.simulator.loading import load
from tlcourse.simulator.params import Checks, Params
from tlcourse.simulator.session import Session
from tlcourse.slack import with_slack
from tlcourse.threads import torch_threads


@dataclass(frozen=True, kw_only=True)
class SimulatorRun:
    """What a launch gave besides the numbers, which are in the caller's tensors.

    Args:
        findings: faults, each once.
        timeline: cycles of the launch and the instructions of one core group.
        memory: where the buffers of the kernel lie.
        replay: the instructions of one block, where it was asked for.
    """

    findings: tuple[Finding, ...]
    timeline: Timeline
    memory: tuple[MemoryMap, ...]
    replay: Replay | None = None


@dataclass(frozen=True, kw_only=True)
class Simulated:
    """The same, with a timeline that is made when it is asked for.

    Args:
        findings: faults, each once.
        timed: makes the timeline, once.
        totals: adds up what all blocks did, once.
        memory: where the buffers of the kernel lie.
        replay: the instructions of one block, where it was asked for.
    """

    findings: tuple[Finding, ...]
    timed: Callable[[], Timeline]
    totals: Callable[[], Mapping[tuple[str, str], Total]]
    memory: tuple[MemoryMap, ...]
    replay: Replay | None = None


def run(
    program: Program,
    buffers: Sequence[Buffer],
    *,
    symbols: Mapping[str, int],
    checks: Checks = "class",
    seed: int = 0,
    chip: Chip = DEFAULT_CHIP,
    trace: bool = False,
    replay: int = -1,
) -> SimulatorRun:
    """Runs a kernel on the simulated chip and times it; see `simulate`."""
    found = simulate(
        program,
        buffers,
        symbols=symbols,
        checks=checks,
        seed=seed,
        chip=chip,
        trace=trace,
        replay=replay,
    )
    return SimulatorRun(
        findings=found.findings,
        timeline=found.timed(),
        memory=found.memory,
        replay=found.replay,
    )


def simulate(
    program: Program,
    buffers: Sequence[Buffer],
    *,
    symbols: Mapping[str, int],
    checks: Checks = "class",
    seed: int = 0,
    chip: Chip = DEFAULT_CHIP,
    trace: bool = False,
    replay: int = -1,
) -> Simulated:
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
        replay: write down what this block does, instruction by instruction.

    Raises:
        TLError: TL410 the grid has no blocks, TL414 too many; TL415 there is no block `replay`;
            TL424 TLCOURSE_STEP_LIMIT is no number.
    """
    limit = work.step_limit()
    params = Params(checks=checks, seed=seed, trace=trace, replay=replay, step_limit=limit)
    with torch_threads(1), _few_collections(), torch.no_grad():
        if read_config().bounds != "device":
            return _run(program, bind(program, buffers, symbols), buffers, symbols, params, chip)
        names = [p.name for p in program.signature.parameters if p.kind != "symbol"]
        slack = with_slack(names, buffers)
        try:
            launch = bind(program, slack.arguments, symbols, slack.capacity)
            return _run(program, launch, slack.arguments, symbols, params, chip)
        finally:
            slack.give_back()


def _run(
    program: Program,
    launch: Launch,
    buffers: Sequence[Buffer],
    symbols: Mapping[str, int],
    params: Params,
    chip: Chip,
) -> Simulated:
    if params.replay >= launch.blocks:
        raise _no_such_block(program, params.replay, launch.blocks)
    session = Session(load(program), launch, params, chip)
    start = nonfinite.start_of(program, buffers, launch)
    findings = overfull(program, chip) or session.run()
    if not findings and params.checks != "off":
        findings = nonfinite.first_of(program, start, buffers, symbols, params, chip)
    return Simulated(
        findings=findings,
        timed=cache(session.timeline),
        totals=cache(session.totals),
        memory=program.memory,
        replay=session.replay() if params.replay >= 0 else None,
    )


def _no_such_block(program: Program, block: int, blocks: int) -> TLError:
    last = "block 0 alone" if blocks == 1 else f"the blocks 0 to {blocks - 1:,}"
    return error(
        "TL415",
        f"{program.signature.kernel} has no block {block:,} to replay",
        why=f"this launch has {last}",
        fix=f"name one of them, for example replay={blocks - 1}",
    )


@contextmanager
def _few_collections() -> Generator[None, None, None]:
    """Python's collector leaves alone what was there before the launch: a run makes much."""
    if gc.get_freeze_count():
        yield
        return
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()
