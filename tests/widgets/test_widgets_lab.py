"""Timeline, grid and predictions in a real JupyterLab: run, keys, save, open again, collect."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from tests.widgets.everything import CASES, run_and_save
from tlcourse.build import lab, workspace
from tlcourse.build.labclient import LabClient

pytestmark = [pytest.mark.browser, pytest.mark.slow]

KERNEL = """\
import tlcourse
import tilelang
from tlcourse.examples.minicv import minicv_developer
kernel = tilelang.compile(minicv_developer(256, 512, 128, 64, 128, 64), mode="Developer")
"""
SHAPES = "(256, 128), (128, 512), (256, 512), (256, 512)"
PROFILE = KERNEL + f"tlcourse.show_timeline(kernel.profile({SHAPES}))"
GRID = KERNEL + "tlcourse.show_grid(kernel)"
REPLAY = (
    KERNEL
    + f"""\
import torch
tensors = [torch.ones(shape, dtype=torch.float16) for shape in ({SHAPES})[:2]]
tensors += [torch.zeros(256, 512, dtype=torch.float32) for _ in range(2)]
kernel.launch(*[tensor.npu() for tensor in tensors], execution="simulator", replay=0)
tlcourse.show_replay(kernel)"""
)
ASK = """\
from tlcourse import answer
answer("d1.chip.p1", "?")  # a: one copy by MTE1  b: a copy, but a slow one  c: it is refused"""
RIGHT = ["ArrowRight", "ArrowRight"]
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

    def __init__(self, chromium: Any, client: LabClient, path: Path, app: str) -> None:
        self.path, self.app = path, app
        self.home = f"http://127.0.0.1:{client.port}/"
        self.strangers: list[str] = []
        self.complaints: list[str] = []
        self.page = chromium.new_page(viewport={"width": 1280, "height": 720})
        self.page.set_default_timeout(LIMIT_MS)
        self.page.on("request", lambda request: self._note(request.url))
        self.page.on("console", self._heard)
        self.page.on("pageerror", lambda failure: self._complain(str(failure)))
        where = f"lab/workspaces/{path.stem}/tree" if app == "lab" else "notebooks"
        self.page.goto(f"{self.home}{where}/{path.name}?token={client.token}")
        self.page.locator(".jp-Notebook .jp-Cell").first.wait_for()

    def run(self, shows: str) -> None:
        """Runs the first cell and waits until it shows something."""
        self.page.locator('.jp-Notebook-ExecutionIndicator[data-status="idle"]').wait_for()
        if self.app == "lab":
            self.page.get_by_text("(ipykernel) | Idle").wait_for()
        from playwright.sync_api import TimeoutError

        for limit in (20_000, 20_000, LIMIT_MS):  # a key that comes too early is lost
            if self.page.locator("dialog").count():  # it asks to wait for the kernel
                self.page.keyboard.press("Escape")
            self.page.locator(".jp-Cell .cm-content").first.click()
            self.page.keyboard.press("Shift+Enter")
            with suppress(TimeoutError):
                self.page.locator(shows).first.wait_for(timeout=limit)
                return
        raise AssertionError(f"the cell shows no {shows}")

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def text(self, selector: str) -> str:
        return self.page.locator(selector).first.inner_text()

    @property
    def code(self) -> str:
        return self.page.locator(".jp-Cell .cm-content").first.inner_text()

    def save(self, has: Callable[[Any], bool]) -> Any:
        """Saves; the notebook as it lies on the disk, once it is as expected."""
        self.page.locator('[data-command="docmanager:save"]').first.click()
        limit = time.monotonic() + LIMIT_MS / 1000
        while (saved := read_saved(self.path)) is None or not has(saved):
            assert time.monotonic() < limit, "the notebook was not saved"
            time.sleep(0.2)
        return saved

    def serious(self, inside: str) -> list[tuple[str, str]]:
        """What axe-core finds inside a part of the page."""
        from axe_playwright_python.sync_playwright import Axe

        found = Axe().run(self.page, context=inside).response["violations"]
        loud = [one for one in found if one["impact"] in ("serious", "critical")]
        return [(one["id"], one["nodes"][0]["html"]) for one in loud]

    def _note(self, url: str) -> None:
        if not url.startswith((self.home, self.home.replace("http", "ws"), "data:", "blob:")):
            self.strangers.append(url)

    def _heard(self, said: Any) -> None:
        if said.type == "error":
            self._complain(f"{said.text} {said.location['url']}".replace(self.home, "/"))

    def _complain(self, text: str) -> None:
        own = text.startswith(OF_NOTEBOOK) or ".woff2" in text
        if self.app == "lab" or not own:
            self.complaints.append(text)


@pytest.fixture
def open_book(chromium: Any, client: LabClient, work: Path) -> Iterator[Callable[..., Book]]:
    """Opens a notebook of the folder; one that is not there is made of one cell."""
    books: list[Book] = []

    def opened(name: str, code: str = "", app: str = "lab") -> Book:
        path = work / "books" / name
        if not path.exists():
            nbformat.write(new_notebook(cells=[new_code_cell(code)], metadata=PYTHON), path)
        books.append(Book(chromium, client, path, app))
        return books[-1]

    yield opened
    for book in books:
        assert book.strangers == []
        assert book.complaints == []
        book.page.close()


def read_saved(path: Path) -> Any:
    """The notebook as it lies on the disk; None while the server is still writing it."""
    with suppress(json.JSONDecodeError):
        return json.loads(path.read_text(encoding="utf-8"))
    return None


