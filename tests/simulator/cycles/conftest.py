"""A chip with round figures, and launches that are only timed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest
import torch

from tlcourse.chips import DEFAULT_CHIP, Chip, Timing
from tlcourse.records import Program, Timeline
from tlcourse.simulator.cycles import Recording, timeline
from tlcourse.simulator.recorded import record_launch

PLENTY = 1_000_000.0
TIMING = Timing(
    launch_cycles={"vector": 1000, "cube": 1000, "mix": 1000},
    block_cycles=200,
    blocks_wait_for_group=True,
    scalar_issue_cycles=10,
    queue_instructions=32,
    gm_read_latency_cycles=500,
    aic_gm_read_latency_cycles=500,
    gm_write_latency_cycles=500,
    aic_gm_bytes_per_cycle=80,
    aiv_gm_bytes_per_cycle=40,
    aiv_gm_write_bytes_per_cycle=40,
    l2_usable_percent=100,
    vector_gm_bytes_per_cycle=100_000,
    l2_read_bytes_per_cycle=PLENTY,
    l2_write_bytes_per_cycle=PLENTY,
    hbm_read_bytes_per_cycle=PLENTY,
    hbm_mixed_bytes_per_cycle=PLENTY,
    dma_start_cycles=100,
    dma_segment_cycles=6,
    nd2nz_start_cycles=100,
    nd2nz_segment_cycles=6,
    unaligned_percent=100,
    l1_port_bytes_per_cycle=PLENTY,
    l1_to_l0a_bytes_per_cycle=512,
    l1_to_l0b_bytes_per_cycle=256,
    l0_start_cycles=0,
    mmad_start_cycles=32,
    fixpipe_start_cycles=100,
    fixpipe_bytes_per_cycle=128,
    vector_start_cycles=110,
    vector_instruction_cycles=0,
    vector_latency_cycles=0,
    vector_cycles_per_repeat={
        "simple": 1,
        "cast": 1,
        "transcendental": 4,
        "reduce": 4,
        "arange": 100,
    },
    scalar_loop_cycles=16,
    scalar_access_cycles=20,
    flag_cycles=20,
    cross_core_flag_cycles=400,
    barrier_cycles=30,
    cross_core_wait_blocks_issue=False,
)


def _chip(**changes: object) -> Chip:
    return replace(DEFAULT_CHIP, timing=replace(TIMING, **changes))


@pytest.fixture
def round_chip() -> Callable[..., Chip]:
    """A chip with round figures, some of them changed."""
    return _chip


@pytest.fixture
def recorded() -> Callable[..., Recording]:
    """Records a launch of tensors given by their sizes, one row each."""

    def start(program: Program, sizes: Sequence[int] = (), chip: Chip | None = None) -> Recording:
        dtypes = {"float16": torch.float16, "float32": torch.float32, "int32": torch.int32}
        tensors = [
            torch.empty(size, dtype=dtypes[parameter.dtype], device="meta")
            for size, parameter in zip(sizes, program.signature.parameters, strict=True)
        ]
        return record_launch(program, tensors, {}, chip or _chip())

    return start


@pytest.fixture
def times() -> Callable[..., list[tuple[str, str, int, int]]]:
    """Agent, name, start and end of each instruction, counted from the end of the launch."""

    def start(found: Timeline) -> list[tuple[str, str, int, int]]:
        return [
            (i.agent, i.op, i.start_cycle - 1000, i.end_cycle - 1000) for i in found.instructions
        ]

    return start


@pytest.fixture
def timed(tiny, recorded, times) -> Callable[..., list[tuple[str, str, int, int]]]:
    """Times the lines of a tiny kernel whose tensors are `A`, `B`, ... of one row each."""

    def start(
        sizes: Sequence[int] = (),
        *,
        dtype: str = "float32",
        chip: Chip | None = None,
        cold: bool = False,
        **lines: object,
    ) -> list[tuple[str, str, int, int]]:
        from tlcourse.records import Parameter

        names = [
            Parameter(name=name, dtype=dtype, kind="tensor", extents=(str(size),))
            for name, size in zip("ABCDE", sizes, strict=False)
        ]
        program = tiny.program(names, **lines)
        found = recorded(program, sizes, chip)
        return times(timeline(found, chip or _chip(), cold=cold))

    return start
