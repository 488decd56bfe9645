"""`tlcourse bench simulator`: the simulator, with checks, beside the functional executor."""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tlcourse.bench.timing import interleaved
from tlcourse.bench.workloads import Workload, workloads
from tlcourse.diagnostics import error
from tlcourse.threads import torch_threads

if TYPE_CHECKING:
    import torch

    from tlcourse.jit import Kernel

FUNCTIONAL, CLASS, ALL = "functional", "class", "all"
MOST_TIMES = {CLASS: 4.0, ALL: 15.0}
TINY_BLOCKS, MOST_TINY_SECONDS = 65_535, 60.0


@dataclass(frozen=True, kw_only=True)
class Simulated:
    """One workload's medians, from one interleaved run.

    Args:
        workload: its name.
        milliseconds: by contender: the functional executor, and the simulator by its checks.
        times_functional: the simulator's times in units of the functional executor's.
        most_times: the budgets for them.
        findings: what the simulator found; the workloads have no fault.
        largest_difference: of a simulator's result from the functional executor's.
        met: whether there is no finding and every budget is met.
    """

    workload: str
    milliseconds: dict[str, float]
    times_functional: dict[str, float]
    most_times: dict[str, float]
    findings: int
    largest_difference: float
    met: bool


@dataclass(frozen=True, kw_only=True)
class Grid:
    """One launch of very many blocks with little work each, with checks by class.

    Args:
        workload: the kernel.
        blocks: how many.
        seconds: the time of the launch.
        most_seconds: the budget for it.
        findings: what was found.
        met: whether there is no finding and the budget is met.
    """

    workload: str
    blocks: int
    seconds: float
    most_seconds: float
    findings: int
    met: bool


@dataclass(frozen=True, kw_only=True)
class SimulatorReport:
    """All workloads, the large grid, and what they ran on."""

    machine: dict[str, str]
    versions: dict[str, str]
    measured: tuple[Simulated, ...]
    grid: Grid

    @property
    def met(self) -> bool:
        """Whether every budget is met."""
        return self.grid.met and all(one.met for one in self.measured)


def measure_simulator(*, seconds: float = 2.0) -> Iterator[Simulated]:
    """Measures the workloads one after another, on one torch thread.

    Args:
        seconds: time for each contender of each workload.

    Raises:
        TL771: the simulator's result differs from the functional executor's.
    """
    with torch_threads(1):
        for workload in workloads():
            yield _measured(workload, seconds=seconds)


def measure_grid(blocks: int = TINY_BLOCKS) -> Grid:
    """Runs a softmax of one short row in each block, once.

    Args:
        blocks: number of rows, and so of blocks.
    """
    import torch

    example = importlib.import_module("tlcourse.examples.softmax")
    kernel = _compile(example.softmax(blocks, 8, 1))
    x = torch.randn(blocks, 8, generator=torch.Generator().manual_seed(0))
    launch = _launcher(kernel, [x, torch.empty_like(x)])
    with torch_threads(1):
        start = time.perf_counter()
        findings = launch(CLASS)
        taken = time.perf_counter() - start
    return Grid(
        workload=f"softmax {blocks:,}x8, a block for each row",
        blocks=blocks,
        seconds=round(taken, 2),
        most_seconds=MOST_TINY_SECONDS,
        findings=findings,
        met=not findings and taken <= MOST_TINY_SECONDS,
    )


def _measured(workload: Workload, *, seconds: float) -> Simulated:
    tensors = list(workload.prepare().values())
    launch = _launcher(workload.compile(), tensors)
    findings: dict[str, int] = {}
    results: dict[str, torch.Tensor] = {}

    def run(how: str) -> None:
        findings[how] = launch(how)
        if how not in results:
            results[how] = tensors[-1].clone()

    names = (FUNCTIONAL, *MOST_TIMES)
    contenders = {name: (lambda name=name: run(name)) for name in names}
    taken = interleaved(contenders, seconds=seconds, rounds=200, fewest=1)
    difference = max(_difference(workload, results, name) for name in MOST_TIMES)
    times = {name: round(taken[name] / taken[FUNCTIONAL], 2) for name in MOST_TIMES}
    found = max(findings.values())
    return Simulated(
        workload=workload.name,
        milliseconds={name: round(one * 1e3, 3) for name, one in taken.items()},
        times_functional=times,
        most_times=dict(MOST_TIMES),
        findings=found,
        largest_difference=difference,
        met=not found and all(times[name] <= most for name, most in MOST_TIMES.items()),
    )


def _launcher(kernel: Kernel, tensors: list[torch.Tensor]) -> Callable[[str], int]:
    """Launches the kernel in one of the ways; gives back the number of findings."""
    from tlcourse.device import install, wrap

    install()
    arguments = [wrap(tensor) for tensor in tensors]

    def launch(how: str) -> int:
        if how == FUNCTIONAL:
            return len(kernel.launch(*arguments, execution="functional").findings)
        checks = "all" if how == ALL else "class"
        return len(kernel.launch(*arguments, execution="simulator", checks=checks).findings)

    return launch


def _compile(func: object) -> Kernel:
    from tlcourse.jit import compile

    return compile(func, mode="Developer")  # pyright: ignore[reportArgumentType]


def _difference(workload: Workload, results: dict[str, torch.Tensor], name: str) -> float:
    expected, got = results[FUNCTIONAL].float(), results[name].float()
    difference = float((got - expected).abs().max())
    if difference <= workload.tolerance:
        return difference
    raise error(
        "TL771",
        f"{workload.name}: with checks {name} the result is {difference:.2g} away from the "
        "functional executor's",
        why=f"{workload.tolerance:g} is the most that rounding explains",
        fix="a timing of wrong numbers says nothing; please report this",
    )
