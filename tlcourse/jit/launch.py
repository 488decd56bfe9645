"""Runs a Program on the arguments of one call."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import torch

from tlcourse.chips import Chip
from tlcourse.diagnostics import error
from tlcourse.jit.binding import Bound, bind
from tlcourse.records import Finding, MemoryMap, Program, Timeline
from tlcourse.replay import Replay

if TYPE_CHECKING:
    from tlcourse.simulator.cycles.stream import Total

Execution = Literal["simulator", "functional"]
Checks = Literal["off", "class", "all"]

_ONE_LAUNCH_AT_A_TIME = threading.Lock()


@dataclass(frozen=True, kw_only=True)
class Launch:
    """What one launch gave.

    Args:
        outputs: the tensors of out_idx, on the npu.
        findings: what the executor saw, errors first come first.
        memory: the on-chip memories, as planned (simulator only).
        timed: makes the timeline when it is asked for, None for the functional executor.
        totals: adds up what all blocks did, by pipe and op (simulator only).
        replay: the instructions of the block that was asked for (simulator only).
    """

    outputs: tuple[torch.Tensor, ...]
    findings: tuple[Finding, ...]
    memory: tuple[MemoryMap, ...] = ()
    timed: Callable[[], Timeline] | None = field(default=None, repr=False)
    totals: Callable[[], Mapping[tuple[str, str], Total]] = field(default=dict, repr=False)
    replay: Replay | None = None

    @property
    def timeline(self) -> Timeline:
        """Cycles of the launch, pipe by pipe.

        Raises:
            TL427: the functional executor ran the kernel.
        """
        if self.timed is None:
            raise error(
                "TL427",
                "this launch has no timeline",
                why="the functional executor computes numbers and knows no cycles",
                fix='launch with execution="simulator"',
            )
        return self.timed()


def launch_program(
    program: Program,
    arguments: Sequence[object],
    *,
    chip: Chip,
    checks: Checks = "class",
    seed: int = 0,
    allow_cpu: bool = False,
) -> Launch:
    """Binds the arguments and runs the program; launches of all threads take turns.

    Args:
        program: the compiled kernel.
        arguments: one per parameter that is neither a symbol nor an output.
        chip: the simulated chip.
        checks: how much the simulator checks.
        seed: which of the legal orders the simulator takes.
        allow_cpu: let CPU tensors pass, as graders do.

    Raises:
        TL401 to TL412: the arguments do not fit; see `tlcourse.jit.binding.bind`.
    """
    bound = bind(
        program.signature,
        arguments,
        program.sources,
        written=frozenset(program.options.get("written", ())),
        unused=frozenset(program.options.get("unused", ())),
        allow_cpu=allow_cpu,
    )
    return run_bound(program, bound, chip=chip, checks=checks, seed=seed)


def run_bound(
    program: Program,
    bound: Bound,
    *,
    chip: Chip,
    checks: Checks = "class",
    seed: int = 0,
    replay: int = -1,
) -> Launch:
    """Runs the program on arguments that are bound already; see `launch_program`.

    Raises:
        TL415: there is no block `replay`.
        TL424: `seed` or `replay` is no whole number.
    """
    whole_from(seed, "seed")
    whole_from(replay, "replay")
    with _ONE_LAUNCH_AT_A_TIME:
        if program.kind == "functional":
            return _run_functional(program, bound)
        return _run_simulator(program, bound, chip, checks, seed, replay)


def whole_from(value: object, name: str) -> int:
    """A whole number that a launch is given.

    Raises:
        TL424: it is something else.
    """
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise error(
        "TL424",
        f"{name} = {value!r} is no whole number",
        why="`seed` names one of the legal orders, `replay` a block; both are counted from 0",
        fix=f"write {name}=1",
    )


def _run_functional(program: Program, bound: Bound) -> Launch:
    from tlcourse.functional.run import run

    result = run(program, bound.buffers, symbols=bound.symbols)
    return Launch(outputs=bound.outputs, findings=result.findings)


def _run_simulator(
    program: Program, bound: Bound, chip: Chip, checks: Checks, seed: int, replay: int
) -> Launch:
    from tlcourse.simulator.run import simulate

    result = simulate(
        program,
        bound.buffers,
        symbols=bound.symbols,
        checks=checks,
        seed=seed,
        chip=chip,
        replay=replay,
    )
    return Launch(
        outputs=bound.outputs,
        findings=result.findings,
        memory=result.memory,
        timed=result.timed,
        totals=result.totals,
        replay=result.replay,
    )
