"""The 910_93 chips; figures are those of one die.

Sources
    [spec]   core counts: what `hacc-append-device-spec` of ascendnpu-ir 1.2.0 writes.
    [ini]    platform figures of CANN quoted in public documents: clock of 910_9382, L2.
    [sheet]  bandwidth of HBM of one die, 1.6 TB/s, in a public document.
Whatever none of them names stands in `unverified`, with what the value rests on.
"""

from __future__ import annotations

from tlcourse.chips.chip import Chip
from tlcourse.chips.family import Row, chip_of

_CLOCK = {"clock_mhz": "no source; taken from 910_9382"}
_HBM = {"hbm_bytes": "no source; taken from 910B1"}


def _chip(number: int, groups: int, l2_mib: int, unverified: dict[str, str]) -> Chip:
    return chip_of(
        Row(
            name=f"Ascend910_{number}",
            core_groups=groups,
            clock_mhz=1800,
            l2_mib=l2_mib,
            hbm_gib=64,
            hbm_gb_per_s=1600,
            unverified=unverified,
        )
    )


# Columns: groups [spec], MiB of L2 [ini]
CHIPS = (
    _chip(9362, 20, 168, _CLOCK | _HBM),
    _chip(9372, 20, 192, _CLOCK | _HBM),
    _chip(9381, 24, 192, _CLOCK | _HBM),
    _chip(9382, 24, 192, _HBM),
    _chip(9391, 24, 192, _CLOCK | _HBM),
    _chip(9392, 24, 192, _CLOCK | _HBM),
)
