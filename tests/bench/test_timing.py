"""Interleaved timing: who runs when, and medians."""

from __future__ import annotations

import pytest

from tlcourse.bench import timing


def test_contenders_run_in_turn_after_one_warm_up() -> None:
    calls: list[str] = []
    timing.interleaved(
        {"a": lambda: calls.append("a"), "b": lambda: calls.append("b")}, seconds=100, rounds=4
    )
    assert calls == ["a", "b"] * 5


def test_the_median_is_kept_and_a_slow_contender_sits_out(monkeypatch: pytest.MonkeyPatch) -> None:
    lasts = {"fast": [1.0, 3.0, 2.0, 9.0, 9.0], "slow": [20.0, 10.0, 30.0]}
    calls: list[str] = []

    def time(run: timing.Run) -> float:
        run()
        return lasts[calls[-1]].pop(0)

    monkeypatch.setattr(timing, "_time", time)
    contenders: dict[str, timing.Run] = {
        "fast": lambda: calls.append("fast"),
        "slow": lambda: calls.append("slow"),
    }
    medians = timing.interleaved(contenders, seconds=20, rounds=5)
    assert medians == {"fast": 3.0, "slow": 20.0}
    assert calls.count("slow") == 1 + 3
