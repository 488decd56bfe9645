"""Widgets of one page share a cursor; the grid and the quiz in a browser; what axe-core finds."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tlcourse.blocks import BlockMap, Box, DrawnTensor, Slots
from tlcourse.diagnostics import Span
from tlcourse.records import PassTrace, Timeline
from tlcourse.replay import Change, Replay, ReplayStep
from tlcourse.widgets import explorer, timeline_state
from tlcourse.widgets.exhibit import exhibit
from tlcourse.widgets.grid_view import GridView
from tlcourse.widgets.labels import Language
from tlcourse.widgets.quiz import Quiz
from tlcourse.widgets.replay import ReplayView
from tlcourse.widgets.standalone import viewer_script, viewer_style
from tlcourse.widgets.timeline import TimelineView

pytestmark = pytest.mark.browser

MODEL = """
const model = (values) => ({
  get: (name) => values[name], set: (name, value) => { values[name] = value; },
  on() {}, off() {}, save_changes() {},
});
"""


def grid(language: Language = "en") -> GridView:
    tensors = tuple(DrawnTensor(name=name, shape=(32, 64), dtype="float16") for name in ("A", "C"))
    boxes = tuple(
        tuple(
            Box(tensor=tensor, writes=bool(tensor), rows=(8 * k, 8 * k + 7), columns=(0, 63))
            for tensor in (0, 1)
        )
        for k in range(4)
    )
    chips = (Slots(chip="Ascend910B1", count=24), Slots(chip="Ascend910B3", count=20))
    found = BlockMap(kernel="k", kind="cube", blocks=54, chips=chips, tensors=tensors, boxes=boxes)
    return GridView(found, language=language)


def problems(page: Any) -> list[tuple[str, str]]:
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(page).response["violations"]
    return [(one["id"], one["nodes"][0]["html"]) for one in found]


def replay(language: Language = "en") -> ReplayView:
    def wrote(tile: str, memory: str, before: str, after: str) -> tuple[Change, ...]:
        return (Change(tile=tile, memory=memory, shape="2", before=before, after=after),)

    span = Span(source="cell:1", line=4, column=5, end_line=4, end_column=20)
    reused = wrote("c_ub", "UB", "8, 8", "9, 9")  # another tile lay there before
    works = (
        ("MTE2", "load", ("A",), wrote("a_ub", "UB", "-, -", "1, 2"), ()),
        ("MTE2", "set_flag", (), (), ("flag 0",)),
        ("V", "vexp", (), (*wrote("a_ub", "UB", "1, 2", "2.718, 2"), *reused), ()),
        ("MTE3", "store", ("a_ub",), wrote("B", "GM", "0, 0", "2.718, 2"), ()),
    )
    steps = tuple(
        ReplayStep(
            index=k,
            agent="aiv0",
            pipe=pipe,
            op=op,
            span=span,
            reads=reads,
            changes=changes,
            flags=flags,
        )
        for k, (pipe, op, reads, changes, flags) in enumerate(works)
    )
    return ReplayView(Replay(kernel="k", block=0, seed=0, steps=steps), 0, language)


def test_explorer_and_timeline_point_at_one_line(
    page: Any, tmp_path: Path, trace: PassTrace, timeline: Timeline
) -> None:
    passes = json.dumps({"data": explorer.explorer_state(exhibit(trace)), "index": 1, "track": 0})
    tracks = TimelineView(timeline, sources=trace.sources).tracks
    work = json.dumps({"data": timeline_state.timeline_state(tracks), "view": ""})
    modules = [
        "(() => {" + script.removesuffix("export default { render };") + "return render; })()"
        for script in (explorer.viewer_script(), timeline_state.viewer_script())
    ]
    path = tmp_path / "both.html"
    path.write_text(
        f"<!doctype html><style>{explorer._read('passes.css')}{timeline_state.style()}</style>"
        '<div id="a"></div><div id="b"></div><script type="module">'
        f"{MODEL}const at = (id) => document.getElementById(id);"
        f"await {modules[0]}({{ model: model({passes}), el: at('a') }});"
        f"await {modules[1]}({{ model: model({work}), el: at('b') }});</script>",
        encoding="utf-8",
    )
    page.goto(path.as_uri())
    page.locator(".tl-timeline .slice").first.hover()  # nd2nz, line 4
    hit = page.locator(".tl-passes .source .hit")
    hit.wait_for()
    assert hit.get_attribute("data-source") == "0:4"
    assert page.locator(".tl-passes .diff code.hit").count() >= 1
    page.locator('.tl-passes .source [data-source="0:4"]').hover()
    page.locator(".tl-timeline .slice.linked").wait_for()
    assert page.locator(".tl-timeline .slice.linked").count() == 1
    page.locator('.tl-passes .source [data-source="0:3"]').hover()
    page.locator(".tl-timeline .slice.linked").wait_for(state="detached")


def test_replay_and_timeline_point_at_one_line(
    page: Any, tmp_path: Path, trace: PassTrace, timeline: Timeline
) -> None:
    tracks = TimelineView(timeline, sources=trace.sources).tracks
    works = [
        (viewer_script("replay.js"), json.dumps({"data": replay().state(), "view": ""})),
        (
            timeline_state.viewer_script(),
            json.dumps({"data": timeline_state.timeline_state(tracks), "view": ""}),
        ),
    ]
    calls = "".join(
        "await (() => {"
        + script.removesuffix("export default { render };")
        + f"return render; }})()({{ model: model({state}), el: document.getElementById('v{k}') }});"
        for k, (script, state) in enumerate(works)
    )
    path = tmp_path / "both.html"
    path.write_text(
        f"<!doctype html><style>{viewer_style()}{timeline_state.style()}</style>"
        f'<div id="v0"></div><div id="v1"></div><script type="module">{MODEL}{calls}</script>',
        encoding="utf-8",
    )
    page.goto(path.as_uri())
    page.locator(".tl-timeline .slice").first.wait_for()
    assert page.locator(".tl-timeline .slice.linked").count() == 0
    page.locator(".tl-replay").focus()
    page.keyboard.press("j")
    page.locator(".tl-timeline .slice.linked").wait_for()
    assert page.locator(".tl-replay .linked").count() == 0
    page.locator(".tl-timeline .slice").first.hover()  # nd2nz, line 4
    page.locator(".tl-replay .linked").first.wait_for()
    assert page.locator(".tl-replay .linked").count() == 4


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(
    chromium: Any, tmp_path: Path, timeline: Timeline, language: Language, scheme: str
) -> None:
    pages = {
        ".picture .slice": TimelineView(
            timeline, 0, language, replace(timeline, cycles=2000)
        ).export_html(tmp_path / "timeline.html"),
        ".rounds .cell": grid(language).export_html(tmp_path / "grid.html"),
        ".list [role=option]": replay(language).export_html(tmp_path / "replay.html"),
    }
    for shape, path in pages.items():
        opened = chromium.new_page(color_scheme=scheme, viewport={"width": 1280, "height": 720})
        opened.goto(path.as_uri())
        opened.locator(shape).first.wait_for()
        for keys in ([], ["ArrowRight"], ["f"]):
            for key in keys:
                opened.keyboard.press(key)
            assert problems(opened) == []
        opened.close()


def test_grid_steps_and_deals_to_the_other_chip(page: Any, tmp_path: Path) -> None:
    page.goto(grid().export_html(tmp_path / "grid.html").as_uri() + "#3")
    page.locator(".rounds .cell").first.wait_for()
    assert page.locator(".detail b").inner_text() == "block 3: cube core 3, round 1"
    assert page.locator(".detail code").all_inner_texts() == ["A[24:32, 0:64]", "C[24:32, 0:64]"]
    page.keyboard.press("ArrowDown")
    assert page.locator(".detail b").inner_text() == "block 27: cube core 3, round 2"
    assert "Tiles of the first 4 blocks" in page.locator(".detail").inner_text()
    page.keyboard.press("c")
    assert page.locator(".detail b").inner_text() == "block 27: cube core 7, round 2"
    assert page.locator(".rounds .idle").count() == 6
    assert page.url.endswith("#27;1")
    page.locator(".rounds .cell").nth(1).click()
    assert page.locator(".tensors .reads").count() == page.locator(".tensors .writes").count() == 1


def test_replay_steps_and_marks_what_changed(page: Any, tmp_path: Path) -> None:
    page.goto(replay().export_html(tmp_path / "replay.html").as_uri() + "#1")
    page.locator(".list [role=option]").first.wait_for()
    assert page.locator(".summary").inner_text() == "step 1 of 3"
    assert page.locator(".flags tbody td").all_inner_texts() == ["▲ raised", "flag 0", "down", "up"]
    assert page.locator(".pane tr.written").count() == 0
    rows = page.locator(".pane tbody tr")
    assert [row.split("\t")[-1] for row in rows.all_inner_texts()] == ["0, 0", "1, 2", "–"]
    page.keyboard.press("j")
    changed = page.locator(".pane tr.written").first
    assert changed.locator("td").all_inner_texts() == [
        *("✎ written", "aiv0", " UB", "a_ub 2", "1, 2", "2.718, 2"),
    ]
    assert changed.locator("mark").all_inner_texts() == ["2.718"]  # the other one stayed
    assert page.locator(".flags .sign").inner_text() == "▼ lowered"
    assert page.locator("[aria-selected=true]").get_attribute("data-step") == "2"
    assert page.locator(".live").inner_text() == "2: aiv0 VECTOR vexp. writes a_ub, c_ub"
    assert page.url.endswith("#2")
    page.keyboard.press("n")
    assert page.locator(".pane tr.written b").inner_text() == "B"
    assert page.locator(".pane tr.read .sign").inner_text() == "→ read"
    page.keyboard.press("n")  # nothing else writes
    page.keyboard.press("End")
    page.keyboard.press("PageUp")
    page.keyboard.press("p")
    assert page.locator(".summary").inner_text() == "step 0 of 3"
    assert page.locator(".pane tr").nth(1).locator("td").last.inner_text() == "0, 0"
    page.keyboard.press("l")
    assert not page.locator(".list").is_visible()
    page.keyboard.press("l")
    page.locator("[data-step='3']").click()
    assert page.locator(".summary").inner_text() == "step 3 of 3"


def test_quiz_outside_a_notebook_says_what_to_write(page: Any, tmp_path: Path) -> None:
    quiz = Quiz(question="q.p1", choices=(("a", "two"), ("b", "three")))
    values = json.dumps({"data": quiz.state(), "view": ""})
    path = tmp_path / "quiz.html"
    script = viewer_script("quiz.js").removesuffix("export default { render };")
    path.write_text(
        '<!doctype html><html lang="en"><title>quiz</title>'
        f"<style>{viewer_style()}</style><main><h1>Quiz</h1><div id='a'></div></main>"
        f'<script type="module">{MODEL}{script}'
        f"render({{ model: model({values}), el: document.getElementById('a') }});</script></html>",
        encoding="utf-8",
    )
    page.goto(path.as_uri())
    page.locator("[data-choice=a]").focus()
    page.keyboard.press("b")
    assert page.locator("[aria-checked=true]").inner_text().startswith("b")
    assert page.locator(".said").inner_text() == (
        "Write b in place of the value in the cell above, then run it."
    )
    page.keyboard.press("ArrowDown")
    assert page.locator("[aria-checked=true]").get_attribute("data-choice") == "a"
    assert problems(page) == []
