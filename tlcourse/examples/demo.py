"""The demo: MiniCV at one size, compiled, run on the simulated chip and compared with torch."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from tlcourse.finder import decision
from tlcourse.records import Backend, Mode
from tlcourse.tolerance import tolerance

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
        max_error: largest |got - wanted| / (1 + |wanted|), to two digits.
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
    from tlcourse.device import unwrap

    served = decision()
    kernel = _kernel(mode)
    trace = kernel.trace(backend=backend)
    tensors, wanted = _tensors()
    launch = kernel.launch(*tensors, execution="simulator", backend=backend)
    got = dict(zip(wanted, map(unwrap, tensors[-len(wanted) :]), strict=True))
    return DemoReport(
        served=served.served,
        served_reason=served.reason,
        mode=mode,
        backend=backend,
        shape={"M": M, "N": N, "K": K, "block_M": BLOCK_M, "block_N": BLOCK_N, "block_K": BLOCK_K},
        passes=_pass_lines(trace),
        outputs=tuple(output_line(name, got[name], wanted[name]) for name in wanted),
        findings=tuple(f"{f.diagnostic.code}: {f.diagnostic.what}" for f in launch.findings),
        chip=launch.timeline.chip,
        cycles=launch.timeline.cycles,
        nanoseconds=round(launch.timeline.cycles * 1000 / launch.timeline.clock_mhz),
        pipes=pipe_lines(launch.timeline),
    )


def _kernel(mode: Mode) -> Kernel:
    from tlcourse.examples import minicv
    from tlcourse.jit import compile

    make = minicv.minicv_expert if mode == "Expert" else minicv.minicv_developer
    return compile(make(M, N, K, BLOCK_M, BLOCK_N, BLOCK_K), mode=mode)


def _tensors() -> tuple[list[torch.Tensor], dict[str, torch.Tensor]]:
    """A, B, C, D on the npu, and what torch computes for C and D on the CPU."""
    import torch

    from tlcourse.device import wrap

    draw = torch.Generator().manual_seed(SEED)
    scale = K**-0.5  # keeps exp(C) within range
    a = (torch.randn(M, K, generator=draw) * scale).half()
    b = (torch.randn(K, N, generator=draw) * scale).half()
    c = a.float() @ b.float()
    outputs = [torch.zeros(M, N), torch.zeros(M, N)]
    return [wrap(tensor) for tensor in (a, b, *outputs)], {"C": c, "D": c.exp()}


def output_line(name: str, got: torch.Tensor, wanted: torch.Tensor) -> OutputLine:
    """Compares one f32 output; the error is absolute near zero and relative far from it."""
    limit = tolerance("float32")
    worst = float(((got - wanted).abs() / (1 + wanted.abs())).max())
    # A NaN is no number, so it is not below the limit either.
    return OutputLine(
        name=name, max_error=f"{worst:.1e}", limit=f"{limit:.0e}", agrees=worst <= limit
    )


def _pass_lines(trace: PassTrace) -> tuple[PassLine, ...]:
    return tuple(
        PassLine(phase=step.phase, name=step.pass_name, origin=step.origin, status=step.status)
        for step in trace.snapshots[1:]  # the first one is the input
    )


def pipe_lines(timeline: Timeline) -> tuple[PipeLine, ...]:
    """How busy each kind of pipe was, averaged over its cores."""
    busy: dict[tuple[str, str], list[int]] = defaultdict(list)
    for lane in timeline.lanes:
        busy[lane.agent, lane.pipe].append(lane.busy_cycles)
    return tuple(
        PipeLine(agent=agent, pipe=pipe, busy_percent=_percent(cycles, timeline.cycles))
        for (agent, pipe), cycles in sorted(busy.items())
    )


def _percent(busy_cycles: list[int], cycles: int) -> int:
    """The mean of the lanes' busy cycles as a share of all cycles."""
    return round(100 * sum(busy_cycles) / (len(busy_cycles) * cycles)) if cycles else 0
