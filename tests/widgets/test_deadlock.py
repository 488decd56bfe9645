"""The picture of a deadlock: boxes, arrows and the table behind them."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from tlcourse.diagnostics import Diagnostic, Span
from tlcourse.records import Finding, Wait
from tlcourse.widgets.deadlock import DeadlockView, deadlock_svg, deadlock_table

SVG = "{http://www.w3.org/2000/svg}"
LINE = Span(source="k", line=7, column=1, end_line=7, end_column=9)
WAITS = (
    Wait(waiter="aic M", setter="aic MTE1", flag="flag 0 of MTE1 for M", reason="stands behind"),
    Wait(
        waiter="aic MTE1",
        setter="aiv0 program",
        flag="cross-core flag 2 of vector core 0",
        reason="never raised",
        span=LINE,
        is_root=True,
    ),
    Wait(waiter="aiv0 V", setter="", flag="cross-core flag 5", reason="there is no such core"),
)


@pytest.fixture
def finding() -> Finding:
    said = Diagnostic(code="TL502", what="k stands still", why="w", fix="f")
    return Finding(diagnostic=said, agent="aic", block=0, waits=WAITS)


def parts(text: str, name: str) -> list[ElementTree.Element]:
    return list(ElementTree.fromstring(text).iter(f"{SVG}{name}"))


def test_a_box_for_each_pipe_and_an_arrow_for_each_wait() -> None:
    text = deadlock_svg(WAITS)
    titles = [rect.find(f"{SVG}title") for rect in parts(text, "rect")]
    names = [title.text for title in titles if title is not None]
    assert sorted(names) == ["aic M", "aic MTE1", "aiv0 V", "aiv0 program", "nobody"]
    arrows = [path for path in parts(text, "path") if path.get("marker-end")]
    assert len(arrows) == 3
    assert [path.get("class") for path in arrows] == ["wait", "limit", "wait"]


def test_the_cube_core_stands_between_and_its_boxes_below_one_another() -> None:
    text = deadlock_svg(WAITS)
    places = {
        title.text: (float(rect.get("x", 0)), float(rect.get("y", 0)))
        for rect in parts(text, "rect")
        if (title := rect.find(f"{SVG}title")) is not None
    }
    assert places["aic M"][0] == places["aic MTE1"][0] > places["aiv0 V"][0]
    assert places["aic M"][1] < places["aic MTE1"][1]


def test_arrows_of_both_ways_keep_apart_and_carry_their_flag() -> None:
    waits = (
        Wait(waiter="aic FIX", setter="aiv1 MTE2", flag="cross-core flag 1 of x", reason="r"),
        Wait(waiter="aiv1 MTE2", setter="aic FIX", flag="cross-core flag 0 of y", reason="r"),
        Wait(waiter="aic M", setter="aic FIX", flag="flag 3 of FIX for M", reason="r"),
    )
    shown = parts(deadlock_svg(waits), "text")
    heights = {text.text: float(text.get("y", 0)) for text in shown}
    assert heights["cross-core flag 0"] - heights["cross-core flag 1"] >= 21  # a plate's height
    assert "flag 3" in heights
    chinese = [text.text for text in parts(deadlock_svg(waits, "zh"), "text")]
    assert {"跨核标志 0", "标志 3", "AIC，cube 核"} <= set(chinese)


def test_the_root_is_marked_without_colour() -> None:
    texts = [text.text for text in parts(deadlock_svg(WAITS), "text")]
    assert "! MTE1" in texts
    assert "! M" not in texts
    assert {"its program", "nobody"} <= set(texts)


def test_table() -> None:
    head, rows = deadlock_table(WAITS)
    assert len(head) == 6
    assert rows[1] == (
        "! aic MTE1",
        "cross-core flag 2 of vector core 0",
        "aiv0 program",
        "7",
        "",
        "never raised",
    )
    assert rows[2][2] == "nobody"
    assert deadlock_table(WAITS, "zh")[0][0] == "等待者"


def test_view(finding: Finding, tmp_path: Path) -> None:
    view = DeadlockView(finding)
    assert repr(view) == (
        "DeadlockView(aic M -> aic MTE1, aic MTE1 -> aiv0 program, aiv0 V -> nobody)"
    )
    page = view.export_html(tmp_path / "d.html").read_text(encoding="utf-8")
    assert "k stands still" in page
    assert "never raised" in page
