"""Configurations on their way to a kernel."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tlcourse.jit import compile
from tlcourse.jit.tuning.candidates import compiled, traced, workers
from tlcourse.language import PrimFunc


@pytest.mark.parametrize(
    ("share", "fixed", "most", "wanted"),
    [
        ("0.9", "-1", "-1", 7),
        ("0.5", "-1", "-1", 4),
        ("0.01", "-1", "-1", 1),
        ("0.9", "3", "-1", 3),
        ("0.9", "99", "-1", 8),
        ("0.9", "-1", "2", 2),
    ],
)
def test_workers(
    monkeypatch: pytest.MonkeyPatch, share: str, fixed: str, most: str, wanted: int
) -> None:
    monkeypatch.setenv("TILELANG_AUTO_TUNING_CPU_UTILITIES", share)
    monkeypatch.setenv("TILELANG_AUTO_TUNING_CPU_COUNTS", fixed)
    monkeypatch.setenv("TILELANG_AUTO_TUNING_MAX_CPU_COUNT", most)
    assert workers(8) == wanted


def test_failures_stay_beside_their_configuration(add: Callable[..., PrimFunc]) -> None:
    configs = [{"block": 32}, {"block": 0}, {"block": 2**16}]
    first = traced(configs, lambda config: compile(add(2**17, **config)))
    assert [candidate.failure[:5] for candidate in first] == ["", "TL130", ""]
    ready = compiled(first)
    assert [candidate.failure[:5] for candidate in ready] == ["", "TL130", "TL301"]
    assert [candidate.simulated for candidate in ready] == [True, False, False]
    assert [candidate.index for candidate in ready] == [0, 1, 2]
