"""The fields of a chip. Every name carries its unit."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, kw_only=True)
class Timing:
    """Constants of the timing model.

    Units are in the names. Sources stand beside the values in each chip's file; a value
    marked `estimated` there lies inside a published range and is not yet fitted.
    """

    launch_cycles: dict[str, int]
    block_cycles: int
    scalar_issue_cycles: int
    gm_latency_cycles: int
    aic_gm_bytes_per_cycle: int
    aiv_gm_bytes_per_cycle: int
    l2_read_bytes_per_cycle: int
    dma_start_cycles: int
    dma_segment_cycles: int
    l1_to_l0a_bytes_per_cycle: int
    l1_to_l0b_bytes_per_cycle: int
    mmad_start_cycles: int
    fixpipe_bytes_per_cycle: int
    vector_start_cycles: int
    vector_bytes_per_repeat: int
    vector_cycles_per_repeat: dict[str, int] = field(hash=False)
    flag_cycles: int
    cross_core_flag_cycles: int
    barrier_cycles: int


@dataclass(frozen=True, kw_only=True)
class Chip:
    """One Ascend chip.

    Args:
        name: target name of bishengir, for example `Ascend910B1`.
        core_groups: groups of one cube core (AIC) and two vector cores (AIV).
        sizes_bytes: capacity per core of each memory, keyed by address space
            (`ub`, `cbuf` = L1, `ca` = L0A, `cb` = L0B, `cc` = L0C).
        align_bytes: allocation granule of each memory.
        timing: constants of the timing model.
    """

    name: str
    core_groups: int
    vector_cores_per_group: int
    clock_mhz: int
    l2_bytes: int
    hbm_bytes: int
    sizes_bytes: dict[str, int] = field(hash=False)
    align_bytes: dict[str, int] = field(hash=False)
    cross_core_flag_ids: int
    cross_core_flag_limit: int
    event_ids: int
    timing: Timing = field(hash=False)
