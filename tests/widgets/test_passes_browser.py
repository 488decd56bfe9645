"""The exported page in a real browser: from disk, by keyboard, with no network."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tlcourse.live import PassMeasure, SwitchState
from tlcourse.records import PassTrace
from tlcourse.widgets.exhibit import Exhibit, Track
from tlcourse.widgets.explorer import export_html
from tlcourse.widgets.labels import Language

MakeTrace = Callable[..., PassTrace]


pytestmark = pytest.mark.browser


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
        self.page.wait_for_selector(".tl-row")

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    @property
    def shown(self) -> str:
        return self.page.locator(".head h3").inner_text().split()[1]

    def count(self, selector: str) -> int:
        return self.page.locator(selector).count()

    def size(self, selector: str) -> float:
        script = "node => parseFloat(getComputedStyle(node).fontSize)"
        return self.page.locator(selector).first.evaluate(script)


@pytest.fixture
def path(trace: PassTrace, tmp_path: Path) -> Path:
    return export_html(trace, tmp_path / "passes.html")


@pytest.fixture
def opened(chromium: Any, path: Path) -> Iterator[Opened]:
    opened = Opened(chromium, path)
    yield opened
    assert opened.requests == [path.as_uri()]
    assert opened.complaints == []
    opened.page.close()


def test_opens_at_the_first_change(opened: Opened) -> None:
    assert opened.shown == "convert-to-hivm-op"
    assert "2 of 4 passes changed the IR" in opened.page.locator(".summary").inner_text()


def test_a_change_far_behind_the_start_of_a_long_line_is_in_sight(
    chromium: Any, make_trace: MakeTrace, tmp_path: Path
) -> None:
    names = ", ".join(f'a{k} = "some long value"' for k in range(150))
    before = f"module attributes {{{names}, last = 1}} {{\n}}"
    trace = make_trace(
        ("tir", "input", "changed", before), ("tir", "mark", "changed", before.replace("1}", "2}"))
    )
    opened = Opened(chromium, export_html(trace, tmp_path / "long.html"))
    assert opened.page.locator("mark.ins").inner_text() == "2"
    box, pane = (opened.page.locator(at).bounding_box() for at in ("mark.ins", ".diff"))
    assert pane["y"] < box["y"] < pane["y"] + pane["height"] - box["height"]
    assert opened.page.locator(".tl-row").first.bounding_box()["height"] > pane["height"]
    opened.page.close()


@pytest.mark.parametrize(("forward", "back"), [("ArrowDown", "ArrowUp"), ("j", "k")])
def test_arrow_keys_step_over_unchanged_passes(opened: Opened, forward: str, back: str) -> None:
    opened.press(forward)
    assert opened.shown == "hivm-infer-mem-scope"
    opened.press(back)
    assert opened.shown == "convert-to-hivm-op"


def test_clicker_keys_home_and_end(opened: Opened) -> None:
    opened.press("PageDown", "PageDown")
    assert opened.shown == "hivm-plan-memory"
    opened.press("PageDown")
    assert opened.shown == "hivm-plan-memory"
    opened.press("PageUp")
    assert opened.shown == "hivm-infer-mem-scope"
    opened.press("Home")
    assert opened.shown == "input"
    assert not opened.page.locator(".titles").is_visible()  # nothing stands before the input
    opened.press("End")
    assert opened.shown == "hivm-plan-memory"
    assert "gave up at %0" in opened.page.locator(".head").inner_text()


def test_u_shows_unchanged_passes_too(opened: Opened) -> None:
    assert opened.count("[role=option]") == 4
    opened.press("u", "ArrowDown")
    assert opened.count("[role=option]") == 5
    assert opened.shown == "cse"
    assert "left the IR as it was" in opened.page.locator(".head").inner_text()


def test_difference_has_signs_and_marked_words(opened: Opened) -> None:
    assert opened.page.locator(".l-removed .g").first.inner_text() == "−"
    assert opened.page.locator(".r-added .g").nth(1).inner_text() == "+"
    opened.press("ArrowDown")
    assert opened.page.locator("mark.ins").all_inner_texts() == [", ub"]


def test_filter_narrows_the_list_and_escape_returns(opened: Opened) -> None:
    opened.press("/")
    opened.page.keyboard.type("plan")
    assert opened.page.locator("[role=option] span").all_inner_texts() == ["hivm-plan-memory"]
    opened.press("Escape", "ArrowDown")
    assert opened.shown == "hivm-plan-memory"


def test_find_marks_lines_and_leaves_the_passes_that_have_them(opened: Opened) -> None:
    opened.press("?")
    opened.page.keyboard.type("HIR.load")
    names = opened.page.locator("[role=option] span").all_inner_texts()
    assert names == ["convert-to-hivm-op", "hivm-infer-mem-scope", "hivm-plan-memory"]
    assert opened.count(".found") == 1
    opened.press("Enter", "Escape", "ArrowDown")
    assert opened.shown == "hivm-infer-mem-scope"
    found = opened.page.locator(".found code").all_inner_texts()
    assert found == ["hivm.hir.load ins(%arg0 : memref<64xf16>) outs(%0 : memref<64xf16>)"] * 2
    opened.press("?")
    opened.page.keyboard.press("Control+a")
    opened.page.keyboard.type("nowhere")
    assert opened.page.locator(".list").inner_text() == "no pass matches"


def test_find_opens_what_is_folded(chromium: Any, tmp_path: Path, make_trace: MakeTrace) -> None:
    body = "\n".join(f"op.n{k} : i32" for k in range(80))
    trace = make_trace(
        ("tir", "input", "changed", f"a.x\n{body}\na.y"),
        ("tir", "p", "changed", f"a.z\n{body}\na.w {{new}}"),
    )
    opened = Opened(chromium, export_html(trace, tmp_path / "fold.html"))
    assert opened.count(".fold") == 1
    opened.press("?")
    opened.page.keyboard.type("op.n40")
    assert opened.count(".fold") == 0
    assert opened.page.locator(".found code").first.is_visible()
    opened.page.close()


def test_deep_link_follows_the_pass(chromium: Any, path: Path, opened: Opened) -> None:
    opened.press("ArrowDown")
    assert opened.page.url.endswith("#pass=3")
    linked = Opened(chromium, path, "#pass=3")
    assert linked.shown == "hivm-infer-mem-scope"
    linked.page.evaluate("location.hash = '#pass=0'")
    linked.page.wait_for_function(
        "document.querySelector('.head h3').textContent.includes('input')"
    )
    linked.page.close()


def test_pointing_at_ir_lights_the_learners_line(opened: Opened) -> None:
    opened.page.locator(".r-added [data-line]", has_text="hivm.hir.load").hover()
    assert opened.page.locator(".source .hit code").all_inner_texts() == ["    T.copy(A, tile)"]
    opened.page.locator(".source [data-source='0:3']").hover()
    lit = opened.page.locator(".diff .hit").all_inner_texts()
    assert lit == ["%0 = memref.alloc() : memref<64xf16>"] * 2
    assert not opened.page.locator(".nowhere").is_visible()
    opened.page.locator(".diff [data-line]", has_text="arith.constant").first.hover()
    assert "comes from no line of yours" in opened.page.locator(".nowhere").inner_text()


def test_a_place_from_a_neighbour_says_so(
    chromium: Any, make_trace: MakeTrace, ir: dict[str, str], tmp_path: Path
) -> None:
    own = ' loc("cell:1":3:5)'
    bare = ir["loaded"].replace(own, "")  # the alloc has no place; the load that reads it has
    trace = make_trace(
        ("codegen", "input", "changed", ir["input"]), ("npuir", "p", "changed", bare)
    )
    opened = Opened(chromium, export_html(trace, tmp_path / "near.html"))
    said = (
        "node => getComputedStyle(node, '::after').content + getComputedStyle(node).textDecoration"
    )
    line = opened.page.locator(".source [data-source='0:4']")
    opened.page.locator(".diff > * > :nth-child(6)[data-line]", has_text="memref.alloc").hover()
    assert "hit" in str(line.get_attribute("class"))
    carried = line.locator("code").evaluate(said)
    assert "line of a neighbouring op" in carried
    assert "dotted" in carried
    line.hover()
    near = opened.page.locator(".diff > * > :nth-child(6).hit[data-near]")
    assert "memref.alloc" in near.inner_text()
    assert "line of a neighbouring op" in near.evaluate(said)
    opened.page.locator(".r-added [data-line]", has_text="hivm.hir.load").hover()
    assert "dotted" not in line.locator("code").evaluate(said)
    assert opened.count(".source [data-near]") == 0
    opened.page.close()


def test_lecture_mode_is_large(opened: Opened) -> None:
    normal = opened.size(".diff code")
    opened.press("f")
    assert opened.size(".diff code") >= 20
    opened.press("+")
    assert opened.size(".diff code") > 20
    opened.press("ArrowDown")
    assert opened.shown == "hivm-infer-mem-scope"
    opened.press("f")
    assert opened.size(".diff code") == normal


def test_light_and_dark(chromium: Any, path: Path) -> None:
    def ground(opened: Opened) -> str:
        script = "node => getComputedStyle(node).backgroundColor"
        return opened.page.locator(".tl-passes").evaluate(script)

    light, dark = (Opened(chromium, path, color_scheme=scheme) for scheme in ("light", "dark"))
    assert ground(light) == "rgb(255, 255, 255)"
    assert ground(dark) != ground(light)
    night = ground(dark)
    light.press("d")
    assert ground(light) == night
    light.page.close()
    dark.page.close()


def test_screen_reader_hears_the_pass(opened: Opened) -> None:
    opened.press("ArrowDown")
    spoken = opened.page.locator("[aria-live=polite]").text_content()
    assert spoken == "3 hivm-infer-mem-scope: changed +1 −1 lines"
    listbox = opened.page.get_by_role("listbox", name="Passes")
    active = listbox.get_attribute("aria-activedescendant")
    assert opened.page.locator(f"#{active}").get_attribute("aria-selected") == "true"
    assert opened.count("[data-lm-suppress-shortcuts='true']") == 1


def test_long_equal_stretches_fold_and_open(
    chromium: Any, tmp_path: Path, make_trace: MakeTrace
) -> None:
    body = "\n".join(f"op.n{k} : i32" for k in range(80))
    trace = make_trace(
        ("tir", "input", "changed", f"a.x\n{body}\na.y"),
        ("tir", "p", "changed", f"a.z\n{body}\na.w {{new}}"),
    )
    opened = Opened(chromium, export_html(trace, tmp_path / "fold.html"))
    assert opened.page.locator(".fold").inner_text() == "⋯ 74 equal lines"
    before = opened.count(".tl-row")
    opened.page.locator(".fold").click()
    assert opened.count(".tl-row") == before + 74
    opened.press("e", "e")
    assert opened.count(".fold") == 1
    opened.page.close()


def test_pure_renaming_shows_no_red_or_green(
    chromium: Any, tmp_path: Path, make_trace: MakeTrace, ir: dict[str, str]
) -> None:
    trace = make_trace(
        ("tir", "input", "changed", ir["loaded"]),
        ("tir", "p", "changed", ir["loaded"].replace("%0", "%8")),
    )
    opened = Opened(chromium, export_html(trace, tmp_path / "renamed.html"))
    assert opened.count("mark.renamed") == 4
    assert opened.count("mark.ins, mark.del, .l-removed, .r-added") == 0
    assert "only value names differ" in opened.page.locator(".head").inner_text()
    opened.page.close()


@pytest.fixture
def two(trace: PassTrace, make_trace: MakeTrace, ir: dict[str, str]) -> Callable[..., Exhibit]:
    """The trace beside one with another last pass, with switches and measures."""
    other = make_trace(
        ("codegen", "input", "changed", ir["input"]),
        ("npuir", "convert-to-hivm-op", "changed", ir["loaded"]),
        ("npuir", "hivm-infer-mem-scope", "changed", ir["spaced"].replace("ub", "cbuf")),
    )
    measures = (
        PassMeasure(pass_name="convert-to-hivm-op", seconds=0.0012, numbers="same"),
        PassMeasure(pass_name="cse", seconds=0.0001, numbers="unchanged"),
        PassMeasure(pass_name="hivm-infer-mem-scope", seconds=1.5, numbers="differs", worst=0.25),
    )
    switch = SwitchState(name="place", config="npuir.place", value="true", usual="true")

    def made(language: Language = "en", failure: str = "") -> Exhibit:
        return Exhibit(
            tracks=(
                Track(title="original", trace=trace, measures=measures),
                Track(title="place=false", trace=other),
            ),
            language=language,
            switches=((switch, replace(switch, value="false")),),
            first_shown=1,
            failure=failure,
        )

    return made


def test_two_compiles_hold_the_pass(
    chromium: Any, tmp_path: Path, two: Callable[..., Exhibit]
) -> None:
    path = export_html(two(), tmp_path / "two.html")
    opened = Opened(chromium, path, "#pass=2&compile=1")
    assert opened.shown == "hivm-infer-mem-scope"
    assert opened.page.locator("mark.ins").all_inner_texts() == [", cbuf"]
    opened.press("t")
    assert opened.page.locator("mark.ins").all_inner_texts() == [", ub"]
    assert opened.page.locator(".head h3 i").inner_text() == "3"
    assert opened.page.url.endswith("#pass=3")
    opened.press("c")
    assert opened.page.locator("mark").all_inner_texts() == ["ub", "cbuf"]
    assert opened.page.locator(".titles span").all_inner_texts() == [
        "original: after",
        "place=false: after",
    ]
    opened.press("k", "k")  # over cse, which runs in the original only
    assert opened.page.locator(".head > b").inner_text() == "the same IR in both compiles"
    opened.press("j", "c", "t", "o")
    assert opened.page.locator("[data-track='0']").get_attribute("aria-pressed") == "true"
    assert opened.complaints == []
    opened.page.close()


def test_list_marks_what_differs_and_what_was_measured(
    chromium: Any, tmp_path: Path, two: Callable[..., Exhibit]
) -> None:
    opened = Opened(chromium, export_html(two(), tmp_path / "two.html"))
    opened.press("o", "u")
    small = opened.page.locator("[role=option] small")
    assert small.all_inner_texts() == ["", "+1 −1 1.2 ms ✓", "0.1 ms ◇", "1500.0 ms ≠ ✗", "−1 ◇"]
    spoken = opened.page.locator("[role=option]").nth(3).get_attribute("title")
    assert spoken.endswith("✗ numbers differ by 0.25, differs from the other compile")
    opened.page.close()


def test_board_without_a_kernel_shows_the_switches_and_the_way_back(
    chromium: Any, tmp_path: Path, two: Callable[..., Exhibit]
) -> None:
    opened = Opened(chromium, export_html(two(failure="error[TL301]: no"), tmp_path / "two.html"))
    assert opened.page.get_by_role("alert").inner_text() == "error[TL301]: no"
    assert opened.page.get_by_label("place").is_disabled()
    assert "Run the cell" in opened.page.locator(".said").inner_text()
    opened.page.get_by_text("back to the original").click()
    assert opened.page.locator("[data-track='0']").get_attribute("aria-pressed") == "true"
    opened.press("w")
    assert not opened.page.locator(".board").is_visible()
    opened.page.close()


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(
    chromium: Any, tmp_path: Path, two: Callable[..., Exhibit], language: Language, scheme: str
) -> None:
    from axe_playwright_python.sync_playwright import Axe

    path = export_html(two(language, "error[TL301]: no"), tmp_path / "two.html")
    opened = Opened(chromium, path, color_scheme=scheme)
    for keys in ([], ["End"], ["c"], ["c", "u"], ["f"]):
        opened.press(*keys)
        found = Axe().run(opened.page).response["violations"]
        assert [(one["impact"], one["id"], one["nodes"][0]["html"]) for one in found] == []
    opened.page.close()


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
    frame.locator(".head").click()
    page.keyboard.press("ArrowDown")
    assert "hivm-infer-mem-scope" in frame.locator(".head h3").inner_text()
    page.close()
