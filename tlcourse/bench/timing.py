"""Medians of interleaved runs: what slows the machine down slows every contender down."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping

Run = Callable[[], object]


def interleaved(
    contenders: Mapping[str, Run], *, seconds: float, rounds: int, fewest: int = 3
) -> dict[str, float]:
    """The median time of each contender, in seconds.

    Every contender runs once to warm up. Then all run in turn, round after round. A contender
    that has used up its time sits out the rest.

    Args:
        contenders: what to run, by name.
        seconds: time for each contender.
        rounds: the most rounds.
        fewest: rounds that a contender runs however long it takes.
    """
    for run in contenders.values():
        run()
    times: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(rounds):
        for name, run in contenders.items():
            if len(times[name]) < fewest or sum(times[name]) < seconds:
                times[name].append(_time(run))
    return {name: statistics.median(measured) for name, measured in times.items()}


def _time(run: Run) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start
