"""What each shape costs on a chip: fixed cycles on its pipe, and bytes that share a way.

A transfer is first busy for its fixed cycles and then moves its bytes at a rate that depends
on who else moves at the same time. All else only has fixed cycles. Rates are whole numbers of
1/1024 byte a cycle, so that times are the same on every machine.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil

from tlcourse.chips import Chip, Timing
from tlcourse.simulator.cycles.stream import Recording, Shape, TensorUse

UNIT = 1024
"""Parts of a byte in which rates and bytes left are counted."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Cost:
    """The cost of one shape.

    Args:
        fixed: cycles on the pipe, for a transfer before its first byte.
        latency: cycles from the end on the pipe until the result is there.
        instructions: how many the scalar unit issues.
        bytes: bytes of a transfer; 0 for all else.
        port: most that its own way carries, in 1/1024 byte a cycle.
        l2: it shares the reads, `r`, or the writes, `w`, of L2.
        missing: of 1024 bytes, those that HBM carries.
        l1: it shares the port of L1.
        both: it shares what all vector cores move to and from GM.
    """

    fixed: int = 0
    latency: int = 0
    instructions: int = 1
    bytes: int = 0
    port: int = 1
    l2: str = ""
    missing: int = 0
    l1: bool = False
    both: bool = False


def costs_of(recording: Recording, chip: Chip, *, cold: bool) -> list[Cost]:
    """The cost of each shape of a recording."""
    missing = [missing_of(use, cold=cold) for use in recording.tensors]
    return [_cost(shape, chip.timing, missing) for shape in recording.shapes]


def missing_of(use: TensorUse, *, cold: bool) -> int:
    """Of 1024 bytes of a tensor, those that L2 does not hold."""
    if use.moved_bytes == 0:
        return 0
    return round(UNIT * (use.missing_cold if cold else use.missing_warm) / use.moved_bytes)


def _cost(shape: Shape, timing: Timing, missing: Sequence[int]) -> Cost:
    formula = _FORMULAS.get(shape.kind)
    if formula is None:
        return Cost(instructions=shape.instructions)
    return formula(shape, timing, missing[shape.tensor] if shape.tensor >= 0 else 0)


def _vector(shape: Shape, timing: Timing, missing: int) -> Cost:
    """A start, a few cycles for each instruction, and the repeats at the rate of their class."""
    if shape.elements:
        return Cost(fixed=timing.vector_start_cycles + shape.elements * timing.scalar_loop_cycles)
    each = timing.vector_cycles_per_repeat[shape.cost_class]
    return Cost(
        fixed=timing.vector_start_cycles
        + shape.instructions * timing.vector_instruction_cycles
        + round(shape.repeats * each),
        latency=timing.vector_latency_cycles,
        instructions=shape.instructions,
    )


def _dma(shape: Shape, timing: Timing, missing: int) -> Cost:
    """GM to or from a core: its port carries the bytes, but each segment takes its time."""
    is_nd2nz = shape.kind == "nd2nz"
    start = timing.nd2nz_start_cycles if is_nd2nz else timing.dma_start_cycles
    each = timing.nd2nz_segment_cycles if is_nd2nz else timing.dma_segment_cycles
    return Cost(
        fixed=start * shape.instructions,
        latency=_gm_latency(shape, timing),
        instructions=shape.instructions,
        bytes=shape.bytes,
        port=_port(shape, _gm_rate(shape, timing), each, timing),
        l2="w" if shape.writes else "r",
        missing=missing,
        l1=shape.core == "cube",
        both=shape.core == "vector",
    )


def _fixpipe(shape: Shape, timing: Timing, missing: int) -> Cost:
    """L0C to GM: the wider of its two sides at the rate of the fix pipe, and the segments."""
    wider = max(shape.bytes, shape.source_bytes, 1)
    rate = timing.fixpipe_bytes_per_cycle * shape.bytes / wider
    return Cost(
        fixed=timing.fixpipe_start_cycles,
        latency=timing.gm_write_latency_cycles,
        bytes=shape.bytes,
        port=_port(shape, rate, timing.dma_segment_cycles, timing),
        l2="w",
        missing=missing,
    )


def _l0(shape: Shape, timing: Timing, missing: int) -> Cost:
    """MTE1 carries a part of an operand out of L1."""
    left = shape.cost_class == "a"
    rate = timing.l1_to_l0a_bytes_per_cycle if left else timing.l1_to_l0b_bytes_per_cycle
    return Cost(
        fixed=timing.l0_start_cycles, bytes=shape.bytes, port=max(1, round(rate * UNIT)), l1=True
    )


def _mmad(shape: Shape, timing: Timing, missing: int) -> Cost:
    return Cost(fixed=timing.mmad_start_cycles + shape.repeats)


def _scalar(shape: Shape, timing: Timing, missing: int) -> Cost:
    """One element: out of GM it takes the latency of GM."""
    in_gm = shape.cost_class == "gm"
    return Cost(fixed=timing.gm_read_latency_cycles if in_gm else timing.scalar_access_cycles)


def _gm_latency(shape: Shape, timing: Timing) -> int:
    if shape.writes:
        return timing.gm_write_latency_cycles
    cube = shape.core == "cube"
    return timing.aic_gm_read_latency_cycles if cube else timing.gm_read_latency_cycles


def _gm_rate(shape: Shape, timing: Timing) -> float:
    if shape.core == "cube":
        return timing.aic_gm_bytes_per_cycle
    return timing.aiv_gm_write_bytes_per_cycle if shape.writes else timing.aiv_gm_bytes_per_cycle


def _port(shape: Shape, rate: float, segment_cycles: float, timing: Timing) -> int:
    """The rate of a way, less where pieces are short or start inside lines of 512 bytes."""
    if not shape.aligned:
        rate = rate * timing.unaligned_percent / 100
    if shape.segments and segment_cycles:
        rate = min(rate, shape.bytes / (shape.segments * segment_cycles))
    return max(1, ceil(rate * UNIT))


_FORMULAS: dict[str, Callable[[Shape, Timing, int], Cost]] = {
    "vector": _vector,
    "dma": _dma,
    "nd2nz": _dma,
    "fixpipe": _fixpipe,
    "l0": _l0,
    "mmad": _mmad,
    "scalar": _scalar,
}
