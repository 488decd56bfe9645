"""One configuration at work: arguments, one launch, the comparison, the time."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import dataclass, field

import torch

from tlcourse.jit.bench import Clock, Latency, simulated_ms, wall_ms
from tlcourse.jit.kernel import Kernel
from tlcourse.jit.launch import Launch
from tlcourse.jit.profiler import Profiler
from tlcourse.jit.report import report
from tlcourse.jit.tuning.arguments import ProfileArgs
from tlcourse.jit.tuning.errors import Config

_EXECUTION = {"simulated": "simulator", "wall": "functional"}
_REFERENCE_MS = 20  # enough for a number that is only shown


@dataclass(kw_only=True)
class Bench:
    """Runs configurations one after the other.

    Args:
        profile: how they are run, checked and timed.
        clock: what their time is.
    """

    profile: ProfileArgs
    clock: Clock
    ref_latency: Latency | None = None
    _kept: Sequence[object] = field(default_factory=list[object])

    def latency(self, kernel: Kernel, config: Config) -> Latency:
        """Milliseconds of a kernel whose results are right.

        Raises:
            TL434: arguments cannot be made up.
            TL435: the results differ from the reference.
            TL501 to TL530: the run stopped.
        """
        profiler = Profiler(kernel, self.profile.supply_type)
        tensors = self._arguments(profiler, config)
        wanted = self._wanted(profiler, tensors)
        launch = self._launch(kernel, tensors)
        if wanted is not None:
            self._check(profiler, profiler.outputs(launch, tensors), wanted)
        if self.clock == "simulated":
            return simulated_ms(launch.timeline)
        profile = self.profile
        return wall_ms(lambda: self._launch(kernel, tensors), profile.warmup, profile.rep)

    def _launch(self, kernel: Kernel, tensors: Sequence[object]) -> Launch:
        launch = kernel.launch(*tensors, execution=_EXECUTION[self.clock])
        report(launch.findings, kernel.sources)
        return launch

    def _arguments(self, profiler: Profiler, config: Config) -> list[object]:
        if self.profile.cache_input_tensors and self._kept:
            return _copies(self._kept)
        made = self._made(profiler, config)
        if self.profile.cache_input_tensors:
            self._kept = _copies(made)
        return made

    def _made(self, profiler: Profiler, config: Config) -> list[object]:
        program = self.profile.supply_prog
        if program is None:
            return list(profiler.inputs())
        if "config" in inspect.signature(program).parameters:
            return list(program(profiler.params(), config=config))
        return list(program(profiler.params()))

    def _wanted(self, profiler: Profiler, tensors: Sequence[object]) -> list[torch.Tensor] | None:
        program = self.profile.ref_prog
        if program is None:
            return None
        if self.ref_latency is None:
            self.ref_latency = wall_ms(
                lambda: profiler.reference(program, tensors), 1, _REFERENCE_MS
            )
        return None if self.profile.skip_check else profiler.reference(program, tensors)

    def _check(
        self, profiler: Profiler, got: list[torch.Tensor], wanted: list[torch.Tensor]
    ) -> None:
        profile = self.profile
        if profile.manual_check_prog is not None:
            profile.manual_check_prog(got, wanted)
            return
        limits = profile.atol, profile.rtol, profile.max_mismatched_ratio
        profiler.compare(got, wanted, *limits)


def _copies(tensors: Sequence[object]) -> list[object]:
    return [entry.clone() if isinstance(entry, torch.Tensor) else entry for entry in tensors]
