"""What a tuner is told, and what it gives back."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypedDict

import torch

from tlcourse.jit.bench import Latency
from tlcourse.jit.kernel import Kernel
from tlcourse.jit.profiler import Reference
from tlcourse.jit.supply import TensorSupplyType
from tlcourse.language import PrimFunc

ManualCheck = Callable[[list[torch.Tensor], list[torch.Tensor]], object]


@dataclass(frozen=True, kw_only=True)
class CompileArgs:
    """How configurations are compiled; see `tlcourse.jit.compile`."""

    out_idx: int | Sequence[int] | None = None
    execution_backend: str = "cython"
    target: str = "npuir"
    target_host: str | None = None
    verbose: bool = False
    pass_configs: Mapping[str, object] | None = None


class ProfileOptions(TypedDict, total=False):
    """The arguments of ProfileArgs, for functions that pass them on."""

    warmup: float
    rep: float
    timeout: float
    supply_type: TensorSupplyType
    ref_prog: Reference | None
    supply_prog: Callable[..., Sequence[object]] | None
    rtol: float
    atol: float
    max_mismatched_ratio: float
    skip_check: bool
    manual_check_prog: ManualCheck | None
    cache_input_tensors: bool


@dataclass(frozen=True, kw_only=True)
class ProfileArgs:
    """How configurations are run, checked and timed.

    Args:
        warmup: milliseconds of runs before wall time is taken.
        rep: milliseconds of runs that wall time is taken over.
        timeout: seconds for each configuration.
        supply_type: how tensors are filled, where there is no supply_prog.
        ref_prog: reference; gets the same tensors.
        supply_prog: makes the arguments from the parameters, and from `config` if it takes that.
        rtol: allowed difference from the reference, as a part of it.
        atol: allowed difference.
        max_mismatched_ratio: the part of all elements that may differ more.
        skip_check: do not compare with the reference.
        manual_check_prog: compares in its own way.
        cache_input_tensors: make arguments once, and give each configuration copies.
    """

    warmup: float = 25
    rep: float = 100
    timeout: float = 100
    supply_type: TensorSupplyType = TensorSupplyType.Auto
    ref_prog: Reference | None = None
    supply_prog: Callable[..., Sequence[object]] | None = None
    rtol: float = 1e-2
    atol: float = 1e-2
    max_mismatched_ratio: float = 0.01
    skip_check: bool = False
    manual_check_prog: ManualCheck | None = None
    cache_input_tensors: bool = False


@dataclass(frozen=True, kw_only=True)
class AutotuneResult:
    """The best configuration.

    Args:
        latency: milliseconds of its kernel; `latency.clock` says by which clock. None where
            nothing was tuned.
        config: the values that it sets.
        ref_latency: wall milliseconds of the reference on this machine.
        kernel: its kernel.
    """

    latency: Latency | None = None
    config: Mapping[str, object] | None = None
    ref_latency: Latency | None = None
    kernel: Kernel

    @property
    def func(self) -> PrimFunc | None:
        """The traced function of the kernel."""
        return self.kernel.prim_func

    @property
    def libcode(self) -> str:
        """What the simulator runs, as text."""
        return self.kernel.get_kernel_source()
