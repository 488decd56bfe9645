"""Configurations on their way to a kernel: traced and compiled in threads, failures kept."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

from tlcourse.config import read_config
from tlcourse.dialects.text import to_text
from tlcourse.jit.kernel import Kernel
from tlcourse.jit.profiler import Profiler
from tlcourse.jit.tuning.errors import Config, reason_of


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """One configuration.

    Args:
        index: its place in the list.
        config: the values that it sets.
        kernel: its kernel, once there is one.
        simulated: whether the simulator knows all of the kernel's operations.
        failure: why it is out; empty while it is in.
    """

    index: int
    config: Config
    kernel: Kernel | None = None
    simulated: bool = False
    failure: str = ""

    @property
    def text(self) -> str:
        """What decides how fast it is: its Tile IR with mode, options and shapes."""
        return self.failure if self.kernel is None else to_text(self.kernel.module)


def traced(configs: Sequence[Config], make: Callable[[Config], Kernel]) -> list[Candidate]:
    """The kernel of each configuration, not yet compiled.

    Args:
        configs: the configurations.
        make: makes the kernel of one.
    """

    def trace(candidate: Candidate) -> Candidate:
        try:
            return replace(candidate, kernel=make(candidate.config))
        except Exception as problem:  # noqa: BLE001  a configuration may break anything
            return replace(candidate, failure=reason_of(problem))

    found = [Candidate(index=index, config=config) for index, config in enumerate(configs)]
    return _in_threads(trace, found)


def compiled(candidates: Sequence[Candidate]) -> list[Candidate]:
    """The same, compiled for the simulator where it knows their operations."""
    return _in_threads(_compiled, candidates)


def workers(cores: int | None = None) -> int:
    """How many threads compile: a share of the machine's cores, or a number from outside."""
    config, available = read_config(), cores or os.cpu_count() or 1
    fixed, most = int(config.tuning_cpus), int(config.tuning_most_cpus)
    wanted = min(fixed, available) if fixed > 0 else int(available * float(config.tuning_cpu_share))
    return max(1, min(wanted, most) if most > 0 else wanted)


def _compiled(candidate: Candidate) -> Candidate:
    if candidate.kernel is None:
        return candidate
    try:
        return replace(candidate, simulated=Profiler(candidate.kernel).can_simulate())
    except Exception as problem:  # noqa: BLE001  a configuration may break anything
        return replace(candidate, failure=reason_of(problem))


def _in_threads(
    work: Callable[[Candidate], Candidate], candidates: Sequence[Candidate]
) -> list[Candidate]:
    with ThreadPoolExecutor(max_workers=workers()) as pool:
        return list(pool.map(work, candidates))