def copied(saved: Any, path: Path, *, trusted_by: Path | None = None) -> None:
    """Writes a saved notebook anew, as a stranger's or as one that was signed."""
    metadata = saved["metadata"] | {"title": path.name}
    path.write_text(json.dumps(saved | {"metadata": metadata}), encoding="utf-8")
    if trusted_by is not None:
        from nbformat.sign import NotebookNotary

        NotebookNotary(data_dir=str(trusted_by)).sign(nbformat.read(path, as_version=4))


@pytest.mark.parametrize(
    ("name", "code", "shape", "keys", "says", "twin"),
    [
        ("timeline", PROFILE, ".picture .slice", RIGHT, ".detail b", "figure img"),
        ("grid", GRID, ".rounds .cell", RIGHT, ".detail b", "figure img"),
        ("replay", REPLAY, ".pane td", ["ArrowRight", "j", "n"], ".summary", "table td"),
    ],
)
def test_runs_steps_saves_and_opens_again(
    open_book: Callable[..., Book],
    work: Path,
    name: str,
    code: str,
    shape: str,
    keys: list[str],
    says: str,
    twin: str,
) -> None:
    root = f".tl-{name}"
    book = open_book(f"{name}.ipynb", code)
    book.run(f"{root} {shape}")
    book.page.locator(f"{root} header h2").click()
    cells = book.page.locator(".jp-Cell").count()
    book.press(*keys, "b", "a")  # the last two would add cells
    book.page.locator(f"{root} nav button").first.focus()
    book.press("b", "a")  # nor from a part of it
    book.page.locator(f"{root} header h2").click()
    book.page.wait_for_timeout(400)
    held = book.text(f"{root} {says}")
    assert book.page.locator(".jp-Cell").count() == cells
    assert book.serious(root) == []
    saved = book.save(lambda saved: "widgets" in saved["metadata"])
    folder = work / "books"
    copied(saved, folder / f"{name}_trusted.ipynb", trusted_by=work / "DATA")
    copied(saved, folder / f"{name}_stranger.ipynb")
    again = open_book(f"{name}_trusted.ipynb")
    again.page.locator(f"{root} {shape}").first.wait_for()
    again.page.locator(f"{root} {says}").wait_for()
    assert again.text(f"{root} {says}") == held
    stranger = open_book(f"{name}_stranger.ipynb")
    stranger.page.locator(f".jp-OutputArea {twin}").first.wait_for()
    assert stranger.page.locator(root).count() == 0


def test_a_notebook_whose_kernel_is_missing_still_reads(
    open_book: Callable[..., Book], work: Path, tmp_path: Path
) -> None:
    saved = json.loads(run_and_save(tmp_path).read_text(encoding="utf-8"))
    gone = {"kernelspec": {"name": "gone", "display_name": "Gone", "language": "python"}}
    path = work / "books" / "gone.ipynb"
    path.write_text(json.dumps(saved | {"metadata": gone}), encoding="utf-8")
    book = open_book("gone.ipynb")
    book.page.locator("dialog, .jp-Dialog").first.wait_for()  # it asks for another kernel
    book.press("Escape")
    cells = book.page.locator(".jp-CodeCell")
    for number, (name, says) in enumerate(CASES.values(), start=1):
        shown = cells.nth(number).locator(".jp-OutputArea-output")
        cells.nth(number).scroll_into_view_if_needed()
        shown.first.wait_for()
        if says == "<img alt=":
            width = shown.locator("img").first.evaluate(
                "node => node.decode().then(() => node.naturalWidth)"
            )
            assert width >= 600, name
        else:
            assert says.replace("<td>", "").replace("</td>", "") in shown.first.inner_text()
    assert book.page.locator(".tl-view, .tl-passes, .tl-timeline").count() == 0


@pytest.mark.parametrize("app", ["lab", "notebook"])
def test_a_prediction_stands_in_the_cell_and_survives(
    open_book: Callable[..., Book], work: Path, pictures: Path, app: str
) -> None:
    book = open_book(f"ask_{app}.ipynb", ASK, app)
    book.run(".tl-quiz [role=radio]")
    assert book.text(".tl-quiz [data-choice=c]") == "c it is refused"
    book.page.locator(".tl-quiz [data-choice=b]").click()
    book.press("ArrowRight")
    assert 'answer("d1.chip.p1", "c")' in book.code
    assert book.text(".tl-quiz .said") == "c is written into the cell."
    assert book.serious(".tl-quiz") == []
    if app == "lab":
        book.page.mouse.move(900, 600)
        book.page.locator(".jp-CodeCell").first.screenshot(path=pictures / "quiz.png")
    wanted = 'answer("d1.chip.p1", "c")'
    saved = book.save(lambda saved: wanted in "".join(saved["cells"][0]["source"]))
    copied(saved, work / "books" / f"again_{app}.ipynb", trusted_by=work / "DATA")
    again = open_book(f"again_{app}.ipynb", app=app)
    again.page.locator(".jp-Cell .cm-content", has_text=wanted).wait_for()
    chosen = again.page.locator(".tl-quiz [aria-checked=true]")
    chosen.wait_for()
    assert chosen.get_attribute("data-choice") == "c"
    assert wanted in collected(saved).cells[0].source


def collected(saved: Any) -> Any:
    """The notebook as nbgrader's sanitising leaves it."""
    from nbgrader.preprocessors import CheckCellMetadata, ClearOutput, DeduplicateIds

    notebook = nbformat.reads(json.dumps(saved), as_version=4)
    for step in (ClearOutput, DeduplicateIds, CheckCellMetadata):
        notebook, _ = step().preprocess(notebook, {})
    assert notebook.cells[0].outputs == []
    return notebook
