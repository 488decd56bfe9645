from __future__ import annotations

from pathlib import Path

import pytest

from tlcourse.records import PassTrace
from tlcourse.widgets.explorer import explorer_state, page, viewer_script
from tlcourse.widgets.twin import twin_html

pytest.importorskip("anywidget", reason="the extra [notebooks] is not installed")

from tlcourse.widgets.passes import PassExplorer

VIEW = "application/vnd.jupyter.widget-view+json"


def test_traits_hold_the_state(trace: PassTrace) -> None:
    explorer = PassExplorer(trace, "zh")
    assert explorer.data == explorer_state(trace, "zh")
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
    assert path.read_text(encoding="utf-8") == page(trace)
