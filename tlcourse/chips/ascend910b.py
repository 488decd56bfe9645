"""The 910B chips.

Sources
    [spec]   core counts: what `hacc-append-device-spec` of ascendnpu-ir 1.2.0 writes.
    [ini]    platform figures of CANN quoted in public documents: clock, L2, HBM size.
    [sheet]  bandwidth of HBM: 1.6 TB/s named for 910B4-1 in a public document; 910B4 by its
             platform figures, 32 bytes a cycle for each of 20 groups at 1.5 GHz.
Whatever none of them names stands in `unverified`, with what the value rests on.
"""

from __future__ import annotations

from tlcourse.chips.family import Row, chip_of

_LIKE_B4_1 = {"hbm_gb_per_s": "taken from 910B4-1"}
_B3 = {
    "clock_mhz": "no source; 1,800 MHz gives 294.9 TFLOPS, above a measured 274",
    "hbm_bytes": "no source; taken from 910B1",
    **_LIKE_B4_1,
}
_B2 = {"hbm_bytes": "no source; taken from 910B2C", **_LIKE_B4_1}
_B4_L2 = {"l2_bytes": "96 MiB by [ini]; a comment in a source of the vendor says 168"}

# Columns: groups [spec], MHz [ini], MiB of L2 [ini], GiB of HBM [ini], GB/s of HBM [sheet]
ASCEND_910B1 = chip_of(
    Row(
        name="Ascend910B1",
        core_groups=24,  # of 25 physical ones
        clock_mhz=1850,
        l2_mib=192,
        hbm_gib=64,
        hbm_gb_per_s=1600,
        unverified=_LIKE_B4_1,
    )
)
ASCEND_910B2 = chip_of(
    Row(
        name="Ascend910B2",
        core_groups=24,
        clock_mhz=1800,
        l2_mib=192,
        hbm_gib=64,
        hbm_gb_per_s=1600,
        unverified=_B2,
    )
)
ASCEND_910B2C = chip_of(
    Row(
        name="Ascend910B2C",
        core_groups=24,
        clock_mhz=1800,
        l2_mib=192,
        hbm_gib=64,
        hbm_gb_per_s=1600,
        unverified=_LIKE_B4_1,
    )
)
ASCEND_910B3 = chip_of(
    Row(
        name="Ascend910B3",
        core_groups=20,
        clock_mhz=1800,
        l2_mib=192,
        hbm_gib=64,
        hbm_gb_per_s=1600,
        unverified=_B3,
    )
)
ASCEND_910B4 = chip_of(
    Row(
        name="Ascend910B4",
        core_groups=20,
        clock_mhz=1500,
        l2_mib=96,
        hbm_gib=32,
        hbm_gb_per_s=960,
        unverified=_B4_L2,
    )
)
ASCEND_910B4_1 = chip_of(
    Row(
        name="Ascend910B4-1",
        core_groups=20,
        clock_mhz=1500,
        l2_mib=96,
        hbm_gib=64,
        hbm_gb_per_s=1600,
        unverified=_B4_L2,
    )
)

CHIPS = (
    ASCEND_910B1,
    ASCEND_910B2,
    ASCEND_910B2C,
    ASCEND_910B3,
    ASCEND_910B4,
    ASCEND_910B4_1,
)
