"""`bench compile`: what a row holds, its budgets, and that nothing of the user's is touched."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tlcourse.bench import compiling
from tlcourse.bench.compiling import CACHED, MOST_CACHED_MS, PASSES, REAL, ROUND_TRIP
from tlcourse.cli import app

QUICK = {PASSES: 0.2, CACHED: 0.004, ROUND_TRIP: 0.1}


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> dict[str, float]:
    """Times instead of a clock."""
    times = dict(QUICK)
    monkeypatch.setattr(compiling, "interleaved", lambda contenders, **limits: times)
    monkeypatch.setattr(compiling, "_first_compiles", lambda: [(1.0, 0.3), (2.0, 0.4), (9.0, 0.9)])
    return times


def test_a_row_holds_medians_and_the_ratio(measured: dict[str, float]) -> None:
    row = compiling.measure_compile(peers=False)
    assert row.milliseconds == {PASSES: 200.0, CACHED: 4.0, ROUND_TRIP: 100.0}
    assert (row.first_milliseconds, row.import_milliseconds) == (400.0, 2000.0)
    assert row.round_trips == 2.0
    assert row.met


@pytest.mark.parametrize("name", [PASSES, CACHED])
def test_each_budget_can_be_missed(measured: dict[str, float], name: str) -> None:
    measured[name] *= 2
    assert not compiling.measure_compile(peers=False).met


def test_a_slow_first_compile_misses_its_budget(
    measured: dict[str, float], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compiling, "_first_compiles", lambda: [(1.0, 0.501)])
    assert not compiling.measure_compile(peers=False).met


def test_contenders_run_and_the_users_cache_stays_empty(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("TILELANG_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("TILELANG_DISABLE_CACHE", "1")
    monkeypatch.setattr(compiling, "_STARTS", 1)
    row = compiling.measure_compile(peers=False, seconds=0.0)
    assert set(row.milliseconds) == {PASSES, CACHED, ROUND_TRIP}
    assert row.milliseconds[CACHED] < row.milliseconds[PASSES]
    assert 0 < row.first_milliseconds < row.import_milliseconds * 10
    assert list(tmp_path.iterdir()) == []
    assert os.environ["TILELANG_DISABLE_CACHE"] == "1"


def test_the_real_compiler_is_a_peer(bishengir_opt: Path) -> None:
    from tlcourse.examples.flash_attention import flash_attention

    peers = compiling._contenders(flash_attention(8, 1024, 64, 64, 64), peers=True)
    assert set(peers) == {PASSES, CACHED, ROUND_TRIP, REAL}
    assert "hivm" in str(peers[REAL]().executable)


def test_the_command_writes_its_figures(measured: dict[str, float], tmp_path: Path) -> None:
    measured[CACHED] = 2 * MOST_CACHED_MS / 1000
    out = tmp_path / "compile.json"
    shown = CliRunner().invoke(app, ["bench", "compile", "--out", str(out)])
    assert shown.exit_code == 1, shown.output
    assert "MISSED  attention" in shown.output
    assert "at most 5)" in shown.output
    stored = json.loads(out.read_text())
    assert stored["measured"][0]["budgets"][CACHED] == MOST_CACHED_MS
