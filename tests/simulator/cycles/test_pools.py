"""Transfers that share ways."""

from __future__ import annotations

from tlcourse.simulator.cycles.costs import UNIT, Cost
from tlcourse.simulator.cycles.pools import Pools, pools_of


def _pools(**changes: int) -> Pools:
    plenty = 1000 * UNIT
    rates = {"l2_read": plenty, "l2_write": plenty, "hbm": plenty, "l1": plenty, "aiv": plenty}
    return Pools(**{**rates, **{name: rate * UNIT for name, rate in changes.items()}})


def _read(port: int, **facts: object) -> Cost:
    return Cost(bytes=100, port=port * UNIT, l2="r", **facts)


def _rates(pools: Pools, costs: list[Cost], cores: list[int] | None = None) -> list[float]:
    active = [(core, i) for i, core in enumerate(cores or range(len(costs)))]
    return [rate / UNIT for rate in pools.rates(active, costs)]


def test_nobody_is_faster_than_its_port() -> None:
    assert _rates(_pools(), [_read(40), _read(80)]) == [40, 80]


def test_who_wants_little_gets_it_and_the_others_share_the_rest() -> None:
    assert _rates(_pools(l2_read=100), [_read(80), _read(10), _read(80)]) == [45, 10, 45]


def test_reads_and_writes_have_their_own_part_of_l2() -> None:
    write = Cost(bytes=100, port=80 * UNIT, l2="w")
    assert _rates(_pools(l2_read=40, l2_write=60), [_read(80), write]) == [40, 60]


def test_hbm_carries_the_missing_part_only() -> None:
    """Half of the bytes miss: HBM with 20 a cycle lets 40 through."""
    assert _rates(_pools(hbm=20), [_read(80, missing=UNIT // 2), _read(80)]) == [40, 80]


def test_hbm_is_shared_by_what_is_missing() -> None:
    """Of 30, the one that wishes 10 gets it and runs at its port; the other gets 20."""
    costs = [_read(80, missing=UNIT // 8), _read(80, missing=UNIT)]
    assert _rates(_pools(hbm=30), costs) == [80, 20]


def test_each_cube_core_has_a_port_of_l1() -> None:
    load = Cost(bytes=100, port=500 * UNIT, l1=True)
    costs = [_read(80, l1=True), load, load]
    assert _rates(_pools(l1=100), costs, [0, 0, 3]) == [50, 50, 100]


def test_streams_share_the_chip(round_chip) -> None:
    chip = round_chip(l2_read_bytes_per_cycle=2400, hbm_read_bytes_per_cycle=960)
    pools = pools_of(chip, 24, written=0.0)
    assert (pools.l2_read, pools.hbm) == (100 * UNIT, 40 * UNIT)


def test_writes_to_hbm_have_a_rate_of_their_own(round_chip) -> None:
    chip = round_chip(hbm_read_bytes_per_cycle=960, hbm_mixed_bytes_per_cycle=480)
    assert pools_of(chip, 1, written=0.3).hbm == 480 * UNIT
    assert pools_of(chip, 1, written=0.125).hbm == 720 * UNIT


def test_vector_cores_have_a_part_for_both_ways_together() -> None:
    load, store = (Cost(bytes=100, port=40 * UNIT, l2=way, both=True) for way in "rw")
    assert _rates(_pools(aiv=75), [load, store, load], [0, 0, 1]) == [25, 25, 25]


def test_streams_that_stand_still_leave_their_part(round_chip) -> None:
    chip = round_chip(l2_read_bytes_per_cycle=2400)
    assert pools_of(chip, 24, written=0.0, crowd=0.5).l2_read == 200 * UNIT
