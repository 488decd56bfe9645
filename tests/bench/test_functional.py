"""`bench functional` on small sizes: figures, budgets, and what is refused."""

from __future__ import annotations

import dataclasses
import importlib.util
import json
from pathlib import Path

import pytest
import torch
from typer.testing import CliRunner

from tlcourse.bench import functional, workloads
from tlcourse.cli import app
from tlcourse.diagnostics import TLError


def small() -> workloads.Workload:
    x = torch.linspace(-4, 4, 4096 * 1024).reshape(4096, 1024)
    first = next(one for one in workloads.workloads() if one.name.startswith("softmax"))
    return dataclasses.replace(
        first, prepare=lambda: {"X": x.clone(), "Y": torch.empty_like(x)}, most_eager=1e6
    )


def use(monkeypatch: pytest.MonkeyPatch, workload: workloads.Workload) -> None:
    monkeypatch.setattr(functional, "workloads", lambda: (workload,))


def test_every_workload_has_a_budget_and_its_own_result() -> None:
    names = [one.name for one in workloads.workloads()]
    assert len(set(names)) == 4
    assert all(one.most_eager > 0 and one.least_triton > 1 for one in workloads.workloads())


def test_a_row_holds_medians_ratio_and_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, small())
    (row,) = functional.measure(peers=False, seconds=0.01)
    ratio = row.milliseconds["functional"] / row.milliseconds["torch eager"]
    assert row.times_eager == pytest.approx(ratio, rel=0.05)
    assert row.largest_difference < 1e-6
    assert row.times_faster_than_triton is None
    assert row.met


def test_a_wrong_result_is_not_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = dataclasses.replace(small(), eager=lambda tensors: lambda: tensors["X"])
    use(monkeypatch, wrong)
    with pytest.raises(TLError, match="TL771"):
        list(functional.measure(peers=False))


def test_peers_need_triton(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(TLError, match="TL770"):
        list(functional.measure(peers=True))


def test_the_command_ends_with_1_above_a_budget(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    use(monkeypatch, dataclasses.replace(small(), most_eager=1e-6))
    out = tmp_path / "figures.json"
    shown = CliRunner().invoke(app, ["bench", "functional", "--seconds", "0.01", "--out", str(out)])
    assert shown.exit_code == 1, shown.output
    assert "MISSED  softmax" in shown.output
    stored = json.loads(out.read_text())
    assert stored["measured"][0]["met"] is False
    assert stored["versions"]["torch"] == torch.__version__


def test_out_into_a_missing_folder_is_misuse(tmp_path: Path) -> None:
    out = tmp_path / "missing" / "figures.json"
    assert CliRunner().invoke(app, ["bench", "functional", "--out", str(out)]).exit_code == 2
