"""Constants of the micro-architecture: a table with a source for each, and a chip's cycles.

All 910B and 910_93 chips have the same cores. What differs is how many there are, their clock
and their memory, so that the constants are kept once, in nanoseconds and GB/s where the
memory side sets them, and become cycles of a chip here.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Literal

from tlcourse.chips.chip import Chip, Timing

FILE = Path(__file__).with_name("c220.toml")

_REPEATS = ("simple", "cast", "transcendental", "reduce", "arange")

# The chip that the rates of L2 and HBM in the table belong to.
_GROUPS = 24
_HBM_GB_PER_S = 1600

Unit = Literal["us", "ns", "cycles", "GB/s", "bytes/cycle", "percent", "instructions", "switch"]


@dataclass(frozen=True, kw_only=True)
class Constant:
    """One constant.

    Args:
        value: what the model uses.
        unit: of value, low and high.
        low: least value that published figures allow.
        high: largest one.
        fitted: `tlcourse calibrate` chooses the value inside the range.
        source: where the range comes from.
    """

    value: float
    unit: Unit
    low: float
    high: float
    fitted: bool
    source: str


@cache
def constants() -> Mapping[str, Constant]:
    """All constants by name, as the table has them."""
    rows = tomllib.loads(FILE.read_text(encoding="utf-8"))
    return {name: Constant(**row) for name, row in rows.items()}


def with_constants(chip: Chip, values: Mapping[str, float]) -> Chip:
    """A chip with other values of some constants, in the units of the table.

    Raises:
        KeyError: a name is not in the table.
    """
    known = constants()
    changed = {name: replace(known[name], value=value) for name, value in values.items()}
    return replace(chip, timing=_timing(chip, {**known, **changed}))


def timing_of(groups: int, clock_mhz: int, hbm_gb_per_s: int) -> Timing:
    """The constants in cycles of a chip with these figures."""
    return _made(constants(), groups, clock_mhz, hbm_gb_per_s)


def _timing(chip: Chip, table: Mapping[str, Constant]) -> Timing:
    return _made(table, chip.core_groups, chip.clock_mhz, chip.hbm_gb_per_s)


@dataclass(frozen=True, kw_only=True)
class _Cycles:
    """Reads the table in cycles of a clock."""

    table: Mapping[str, Constant]
    clock_mhz: int

    def number(self, name: str, scale: float = 1.0) -> float:
        """The value of a constant, times a factor."""
        constant = self.table[name]
        return _TO_CYCLES[constant.unit](constant.value, self.clock_mhz) * scale

    def whole(self, name: str) -> int:
        """The value of a constant in whole cycles."""
        return round(self.number(name))


def _made(table: Mapping[str, Constant], groups: int, clock_mhz: int, hbm_gb_per_s: int) -> Timing:
    cycles = _Cycles(table=table, clock_mhz=clock_mhz)
    number, whole = cycles.number, cycles.whole
    return Timing(
        launch_cycles={kind: whole(f"launch_{kind}") for kind in ("vector", "cube", "mix")},
        block_cycles=whole("block"),
        blocks_wait_for_group=number("blocks_wait_for_group") > 0,
        scalar_issue_cycles=whole("scalar_issue"),
        queue_instructions=whole("queue"),
        gm_read_latency_cycles=whole("gm_read_latency"),
        aic_gm_read_latency_cycles=whole("aic_gm_read_latency"),
        gm_write_latency_cycles=whole("gm_write_latency"),
        aic_gm_bytes_per_cycle=number("aic_gm_port"),
        aiv_gm_bytes_per_cycle=number("aiv_gm_port"),
        aiv_gm_write_bytes_per_cycle=number("aiv_gm_write_port"),
        vector_gm_bytes_per_cycle=number("vector_gm", groups / _GROUPS),
        l2_read_bytes_per_cycle=number("l2_read", groups / _GROUPS),
        l2_write_bytes_per_cycle=number("l2_write", groups / _GROUPS),
        l2_usable_percent=number("l2_usable"),
        hbm_read_bytes_per_cycle=number("hbm_read", hbm_gb_per_s / _HBM_GB_PER_S),
        hbm_mixed_bytes_per_cycle=number("hbm_mixed", hbm_gb_per_s / _HBM_GB_PER_S),
        dma_start_cycles=whole("dma_start"),
        dma_segment_cycles=number("dma_segment"),
        nd2nz_start_cycles=whole("nd2nz_start"),
        nd2nz_segment_cycles=number("nd2nz_segment"),
        unaligned_percent=number("unaligned"),
        l1_port_bytes_per_cycle=number("l1_port"),
        l1_to_l0a_bytes_per_cycle=number("l1_to_l0a"),
        l1_to_l0b_bytes_per_cycle=number("l1_to_l0b"),
        l0_start_cycles=whole("l0_start"),
        mmad_start_cycles=whole("mmad_start"),
        fixpipe_start_cycles=whole("fixpipe_start"),
        fixpipe_bytes_per_cycle=number("fixpipe"),
        vector_start_cycles=whole("vector_start"),
        vector_instruction_cycles=whole("vector_instruction"),
        vector_latency_cycles=whole("vector_latency"),
        vector_cycles_per_repeat={name: number(f"repeat_{name}") for name in _REPEATS},
        scalar_loop_cycles=whole("scalar_loop"),
        scalar_access_cycles=whole("scalar_access"),
        flag_cycles=whole("flag"),
        cross_core_flag_cycles=whole("cross_core_flag"),
        barrier_cycles=whole("barrier"),
        cross_core_wait_blocks_issue=number("cross_core_wait_blocks_issue") > 0,
    )


def _same(value: float, clock_mhz: int) -> float:
    return value


# Units to cycles, or to bytes a cycle, of a chip's clock.
_TO_CYCLES: dict[str, Callable[[float, int], float]] = {
    "us": lambda value, clock_mhz: value * clock_mhz,
    "ns": lambda value, clock_mhz: value * clock_mhz / 1000,
    "GB/s": lambda value, clock_mhz: value * 1000 / clock_mhz,
    "cycles": _same,
    "bytes/cycle": _same,
    "percent": _same,
    "instructions": _same,
    "switch": _same,
}
