"""What all chips of the micro-architecture dav-c220 have in common.

Sources
    [spec]  what `hacc-append-device-spec{target=...}` of ascendnpu-ir 1.2.0 writes for each
            of the targets, printed there in bits.
    [pub]   published figures of the vendor's interface pages.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from tlcourse.chips.chip import Chip
from tlcourse.chips.constants import timing_of

_VECTOR_CORES_PER_GROUP = 2  # [spec]
_SIZES_BYTES = {  # [spec]
    "ub": 192 * 1024,
    "cbuf": 512 * 1024,
    "ca": 64 * 1024,
    "cb": 64 * 1024,
    "cc": 128 * 1024,
}
_ALIGN_BYTES = {"ub": 32, "cbuf": 32, "ca": 512, "cb": 512, "cc": 512}  # [spec]; ca, cb: fractal
_CROSS_CORE_FLAG_IDS = 16  # [pub]
_CROSS_CORE_FLAG_LIMIT = 15  # pending sets per id [pub]
_EVENT_IDS = 8  # per pipe pair [pub]


@dataclass(frozen=True, kw_only=True)
class Row:
    """What one chip has of its own.

    Args:
        unverified: fields whose value is an assumption, and what it rests on.
    """

    name: str
    core_groups: int
    clock_mhz: int
    l2_mib: int
    hbm_gib: int
    hbm_gb_per_s: int
    unverified: dict[str, str] = field(default_factory=lambda: dict[str, str]())


def chip_of(row: Row) -> Chip:
    """The chip of a row."""
    return Chip(
        name=row.name,
        core_groups=row.core_groups,
        vector_cores_per_group=_VECTOR_CORES_PER_GROUP,
        clock_mhz=row.clock_mhz,
        l2_bytes=row.l2_mib * 2**20,
        hbm_bytes=row.hbm_gib * 2**30,
        hbm_gb_per_s=row.hbm_gb_per_s,
        sizes_bytes=dict(_SIZES_BYTES),
        align_bytes=dict(_ALIGN_BYTES),
        cross_core_flag_ids=_CROSS_CORE_FLAG_IDS,
        cross_core_flag_limit=_CROSS_CORE_FLAG_LIMIT,
        event_ids=_EVENT_IDS,
        unverified=dict(row.unverified),
        timing=timing_of(row.core_groups, row.clock_mhz, row.hbm_gb_per_s),
    )
