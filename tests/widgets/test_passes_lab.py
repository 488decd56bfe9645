"""The pass explorer in a real JupyterLab: run, step, switch, fail, go back, save, open again."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Generator
from contextlib import suppress
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from tlcourse.build import lab, workspace
from tlcourse.build.labclient import LabClient

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
PYTHON = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
LIMIT_MS = 60_000
# What Notebook 7 says when it starts: of its fonts, and of nbgrader's extension, which expects a
# file browser.
OF_NOTEBOOK = (
    "Cannot read properties of undefined (reading 'schema')",
    "Command 'filebrowser:open-path' not registered.",
)


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("lab")


@pytest.fixture(scope="module")
def client(work: Path) -> Generator[LabClient, None, None]:
    environment = os.environ | {
        f"JUPYTER_{kind}_DIR": str(work / kind) for kind in ("DATA", "CONFIG", "RUNTIME")
    }
    (work / "books").mkdir()
    workspace.write_settings(work / "settings")
    client = LabClient(port=lab.free_port(), token="secret")
    command = lab.lab_command(
        work / "books", work / "settings", port=client.port, browser=False, token=client.token
    )
    with lab.serve(command, environment, client, work / "server.log"):
        yield client
        client.shut_down()


class Book:
    """A notebook in a browser, with all that its page asked for and complained about."""

    def __init__(self, chromium: Any, client: LabClient, name: str, app: str) -> None:
        self.app = app
        self.home = f"http://127.0.0.1:{client.port}/"
        self.strangers: list[str] = []
        self.complaints: list[str] = []
        self.page = chromium.new_page(viewport={"width": 1280, "height": 720})
        self.page.set_default_timeout(LIMIT_MS)
        self.page.on("request", lambda request: self._note(request.url))
        self.page.on("console", self._heard)
        self.page.on("pageerror", lambda failure: self._complain(str(failure)))
        where = f"lab/workspaces/{Path(name).stem}/tree" if app == "lab" else "notebooks"
        self.page.goto(f"{self.home}{where}/{name}?token={client.token}")
        self.page.locator(".jp-Notebook .jp-Cell").first.wait_for()

    def run(self) -> None:
        idle = "(ipykernel) | Idle" if self.app == "lab" else "Python 3 (ipykernel)"
        self.page.get_by_text(idle).first.wait_for()
        self.page.locator(".jp-Cell .cm-content").first.click()
        self.page.keyboard.press("Shift+Enter")
        self.page.locator(".tl-passes .tl-row").first.wait_for()
        self.page.locator(".tl-passes .head").click()

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def text(self, selector: str) -> str:
        return self.page.locator(f".tl-passes {selector}").inner_text()

    def wait_for(self, selector: str, text: str) -> None:
        self.page.locator(f".tl-passes {selector}", has_text=text).wait_for()

    @property
    def shown(self) -> str:
        return self.text(".head h3").split()[1]

    def _note(self, url: str) -> None:
        if not url.startswith((self.home, self.home.replace("http", "ws"), "data:", "blob:")):
            self.strangers.append(url)

    def _heard(self, said: Any) -> None:
        if said.type == "error":
            self._complain(f"{said.text} {said.location['url']}")

    def _complain(self, text: str) -> None:
        if self.app == "lab" or not (text.startswith(OF_NOTEBOOK) or ".woff2" in text):
            self.complaints.append(text)


@pytest.fixture
def open_book(
    chromium: Any, client: LabClient, work: Path
) -> Generator[Callable[..., Book], None, None]:
    """Opens a notebook of the folder; one that is not there is made of the cell above."""
    books: list[Book] = []

    def opened(name: str, code: str = "", app: str = "lab") -> Book:
        path = work / "books" / name
        if not path.exists():
            nbformat.write(
                new_notebook(cells=[new_code_cell(CELL.format(code))], metadata=PYTHON), path
            )
        books.append(Book(chromium, client, name, app))
        return books[-1]

    yield opened
    for book in books:
        assert book.strangers == []
        assert book.complaints == []
        book.page.close()


def test_switches_compile_again_and_go_back(open_book: Callable[..., Book]) -> None:
    book = open_book("switches.ipynb")
    book.run()
    first = book.text(".summary")
    book.press("PageDown", "PageDown", "PageDown")
    held = book.shown
    book.press("w")
    book.page.get_by_label("disable-hivm-auto-inject-sync").click()
    book.wait_for(".said", "done in")
    assert book.shown == held  # before and after stay while switches change
    assert book.text(".summary") != first
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
    assert book.text(".summary") == first
    book.press("i")
    book.wait_for(".head .chip", " ms")
    book.press("t", "o")
    book.page.locator(".tracks").wait_for(state="hidden")
    assert book.text(".summary") == first
    assert book.shown == held
    assert book.page.locator(".switch.changed").count() == 0


@pytest.mark.parametrize("app", ["lab", "notebook"])
def test_finds_points_at_lines_and_keeps_keys(open_book: Callable[..., Book], app: str) -> None:
    from axe_playwright_python.sync_playwright import Axe

    book = open_book(f"look_{app}.ipynb", app=app)
    book.run()
    cells = book.page.locator(".jp-Cell").count()
    first = book.shown
    book.press("j", "b", "a")  # the last two would add cells
    assert book.shown != first
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
    violations = Axe().run(book.page, context=".tl-passes").response["violations"]
    assert [one["id"] for one in violations if one["impact"] in ("serious", "critical")] == []


def test_a_failed_compile_tells_why_and_keeps_the_stored_one(
    open_book: Callable[..., Book],
) -> None:
    book = open_book("failure.ipynb", REFUSING)
    book.run()
    first = book.text(".summary")
    book.press("f", "w")  # in lecture mode
    copies = book.page.get_by_label("set-workspace-multibuffer")
    copies.fill("8")
    copies.press("Tab")
    book.page.locator(".tl-passes .failure").wait_for()
    parts = book.text(".failure")
    assert parts.startswith("error[TL301]: {'npuir.set_workspace_multibuffer': '8'} does not fit")
    assert "= why: UB is full" in parts
    assert "= fix: ask for less" in parts
    assert book.text(".summary") == first
    book.page.locator(".tl-passes .head").click()
    book.press("PageDown", "o")
    book.page.locator(".tl-passes .failure").wait_for(state="hidden")
    assert book.text(".summary") == first


def test_saved_notebook_shows_its_passes_before_anything_runs(
    open_book: Callable[..., Book], work: Path
) -> None:
    book = open_book("saved.ipynb")
    book.run()
    book.press("ArrowDown", "ArrowDown")
    held = book.shown
    book.press("Escape", "Control+s")  # Escape gives the keys back to the notebook
    saved = stored(work / "books" / "saved.ipynb")
    (said,) = saved["cells"][0]["outputs"][0]["data"]["text/plain"]
    assert said.startswith("PassExplorer(minicv")
    for name in ("trusted.ipynb", "stranger.ipynb"):
        (work / "books" / name).write_text(json.dumps(saved | {"metadata": metadata(name, saved)}))
    trust(work / "books" / "trusted.ipynb", work)
    again = open_book("trusted.ipynb")
    again.page.locator(".tl-passes .tl-row").first.wait_for()
    assert again.shown == held
    again.page.locator(".tl-passes .head").click()
    again.press("ArrowUp")
    assert again.shown != held
    stranger = open_book("stranger.ipynb")
    stranger.page.locator(".tl-twin details").first.wait_for()
    assert stranger.page.locator(".tl-passes").count() == 0


def metadata(name: str, saved: Any) -> Any:
    """The metadata of a saved notebook; one more entry makes it a file that nobody signed."""
    return saved["metadata"] | {"title": name}


def stored(path: Path) -> Any:
    """The notebook as it lies on the disk, once it holds the state of its widgets."""
    limit = time.monotonic() + LIMIT_MS / 1000
    while time.monotonic() < limit:
        with suppress(json.JSONDecodeError):  # the server is still writing it
            saved = json.loads(path.read_text(encoding="utf-8"))
            if "widgets" in saved["metadata"]:
                return saved
        time.sleep(0.2)
    raise AssertionError("the notebook was not saved")


def trust(path: Path, work: Path) -> None:
    from nbformat.sign import NotebookNotary

    NotebookNotary(data_dir=str(work / "DATA")).sign(nbformat.read(path, as_version=4))
