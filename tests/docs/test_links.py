"""Every link inside the repository leads to a file, and to a heading where it names one."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.docs.markdown import ROOT, anchor, anchors, links, markdown_files

OUTSIDE = re.compile(r"[a-z]+:")
# Text that `tlcourse build` puts into a page of docs/ stands in another folder than the page.
PLACES = {"course/instructor.md": "docs", "course/instructor.zh.md": "docs"}


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def broken(path: Path, text: str, folder: Path | None = None) -> list[str]:
    """The links of a text that lead nowhere."""
    found: list[str] = []
    for link in links(text):
        file, _, heading = link.partition("#")
        target = ((folder or path.parent) / file).resolve() if file else path
        if OUTSIDE.match(link):
            continue
        if not target.exists() or not target.is_relative_to(ROOT):
            found.append(link)
        elif heading and target.suffix == ".md" and heading not in anchors(target):
            found.append(link)
    return found


@pytest.mark.parametrize("path", markdown_files(), ids=name)
def test_links_of_a_page_lead_somewhere(path: Path) -> None:
    folder = ROOT / PLACES[name(path)] if name(path) in PLACES else None
    assert broken(path, path.read_text(encoding="utf-8"), folder) == []


def test_broken_links_are_seen(tmp_path: Path) -> None:
    path = ROOT / "docs" / "errors.md"
    text = "[a](none.md) [b](#none) [c](errors.md#errors) `[d](none.md)` [e](../../o) ![f](x.png)"
    assert broken(path, text) == ["none.md", "#none", "../../o", "x.png"]
    page = tmp_path / "page.md"
    page.write_text("# One `two`, [three](x.md)\n\n```\n# no heading\n```\n\n## Same\n\n## Same\n")
    assert anchors(page) == {"one-two-three", "same", "same-1"}
    assert anchor("TL101 The kernel's text: 1.0") == "tl101-the-kernels-text-10"


def notebooks() -> list[Path]:
    tops = ("notebooks", "exercises", "solutions", "days")
    found = [path for top in tops for path in (ROOT / top).rglob("*.ipynb")]
    kept = [path for path in found if ".ipynb_checkpoints" not in path.parts]
    return sorted([*ROOT.glob("START_HERE*.ipynb"), *kept])


@pytest.mark.parametrize("path", notebooks(), ids=name)
def test_links_of_a_notebook_lead_somewhere(path: Path) -> None:
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    text = "\n\n".join("".join(c["source"]) for c in cells if c["cell_type"] == "markdown")
    assert broken(path, text) == []
