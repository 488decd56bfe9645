"""`tlcourse bench functional`: the functional executor beside torch eager and Triton."""

from __future__ import annotations

import importlib.util
import os
import platform
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tlcourse.bench.timing import Run, interleaved
from tlcourse.bench.workloads import Tensors, Workload, workloads
from tlcourse.diagnostics import error
from tlcourse.threads import torch_threads

if TYPE_CHECKING:
    import torch

OURS, EAGER, TRITON = "functional", "torch eager", "triton interpreter"


@dataclass(frozen=True, kw_only=True)
class Measured:
    """One workload's medians, from one interleaved run.

    Args:
        workload: its name.
        milliseconds: by contender.
        times_eager: our time in units of torch eager's.
        most_eager: the budget for it.
        times_faster_than_triton: None without peers.
        least_triton: the budget for it.
        largest_difference: from eager's result.
        met: whether every budget that was measured is met.
    """

    workload: str
    milliseconds: dict[str, float]
    times_eager: float
    most_eager: float
    times_faster_than_triton: float | None
    least_triton: float
    largest_difference: float
    met: bool


@dataclass(frozen=True, kw_only=True)
class Report:
    """All workloads, and what they ran on."""

    machine: dict[str, str]
    versions: dict[str, str]
    measured: tuple[Measured, ...]

    @property
    def met(self) -> bool:
        """Whether every budget is met."""
        return all(one.met for one in self.measured)


def measure(*, peers: bool, seconds: float = 2.0) -> Iterator[Measured]:
    """Measures the workloads one after another, on one torch thread.

    Args:
        peers: whether Triton's interpreter runs along.
        seconds: time for each contender of each workload.

    Raises:
        TL770: peers are wanted, and Triton is not installed.
        TL771: our result differs from eager's.
    """
    if peers and importlib.util.find_spec("triton") is None:
        raise error(
            "TL770",
            "the peers need Triton, which is not installed",
            why="its interpreter runs the same kernels in the same run",
            fix="pip install triton (Linux only; 180 MB), or leave out --peers",
        )
    with torch_threads(1):
        for workload in workloads():
            yield _measured(workload, peers=peers, seconds=seconds)


def machine() -> dict[str, str]:
    """What the figures were measured on."""
    return {
        "processor": _processor(),
        "cores": str(os.cpu_count()),
        "system": platform.system(),
        "torch threads": "1",
    }


def versions(*, peers: bool) -> dict[str, str]:
    """The versions of what was measured."""
    import importlib.metadata

    names = ["tlcourse", "torch", *(["triton"] if peers else [])]
    found = {name: importlib.metadata.version(name) for name in names}
    return {"python": platform.python_version(), **found}


def _measured(workload: Workload, *, peers: bool, seconds: float) -> Measured:
    tensors = workload.prepare()
    contenders = {OURS: _ours(workload, tensors), EAGER: workload.eager(tensors)}
    if peers:
        contenders[TRITON] = workload.triton(tensors)
    difference = _difference(workload, contenders)
    times = interleaved(contenders, seconds=seconds, rounds=200)
    eager = times[OURS] / times[EAGER]
    triton = times[TRITON] / times[OURS] if peers else None
    within = triton is None or triton >= workload.least_triton
    return Measured(
        workload=workload.name,
        milliseconds={name: round(time * 1e3, 3) for name, time in times.items()},
        times_eager=round(eager, 3),
        most_eager=workload.most_eager,
        times_faster_than_triton=None if triton is None else round(triton, 1),
        least_triton=workload.least_triton,
        largest_difference=difference,
        met=eager <= workload.most_eager and within,
    )


def _ours(workload: Workload, tensors: Tensors) -> Callable[[], torch.Tensor]:
    from tlcourse.device import install, wrap

    install()
    kernel = workload.compile()
    arguments = [wrap(tensor) for tensor in tensors.values()]

    def run() -> torch.Tensor:
        kernel.launch(*arguments, execution="functional")
        return list(tensors.values())[-1]

    return run


def _difference(workload: Workload, contenders: dict[str, Run]) -> float:
    import torch

    ours, eager = contenders[OURS](), contenders[EAGER]()
    assert isinstance(ours, torch.Tensor)
    assert isinstance(eager, torch.Tensor)
    difference = float((ours.float() - eager.float()).abs().max())
    if difference <= workload.tolerance:
        return difference
    raise error(
        "TL771",
        f"{workload.name}: the result is {difference:.2g} away from torch eager's",
        why=f"{workload.tolerance:g} is the most that rounding explains",
        fix="a timing of wrong numbers says nothing; please report this",
    )


def _processor() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text().splitlines() if cpuinfo.is_file() else []
    named = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return named[0] if named else platform.processor() or platform.machine()
