"""The pass explorer in a real JupyterLab: run, step, switch, fail, go back, save, open again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.widgets.browsed import Book, copied

pytestmark = [pytest.mark.browser, pytest.mark.slow]

CELL = """\
from tlcourse import show_passes
import tilelang
from tlcourse.examples.minicv import minicv_developer
kernel = tilelang.compile(minicv_developer(128, 128, 64, 64, 64, 64), mode="Developer")
{0}
show_passes(kernel)"""
REFUSING = """\
from tlcourse.diagnostics import error
def refuse(configs):
    raise error("TL301", f"{configs} does not fit", why="UB is full", fix="ask for less")
kernel.with_switches = refuse"""

ROWS = ".tl-passes .tl-row"


def run(book: Book) -> None:
    """Runs the cell and gives the keys to the explorer."""
    book.run(ROWS)
    book.page.locator(".tl-passes .head").click()


def text(book: Book, selector: str) -> str:
    return book.page.locator(f".tl-passes {selector}").inner_text()


def shown(book: Book) -> str:
    """The number of the stage that is shown."""
    return text(book, ".head h3").split()[1]


def wait_for(book: Book, selector: str, said: str) -> None:
    book.page.locator(f".tl-passes {selector}", has_text=said).wait_for()


def test_switches_compile_again_and_go_back(open_book: Callable[..., Book]) -> None:
    book = open_book("switches.ipynb", CELL.format(""))
    run(book)
    first = text(book, ".summary")
    book.press("PageDown", "PageDown", "PageDown")
    held = shown(book)
    book.press("w")
    book.page.get_by_label("disable-hivm-auto-inject-sync").click()
    wait_for(book, ".said", "done in")
    assert shown(book) == held  # before and after stay while switches change
    assert text(book, ".summary") != first
    assert book.page.locator(".switch.changed").inner_text().split() == [
        "disable-hivm-auto-inject-sync",
        *("was", "false"),
    ]
    book.press("c")
    assert book.page.locator(".tl-passes .titles span").all_inner_texts() == [
        "original: after",
        "disable-hivm-auto-inject-sync=true: after",
    ]
    book.press("c", "t")
    assert text(book, ".summary") == first
    book.press("i")
    wait_for(book, ".head .chip", " ms")
    book.press("t", "o")
    book.page.locator(".tracks").wait_for(state="hidden")
    assert text(book, ".summary") == first
    assert shown(book) == held
    assert book.page.locator(".switch.changed").count() == 0


@pytest.mark.parametrize("app", ["lab", "notebook"])
def test_finds_points_at_lines_and_keeps_keys(open_book: Callable[..., Book], app: str) -> None:
    book = open_book(f"look_{app}.ipynb", CELL.format(""), app)
    run(book)
    cells = book.page.locator(".jp-Cell").count()
    first = shown(book)
    book.press("j", "b", "a")  # the last two would add cells
    assert shown(book) != first
    assert book.page.locator(".jp-Cell").count() == cells
    book.press("?")
    book.page.keyboard.type("hivm.hir.mmadl1")
    book.press("Escape", "j")  # to the first pass whose IR has it
    found = book.page.locator(".tl-passes .found code", has_text="mmadL1").first
    found.hover()
    lit = book.page.locator(".tl-passes .source .hit")
    lit.first.wait_for()
    assert "T.gemm(" in lit.first.inner_text()
    lit.first.hover()
    assert "mmadL1" in "".join(book.page.locator(".tl-passes .diff .hit").all_inner_texts())
    assert book.serious(".tl-passes") == []


def test_a_failed_compile_tells_why_and_keeps_the_stored_one(
    open_book: Callable[..., Book],
) -> None:
    book = open_book("failure.ipynb", CELL.format(REFUSING))
    run(book)
    first = text(book, ".summary")
    book.press("f", "w")  # in lecture mode
    copies = book.page.get_by_label("set-workspace-multibuffer")
    copies.fill("8")
    copies.press("Tab")
    book.page.locator(".tl-passes .failure").wait_for()
    parts = text(book, ".failure")
    assert parts.startswith("error[TL301]: {'npuir.set_workspace_multibuffer': '8'} does not fit")
    assert "= why: UB is full" in parts
    assert "= fix: ask for less" in parts
    assert text(book, ".summary") == first
    book.page.locator(".tl-passes .head").click()
    book.press("PageDown", "o")
    book.page.locator(".tl-passes .failure").wait_for(state="hidden")
    assert text(book, ".summary") == first


def test_saved_notebook_shows_its_passes_before_anything_runs(
    open_book: Callable[..., Book], work: Path
) -> None:
    book = open_book("saved.ipynb", CELL.format(""))
    run(book)
    book.press("ArrowDown", "ArrowDown")
    held = shown(book)
    book.press("Escape")  # gives the keys back to the notebook
    saved = book.save(lambda stored: "widgets" in stored["metadata"])
    (said,) = saved["cells"][0]["outputs"][0]["data"]["text/plain"]
    assert said.startswith("PassExplorer(minicv")
    copied(saved, work / "books" / "trusted.ipynb", trusted_by=work / "DATA")
    copied(saved, work / "books" / "stranger.ipynb")
    again = open_book("trusted.ipynb")
    again.page.locator(".tl-passes .tl-row").first.wait_for()
    assert shown(again) == held
    again.page.locator(".tl-passes .head").click()
    again.press("ArrowUp")
    assert shown(again) != held
    stranger = open_book("stranger.ipynb")
    stranger.page.locator(".tl-twin details").first.wait_for()
    assert stranger.page.locator(".tl-passes").count() == 0
