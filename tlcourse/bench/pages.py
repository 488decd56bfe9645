"""How fast a page of passes opens and steps, in a chromium that has no network."""

from __future__ import annotations

import statistics
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from tlcourse.diagnostics import error

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

_ARGUMENTS = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update"),
)
_WALKS = 5
# The time from the key to the new page laid out. What is drawn after that costs no waiting.
_STEP = """([target, key]) => {
  const start = performance.now();
  const node = document.querySelector(target);
  node.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
  document.body.offsetHeight;
  return performance.now() - start;
}"""


@dataclass(frozen=True, kw_only=True)
class Opening:
    """What a page took.

    Args:
        seconds: from asking for the page to its first row, the median of all openings.
        step_ms: one key from pass to pass, the median of all steps.
        worst_step_ms: the slowest step; of each step the best of all walks counts.
        nodes: elements in the page once it stands.
        faults: requests to elsewhere, and complaints of the page.
    """

    seconds: float
    step_ms: float
    worst_step_ms: float
    nodes: int
    faults: tuple[str, ...]


@contextmanager
def chromium(path: str | None) -> Generator[Browser]:
    """A running chromium.

    Args:
        path: where it is, None where there is none.

    Raises:
        TL772: there is no chromium, or no Playwright to drive it.
    """
    if path is None or find_spec("playwright") is None:
        raise error(
            "TL772",
            "the pages cannot be opened here",
            why="it takes a chromium and the Python package playwright"
            if path is None
            else "the Python package playwright is not installed",
            fix="sudo apt-get install chromium; pip install 'tlcourse[test]'",
        )
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=list(_ARGUMENTS))
        yield browser
        browser.close()


def opening(
    browser: Browser, path: Path, *, row: str, target: str, steps: int, walks: int = _WALKS
) -> Opening:
    """Opens a page and walks through its passes, several times.

    Args:
        browser: from `chromium`.
        path: the page.
        row: selector of what stands there when the page can be read.
        target: selector of what gets the keys.
        steps: how many passes to walk.
        walks: how often.
    """
    faults: list[str] = []
    seconds: list[float] = []
    times: list[list[float]] = []
    nodes = 0
    for _ in range(walks):
        page = _watched(browser, path, faults)
        start = time.perf_counter()
        page.goto(path.as_uri())
        page.wait_for_selector(row, state="attached")
        seconds.append(time.perf_counter() - start)
        nodes = page.evaluate("document.querySelectorAll('*').length")
        times.append([page.evaluate(_STEP, [target, "j"]) for _ in range(steps)])
        page.close()
    each = [min(step) for step in zip(*times, strict=True)]
    return Opening(
        seconds=round(statistics.median(seconds), 3),
        step_ms=round(statistics.median(each), 1),
        worst_step_ms=round(max(each), 1),
        nodes=nodes,
        faults=tuple(faults),
    )


def _watched(browser: Browser, path: Path, faults: list[str]) -> Page:
    page = browser.new_page(viewport={"width": 1280, "height": 720})
    page.context.set_offline(True)
    page.on(
        "request",
        lambda request: None if request.url == path.as_uri() else faults.append(request.url),
    )
    page.on("console", lambda said: faults.append(said.text) if said.type == "error" else None)
    page.on("pageerror", lambda failure: faults.append(str(failure)))
    return page
