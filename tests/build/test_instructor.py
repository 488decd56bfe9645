"""docs/instructor.md: tables that agree with lessons and errors."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tlcourse.build.catalogue import make_catalogue
from tlcourse.build.instructor import read_sheet, titles
from tlcourse.build.source import LANGUAGES, Language, read_source

ROOT = Path(__file__).parents[2]
CHINESE = re.compile(r"[\u4e00-\u9fff]")
CORE_ERRORS = {"TL203", "TL301", "TL501", "TL502", "TL520", "TL521", "TL522", "TL528"}


def guide(language: Language) -> str:
    name = "instructor.md" if language == "en" else f"instructor.{language}.md"
    return (ROOT / "docs" / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_prediction_has_one_row(language: Language) -> None:
    asked: set[str] = set()
    for path in sorted((ROOT / "course").glob("day*/*.py")):
        text = "\n".join(cell.text for cell in read_source(path).cells_in("en"))
        asked |= set(re.findall(r'answer\("([^"]+\.p\d)"', text))
    rows = re.findall(r"^\| [\d.]+ \| `([^`]+)` \|", guide(language), re.MULTILINE)
    assert sorted(rows) == sorted(asked)


@pytest.mark.parametrize("language", LANGUAGES)
def test_codes_of_the_sheet_are_known_errors_with_their_titles(language: Language) -> None:
    sheet = read_sheet(ROOT)
    assert {one.code for one in sheet} >= CORE_ERRORS
    assert len(sheet) >= 30
    for one in sheet:
        row = f") | {titles(ROOT, language)[one.code]} | {one.cause[language]} | "
        assert f"| [{one.code}](errors.md#{one.code.lower()}-" in guide(language)
        assert row in guide(language)


def test_a_sheet_asks_and_does_not_tell() -> None:
    for one in read_sheet(ROOT):
        assert CHINESE.search(one.cause.zh)
        assert one.ask.zh.endswith(("？", "。"))
        assert len(one.ask.en.split()) <= 20


@pytest.mark.parametrize("language", LANGUAGES)
def test_minutes_are_those_of_the_course(language: Language) -> None:
    catalogue = make_catalogue(ROOT)
    for day in range(1, 6):
        entries = [one for one in catalogue.entries if one.day == day]
        core = sum(one.minutes for one in entries if one.track == "core")
        total = sum(one.minutes for one in entries)
        assert re.search(rf"^\| {day} \| \d+ \| \d+ \| {core} \| {total} \|", guide(language), re.M)


@pytest.mark.parametrize("language", LANGUAGES)
def test_links_lead_somewhere_and_no_place_is_left_open(language: Language) -> None:
    text = guide(language)
    assert not re.search(r"^\{\w+\}$", text, re.MULTILINE)
    for link in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", text):
        assert (ROOT / "docs" / link).resolve().is_file(), link
    assert "grader/README.md" in text
