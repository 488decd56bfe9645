"""The timeline in a real browser: from disk, by keyboard and wheel, with no network."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tlcourse.diagnostics import SourceFile
from tlcourse.records import Timeline
from tlcourse.widgets.timeline import TimelineView

pytestmark = pytest.mark.browser
SOURCES = {"cell:1": SourceFile(id="cell:1", text="a\nb\nc\nT.copy(A, tile)\n", title="this cell")}


class Opened:
    """A page with all it asked for and complained about."""

    def __init__(self, chromium: Any, path: Path, hash_text: str = "", **options: Any) -> None:
        self.requests: list[str] = []
        self.complaints: list[str] = []
        size = {"width": 1280, "height": 720}
        self.page = chromium.new_page(viewport=size, **options)
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda failure: self.complaints.append(str(failure)))
        self.page.goto(path.as_uri() + hash_text)
        self.page.wait_for_selector(".picture .slice")

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)
        self.page.wait_for_timeout(250)  # the view goes into the address a little later

    @property
    def window(self) -> tuple[int, int]:
        """First and last cycle shown, as the address has them."""
        last = ""
        while last != self.page.url or "#" not in last:
            last = self.page.url
            self.page.wait_for_timeout(250)  # it follows a little later than the picture
        start, end = last.rpartition("#")[2].split(";")[0].rsplit("-", 1)
        return int(start), int(end)

    def text(self, selector: str) -> str:
        return self.page.locator(selector).first.inner_text()

    def texts(self, selector: str) -> list[str]:
        return self.page.locator(selector).all_text_contents()


@pytest.fixture
def linked(timeline: Timeline) -> Timeline:
    """The timeline with its set/wait pairs: the matmul waits for both loads."""
    load, second, product, store, rest = timeline.instructions
    product, store = replace(product, waits_on=(0, 1)), replace(store, waits_on=(2,))
    return replace(timeline, instructions=(load, second, product, store, rest))


@pytest.fixture
def path(linked: Timeline, tmp_path: Path) -> Path:
    view = TimelineView(linked, 0, sources=SOURCES)
    return view.export_html(tmp_path / "timeline.html")


@pytest.fixture
def opened(chromium: Any, path: Path) -> Iterator[Opened]:
    opened = Opened(chromium, path)
    yield opened
    assert opened.requests == [path.as_uri()]
    assert opened.complaints == []
    opened.page.close()


def test_shows_every_lane_and_gap(opened: Opened) -> None:
    assert opened.texts(".picture .pipe") == ["MTE2", "CUBE", "FIXP"]
    assert opened.page.locator(".picture .slice").count() == 4
    assert opened.texts(".picture .cause") == ["waits for nd2nz on MTE2, line 4"]
    assert "4,000 cycles, 2.16 us on Ascend910B1" in opened.text(".summary")


def test_keys_zoom_and_move(opened: Opened) -> None:
    whole = opened.window
    opened.press("w")
    near = opened.window
    assert near[1] - near[0] == pytest.approx(0.6 * (whole[1] - whole[0]), abs=2)
    opened.press("d")
    assert opened.window[0] > near[0]
    opened.press("a")
    assert opened.window == pytest.approx(near, abs=2)
    opened.press("s", "s")
    assert opened.window == whole
    opened.press("w", "w", "0")
    assert opened.window == whole


def test_wheel_zooms_where_it_points_and_shift_moves(opened: Opened) -> None:
    whole = opened.window
    box = opened.page.locator(".picture").bounding_box()
    opened.page.mouse.move(box["x"] + 200, box["y"] + 60)
    opened.page.mouse.wheel(0, -400)
    opened.page.wait_for_timeout(250)
    near = opened.window
    assert near[1] - near[0] == pytest.approx((whole[1] - whole[0]) / 2, abs=2)
    assert near[0] - whole[0] < whole[1] - near[1]
    opened.page.keyboard.down("Shift")
    opened.page.mouse.wheel(0, 300)
    opened.page.keyboard.up("Shift")
    opened.page.wait_for_timeout(250)
    assert opened.window[0] > near[0]


def test_drag_moves(opened: Opened) -> None:
    opened.press("w", "w")
    before = opened.window
    box = opened.page.locator(".picture").bounding_box()
    opened.page.mouse.move(box["x"] + 600, box["y"] + 15)
    opened.page.mouse.down()
    opened.page.mouse.move(box["x"] + 500, box["y"] + 15, steps=4)
    opened.page.mouse.up()
    opened.page.wait_for_timeout(250)
    assert opened.window[0] > before[0]


def test_arrow_keys_walk_along_and_across_the_lanes(opened: Opened) -> None:
    opened.press("ArrowRight")
    assert "nd2nz" in opened.text(".detail b")
    assert opened.text(".detail code") == "T.copy(A, tile)"
    opened.press("ArrowDown")
    assert "stands still" in opened.text(".detail b")
    opened.press("ArrowRight")
    assert opened.text(".detail b") == "mmadL1"
    assert opened.texts("[data-go]")[0] == "nd2nz, AIC, cube core MTE2, line 4"
    opened.press("End", "ArrowDown")
    assert opened.text(".detail b") == "fixpipe"
    assert "32,768 B through GM" in opened.text(".detail")
    opened.press("Escape")
    assert "Click an instruction" in opened.text(".detail")


def test_steps_through_the_gaps_and_says_so(opened: Opened) -> None:
    opened.press("PageDown")
    spoken = opened.page.locator("[aria-live=polite]").text_content()
    assert spoken == (
        "gap 1 of 1 by length, AIC, cube core CUBE stands still, 1,000 cycles, 1,000 to 2,000 "
        "(0.541 us), waits for nd2nz on MTE2, line 4"
    )


def test_arrows_join_set_and_wait(opened: Opened) -> None:
    assert opened.page.locator(".arrow").count() == 1  # the last load lets the matmul go
    opened.press("x")
    assert opened.page.locator(".arrow").count() == 3
    opened.press("x")
    assert opened.page.locator(".arrow").count() == 0
    opened.page.locator(".picture .slice").last.click()
    opened.page.wait_for_timeout(100)
    assert opened.page.locator(".arrow.strong").count() == 1


def test_two_timelines_share_one_axis(chromium: Any, linked: Timeline, tmp_path: Path) -> None:
    quick = replace(linked, cycles=2000)
    view = TimelineView(linked, 0, "zh", quick, SOURCES)
    opened = Opened(chromium, view.export_html(tmp_path / "pair.html"))
    assert "速度为原来的 2.00 倍" in opened.text(".summary")
    assert [one.split("：")[0] for one in opened.texts(".picture .title")] == ["之前", "之后"]
    xs = [slice_.get_attribute("x") for slice_ in opened.page.locator(".slice").all()]
    assert xs[: len(xs) // 2] == xs[len(xs) // 2 :]
    assert opened.complaints == []
    opened.page.close()


def test_deep_link_opens_the_stretch(chromium: Any, path: Path) -> None:
    linked = Opened(chromium, path, "#1500-2500;0.2")
    assert linked.text(".detail b") == "mmadL1"
    assert linked.window == (1500, 2500)
    linked.page.close()


def test_lecture_mode_is_large_and_theme_turns(opened: Opened) -> None:
    def style(name: str) -> str:
        script = f"node => getComputedStyle(node).{name}"
        return opened.page.locator(".tl-timeline").evaluate(script)

    ground = style("backgroundColor")
    opened.press("t")
    assert style("backgroundColor") != ground
    opened.press("f")
    assert float(style("fontSize").removesuffix("px")) >= 20
    opened.press("f")
    assert float(style("fontSize").removesuffix("px")) < 20


def test_table_stands_behind_the_picture(opened: Opened) -> None:
    opened.page.locator("summary").click()
    cells = opened.texts("details td")
    assert "aic CUBE" in cells
    assert "nd2nz on MTE2, line 4" in cells


def test_works_inside_a_sandboxed_frame(chromium: Any, path: Path, tmp_path: Path) -> None:
    outer = tmp_path / "outer.html"
    page_text = path.read_text(encoding="utf-8").replace("&", "&amp;").replace('"', "&quot;")
    outer.write_text(
        f'<!doctype html><iframe sandbox="allow-scripts" width="1200" height="600" '
        f'srcdoc="{page_text}"></iframe>',
        encoding="utf-8",
    )
    page = chromium.new_page()
    page.goto(outer.as_uri())
    frame = page.frame_locator("iframe")
    frame.locator(".detail").click()
    page.keyboard.press("ArrowRight")
    assert "nd2nz" in frame.locator(".detail b").inner_text()
    page.close()
