"""days/dayN.ipynb: tables of what there is, progress, and what can be done now."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tlcourse.build.catalogue import make_catalogue
from tlcourse.build.days import file_name
from tlcourse.build.source import LANGUAGES, Language
from tlcourse.build.teaching import read_days

ROOT = Path(__file__).parents[2]
CATALOGUE = make_catalogue(ROOT)
PAGES = [(day, language) for day in read_days(ROOT) for language in LANGUAGES]


def page(day: int, language: Language) -> dict[str, Any]:
    path = ROOT / "days" / file_name(day, language)
    return json.loads(path.read_text(encoding="utf-8"))


def text(notebook: dict[str, Any], name: str) -> str:
    return next("".join(c["source"]) for c in notebook["cells"] if c["id"] == name)


@pytest.mark.parametrize(
    ("day", "language"), PAGES, ids=lambda one: str(getattr(one, "number", one))
)
def test_a_page_lists_the_day_and_ends_with_what_can_be_done(day: Any, language: Language) -> None:
    notebook = page(day.number, language)
    for kind in ("lesson", "exercise"):
        table = text(notebook, f"{kind}s")
        for entry in CATALOGUE.of_day(day.number, kind):
            row = next(line for line in table.splitlines() if entry.path in line)
            assert f"| {entry.minutes} |" in row
            assert entry.titled(language) in row
    last = "".join(notebook["cells"][-1]["source"])
    assert all(f"- {one[language]}" in last for one in day.can_do)
    assert f"progress(day={day.number}" in text(notebook, "progress")


@pytest.mark.parametrize(
    ("day", "language"), PAGES, ids=lambda one: str(getattr(one, "number", one))
)
def test_links_lead_somewhere(day: Any, language: Language) -> None:
    for cell in page(day.number, language)["cells"]:
        for link in re.findall(r"\]\(([^)]+)\)", "".join(cell["source"])):
            assert (ROOT / "days" / link).resolve().is_file(), link


def test_minutes_are_those_of_the_day() -> None:
    entries = [e for e in CATALOGUE.entries if e.day == 2]
    core = sum(e.minutes for e in entries if e.track == "core")
    head = text(page(2, "en"), "head")
    assert f"{sum(e.minutes for e in entries)} minutes; the core alone takes {core}." in head
