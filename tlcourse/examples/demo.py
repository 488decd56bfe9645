"""The demo: MiniCV at one size, compiled, run on the simulated chip and compared with torch."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from tlcourse.finder import decision
from tlcourse.records import Backend, Mode

if TYPE_CHECKING:
    import torch

    from tlcourse.jit import Kernel
    from tlcourse.records import PassTrace, Timeline

M, N, K = 1024, 1024, 512
BLOCK_M, BLOCK_N, BLOCK_K = 128, 256, 64
SEED = 0


@dataclass(frozen=True, kw_only=True)
class PassLine:
    """One pass of the demo: its phase, name, and whether it changed the IR."""

    phase: str
    name: str
    origin: str
    status: str


@dataclass(frozen=True, kw_only=True)
class OutputLine:
    """One output against torch.

    Args:
        name: the tensor's name.
        max_error: largest |got - wanted| / (1 + |wanted|), as text of two digits.
        limit: the tolerance of its dtype.
        agrees: whether no element is beyond the limit.
    """

    name: str
    max_error: str
    limit: str
    agrees: bool


@dataclass(frozen=True, kw_only=True)
class PipeLine:
    """How busy a kind of pipe was, averaged over the cores that have it, in percent."""

    agent: str
    pipe: str
    busy_percent: int


@dataclass(frozen=True, kw_only=True)
class DemoReport:
    """All that the demo shows."""

    schema: ClassVar[str] = "tlcourse.DemoReport/1"
    served: str
    served_reason: str
    mode: Mode
    backend: Backend
    shape: dict[str, int]
    passes: tuple[PassLine, ...]
    outputs: tuple[OutputLine, ...]
    findings: tuple[str, ...]
    chip: str
    cycles: int
    nanoseconds: int
    pipes: tuple[PipeLine, ...]

    @property
    def agrees(self) -> bool:
        """Whether all outputs agree with torch and the simulator found no fault."""
        return all(line.agrees for line in self.outputs) and not self.findings


def run_demo(mode: Mode = "Developer", backend: Backend = "embedded") -> DemoReport:
    """Compiles MiniCV, runs it on the simulated chip and compares C and D with torch.

    Args:
        mode: the form of the kernel.
        backend: the back half that compiles it.
    """
    served = decision()
    kernel = _compile(mode)
    trace = kernel.trace(backend=backend)
    inputs, wanted = _tensors()
    outputs = {name: _empty(value) for name, value in wanted.items()}
    launch = kernel.launch(*inputs, *outputs.values(), execution="simulator", backend=backend)
    return DemoReport(
        served=served.served,
        served_reason=served.reason,
        mode=mode,
        backend=backend,
        shape={"M": M, "N": N, "K": K, "block_M": BLOCK_M, "block_N": BLOCK_N, "block_K": BLOCK_K},
        passes=_pass_lines(trace),
        outputs=tuple(_compare(name, outputs[name], wanted[name]) for name in wanted),
        findings=tuple(f"{f.diagnostic.code}: {f.diagnostic.what}" for f in launch.findings),
        chip=launch.timeline.chip,
        cycles=launch.timeline.cycles,
        nanoseconds=round(launch.timeline.cycles * 1000 / launch.timeline.clock_mhz),
        pipes=_pipe_lines(launch.timeline),
    )
