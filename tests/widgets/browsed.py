"""A notebook in a browser, on a real Jupyter server: run, press keys, save, hear complaints."""

from __future__ import annotations

import json
import os
import secrets
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import nbformat
from nbformat.v4 import new_code_cell, new_notebook

from tlcourse.build import lab, workspace
from tlcourse.build.labclient import LabClient

PYTHON = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
LIMIT_MS = 60_000
# What Notebook 7 says when it starts: of its fonts, and of nbgrader's extension, which expects a
# file browser.
OF_NOTEBOOK = (
    "Cannot read properties of undefined (reading 'schema')",
    "Command 'filebrowser:open-path' not registered.",
)


@contextmanager
def serving(work: Path) -> Generator[LabClient, None, None]:
    """A Jupyter server on an empty folder `books`, with the course's settings."""
    environment = os.environ | {
        f"JUPYTER_{kind}_DIR": str(work / kind) for kind in ("DATA", "CONFIG", "RUNTIME")
    }
    (work / "books").mkdir()
    workspace.write_settings(work / "settings")
    client = LabClient(port=lab.free_port(), token=secrets.token_hex(16))
    command = lab.lab_command(
        work / "books", work / "settings", port=client.port, browser=False, token=client.token
    )
    with lab.serve(command, environment, client, work / "server.log"):
        yield client
        client.shut_down()


def write_book(path: Path, code: str) -> None:
    """Writes a notebook of one cell, unless the file is there."""
    if not path.exists():
        nbformat.write(new_notebook(cells=[new_code_cell(code)], metadata=PYTHON), path)


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
