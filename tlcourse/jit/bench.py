"""Times: of the simulated chip, from a timeline, and of this machine, from its clock.

Both are milliseconds and nothing else joins them: a simulated time tells how long the chip
would take, a wall time how long this machine took to compute the numbers.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from typing import Literal

import torch

from tlcourse.records import Timeline

Clock = Literal["simulated", "wall"]

_AVERAGES: dict[str, Callable[[Sequence[float]], float]] = {
    "mean": statistics.fmean,
    "median": statistics.median,
    "min": min,
    "max": max,
}


class Latency(float):
    """Milliseconds, and by which clock they were taken: `simulated` or `wall`."""

    clock: Clock

    def __new__(cls, milliseconds: float, clock: Clock) -> Latency:
        made = super().__new__(cls, milliseconds)
        made.clock = clock
        return made

    def __repr__(self) -> str:
        return f"{float(self)} ms, {self.clock} time"

    def __str__(self) -> str:
        return float.__repr__(self)  # scripts write the unit behind it

    def __reduce__(self) -> tuple[type[Latency], tuple[float, Clock]]:
        return Latency, (float(self), self.clock)


def simulated_ms(timeline: Timeline) -> Latency:
    """How long the simulated chip took for a launch, its start included."""
    return Latency(timeline.cycles / (timeline.clock_mhz * 1e3), "simulated")


def do_bench(
    fn: Callable[[], object],
    warmup: float = 25,
    rep: float = 100,
    _n_warmup: int = 0,
    _n_repeat: int = 0,
    grad_to_none: Sequence[torch.Tensor] | None = None,
    quantiles: Sequence[float] | None = None,
    fast_flush: bool = True,
    return_mode: Literal["min", "max", "mean", "median"] = "mean",
) -> float | list[float]:
    """Wall time of a function on this machine, in milliseconds.

    Args:
        fn: what is timed.
        warmup: milliseconds that it runs before.
        rep: milliseconds that it is timed for.
        _n_warmup: number of runs before, instead of `warmup`, where above 0.
        _n_repeat: number of timed runs, instead of `rep`, where above 0.
        grad_to_none: tensors whose gradient is dropped before each run.
        quantiles: return these parts of the sorted times instead of an average.
        fast_flush: accepted; there is no cache of the NPU to empty.
        return_mode: which average.
    """
    once = _timed(fn, grad_to_none) or 1e-6
    for _ in range(_n_warmup or max(1, int(warmup / once))):
        fn()
    times = [_timed(fn, grad_to_none) for _ in range(_n_repeat or max(1, int(rep / once)))]
    if quantiles is not None:
        parts = torch.tensor(list(quantiles), dtype=torch.float64)
        found = [float(part) for part in torch.tensor(times, dtype=torch.float64).quantile(parts)]
        return found[0] if len(found) == 1 else found
    return Latency(_AVERAGES[return_mode](times), "wall")


def wall_ms(fn: Callable[[], object], warmup: float, rep: float) -> Latency:
    """The mean wall time of a function; see `do_bench`."""
    found = do_bench(fn, warmup, rep)
    assert isinstance(found, Latency), "no quantiles were asked for"
    return found


def _timed(fn: Callable[[], object], grad_to_none: Sequence[torch.Tensor] | None) -> float:
    for tensor in grad_to_none or ():
        tensor.grad = None
    start = time.perf_counter()
    fn()
    return (time.perf_counter() - start) * 1e3
