"""Each widget's own page as a picture, and what axe-core says of it.

`pytest tests/widgets/test_pictures.py --pictures` writes the pictures to docs/widgets/; without
that they go to a folder that is thrown away.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

import tlcourse
from tests.widgets.pictured import launched, racy, stuck, verdict
from tlcourse.device import install, wrap
from tlcourse.examples.minicv import minicv_developer
from tlcourse.jit import Kernel
from tlcourse.jit import compile as compile_kernel

pytestmark = [pytest.mark.browser, pytest.mark.slow]

SIZES = (256, 512, 128, 64, 128, 64)
SHAPES = (
    ((256, 128), torch.float16),
    ((128, 512), torch.float16),
    ((256, 512), torch.float32),
    ((256, 512), torch.float32),
)
Shown = Callable[[Kernel], Any]
# Name, what is shown, what stands there once it is drawn, keys to get there, the page's scheme.
CASES: list[tuple[str, Shown, str, str, str]] = [
    ("passes", tlcourse.show_passes, ".tl-row", "j j j j", "light"),
    ("passes_lecture", tlcourse.show_passes, ".tl-row", "j j j j f", "dark"),
    ("passes_zh", lambda k: tlcourse.show_passes(k, language="zh"), ".tl-row", "j j", "light"),
    ("timeline", tlcourse.show_timeline, ".picture .slice", "ArrowRight", "light"),
    (
        "timeline_zh",
        lambda k: tlcourse.show_timeline(k, language="zh"),
        ".picture .slice",
        "w w ArrowRight f",
        "dark",
    ),
    ("memory", tlcourse.show_memory, "img", "", "light"),
    ("memory_zh", lambda k: tlcourse.show_memory(k, language="zh"), "img", "", "dark"),
    ("grid", tlcourse.show_grid, ".rounds .cell", "ArrowRight", "light"),
    (
        "grid_zh",
        lambda k: tlcourse.show_grid(k, language="zh"),
        ".rounds .cell",
        "ArrowRight f",
        "dark",
    ),
    ("chip", tlcourse.show_chip, "svg", "", "light"),
    ("chip_zh", lambda k: tlcourse.show_chip(k, language="zh"), "svg", "", "dark"),
    ("replay", tlcourse.show_replay, ".pane td", "n n n n j j", "light"),
    (
        "replay_zh",
        lambda k: tlcourse.show_replay(k, language="zh"),
        ".pane td",
        "n n n n n f",
        "dark",
    ),
    ("deadlock", lambda _: tlcourse.show_deadlock(launched(stuck)), "img", "", "light"),
    (
        "deadlock_zh",
        lambda _: tlcourse.show_deadlock(launched(stuck), language="zh"),
        "img",
        "",
        "dark",
    ),
    ("findings", lambda _: tlcourse.show_findings(launched(racy)), "pre", "", "light"),
    (
        "findings_zh",
        lambda _: tlcourse.show_findings(launched(racy), language="zh"),
        "pre",
        "",
        "dark",
    ),
    ("verdict", lambda _: verdict("en"), "pre", "", "light"),
    ("verdict_zh", lambda _: verdict("zh"), "pre", "", "dark"),
]


@pytest.fixture(scope="module")
def kernel() -> Kernel:
    made = compile_kernel(minicv_developer(*SIZES), mode="Developer")
    install()
    generator = torch.Generator().manual_seed(0)
    tensors = [torch.randn(shape, generator=generator).to(dtype) for shape, dtype in SHAPES]
    made.launch(*[wrap(tensor) for tensor in tensors], execution="simulator", replay=0)
    return made


@pytest.mark.parametrize(("name", "show", "ready", "keys", "scheme"), CASES, ids=lambda one: one)
def test_a_widget_looks_like_this(
    chromium: Any,
    kernel: Kernel,
    pictures: Path,
    tmp_path: Path,
    name: str,
    show: Shown,
    ready: str,
    keys: str,
    scheme: str,
) -> None:
    from axe_playwright_python.sync_playwright import Axe

    path = Path(show(kernel).export_html(tmp_path / "page.html"))
    complaints: list[str] = []
    page = chromium.new_page(color_scheme=scheme, viewport={"width": 1280, "height": 720})
    page.on("console", lambda said: complaints.append(said.text))
    page.goto(path.as_uri())
    page.locator(ready).first.wait_for()
    for key in keys.split():
        page.keyboard.press(key)
    page.wait_for_timeout(300)
    if ready in ("img", "pre"):  # a viewer fills the screen; a figure is as long as it is
        height = page.locator("main").bounding_box()["height"]
        page.set_viewport_size({"width": 1280, "height": int(height) + 32})
    picture = page.screenshot(path=pictures / f"{name}.png")
    found = Axe().run(page).response["violations"]
    loud = [one for one in found if one["impact"] in ("serious", "critical")]
    assert [(one["id"], one["nodes"][0]["html"]) for one in loud] == []
    width = page.evaluate("document.documentElement.scrollWidth")
    page.close()
    assert complaints == []
    assert width <= 1280
    assert len(set(picture)) == 256
    assert len(picture) > 20_000  # an empty page takes 5 kB
