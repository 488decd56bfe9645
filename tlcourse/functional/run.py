"""Runs a functional Program on CPU tensors with torch alone.

Blocks run in order from 0, on one torch thread; in C several of them run at once. What a kernel
does wrong becomes a finding; the first error ends the launch and leaves what was written so far.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import torch

from tlcourse import work
from tlcourse.config import Config, read_launch_config
from tlcourse.diagnostics import Label, TLError, error
from tlcourse.functional import faults, nonfinite
from tlcourse.functional.arguments import Argument, bind, grid_of, shared
from tlcourse.functional.batched import run_batched
from tlcourse.functional.compiled import FINITE, NOT_FINITE, library_of, run_compiled
from tlcourse.functional.flags import CoreKind
from tlcourse.functional.launch import Core, Launch, Steps, StopLaunch
from tlcourse.functional.loading import load, place_of
from tlcourse.functional.meeting import run_together
from tlcourse.functional.schedule import run_blocks
from tlcourse.records import Finding, Program
from tlcourse.slack import with_slack
from tlcourse.threads import torch_threads

# What torch raises, and what a mistake of ours in generated code would: both are explained.
_REFUSALS = (
    ArithmeticError,
    AttributeError,
    LookupError,
    MemoryError,
    NameError,
    RuntimeError,
    SyntaxError,
    TypeError,
    ValueError,
)


@dataclass(frozen=True, kw_only=True)
class FunctionalRun:
    """The result of a launch: what was found. Numbers lie in the caller's tensors."""

    findings: tuple[Finding, ...]


def run(
    program: Program,
    buffers: Sequence[Argument],
    *,
    symbols: Mapping[str, int],
    step_limit: int | None = None,
    after_block: Callable[[], None] | None = None,
) -> FunctionalRun:
    """Runs all blocks of a kernel.

    Args:
        program: made by `generate`.
        buffers: one entry per parameter that is no symbol, in order: contiguous CPU tensors,
            written in place, and Python numbers. A tensor that the kernel writes shares no
            memory with the others.
        symbols: the value of each symbol.
        step_limit: steps after which the launch is given up, see `tlcourse.work`; None reads
            TLCOURSE_STEP_LIMIT.
        after_block: called behind each block; the blocks run one after another then.

    Returns:
        the findings: TL501 a tile outside its buffer, TL502 a deadlock, TL504 too many steps,
        TL505 extents that disagree, TL506 a division by zero, each of which ends the launch;
        TL503 a flag left raised and TL509 the first inf or NaN of the launch, warnings.

    Raises:
        TLError: TL410 the grid has no blocks; TL414 it has too many; TL424 the limit is no
            number; TL507 torch cannot compute a statement.
    """
    assert program.kind == "functional", "the simulator's Programs have their own run"
    threads = torch.get_num_threads()
    with torch.inference_mode():
        arguments, values = bind(program, buffers, symbols)
        config = read_launch_config()
        limit = work.step_limit(config) if step_limit is None else step_limit
        launch = Launch(
            program=program, grid=grid_of(program, values), step_limit=limit, threads=threads
        )
        launch.after_block = after_block
        start = nonfinite.start_of(program, arguments)
        try:
            _run_bounded(launch, arguments, config)
        except StopLaunch as stop:
            launch.findings.append(stop.finding)
        launch.prints.finish()
        if start is not None and not launch.findings and not launch.is_finite:
            nonfinite.first_of(launch, start, arguments, _run_singly)
    return FunctionalRun(findings=tuple(launch.findings))


def _run_bounded(launch: Launch, arguments: Sequence[Argument], config: Config) -> None:
    """Runs in the caller's tensors, or in copies with the memory of the device behind them."""
    if config.bounds != "device":
        _run(launch, arguments, config)
        return
    names = [parameter.name for parameter in launch.program.signature.parameters]
    slack = with_slack(names, arguments)
    launch.capacity = slack.capacity
    try:
        _run(launch, slack.arguments, config)
    finally:
        slack.give_back()


