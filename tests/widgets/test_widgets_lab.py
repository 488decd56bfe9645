"""Timeline, grid and predictions in a real JupyterLab: run, keys, save, open again, collect."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest

from tests.widgets.browsed import Book, copied
from tests.widgets.everything import CASES, run_and_save

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
