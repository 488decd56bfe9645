"""What each embedded pass takes, and whether it keeps the numbers, on made-up inputs."""

from __future__ import annotations

import torch

from tlcourse import device
from tlcourse.diagnostics import TLError
from tlcourse.jit.kernel import Kernel
from tlcourse.jit.supply import TensorSupplyType, parameter_view, supply
from tlcourse.live import PassMeasure
from tlcourse.pipeline import PassOptions
from tlcourse.pipeline.checking import check_passes, time_passes

_SEED = 0


def measured_passes(kernel: Kernel, *, numbers: bool) -> tuple[PassMeasure, ...]:
    """Time and numbers of each embedded pass, in the order in which they run.

    Args:
        kernel: the kernel.
        numbers: whether to run it after each pass, on made-up tensors. A kernel with symbols or
            scalar parameters is timed only.

    Raises:
        TLError: what a pass or a run raises.
    """
    options = PassOptions().with_configs(kernel.settings.pass_configs)
    chip = kernel.settings.chip
    seconds = time_passes(kernel.module, kernel.sources, options=options, chip=chip)
    tensors = _made_up(kernel) if numbers else None
    if tensors is None:
        return tuple(PassMeasure(pass_name=name, seconds=time) for name, time in seconds)
    checks = check_passes(kernel.module, kernel.sources, tensors, options=options, chip=chip)
    return tuple(
        PassMeasure(pass_name=name, seconds=time, numbers=check.state, worst=check.worst)
        for (name, time), check in zip(seconds, checks, strict=True)
    )


def _made_up(kernel: Kernel) -> list[torch.Tensor] | None:
    """One tensor per parameter, the same in every call; None where one cannot be made up."""
    parameters = [
        parameter_view(one, is_output=False)
        for one in kernel.launch_signature.parameters
        if one.kind != "symbol"
    ]
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(_SEED)
        try:
            return [device.unwrap(supply(one, TensorSupplyType.Auto)) for one in parameters]
        except TLError as problem:
            if problem.code != "TL434":
                raise
            return None
