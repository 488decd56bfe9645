"""The two back halves on the same kernels: what each plans, how long it takes, what it computes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import torch

from tlcourse.chips import DEFAULT_CHIP
from tlcourse.dialects.signature import signature
from tlcourse.dialects.text import to_text
from tlcourse.examples.course import CourseKernel
from tlcourse.pipeline import compile_module
from tlcourse.pipeline.figures import Figures, figures
from tlcourse.records import Backend
from tlcourse.simulator.generate import generate
from tlcourse.simulator.run import run
from tlcourse.tolerance import tolerance

# The embedded passes may need this much of a memory, measured by the real compiler's need.
PEAK_LIMIT = 1.1


@dataclass(frozen=True, kw_only=True)
class Half:
    """One kernel through one back half.

    Args:
        figures: its executable form, counted.
        cycles: simulated time of the launch.
        findings: codes of what the simulator found, with all its checks on.
        outputs: the tensors that the kernel wrote.
        agrees: whether they are torch's within the tolerance of their dtype.
    """

    figures: Figures
    cycles: int
    findings: tuple[str, ...]
    outputs: tuple[torch.Tensor, ...]
    agrees: bool


@dataclass(frozen=True, kw_only=True)
class Pair:
    """One kernel through both back halves."""

    kernel: CourseKernel
    embedded: Half
    real: Half

    @property
    def same_numbers(self) -> bool:
        """Whether both give torch's numbers and one another's."""
        alike = all(map(close, self.embedded.outputs, self.real.outputs))
        return alike and self.embedded.agrees and self.real.agrees

    @property
    def peak_ratios(self) -> Mapping[str, float]:
        """Need of the embedded passes by the real compiler's, for each memory."""
        return peak_ratios(self.embedded.figures, self.real.figures)

    @property
    def passed(self) -> bool:
        """Same numbers, no finding, and no memory beyond the limit."""
        clean = not self.embedded.findings and not self.real.findings
        return self.same_numbers and clean and max(self.peak_ratios.values()) <= PEAK_LIMIT


def compare(kernel: CourseKernel) -> Pair:
    """Compiles a kernel with both back halves and runs both on the simulator.

    Raises:
        TL350: the real compiler is not on this machine.
    """
    return Pair(
        kernel=kernel, embedded=run_half(kernel, "embedded"), real=run_half(kernel, "bishengir")
    )


def run_half(kernel: CourseKernel, backend: Backend) -> Half:
    """Compiles a kernel with one back half and runs it with all checks."""
    func = kernel.func
    done = compile_module(func.module, func.sources, mode=kernel.mode, backend=backend)
    launch = signature(done.tile, func.sources)
    program = generate(done.executable, launch, func.sources, DEFAULT_CHIP)
    arguments, outputs = kernel.arguments()
    ran = run(program, arguments, symbols={}, checks="all", chip=DEFAULT_CHIP)
    wanted = kernel.wanted(kernel.inputs())
    return Half(
        figures=figures(to_text(done.executable)),
        cycles=ran.timeline.cycles,
        findings=tuple(finding.diagnostic.code for finding in ran.findings),
        outputs=outputs,
        agrees=all(map(close, outputs, wanted)),
    )


def peak_ratios(ours: Figures, real: Figures) -> Mapping[str, float]:
    """Need of the embedded passes by the real compiler's, for each memory that the latter uses."""
    return {space: ours.peak_bytes.get(space, 0) / need for space, need in real.peak_bytes.items()}


def close(got: torch.Tensor, wanted: torch.Tensor) -> bool:
    """Whether a tensor is another one within the tolerance of its dtype."""
    limit = tolerance(str(wanted.dtype).removeprefix("torch."))
    return torch.allclose(got.double(), wanted.double(), rtol=limit, atol=limit)
