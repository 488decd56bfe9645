"""The fields of a chip. Every name carries its unit."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, kw_only=True)
class Timing:
    """Constants of the timing model, in cycles of one chip.

    They are made from the table of the micro-architecture, where each has its source, see
    `tlcourse.chips.constants`. Rates are bytes a cycle; those of L2 and HBM are of the whole
    chip, all others of one core.

    Args:
        launch_cycles: from the launch to the first instruction, by kind of kernel.
        block_cycles: between a block and the next one on the same core.
        blocks_wait_for_group: the next block starts when all cores of a group are free; else
            each core goes on by itself.
        scalar_issue_cycles: for each instruction.
        queue_instructions: how many the queue of a pipe holds.
        gm_read_latency_cycles: from the last byte's request to its arrival.
        gm_write_latency_cycles: from the end of a store until others see it.
        unaligned_percent: what is left of a port's rate when pieces are not aligned.
        l1_port_bytes_per_cycle: shared by what MTE2 writes and MTE1 reads.
        mmad_start_cycles: in front of each multiplication.
        vector_start_cycles: in front of each vector op.
        vector_instruction_cycles: for each instruction of a vector op.
        vector_latency_cycles: from the end of a vector op until a dependent one may start.
        scalar_loop_cycles: for each element of an op that the scalar unit does.
        scalar_access_cycles: to read or write one element on chip.
        cross_core_wait_blocks_issue: a wait for another core holds up what is issued later.
    """

    launch_cycles: dict[str, int] = field(hash=False)
    block_cycles: int
    blocks_wait_for_group: bool
    scalar_issue_cycles: int
    queue_instructions: int
    gm_read_latency_cycles: int
    aic_gm_read_latency_cycles: int
    gm_write_latency_cycles: int
    aic_gm_bytes_per_cycle: float
    aiv_gm_bytes_per_cycle: float
    aiv_gm_write_bytes_per_cycle: float
    vector_gm_bytes_per_cycle: float
    l2_read_bytes_per_cycle: float
    l2_write_bytes_per_cycle: float
    l2_usable_percent: float
    hbm_read_bytes_per_cycle: float
    hbm_mixed_bytes_per_cycle: float
    dma_start_cycles: int
    dma_segment_cycles: float
    nd2nz_start_cycles: int
    nd2nz_segment_cycles: float
    unaligned_percent: float
    l1_port_bytes_per_cycle: float
    l1_to_l0a_bytes_per_cycle: float
    l1_to_l0b_bytes_per_cycle: float
    l0_start_cycles: int
    mmad_start_cycles: int
    fixpipe_start_cycles: int
    fixpipe_bytes_per_cycle: float
    vector_start_cycles: int
    vector_instruction_cycles: int
    vector_latency_cycles: int
    vector_cycles_per_repeat: dict[str, float] = field(hash=False)
    scalar_loop_cycles: int
    scalar_access_cycles: int
    flag_cycles: int
    cross_core_flag_cycles: int
    barrier_cycles: int
    cross_core_wait_blocks_issue: bool


@dataclass(frozen=True, kw_only=True)
class Chip:
    """One Ascend chip.

    Args:
        name: target name of bishengir, for example `Ascend910B1`.
        core_groups: groups of one cube core (AIC) and two vector cores (AIV).
        hbm_gb_per_s: bandwidth of its memory by its data sheet.
        sizes_bytes: capacity per core of each memory, keyed by address space
            (`ub`, `cbuf` = L1, `ca` = L0A, `cb` = L0B, `cc` = L0C).
        align_bytes: allocation granule of each memory.
        unverified: fields whose value is an assumption, and what it rests on.
        timing: constants of the timing model.
    """

    name: str
    core_groups: int
    vector_cores_per_group: int
    clock_mhz: int
    l2_bytes: int
    hbm_bytes: int
    hbm_gb_per_s: int
    sizes_bytes: dict[str, int] = field(hash=False)
    align_bytes: dict[str, int] = field(hash=False)
    cross_core_flag_ids: int
    cross_core_flag_limit: int
    event_ids: int
    unverified: dict[str, str] = field(default_factory=lambda: dict[str, str](), hash=False)
    timing: Timing = field(hash=False)
