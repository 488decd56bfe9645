"""Start: every wait is timed, and one above its budget is missed."""

from __future__ import annotations

import pytest

from tlcourse.bench.startup import StartupReport, Wait, measure_startup


@pytest.mark.slow
def test_every_wait_is_timed() -> None:
    waits = {one.name: one for one in measure_startup(1)}
    assert all(one.seconds > 0 for one in waits.values())
    assert {"python alone", "import torch", "imports of a lesson", "the first check"} < set(waits)
    assert waits["a first cell with MiniCV"].most_seconds == 1
    assert waits["the next check"].most_seconds == 1


def test_a_wait_above_its_budget_is_missed() -> None:
    long, short = (Wait(name="x", seconds=s, most_seconds=1.0) for s in (1.1, 0.9))
    free = Wait(name="y", seconds=9.0, most_seconds=None)
    assert (long.met, short.met, free.met) == (False, True, True)
    assert StartupReport(machine={}, versions={}, measured=(short, free)).met
    assert not StartupReport(machine={}, versions={}, measured=(short, long)).met
