"""`bench widgets` on a small trace: figures, budgets, the peer, and what is refused."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from tlcourse.bench import devkit_peer, pages, widgets
from tlcourse.bench.made_ir import MadeIr, made_trace
from tlcourse.cli import app, checkup
from tlcourse.diagnostics import TLError

GENEROUS = widgets.Budget(python_seconds=60, state_bytes=60_000, open_seconds=60, step_ms=60_000)


@pytest.fixture
def one_browser(chromium: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two browsers cannot be driven at once: the measurement gets that of the tests."""
    monkeypatch.setattr(widgets, "chromium", lambda path: contextlib.nullcontext(chromium))


def budgets(monkeypatch: pytest.MonkeyPatch, budget: widgets.Budget) -> None:
    def subjects() -> list[widgets.Subject]:
        made = made_trace(ops=10, passes=6, every=2, changes=2)
        return [widgets.Subject(name="small", trace=lambda: made, budget=budget)]

    monkeypatch.setattr(widgets, "subjects", subjects)


def test_a_made_up_program_keeps_its_size_and_says_what_changes() -> None:
    trace = made_trace(ops=60, passes=9, every=3, changes=12)
    assert [one.status for one in trace.snapshots].count("changed") == 4
    texts = list(trace.texts.values())
    assert {len(text.splitlines()) for text in texts} == {498}
    assert texts[0] == MadeIr(60).text()
    assert len(set(texts)) == 4


@pytest.mark.browser
@pytest.mark.usefixtures("one_browser")
def test_a_trace_is_measured_and_written(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    budgets(monkeypatch, GENEROUS)
    out = tmp_path / "widgets.json"
    ran = CliRunner().invoke(app, ["bench", "widgets", "--out", str(out)])
    assert ran.exit_code == 0, ran.output
    data = json.loads(out.read_text(encoding="utf-8"))
    (row,) = data["measured"]
    assert data["script_bytes"] <= data["most_script_bytes"] == 40_000
    assert (row["passes"], row["changed"], row["lines"]) == (6, 3, 98)
    assert row["state_bytes"] < row["page_bytes"]
    assert row["opening"]["seconds"] > 0
    assert row["opening"]["step_ms"] <= row["opening"]["worst_step_ms"]
    assert row["opening"]["faults"] == []
    assert "met     small: 6 passes, up to 98 lines" in ran.output


@pytest.mark.browser
@pytest.mark.usefixtures("one_browser")
def test_a_page_above_its_budget_is_a_miss(monkeypatch: pytest.MonkeyPatch) -> None:
    budgets(
        monkeypatch,
        widgets.Budget(python_seconds=60, state_bytes=10, open_seconds=60, step_ms=60_000),
    )
    ran = CliRunner().invoke(app, ["bench", "widgets"])
    assert ran.exit_code == 1
    assert "MISSED  small" in ran.output


@pytest.mark.browser
def test_a_page_that_asks_or_complains_is_at_fault(chromium: Any, tmp_path: Path) -> None:
    path = tmp_path / "bad.html"
    path.write_text("<p class=row></p><img src='http://127.0.0.1:9/a.png'><script>no()</script>")
    opened = pages.opening(chromium, path, row=".row", target="body", steps=1)
    assert "http://127.0.0.1:9/a.png" in opened.faults
    assert any("no is not defined" in fault for fault in opened.faults)


def test_without_chromium_nothing_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkup, "find_browser", lambda: None)
    ran = CliRunner().invoke(app, ["bench", "widgets"])
    assert isinstance(ran.exception, TLError)
    assert ran.exception.diagnostic.code == "TL772"


def test_the_peer_is_asked_for_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(devkit_peer, "find_spec", {}.get)
    with pytest.raises(TLError) as caught:
        list(widgets.measure_widgets(None, peers=True))
    assert caught.value.diagnostic.code == "TL770"
