"""Runs a functional Program on CPU tensors with torch alone.

Blocks run in order from 0, on one torch thread. What a kernel does wrong becomes a finding;
the first error ends the launch and leaves what was written so far.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

import torch

from tlcourse.diagnostics import Label, TLError, error
from tlcourse.functional import faults
from tlcourse.functional.arguments import Argument, bind, grid_of
from tlcourse.functional.flags import CoreKind
from tlcourse.functional.launch import Core, Launch, Steps, StopLaunch
from tlcourse.functional.loading import load, place_of
from tlcourse.functional.schedule import run_blocks
from tlcourse.records import Finding, Program

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
    step_limit: int = 10**8,
) -> FunctionalRun:
    """Runs all blocks of a kernel.

    Args:
        program: made by `generate`.
        buffers: one entry per parameter that is no symbol, in order: contiguous CPU tensors,
            written in place, and Python numbers. A tensor that the kernel writes shares no
            memory with the others.
        symbols: the value of each symbol.
        step_limit: a step is one turn of a loop, one element that scalar code loads or
            stores, or one block.

    Returns:
        the findings: TL501 a tile outside its buffer, TL502 a deadlock, TL504 too many steps,
        TL505 extents that disagree, TL506 a division by zero, each of which ends the launch;
        TL503 a flag left raised, a warning.

    Raises:
        TLError: TL410 the grid has no blocks; TL507 torch cannot compute a statement.
    """
    assert program.kind == "functional", "the simulator's Programs have their own run"
    with torch.inference_mode(), _one_thread():
        arguments, values = bind(program, buffers, symbols)
        launch = Launch(program=program, grid=grid_of(program, values), step_limit=step_limit)
        try:
            _run(launch, arguments)
        except StopLaunch as stop:
            launch.findings.append(stop.finding)
    return FunctionalRun(findings=tuple(launch.findings))


def _run(launch: Launch, arguments: Sequence[Argument]) -> None:
    cores = _cores(launch)
    _charge_blocks(launch, cores[0])
    try:
        agents = [(core, _generator(launch.program, core, arguments)) for core in cores]
        run_blocks(launch, agents)
    except _REFUSALS as problem:
        raise _explained(launch, problem) from None


def _charge_blocks(launch: Launch, core: Core) -> None:
    """Takes one step a block, so that a grid of billions of blocks is refused at once."""
    blocks = math.prod(launch.grid)
    launch.steps += blocks
    if launch.steps <= launch.step_limit:
        return
    program = launch.program
    where = faults.Where(program=program, agent=core.agent, place=-1, block=0)
    found = faults.too_many_steps(where, f"the grid has {blocks:,} blocks", launch.step_limit)
    span = program.signature.grid_span
    labels = (Label(span=span, text=f"this is {launch.grid}"),) if span else ()
    raise StopLaunch(replace(found, diagnostic=replace(found.diagnostic, labels=labels)))


def _cores(launch: Launch) -> list[Core]:
    kinds: list[CoreKind] = [code.agent for code in launch.program.agents]
    return [
        Core(launch=launch, kind=kind, vid=vid)
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


@contextmanager
def _one_thread() -> Generator[None]:
    """One torch thread inside: starting more costs more than a tile's work."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)
