"""`tlcourse bench native`: the compiled engine beside torch eager and torch's fused attention."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tlcourse.bench.loading import Loading
from tlcourse.bench.timing import Run, interleaved
from tlcourse.bench.workloads import Tensors, Workload, workloads
from tlcourse.diagnostics import error
from tlcourse.threads import torch_threads

if TYPE_CHECKING:
    import torch

    from tlcourse.jit import Kernel

NATIVE, EAGER, FUSED = "native", "torch eager", "torch sdpa float16"
THREADS = (1, 2)
MOST_TIMES = 1.0


@dataclass(frozen=True, kw_only=True)
class MeasuredNative:
    """One workload on so many threads: medians of one interleaved run.

    Args:
        workload: its name.
        threads: of each contender.
        milliseconds: by contender.
        times_eager: our time in units of torch eager's.
        times_fused: in units of torch's fused attention on float16; None where there is none.
        most_times: the budget for both.
        met: whether it is met.
    """

    workload: str
    threads: int
    milliseconds: dict[str, float]
    times_eager: float
    times_fused: float | None
    most_times: float = MOST_TIMES
    met: bool


@dataclass(frozen=True, kw_only=True)
class NativeReport:
    """All workloads, what a package takes to load, and what they ran on."""

    machine: dict[str, str]
    versions: dict[str, str]
    measured: tuple[MeasuredNative, ...]
    loading: Loading

    @property
    def met(self) -> bool:
        """Whether every budget is met."""
        return self.loading.met and all(one.met for one in self.measured)


def measure_native(*, peers: bool, seconds: float = 2.0) -> Iterator[MeasuredNative]:
    """Measures the workloads on one thread, then on two.

    Args:
        peers: whether torch's fused attention runs along.
        seconds: time for each contender of each workload.

    Raises:
        TL775: there is no C compiler, or it refuses a workload.
    """
    with engine("native"):
        for threads in THREADS:
            with torch_threads(threads):
                for workload in workloads():
                    yield _measured(workload, threads, peers=peers, seconds=seconds)


def _measured(workload: Workload, threads: int, *, peers: bool, seconds: float) -> MeasuredNative:
    tensors = workload.prepare()
    contenders: dict[str, Run] = {
        NATIVE: _ours(workload, tensors),
        EAGER: workload.eager(tensors),
    }
    if peers and "Q" in tensors:
        contenders[FUSED] = fused(tensors)
    times = interleaved(contenders, seconds=seconds, rounds=200)
    eager = times[NATIVE] / times[EAGER]
    over_fused = times[NATIVE] / times[FUSED] if FUSED in times else None
    return MeasuredNative(
        workload=workload.name,
        threads=threads,
        milliseconds={name: round(time * 1e3, 3) for name, time in times.items()},
        times_eager=round(eager, 3),
        times_fused=None if over_fused is None else round(over_fused, 3),
        met=eager <= MOST_TIMES and (over_fused is None or over_fused <= MOST_TIMES),
    )


def _ours(workload: Workload, tensors: Tensors) -> Callable[[], torch.Tensor]:
    from tlcourse.device import install, wrap

    install()
    kernel = workload.compile()
    require_native(kernel, workload.name)
    arguments = [wrap(tensor) for tensor in tensors.values()]

    def run() -> torch.Tensor:
        kernel.launch(*arguments, execution="functional")
        return list(tensors.values())[-1]

    return run


def require_native(kernel: Kernel, name: str) -> None:
    """Sees to it that a kernel runs as native code.

    Raises:
        TL775: there is no C compiler, or it refuses the kernel.
    """
    from tlcourse.functional.compiled import library_of

    if library_of(kernel.program("functional"), "native") is None:
        raise error(
            "TL775",
            f"{name} cannot be compiled to native code",
            why="the system has no C compiler (gcc, clang or cc), or it refuses the text",
            fix="install gcc or clang: apt-get install gcc, or xcode-select --install",
        )


def fused(tensors: Tensors) -> Run:
    """Torch's fused attention on float16."""
    from torch.nn.functional import scaled_dot_product_attention

    q, k, v = (tensors[name][None] for name in ("Q", "K", "V"))
    return lambda: scaled_dot_product_attention(q, k, v)


@contextmanager
def engine(name: str) -> Generator[None]:
    """The functional executor computes with this engine inside."""
    before = os.environ.get("TLCOURSE_ENGINE")
    os.environ["TLCOURSE_ENGINE"] = name
    try:
        yield
    finally:
        del os.environ["TLCOURSE_ENGINE"]
        if before is not None:
            os.environ["TLCOURSE_ENGINE"] = before
