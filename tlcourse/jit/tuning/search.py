"""The search itself: from a list of configurations to the fastest one that is right."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

from tlcourse.config import read_config
from tlcourse.jit import cache
from tlcourse.jit.bench import Clock, Latency
from tlcourse.jit.kernel import Kernel
from tlcourse.jit.tuning.arguments import AutotuneResult, ProfileArgs
from tlcourse.jit.tuning.candidates import Candidate, compiled, traced
from tlcourse.jit.tuning.errors import Config, none_works, reason_of
from tlcourse.jit.tuning.limit import limited
from tlcourse.jit.tuning.log import Log, logging_to
from tlcourse.jit.tuning.measure import Bench


@dataclass(frozen=True, kw_only=True)
class Tuned:
    """What is kept on disk of a search: which configuration won, and the times."""

    schema: ClassVar[str] = "tlcourse.Tuned/1"
    index: int
    latency_ms: float
    clock: Clock
    ref_latency_ms: float | None


@dataclass(frozen=True, kw_only=True)
class Search:
    """One search.

    Args:
        name: the tuned function.
        configs: what to try.
        make: makes the kernel of a configuration.
        profile: how kernels are run, checked and timed.
    """

    name: str
    configs: Sequence[Config]
    make: Callable[[Config], Kernel]
    profile: ProfileArgs

    def run(self) -> AutotuneResult:
        """The best configuration, from the cache or searched for now.

        Raises:
            TL452: no configuration compiles, runs and is right.
        """
        with logging_to(Path.cwd()) as log:
            candidates = traced(self.configs, self.make)
            folder = _folder()
            if folder is None:
                return _result(candidates, self._searched(candidates, log))
            key = self._key(candidates)
            return _result(
                candidates, cache.fetch(folder, key, Tuned, lambda: self._searched(candidates, log))
            )

    def _searched(self, candidates: Sequence[Candidate], log: Log) -> Tuned:
        ready = compiled(candidates)
        clock = _clock(ready)
        log.note(f"{self.name}: {len(ready)} configurations, ranked by {clock} time")
        bench = Bench(profile=self.profile, clock=clock)
        times: dict[int, Latency] = {}
        for place, candidate in enumerate(ready):
            ready[place] = self._timed(candidate, bench, times, log)
        if not times:
            raise none_works(self.name, [(one.config, one.failure) for one in ready])
        best = min(times, key=lambda index: times[index])
        return Tuned(
            index=best,
            latency_ms=float(times[best]),
            clock=clock,
            ref_latency_ms=None if bench.ref_latency is None else float(bench.ref_latency),
        )

    def _timed(
        self, candidate: Candidate, bench: Bench, times: dict[int, Latency], log: Log
    ) -> Candidate:
        """Times a candidate that is in; says what happened to it."""
        config, index = dict(candidate.config), candidate.index
        if not candidate.failure and candidate.kernel is not None:
            try:
                with limited(self.profile.timeout):
                    times[index] = bench.latency(candidate.kernel, config)
            except Exception as problem:  # noqa: BLE001  a configuration may break anything
                candidate = replace(candidate, failure=reason_of(problem))
        if candidate.failure:
            log.say(f"Failed config {config} at index {index}: {candidate.failure}")
            return candidate
        said = f"Tuned Latency {times[index]:.6g} with config {config} at index {index}"
        log.say(f"{said} ({bench.clock} ms)")
        return candidate

    def _key(self, candidates: Sequence[Candidate]) -> str:
        profile = self.profile
        return cache.key_of(
            what="autotune",
            candidates="\n".join(candidate.text for candidate in candidates),
            configs=repr([dict(candidate.config) for candidate in candidates]),
            chip=read_config().device_name,
            supply=_name(profile.supply_prog) + profile.supply_type.name,
            check=_name(profile.ref_prog) + _name(profile.manual_check_prog),
            limits=repr((profile.rtol, profile.atol, profile.max_mismatched_ratio)),
            skipped=str(profile.skip_check),
        )


def _clock(candidates: Sequence[Candidate]) -> Clock:
    """Simulated time, if the simulator knows every kernel: times of two kinds have no order."""
    running = [candidate for candidate in candidates if not candidate.failure]
    return "simulated" if all(candidate.simulated for candidate in running) else "wall"


def _result(candidates: Sequence[Candidate], tuned: Tuned) -> AutotuneResult:
    best = candidates[tuned.index]
    assert best.kernel is not None, "what won was traced"
    latency, reference = Latency(tuned.latency_ms, tuned.clock), tuned.ref_latency_ms
    ref_latency = None if reference is None else Latency(reference, "wall")
    best.kernel.update_tuner_result(latency, best.config, ref_latency)
    return AutotuneResult(
        latency=latency, config=best.config, ref_latency=ref_latency, kernel=best.kernel
    )


def _folder() -> Path | None:
    config = read_config()
    return config.cache_dir if config.cache_enabled and config.tuning_cache_enabled else None


def _name(program: Callable[..., object] | None) -> str:
    return "" if program is None else f"{program.__module__}.{getattr(program, '__qualname__', '')}"
