"""Chips: counts, peaks, what is not verified."""

from __future__ import annotations

import pytest

from tlcourse.chips import CHIPS, DEFAULT_CHIP

GROUPS = {
    "Ascend910B1": 24,
    "Ascend910B2": 24,
    "Ascend910B2C": 24,
    "Ascend910B3": 20,
    "Ascend910B4": 20,
    "Ascend910B4-1": 20,
    "Ascend910_9362": 20,
    "Ascend910_9372": 20,
    "Ascend910_9381": 24,
    "Ascend910_9382": 24,
    "Ascend910_9391": 24,
    "Ascend910_9392": 24,
}
# Products of the cube in TFLOPS: 16 x 16 x 16 multiplications and additions a cycle and group.
PEAKS = {"Ascend910B1": 363.7, "Ascend910B2C": 353.9, "Ascend910B3": 294.9, "Ascend910B4": 245.8}


def test_all_chips_and_their_groups() -> None:
    assert {chip.name: chip.core_groups for chip in CHIPS.values()} == GROUPS
    assert all(name == chip.name for name, chip in CHIPS.items())
    assert DEFAULT_CHIP is CHIPS["Ascend910B1"]


@pytest.mark.parametrize("name", PEAKS)
def test_clock_gives_the_published_peak(name: str) -> None:
    chip = CHIPS[name]
    assert chip.core_groups * 2 * 16**3 * chip.clock_mhz / 1e6 == pytest.approx(PEAKS[name], 1e-3)


@pytest.mark.parametrize("chip", CHIPS.values(), ids=CHIPS)
def test_memories_of_a_core(chip) -> None:
    kib = {space: size // 1024 for space, size in chip.sizes_bytes.items()}
    assert kib == {"ub": 192, "cbuf": 512, "ca": 64, "cb": 64, "cc": 128}
    assert chip.vector_cores_per_group == 2


def test_assumptions_say_so() -> None:
    assert "clock_mhz" in CHIPS["Ascend910B3"].unverified
    assert "clock_mhz" in CHIPS["Ascend910_9391"].unverified
    assert "clock_mhz" not in CHIPS["Ascend910_9382"].unverified
    assert "l2_bytes" in CHIPS["Ascend910B4"].unverified
    for chip in CHIPS.values():
        assert all(hasattr(chip, field) and reason for field, reason in chip.unverified.items())
