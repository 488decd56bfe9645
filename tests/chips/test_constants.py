"""Constants of the micro-architecture: ranges, sources, cycles of a chip."""

from __future__ import annotations

import pytest

from tlcourse.chips import CHIPS, DEFAULT_CHIP, Constant, constants, with_constants


@pytest.mark.parametrize("name", constants())
def test_value_lies_in_its_range_and_has_a_source(name: str) -> None:
    constant = constants()[name]
    assert constant.low <= constant.value <= constant.high
    assert len(constant.source) > 5
    assert (
        constant.fitted == (constant.low < constant.high)
        or constant.unit == "switch"
        or ("estimated" in constant.source)
    )


@pytest.mark.parametrize("name", constants())
def test_every_constant_moves_the_chip(name: str) -> None:
    constant = constants()[name]
    moved = 1 - constant.value if constant.unit == "switch" else constant.value * 2 + 1
    assert with_constants(DEFAULT_CHIP, {name: moved}).timing != DEFAULT_CHIP.timing
    assert with_constants(DEFAULT_CHIP, {name: constant.value}).timing == DEFAULT_CHIP.timing


def test_units_become_cycles_of_the_clock() -> None:
    values = {"launch_mix": 4.0, "block": 500, "aic_gm_port": 150, "flag": 20}
    fast, slow = (
        with_constants(CHIPS[name], values).timing for name in ("Ascend910B1", "Ascend910B4")
    )
    assert (fast.launch_cycles["mix"], slow.launch_cycles["mix"]) == (7400, 6000)
    assert (fast.block_cycles, slow.block_cycles) == (925, 750)
    assert (fast.flag_cycles, slow.flag_cycles) == (20, 20)
    assert fast.aic_gm_bytes_per_cycle == pytest.approx(150 / 1.85)
    assert slow.aic_gm_bytes_per_cycle == pytest.approx(100)


def test_l2_follows_the_groups_and_hbm_the_data_sheet() -> None:
    values = {"l2_read": 2400, "hbm_read": 1600}
    small = with_constants(CHIPS["Ascend910B4"], values).timing
    assert small.l2_read_bytes_per_cycle * 1.5 == pytest.approx(2000)
    assert small.hbm_read_bytes_per_cycle * 1.5 == pytest.approx(960)


def test_unknown_constant() -> None:
    with pytest.raises(KeyError):
        with_constants(DEFAULT_CHIP, {"hbm_rate": 1})


def test_constants_are_records() -> None:
    assert isinstance(constants()["flag"], Constant)
