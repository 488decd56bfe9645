"""Tuned operators: the fastest of the tried is chosen, and found again on disk."""

from __future__ import annotations

from pathlib import Path

import pytest

from tlcourse.examples.deepseek_v4_mini import autotune


@pytest.mark.parametrize("operator", sorted(autotune.SIZES))
def test_the_fastest_is_chosen_and_kept(
    operator: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TILELANG_CACHE_DIR", str(tmp_path))
    first = autotune.tune(operator)
    assert not first.from_cache
    assert len(autotune.cached()) == 1
    assert len(first.microseconds) == len(autotune.CONFIGS[operator])
    assert first.microseconds[first.best] == min(first.microseconds.values())
    assert len(set(first.microseconds.values())) > 1
    second = autotune.tune(operator)
    assert second.from_cache
    assert second.best == first.best
