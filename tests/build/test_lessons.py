"""Every lesson follows the course's rules: lengths of prose, figures, predictions, twins, tags."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt

from tlcourse.build.source import Cell, Source, read_source

ROOT = Path(__file__).parents[2]
LESSONS = sorted((ROOT / "course").glob("day*/*.py"))
STORED = sorted((ROOT / "notebooks").rglob("*.ipynb"))
IMPORTS = """import os

os.environ["TILELANG_ASCEND_MODE"] = "{mode}"
from tlcourse import check, hint, answer, progress, show_passes, show_timeline, show_memory
import tilelang
import tilelang.language as T
import torch"""
WORD = re.compile(r"[^\W_][\w./@+*()=-]*")
CHINESE = re.compile(r"[\u4e00-\u9fff]")
# A code span, a link's address, or a formula in brackets keeps its own signs.
OTHER_THAN_PROSE = re.compile(r"`[^`]*`|\]\([^)]*\)|\([\w +*/,-]*\)")


@pytest.fixture(params=LESSONS, ids=lambda path: path.stem)
def lesson(request: pytest.FixtureRequest) -> Source:
    return read_source(request.param)


@pytest.fixture(params=STORED, ids=lambda path: path.relative_to(ROOT / "notebooks").as_posix())
def stored(request: pytest.FixtureRequest) -> dict[str, Any]:
    """A lesson's notebook as it lies in notebooks/."""
    return json.loads(request.param.read_text(encoding="utf-8"))


def prose(source: Source, language: str) -> list[Cell]:
    return [cell for cell in source.cells if cell.kind == "markdown" and cell.language == language]


def code(source: Source) -> list[Cell]:
    return [cell for cell in source.cells_in("en") if cell.kind == "code"]


def bundles(notebook: dict[str, Any]) -> Iterator[tuple[str, dict[str, str]]]:
    """Each shown thing of a notebook: the cell's id and its output by MIME type."""
    for cell in notebook["cells"]:
        for output in cell.get("outputs", ()):
            if "data" in output:
                yield cell["id"], output["data"]


def test_header_says_what_a_learner_asks_first(lesson: Source) -> None:
    assert lesson.header["track"] in ("core", "more", "deep")
    assert 10 <= lesson.header["minutes"] <= 60
    assert isinstance(lesson.header["needs"], list)
    for language, title in (("en", "title"), ("zh", "title_zh")):
        first = prose(lesson, language)[0].text
        assert first.startswith(f"# {lesson.header[title]}\n")
        assert str(lesson.header["minutes"]) in first


def test_english_prose_is_20_to_80_words(lesson: Source) -> None:
    counts = {cell.stem: len(WORD.findall(cell.text)) for cell in prose(lesson, "en")}
    assert {stem: n for stem, n in counts.items() if not 20 <= n <= 80} == {}


def test_chinese_prose_is_40_to_160_signs(lesson: Source) -> None:
    counts = {cell.stem: len(CHINESE.findall(cell.text)) for cell in prose(lesson, "zh")}
    assert {stem: n for stem, n in counts.items() if not 40 <= n <= 160} == {}


def test_chinese_prose_has_chinese_punctuation(lesson: Source) -> None:
    found: dict[str, list[str]] = {}
    for cell in prose(lesson, "zh"):
        text = OTHER_THAN_PROSE.sub("x", cell.text)
        found[cell.stem] = re.findall(r"[\u4e00-\u9fff][,:;?!]|[,;?!](?=\s*[\u4e00-\u9fff])", text)
    assert {stem: signs for stem, signs in found.items() if signs} == {}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_bold_and_code_are_rendered(lesson: Source, language: str) -> None:
    # Markdown does not end bold between a full-width sign and a Chinese one.
    for cell in prose(lesson, language):
        page = re.sub(r"<code>.*?</code>", "", MarkdownIt().render(cell.text))
        assert not re.search(r"\*\*|`", page), cell.stem


def test_imports_are_the_same_everywhere(lesson: Source) -> None:
    modes = [IMPORTS.format(mode=mode) for mode in ("Developer", "Expert")]
    assert code(lesson)[0].text in modes
    assert code(lesson)[0].tags == ("setup",)


def test_code_cells_are_short(lesson: Source) -> None:
    for cell in code(lesson):
        limit = 40 if "T.prim_func" in cell.text else 24
        assert len(cell.text.splitlines()) <= limit, cell.stem


def test_two_predictions_come_before_what_gives_them_away(lesson: Source) -> None:
    cells = code(lesson)
    for number in (1, 2):
        asked = [i for i, c in enumerate(cells) if f'answer("{lesson.id}.p{number}"' in c.text]
        assert len(asked) == 1
        assert '"?"' in cells[asked[0]].text
        assert any("reveal" in cell.tags for cell in cells[asked[0] + 1 : asked[0] + 3])


def test_lecture_cut_is_6_to_10_cells(lesson: Source) -> None:
    assert 6 <= sum("lecture" in cell.tags for cell in lesson.cells_in("en")) <= 10


def test_last_cell_proves_what_the_prose_says(lesson: Source) -> None:
    last = lesson.cells_in("en")[-1]
    assert "golden" in last.tags
    assert last.text.count("assert ") >= 3


def test_tags_name_knowledge_points(lesson: Source) -> None:
    tags = {tag for cell in lesson.cells for tag in cell.tags if tag.startswith("kp:")}
    assert tags
    assert all(re.fullmatch(r"kp:K\d{3}", tag) for tag in tags)


def test_a_figure_comes_at_least_every_four_code_cells(stored: dict[str, Any]) -> None:
    shown = {
        name
        for name, data in bundles(stored)
        if re.search(r"<figure|tl-twin", "".join(data.get("text/html", "")))
    }
    kinds = [cell["id"] in shown for cell in stored["cells"] if cell["cell_type"] == "code"]
    gaps = "".join("#" if kind else "." for kind in kinds).split("#")
    assert max(map(len, gaps)) <= 4


def test_every_figure_has_a_twin_with_a_text(stored: dict[str, Any]) -> None:
    for name, data in bundles(stored):
        page = "".join(data.get("text/html", ""))
        assert page, f"{name} shows nothing without a kernel"
        assert "<script" not in page
        for image in re.findall(r"<img[^>]*>", page):
            words = re.search(r'alt="([^"]+)"', image)
            assert words, name
            if stored["metadata"]["tlcourse"]["language"] == "zh":
                assert CHINESE.search(words[1]), name


def test_outputs_are_of_a_learners_first_visit(stored: dict[str, Any]) -> None:
    for cell in stored["cells"]:
        for output in cell.get("outputs", ()):
            assert output["output_type"] != "error", cell["id"]
            assert output.get("name") != "stderr", cell["id"]
            text = json.dumps(output)
            assert not re.search(r"0x[0-9a-f]{9}|/tmp/|tensor\(", text), cell["id"]


def test_links_to_course_files_lead_somewhere(stored: dict[str, Any], request: Any) -> None:
    language = stored["metadata"]["tlcourse"]["language"]
    day = "day" + stored["metadata"]["tlcourse"]["id"][1]
    folder = ROOT / "notebooks" / ("" if language == "en" else language) / day
    for cell in stored["cells"]:
        for link in re.findall(r"\]\(([^)]+\.ipynb)\)", "".join(cell["source"])):
            assert (folder / link).resolve().is_file(), link
