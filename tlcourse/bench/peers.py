"""`tlcourse bench peers`: our executors, torch and two interpreters in one interleaved run."""

from __future__ import annotations

import importlib.metadata
import importlib.util
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tlcourse.bench.functional import EAGER, OURS, TRITON
from tlcourse.bench.native import FUSED, NATIVE, engine, fused, require_native
from tlcourse.bench.timing import Run, interleaved
from tlcourse.bench.workloads import Tensors, Workload, workloads
from tlcourse.diagnostics import error
from tlcourse.threads import torch_threads

if TYPE_CHECKING:
    import torch

SIMULATOR, JAX = "simulator, checks by class", "jax pallas interpret"
# What each needs, and how to get it.
NEEDS: dict[str, tuple[str, str]] = {
    TRITON: ("triton", "pip install triton (Linux only)"),
    JAX: ("jax", "pip install jax"),
}
PACKAGES = ("torch", "triton", "jax", "tilelang-devkit", "nbgrader", "ascendnpu-ir")


@dataclass(frozen=True, kw_only=True)
class PeerTimes:
    """One workload: medians of one interleaved run on one thread.

    Args:
        workload: its name.
        milliseconds: by contender.
        largest_differences: from torch eager's result, of those that hand one back.
        least_triton: how many times faster than Triton's interpreter ours must be.
        met: whether it is, where Triton runs along.
    """

    workload: str
    milliseconds: dict[str, float]
    largest_differences: dict[str, float]
    least_triton: float
    met: bool


@dataclass(frozen=True, kw_only=True)
class PeersReport:
    """All workloads, what did not run along and how to get it, and what they ran on."""

    machine: dict[str, str]
    versions: dict[str, str]
    measured: tuple[PeerTimes, ...]
    absent: dict[str, str]

    @property
    def met(self) -> bool:
        """Whether every budget that was measured is met."""
        return all(one.met for one in self.measured)


def absent() -> dict[str, str]:
    """The peers that are not installed, and how to install each."""
    return {
        name: how
        for name, (module, how) in NEEDS.items()
        if importlib.util.find_spec(module) is None
    }


def installed() -> dict[str, str]:
    """The versions of tlcourse and of every peer that is installed."""
    found: dict[str, str] = {}
    for name in ("tlcourse", *PACKAGES):
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def measure_peers(*, seconds: float = 2.0) -> Iterator[PeerTimes]:
    """Measures the workloads one after another, on one thread.

    Args:
        seconds: time for each contender of each workload.

    Raises:
        TL771: a result differs from torch eager's.
        TL775: there is no C compiler.
    """
    missing = absent()
    with torch_threads(1):
        for workload in workloads():
            tensors = workload.prepare()
            contenders = _contenders(workload, tensors, missing)
            differences = _differences(workload, contenders)
            times = interleaved(contenders, seconds=seconds, rounds=200)
            triton = times.get(TRITON)
            yield PeerTimes(
                workload=workload.name,
                milliseconds={name: round(time * 1e3, 3) for name, time in times.items()},
                largest_differences=differences,
                least_triton=workload.least_triton,
                met=triton is None or triton >= workload.least_triton * times[OURS],
            )


def _contenders(workload: Workload, tensors: Tensors, missing: Mapping[str, str]) -> dict[str, Run]:
    found: dict[str, Run] = {
        EAGER: workload.eager(tensors),
        **_ours(workload, tensors),
    }
    if "Q" in tensors:
        found[FUSED] = fused(tensors)
    if TRITON not in missing:
        found[TRITON] = workload.triton(tensors)
    if JAX not in missing:
        found[JAX] = workload.jax(tensors)
    return found


def _ours(workload: Workload, tensors: Tensors) -> dict[str, Run]:
    from tlcourse.device import install, wrap

    install()
    kernel = workload.compile()
    with engine("native"):
        require_native(kernel, workload.name)
    arguments = [wrap(tensor) for tensor in tensors.values()]
    result = list(tensors.values())[-1]

    def through(name: str, execution: str) -> Callable[[], torch.Tensor]:
        def run() -> torch.Tensor:
            with engine(name):
                kernel.launch(*arguments, execution=execution)
            return result

        return run

    return {
        OURS: through("torch", "functional"),
        NATIVE: through("native", "functional"),
        SIMULATOR: through("torch", "simulator"),
    }


def _differences(workload: Workload, contenders: Mapping[str, Run]) -> dict[str, float]:
    import torch

    wanted = contenders[EAGER]()
    assert isinstance(wanted, torch.Tensor)
    found: dict[str, float] = {}
    for name, run in contenders.items():
        got = run()
        if not isinstance(got, torch.Tensor):
            continue  # Triton's launch hands nothing back
        found[name] = float((got.float() - wanted.float()).abs().max())
        if not found[name] <= workload.tolerance:
            raise error(
                "TL771",
                f"{workload.name}: {name} is {found[name]:.2g} away from torch eager's result",
                why=f"{workload.tolerance:g} is the most that rounding explains",
                fix="a timing of wrong numbers says nothing; please report this",
            )
    return found
