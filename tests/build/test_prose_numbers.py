"""Numbers in prose stand in the code or in an output of their notebook, so a changed one is seen.

A number with a unit (`64 rows`, `24 groups`, `0.25 apart`) that no code and no output holds is told
by nobody but the sentence: nothing would contradict it when the course changes.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
STORED = sorted((ROOT / "notebooks").rglob("*.ipynb"))
UNITS = (
    "rows?|columns?|elements?|numbers|blocks?|tiles?|groups?|cores?|rounds?|trips?|cycles?|bytes|"
    "bits?|KiB|MiB|KB|MB|B|us|ms|s|seconds|times|passes|ops|lines|buffers?|flags?|stages?|steps|"
    "keys|queries|threads?|slots?|decimals|digits|%|"
    "行|列|个|块|核|轮|次|周期|字节|位|倍|条|步|级|秒|毫秒|微秒"
)
# An ordinal (第 4 步, step 4) names a thing, it does not count.
NUMBER = re.compile(rf"(?<![\w.第])(?<!第 )(\d[\d,]*(?:\.\d+)?)\s*(?:{UNITS})(?![A-Za-z0-9_])")
SKIPPED = re.compile(r"`[^`]*`|\]\([^)]*\)|^#+ .*$|^\*.*\*$", re.MULTILINE)
DIGITS = re.compile(r"\d+(?:\.\d+)?")
# Facts of the world that no cell can compute, with where they come from.
ELSEWHERE: dict[str, set[str]] = {}


def text_of(cell: dict[str, Any]) -> str:
    return "".join(cell["source"])


def told(prose: str) -> set[str]:
    """The numbers with a unit in a prose cell; code, links, headings and the time line aside."""
    return {found.replace(",", "") for found in NUMBER.findall(SKIPPED.sub(" ", prose))}


def shown(notebook: dict[str, Any]) -> set[str]:
    """Every number in code and outputs; figures count with their words."""
    parts: list[str] = []
    for cell in notebook["cells"]:
        if cell["cell_type"] != "code":
            continue
        parts.append(text_of(cell))
        for output in cell.get("outputs", ()):
            data = output.get("data", {})
            html = re.sub(r'src="data:[^"]*"', "", "".join(data.get("text/html", "")))
            parts += ["".join(output.get("text", "")), "".join(data.get("text/plain", "")), html]
    return set(DIGITS.findall(re.sub(r"(?<=\d),(?=\d{3})", "", "\n".join(parts))))


def uncovered(notebook: dict[str, Any]) -> dict[str, set[str]]:
    """Cell id to the numbers that its sentence tells and no cell shows."""
    known = shown(notebook) | ELSEWHERE.get(notebook["metadata"]["tlcourse"]["id"], set())
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "markdown"]
    found = {cell["id"]: told(text_of(cell)) - known for cell in cells}
    return {name: numbers for name, numbers in found.items() if numbers}


@pytest.mark.parametrize("path", STORED, ids=lambda p: p.relative_to(ROOT / "notebooks").as_posix())
def test_numbers_with_a_unit_are_shown_by_a_cell(path: Path) -> None:
    assert uncovered(json.loads(path.read_text(encoding="utf-8"))) == {}


def small(prose: str, code: str, output: str = "") -> dict[str, Any]:
    outputs = [{"output_type": "stream", "name": "stdout", "text": output}]
    cells: list[dict[str, Any]] = [
        {"id": "said", "cell_type": "markdown", "source": prose},
        {"id": "run", "cell_type": "code", "source": code, "outputs": outputs},
    ]
    return {"cells": cells, "metadata": {"tlcourse": {"id": "d9.count"}}}


def test_a_number_that_no_cell_shows_is_found() -> None:
    assert uncovered(small("44 rows are left.", "M = 300", "42 rows")) == {"said": {"44"}}


@pytest.mark.parametrize(
    ("prose", "code", "output"),
    [
        ("44 rows are left.", "x = 1", "44 rows"),
        ("It takes 11,653 cycles.", "x = 1", "11653"),
        ("It takes 11653 cycles.", "x = 1", "cycles 11,653"),
        ("A tile has 64 rows.", "block = 64", ""),
        ("还剩 44 行。", "left = 44", ""),
        ("`x = 99 rows` and ## 7 rows", "x = 7", ""),
        ("Lesson 2.3 says why.", "", ""),
    ],
)
def test_a_number_that_a_cell_shows_is_covered(prose: str, code: str, output: str) -> None:
    assert uncovered(small(prose, code, output)) == {}
