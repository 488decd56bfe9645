"""Fixtures that tests of several parts share."""

from __future__ import annotations

import os
from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from tlcourse.cli.checkup import find_browser

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

REQUIRE_BROWSER = "TLCOURSE_REQUIRE_BROWSER"
# The browser of a test asks nobody for anything of its own accord.
BROWSER_ARGUMENTS = [
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update"),
]

# The same examples in every run: a red run can be repeated.
settings.register_profile("fixed", derandomize=True, database=None)
settings.load_profile("fixed")


def pytest_addoption(parser: pytest.Parser) -> None:
    """The option that lets tests write pictures into docs/."""
    parser.addoption("--pictures", action="store_true", help="write docs/widgets/*.png")


@pytest.fixture(scope="session")
def chromium() -> Generator[Browser, None, None]:
    """A running chromium. Where there is none, the test is skipped; CI makes that a failure."""
    path = find_browser()
    if path is None:
        reason = "no chromium on this machine: apt-get install chromium"
        if os.environ.get(REQUIRE_BROWSER) == "1":
            pytest.fail(f"{reason} ({REQUIRE_BROWSER}=1 is set)")
        pytest.skip(reason)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=BROWSER_ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture
def page(chromium: Browser) -> Generator[Page, None, None]:
    """A fresh page with no network: a request to anywhere but the page's own file fails."""
    context = chromium.new_context(offline=True, viewport={"width": 1280, "height": 800})
    yield context.new_page()
    context.close()


@pytest.fixture(scope="session")
def bishengir_opt() -> Path:
    """The path of the real compiler; skips the test where it is not installed."""
    from tlcourse.bishengir import find_tool

    tool = find_tool()
    if tool is None:
        pytest.skip("no bishengir-opt on this machine: pip install 'tlcourse[bishengir]'")
    return tool
