from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tlcourse.records import PassTrace
from tlcourse.widgets.exhibit import Exhibit, exhibit
from tlcourse.widgets.explorer import explorer_state, page, viewer_script
from tlcourse.widgets.twin import twin_html

pytest.importorskip("anywidget", reason="the extra [notebooks] is not installed")

from tlcourse.widgets.passes import PassExplorer

VIEW = "application/vnd.jupyter.widget-view+json"


def test_traits_hold_the_state(trace: PassTrace) -> None:
    explorer = PassExplorer(trace, "zh")
    assert explorer.data == explorer_state(exhibit(trace, "zh"))
    assert explorer.index == -1
    synced = explorer.get_state()
    assert {"data", "index", "_esm", "_css"} <= synced.keys()
    assert synced["_esm"] == viewer_script()
    assert ".tl-passes" in synced["_css"]


def test_bundle_has_the_widget_and_its_static_twin(trace: PassTrace) -> None:
    data, _ = PassExplorer(trace)._repr_mimebundle_()
    assert data["text/html"] == twin_html(trace)
    assert data["text/plain"] == ("PassExplorer(k, Expert: 2 of 4 passes changed the IR, 1 failed)")
    assert VIEW in data


def test_repr_is_the_same_for_every_instance(trace: PassTrace) -> None:
    assert repr(PassExplorer(trace)) == repr(PassExplorer(trace))


def test_export_html_writes_the_page(trace: PassTrace, tmp_path: Path) -> None:
    path = PassExplorer(trace).export_html(tmp_path / "passes.html")
    assert path.read_text(encoding="utf-8") == page(exhibit(trace))


def test_a_failure_stands_above_the_static_twin(trace: PassTrace) -> None:
    failed = replace(exhibit(trace), failure="error[TL301]: a < b")
    data, _ = PassExplorer(failed)._repr_mimebundle_()
    assert data["text/html"] == f"<pre>error[TL301]: a &lt; b</pre>{twin_html(trace)}"


class Bench:
    """A bench that answers with what it was asked."""

    def __init__(self, start: Exhibit) -> None:
        self.start = start

    def tried(self, wanted: Any, shown: Exhibit) -> Exhibit:
        if wanted == {"broken": "true"}:
            raise ValueError("a fault of ours")
        return replace(shown, failure=str(wanted) if wanted else "")

    def measured(self, shown: Exhibit, track: int, *, numbers: bool) -> Exhibit:
        return replace(shown, notes=(f"{track} {numbers}",))


def test_the_viewer_asks_and_gets_an_answer(trace: PassTrace) -> None:
    explorer = PassExplorer(trace, bench=Bench(exhibit(trace, "zh")))
    heard: list[Any] = []
    explorer.observe(lambda change: heard.append(change["new"]["state"]), "answer")
    explorer.wanted = {"number": 1, "configs": {}}
    assert heard == ["busy", "done"]
    explorer.wanted = {"number": 2, "configs": {"a": "1"}}
    assert explorer.answer["number"] == 2
    assert explorer.answer["state"] == "failed"
    assert explorer.data == explorer_state(replace(exhibit(trace, "zh"), failure="{'a': '1'}"))
    explorer.track = 1
    explorer.wanted = {"number": 3, "measure": "numbers"}
    assert explorer.shown.notes == ("1 True",)
    with pytest.raises(ValueError, match="ours"):
        explorer.wanted = {"number": 4, "configs": {"broken": "true"}}
    assert (explorer.answer["number"], explorer.answer["state"]) == (4, "failed")


def test_without_a_bench_nothing_can_be_asked(trace: PassTrace) -> None:
    explorer = PassExplorer(trace)
    assert explorer.wanted is None
    explorer.wanted = {"number": 1, "configs": {"a": "1"}}
    assert explorer.answer == {}
