"""lecture/dayN.html: complete, self-contained, and clicked through in a browser, day by day."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tlcourse.build.source import LANGUAGES, Language, read_source

ROOT = Path(__file__).parents[2]
DAYS = (1, 2, 3, 4, 5)
MOST_BYTES = 3_000_000
SMALLEST_PX = 12


def path_of(day: int, language: Language = "en") -> Path:
    return (
        ROOT / "lecture" / (f"day{day}.html" if language == "en" else f"day{day}.{language}.html")
    )


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("day", DAYS)
def test_every_cell_of_the_cuts_is_a_slide(day: int, language: Language) -> None:
    text = path_of(day, language).read_text(encoding="utf-8")
    sources = [read_source(path) for path in sorted((ROOT / "course").glob(f"day{day}/*.py"))]
    wanted = [
        f"{source.id}/{cell.id}"
        for source in sources
        for cell in source.cells_in(language)
        if "lecture" in cell.tags
    ]
    found = re.findall(r'<section class="slide[^"]*" id="([^"]+)"', text)
    assert [name for name in found if not name.endswith("/room")] == wanted
    assert [name for name in found if name.endswith("/room")] == [f"{s.id}/room" for s in sources]
    assert text.count("<template>") >= 3 * len(sources)  # speaker notes


@pytest.mark.parametrize("path", [path_of(d, lang) for d in DAYS for lang in LANGUAGES], ids=str)
def test_a_page_stands_alone_and_is_small(path: Path) -> None:
    data = path.read_bytes()
    text = re.sub(r'<a [^>]*href="[^"]*"', "", data.decode())
    assert len(data) < MOST_BYTES
    assert "default-src 'none'" in text
    assert not re.search(r'(?:src|href)="(?!data:)|url\((?!#|data:)|@import|\bimport ["\'{(]', text)


class Deck:
    """A page with all it asked for and complained about."""

    def __init__(self, chromium: Any, path: Path, name: str = "") -> None:
        self.path = path
        self.requests: list[str] = []
        self.complaints: list[str] = []
        self.context = chromium.new_context(
            offline=True, viewport={"width": 1280, "height": 720}, color_scheme="light"
        )
        self.page = self.context.new_page()
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda failure: self.complaints.append(str(failure)))
        self.open(name)

    def open(self, name: str) -> None:
        self.page.goto(self.path.as_uri() + (f"#{name}" if name else ""))
        self.page.wait_for_selector(".slide.now")

    @property
    def now(self) -> str:
        return str(self.page.evaluate("document.querySelector('.slide.now').id"))

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)


@pytest.fixture
def deck(chromium: Any, request: pytest.FixtureRequest) -> Iterator[Deck]:
    opened = Deck(chromium, path_of(request.param))
    yield opened
    assert {url.partition("#")[0] for url in opened.requests} == {opened.path.as_uri()}
    assert opened.complaints == []
    opened.context.close()


every_day = pytest.mark.parametrize("deck", DAYS, indirect=True, ids=[f"day{d}" for d in DAYS])

TOO_LARGE = """() => {
  const body = document.querySelector(".slide.now .body");
  const parts = [body, ...body.querySelectorAll(".code, .out, pre")];
  const high = (one) => one.scrollHeight > one.clientHeight + 2;
  const wide = (one) => one.scrollWidth > one.clientWidth + 2;
  return parts.filter((one) => one.offsetParent && (high(one) || wide(one)))
    .map((one) => one.className || one.tagName);
}"""
SIZE = "parseFloat(getComputedStyle(document.querySelector('.slide.now .body')).fontSize)"
DRAWN = """() => [...document.querySelectorAll(".slide.now .widget")].every((box) =>
  box.querySelector(".tl-row, svg rect, svg path, table"))"""


@pytest.mark.browser
@pytest.mark.slow
@every_day
def test_all_slides_are_clicked_through(deck: Deck) -> None:
    ids = deck.page.locator(".slide").evaluate_all("nodes => nodes.map((node) => node.id)")
    seen: list[str] = []
    for _ in range(3 * len(ids)):
        if deck.now not in seen:
            seen.append(deck.now)
        deck.page.wait_for_function(DRAWN)
        assert deck.page.evaluate(SIZE) >= SMALLEST_PX
        closed = deck.page.locator(".slide.now details.reveal:not([open])").count()
        if "figure" not in str(deck.page.locator(".slide.now").get_attribute("class")):
            assert deck.page.evaluate(TOO_LARGE) == [], deck.now
        if deck.now == ids[-1] and not closed:
            break
        deck.press("PageDown")
    assert seen == ids
    assert deck.page.locator("details.reveal:not([open])").count() == 0
    deck.press("Home")
    assert deck.now == ids[0]
    deck.press("ArrowRight", "ArrowLeft", "ArrowRight")
    assert deck.now == ids[1]


def slide_with(day: int, kind: str) -> str:
    """The first slide of a day's page that shows a widget of a kind, by its notebook."""
    for path in sorted((ROOT / f"notebooks/day{day}").glob("*.ipynb")):
        notebook = json.loads(path.read_text(encoding="utf-8"))
        models = next(iter(notebook["metadata"].get("widgets", {"": {"state": {}}}).values()))
        for cell in notebook["cells"]:
            for output in cell.get("outputs", ()):
                view = output.get("data", {}).get("application/vnd.jupyter.widget-view+json")
                model = models["state"].get(view["model_id"], {}) if view else {}
                is_kind = str(model.get("state", {}).get("_anywidget_id", "")).endswith(kind)
                if is_kind and "lecture" in cell["metadata"].get("tags", ()):
                    return f"{notebook['metadata']['tlcourse']['id']}/{cell['id']}"
    return ""


