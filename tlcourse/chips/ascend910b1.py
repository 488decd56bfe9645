"""Ascend 910B1: 24 groups of one cube core and two vector cores.

Sources
    [spec]  what `hacc-append-device-spec{target=Ascend910B1}` of ascendnpu-ir 1.2.0 writes.
    [ini]   platform figures of CANN quoted in public documents.
    [pub]   published measurements on 910B chips.
    estimated: chosen inside a published range, not yet fitted to measurements.
"""

from __future__ import annotations

from tlcourse.chips.chip import Chip, Timing

_TIMING = Timing(
    launch_cycles={"vector": 4600, "cube": 5500, "mix": 7400},  # 2.5 / 3.0 / 4.0 us [pub]
    block_cycles=925,  # 0.5 us per further block on a core, estimated
    scalar_issue_cycles=8,  # estimated, range 2-15
    gm_latency_cycles=500,  # estimated, range 200-700
    aic_gm_bytes_per_cycle=80,  # 148-154 GB/s at 1.85 GHz [pub]
    aiv_gm_bytes_per_cycle=40,  # estimated, range 43-110 GB/s at 1.85 GHz
    l2_read_bytes_per_cycle=2092,  # 3.87 TB/s at 1.85 GHz, matmul MTE2 at 94 % hits [pub]
    dma_start_cycles=100,  # estimated
    dma_segment_cycles=6,  # 3-4 ns per 128-byte segment [pub]
    l1_to_l0a_bytes_per_cycle=512,  # [ini]
    l1_to_l0b_bytes_per_cycle=256,  # [ini]
    mmad_start_cycles=32,  # estimated
    fixpipe_bytes_per_cycle=128,  # estimated, range 64-128
    vector_start_cycles=110,  # about 60 ns a vector op, low end of the published range
    vector_bytes_per_repeat=256,  # one repeat is 8 blocks of 32 bytes [pub]
    vector_cycles_per_repeat={  # estimated; simple ops take one cycle a repeat [pub]
        "simple": 1,
        "cast": 1,
        "transcendental": 4,
        "reduce": 4,
        "scalar": 64,
    },
    flag_cycles=20,  # estimated, range 10-40
    cross_core_flag_cycles=400,  # estimated, range 100-800
    barrier_cycles=30,  # estimated, range 10-60
)

ASCEND_910B1 = Chip(
    name="Ascend910B1",
    core_groups=24,  # [spec]
    vector_cores_per_group=2,  # [spec]
    clock_mhz=1850,  # [ini]
    l2_bytes=192 * 2**20,  # [ini]
    hbm_bytes=64 * 2**30,  # [ini]
    sizes_bytes={  # [spec], printed there in bits
        "ub": 192 * 1024,
        "cbuf": 512 * 1024,
        "ca": 64 * 1024,
        "cb": 64 * 1024,
        "cc": 128 * 1024,
    },
    align_bytes={"ub": 32, "cbuf": 32, "ca": 512, "cb": 512, "cc": 512},  # [spec]; ca, cb: fractal
    cross_core_flag_ids=16,  # [pub]
    cross_core_flag_limit=15,  # pending sets per id [pub]
    event_ids=8,  # per pipe pair [pub]
    timing=_TIMING,
)