def _run(launch: Launch, arguments: Sequence[Argument], config: Config) -> None:
    cores = _cores(launch)
    _charge_blocks(launch, cores)
    if launch.after_block is None and _run_compiled(launch, arguments, config):
        return
    given = shared(arguments)
    if launch.after_block is not None or not _run_batched(launch, given):
        _run_singly(launch, given)


def _run_compiled(launch: Launch, arguments: Sequence[Argument], config: Config) -> bool:
    """Runs in C where that is wanted and can be done."""
    library = library_of(launch.program, config.engine, config.cache_dir)
    if library is None:
        return False
    state = run_compiled(library, launch.program, arguments, launch.grid, launch.threads)
    launch.is_finite = state == FINITE
    return state in (FINITE, NOT_FINITE)


@torch_threads(1)
def _run_batched(launch: Launch, arguments: Sequence[Argument]) -> bool:
    """Runs many blocks at once where that can be done."""
    return run_batched(launch, arguments, _REFUSALS)


@torch_threads(1)
def _run_singly(launch: Launch, arguments: Sequence[Argument]) -> None:
    """Runs the blocks one by one, or side by side where they meet at a barrier."""
    try:
        if launch.program.options.get("meets"):
            run_together(launch, lambda block: _agents(launch, arguments, block))
        else:
            run_blocks(launch, _agents(launch, arguments))
    except _REFUSALS as problem:
        raise _explained(launch, problem) from None


def _charge_blocks(launch: Launch, cores: Sequence[Core]) -> None:
    """Takes the steps of all blocks but those of their loops, so that the end is known at once."""
    program, blocks = launch.program, math.prod(launch.grid)
    costs: Mapping[str, int] = program.options["block_steps"]
    cost = sum(costs[core.kind] for core in cores)
    launch.steps += blocks * cost
    if launch.steps <= launch.step_limit:
        return
    where = faults.Where(program=program, agent=cores[0].agent, place=-1, block=0)
    what = f"the grid has {blocks:,} blocks of {cost:,} steps or more"
    found = faults.too_many_steps(where, what, launch.step_limit)
    span = program.signature.grid_span
    labels = (Label(span=span, text=f"this is {launch.grid}"),) if span else ()
    raise StopLaunch(replace(found, diagnostic=replace(found.diagnostic, labels=labels)))


def _agents(
    launch: Launch, arguments: Sequence[Argument], block: int | None = None
) -> list[tuple[Core, Steps]]:
    cores = _cores(launch, block)
    return [(core, _generator(launch.program, core, arguments)) for core in cores]


def _cores(launch: Launch, block: int | None = None) -> list[Core]:
    kinds: list[CoreKind] = [code.agent for code in launch.program.agents]
    return [
        Core(launch=launch, kind=kind, vid=vid, block=block)
        for kind in kinds
        for vid in ((0, 1) if kind == "vector" and len(kinds) == 2 else (0,))
    ]


def _generator(program: Program, core: Core, arguments: Sequence[Argument]) -> Steps:
    source = next(code.source for code in program.agents if code.agent == core.kind)
    return load(source)(core, *arguments)


def _explained(launch: Launch, problem: BaseException) -> StopLaunch | TLError:
    """What a learner reads in place of a traceback through generated code."""
    program, place = launch.program, place_of(problem.__traceback__)
    if isinstance(problem, ZeroDivisionError) or str(problem).startswith("ZeroDivisionError"):
        where = faults.Where(program=program, agent=launch.agent, place=place, block=launch.block)
        return StopLaunch(faults.division_by_zero(where))
    reason = (str(problem).splitlines() or [type(problem).__name__])[0]
    return error(
        "TL507",
        f"{program.signature.kernel} could not go on in block {launch.block}: {reason}",
        why="torch, which computes the tiles, refused this statement",
        fix="make the tile smaller; a kernel that should run deserves a report",
        labels=faults.labels_at(program, (place, "this statement was being computed")),
        sources=program.sources,
    )
