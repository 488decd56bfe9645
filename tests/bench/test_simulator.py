"""`bench simulator` on small sizes: figures, budgets, and what is refused."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest
import torch
from typer.testing import CliRunner

from tlcourse.bench import simulator, workloads
from tlcourse.cli import app
from tlcourse.diagnostics import TLError
from tlcourse.examples.softmax import softmax
from tlcourse.jit import compile

_MEASURE_GRID = simulator.measure_grid


def small() -> workloads.Workload:
    x = torch.linspace(-4, 4, 32 * 64).reshape(32, 64)
    first = next(one for one in workloads.workloads() if one.name.startswith("softmax"))
    return dataclasses.replace(
        first,
        prepare=lambda: {"X": x.clone(), "Y": torch.empty_like(x)},
        compile=lambda: compile(softmax(32, 64), mode="Developer"),
    )


@pytest.fixture(autouse=True)
def small_sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simulator, "workloads", lambda: (small(),))
    monkeypatch.setattr(simulator, "measure_grid", lambda: _MEASURE_GRID(20))


def budgets(monkeypatch: pytest.MonkeyPatch, most: float) -> None:
    monkeypatch.setattr(simulator, "MOST_TIMES", {"class": most, "all": most})


def test_a_row_holds_medians_ratios_and_no_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    budgets(monkeypatch, 1e6)
    (row,) = simulator.measure_simulator(seconds=0.01)
    for name in ("class", "all"):
        ratio = row.milliseconds[name] / row.milliseconds["functional"]
        assert row.times_functional[name] == pytest.approx(ratio, rel=0.05)
    assert row.findings == 0
    assert row.largest_difference < 1e-6
    assert row.met


def test_a_finding_is_a_missed_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    budgets(monkeypatch, 1e6)
    x = torch.full((32, 64), torch.inf)
    faulty = dataclasses.replace(
        small(),
        prepare=lambda: {"X": x.clone(), "Y": torch.empty_like(x)},
        tolerance=torch.inf,
    )
    monkeypatch.setattr(simulator, "workloads", lambda: (faulty,))
    monkeypatch.setattr(simulator, "_difference", lambda *_: 0.0)
    (row,) = simulator.measure_simulator(seconds=0.01)
    assert row.findings == 1
    assert not row.met


def test_a_wrong_result_is_not_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    strict = dataclasses.replace(small(), tolerance=-1.0)
    monkeypatch.setattr(simulator, "workloads", lambda: (strict,))
    with pytest.raises(TLError, match="TL771"):
        list(simulator.measure_simulator(seconds=0.01))


def test_the_grid_runs_every_block_once() -> None:
    grid = _MEASURE_GRID(33)
    assert (grid.blocks, grid.findings, grid.met) == (33, 0, True)
    assert simulator.TINY_BLOCKS == 65_535


def test_the_command_ends_with_1_above_a_budget(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    budgets(monkeypatch, 1e-6)
    out = tmp_path / "figures.json"
    shown = CliRunner().invoke(app, ["bench", "simulator", "--seconds", "0.01", "--out", str(out)])
    assert shown.exit_code == 1, shown.output
    assert "MISSED  softmax" in shown.output
    assert "met     softmax 20x8" in shown.output
    stored = json.loads(out.read_text())
    assert stored["measured"][0]["met"] is False
    assert stored["grid"]["blocks"] == 20


def test_json_holds_the_budgets() -> None:
    shown = CliRunner().invoke(app, ["bench", "simulator", "--seconds", "0.01", "--json"])
    row = json.loads(shown.output)["measured"][0]
    assert row["most_times"] == {"all": 15.0, "class": 4.0}


def test_the_simulator_has_no_peers() -> None:
    assert CliRunner().invoke(app, ["bench", "simulator", "--peers"]).exit_code == 2


def test_the_help_names_the_simulator() -> None:
    assert "simulator" in CliRunner().invoke(app, ["bench", "--help"]).output
