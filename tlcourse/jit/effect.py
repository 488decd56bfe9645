"""What a change to a kernel does: both run on the same tensors, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from tlcourse.jit.kernel import Kernel
from tlcourse.records import Finding


@dataclass(frozen=True, kw_only=True)
class Effect:
    """One kernel as it is and with a change.

    Args:
        kernel: its name.
        findings: what the simulator found in the changed kernel.
        cycles: of the kernel as it is.
        changed_cycles: of the changed one, as far as it ran.
        differing: elements of all outputs that differ.
        elements: elements of all outputs.
    """

    kernel: str
    findings: tuple[Finding, ...]
    cycles: int
    changed_cycles: int
    differing: int
    elements: int


def effect(kernel: Kernel, changed: Kernel, *, seed: int = 0) -> Effect:
    """Runs a kernel and a changed form of it on the same made-up tensors.

    Args:
        kernel: the kernel as it is.
        changed: what `kernel.what_if` gave.
        seed: which legal order of the instructions the changed one is run in.

    Raises:
        TL434: an argument is a number or has a size known at a launch only.
    """
    given = kernel.get_profiler().inputs()
    launches = [
        (one, tensors, one.launch(*tensors, execution="simulator", seed=order))
        for one, tensors, order in (
            (kernel, [tensor.clone() for tensor in given], 0),
            (changed, [tensor.clone() for tensor in given], seed),
        )
    ]
    outputs = [one.get_profiler().outputs(done, tensors) for one, tensors, done in launches]
    (_, _, plain), (_, _, other) = launches
    return Effect(
        kernel=kernel.kernel_name,
        findings=other.findings,
        cycles=plain.timeline.cycles,
        changed_cycles=other.timeline.cycles,
        differing=_differing(*outputs),
        elements=sum(one.numel() for one in outputs[0]),
    )


def _differing(left: Sequence[torch.Tensor], right: Sequence[torch.Tensor]) -> int:
    """Elements that differ; NaN equals NaN."""
    pairs = [(a.cpu(), b.cpu()) for a, b in zip(left, right, strict=True)]
    return sum(int(((a != b) & ~(a.isnan() & b.isnan())).sum()) for a, b in pairs)