@pytest.mark.browser
@every_day
def test_the_explorer_steps_and_the_timeline_zooms(deck: Deck) -> None:
    day = int(deck.path.stem.removeprefix("day"))
    tried = 0
    for kind, selector in (("PassExplorer", ".tl-passes"), ("TimelineViewer", ".tl-timeline")):
        name = slide_with(day, kind)
        if not name:
            continue
        tried += 1
        deck.open("")
        deck.open(name)
        deck.page.evaluate(
            "document.querySelectorAll('.slide.now details').forEach((one) => { one.open = true; })"
        )
        root = deck.page.locator(f".slide.now {selector}").first
        root.wait_for()
        deck.press("w")
        reads = ".head" if kind == "PassExplorer" else "svg"
        before = root.locator(reads).first.inner_html()
        deck.press(*(["j"] if kind == "PassExplorer" else ["w", "w", "w"]))
        deck.page.wait_for_timeout(200)
        assert root.locator(reads).first.inner_html() != before
        assert deck.now == name  # the keys belong to the widget
        deck.press("Escape", "ArrowRight")
        assert deck.now != name or deck.page.locator(".slide.now details.reveal").count()
    assert tried or day == 5


@pytest.mark.browser
@pytest.mark.parametrize("deck", [2], indirect=True)
def test_notes_contents_and_the_other_language(deck: Deck) -> None:
    deck.open("d2.fusion/tiles")
    assert deck.now == "d2.fusion/tiles"
    notes = deck.page.locator(".notes")
    assert not notes.is_visible()
    deck.press("s")
    assert "Colour the two strips" in notes.inner_text()
    deck.press("s", "o")
    assert deck.page.locator(".contents").is_visible()
    deck.page.locator(".contents a", has_text="Mended").click()
    assert deck.now == "d2.fusion/mended"
    other = deck.page.locator("a.other").get_attribute("href")
    assert other.endswith("/day2.zh.html#d2.fusion/mended")


@pytest.mark.browser
@pytest.mark.parametrize("deck", [1], indirect=True)
def test_a_result_stays_closed_until_the_next_step(deck: Deck) -> None:
    deck.open("d1.first_kernel/last-four")
    result = deck.page.locator(".slide.now .reveal pre")
    assert not result.is_visible()
    deck.press("ArrowRight")
    assert deck.now == "d1.first_kernel/last-four"
    assert "TL528" in result.inner_text()
