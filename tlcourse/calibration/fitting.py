"""Chooses the free constants: a few at a time, on the rows that tell of them.

The search goes along one constant after another inside its range, with steps that are halved
when none of them helps. It uses no random numbers, so that a run can be repeated.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from tlcourse.chips import Constant, constants

SMALL_US = 15.0
"""Rows below count by their difference: 1.5 us there weighs as much as 10 % above."""

Aim = Literal["times", "pipes"]
Loss = Callable[[Mapping[str, float]], float]


@dataclass(frozen=True, kw_only=True)
class Step:
    """One step of the fit.

    Args:
        title: what it is about, for the report.
        families: whose rows it looks at.
        names: the constants it chooses.
        rounds: how often it goes through them.
        looks_at: the times of the rows, or the busy times of the vector pipe.
    """

    title: str
    families: tuple[str, ...]
    names: tuple[str, ...]
    rounds: int = 2
    looks_at: Aim = "times"


STEPS = (
    Step(
        title="Vector pipe: its busy times",
        families=("rope", "lerp"),
        looks_at="pipes",
        names=("vector_start", "vector_instruction", "repeat_simple", "repeat_cast"),
    ),
    Step(
        title="Streams: memory",
        families=("lerp", "mean", "swiglu"),
        names=("vector_gm", "hbm_mixed", "hbm_read", "dma_start"),
    ),
    Step(
        title="Rotations: launch and short pieces",
        families=("rope", "lerp"),
        names=("launch_vector", "dma_segment"),
    ),
    Step(
        title="Products: the cube core and its ways",
        families=("gemm",),
        rounds=1,
        names=("l1_port", "aic_gm_port", "nd2nz_segment", "nd2nz_start", "launch_cube"),
    ),
    Step(
        title="Scan over chunks: what only it has",
        families=("ssd",),
        names=("repeat_arange", "l0_start", "fixpipe_start"),
    ),
    Step(
        title="Both kinds of core: hand-overs and slow vector ops",
        families=("fa", "ssd"),
        names=(
            "gm_read_latency",
            "gm_write_latency",
            "aic_gm_read_latency",
            "l1_port",
            "repeat_reduce",
            "repeat_transcendental",
            "launch_mix",
            "cross_core_flag",
            "block",
        ),
    ),
)


def row_loss(predicted: float, measured: float) -> float:
    """How far a prediction is off: as a logarithm, or in parts of 15 us for small times."""
    if measured >= SMALL_US:
        return abs(math.log(max(predicted, 1e-9) / measured))
    return abs(predicted - measured) / SMALL_US


def search(
    loss: Loss,
    names: Iterable[str],
    start: Mapping[str, float],
    *,
    rounds: int = 3,
    table: Mapping[str, Constant] | None = None,
) -> dict[str, float]:
    """The values of some constants with a small loss, found one after another.

    Args:
        loss: to be made small; takes the values of all constants that differ from the table.
        names: the constants to choose, in this order.
        start: values so far; the result begins as a copy.
        rounds: how often to go through all names.
        table: ranges; the chips' own where absent.
    """
    ranges = constants() if table is None else table
    found = dict(start)
    best = loss(found)
    chosen = [name for name in names if ranges[name].fitted]
    for turn in range(rounds):
        before = best
        for name in chosen:
            constant = ranges[name]
            step = (constant.high - constant.low) / (4 * 2**turn)
            best = _along(loss, name, constant, found, best, step)
        if before - best < 1e-4:
            break
    return found


def _along(
    loss: Loss,
    name: str,
    constant: Constant,
    found: dict[str, float],
    best: float,
    step: float,
) -> float:
    """Moves one constant in `found` as long as that helps, and gives the loss there."""
    smallest = step / 4
    while step >= smallest:
        here = found.get(name, constant.value)
        moved = False
        for there in (here + step, here - step):
            value = round(min(max(there, constant.low), constant.high), 3)
            if value == here:
                continue
            now = loss({**found, name: value})
            if now < best - 1e-6:
                found[name], best, moved = value, now, True
                break
        if not moved:
            step /= 2
    return best


def start(steps: Sequence[Step] = STEPS) -> dict[str, float]:
    """Where a fit begins, whatever the table says now: at the low end of each range.

    What no row tells of then costs as little as published figures allow.
    """
    table = constants()
    names = dict.fromkeys(name for step in steps for name in step.names)
    return {name: table[name].low for name in names}


class Fitter:
    """Goes through the steps; what was searched once is not searched again.

    Args:
        losses: the loss over the rows of some families.
        steps: what to choose from which rows.
        say: takes a line for each step.
    """

    def __init__(
        self,
        losses: Callable[[Sequence[str], Aim], Loss],
        steps: Sequence[Step] = STEPS,
        *,
        say: Callable[[str], None] = lambda line: None,
    ) -> None:
        self._losses = losses
        self._steps = steps
        self._say = say
        self._known: dict[Hashable, dict[str, float]] = {}

    def fit(self, families: Sequence[str]) -> dict[str, float]:
        """The constants that the rows of these families tell.

        A step whose families are all left out is passed over, and its constants stay where
        they began.
        """
        found = start(self._steps)
        for step in self._steps:
            seen = tuple(name for name in families if name in step.families)
            if seen:
                found = self._search(step, seen, found)
        return found

    def _search(
        self, step: Step, seen: tuple[str, ...], before: dict[str, float]
    ) -> dict[str, float]:
        key = (step.title, seen, tuple(sorted(before.items())))
        if key not in self._known:
            loss = self._losses(seen, step.looks_at)
            found = search(loss, step.names, before, rounds=step.rounds)
            self._known[key] = found
            chosen = ", ".join(f"{name} {found[name]:g}" for name in step.names)
            self._say(f"{step.title}: {chosen}")
        return self._known[key]
