"""Files made from the course as a whole: when they are stale, made again, and removed."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tlcourse.build import catalogue
from tlcourse.build.pages import made_pages, stale_pages, write_pages

ROOT = Path(__file__).parents[2]
TEACHING = """
[day]
title = ["Counting", "计数"]
can_do = [["count", "计数"]]

["d9.count"]
question = ["Why?", "为什么？"]
board = ["1 + 2", "1 + 2"]
notes = [["goals", "Slowly.", "慢慢来。"]]
misread = []
"""
TRACKS = "lecture_cut_minutes = 15\nfive_days = []\nfive_evenings = []\ntwelve_weeks = []\n"
MADE = [
    "notebooks/catalogue.json",
    "days/day9.ipynb",
    "days/day9.zh.ipynb",
    "lecture/day9.html",
    "lecture/day9.zh.html",
]


@pytest.fixture
def root(tmp_path: Path, write_source: Callable[..., Path], prose: Callable[..., str]) -> Path:
    """A checkout of one lesson, made by hand, and its teacher's words."""
    path = write_source("01_count.py", prose("goals", "# Count", "# 计数", "lecture"))
    header = "# ---\n# jupyter:\n#   tlcourse:\n#     id: d9.count\n"
    more = '#     title: "9.1 Count"\n#     title_zh: "9.1 计数"\n#     track: core\n'
    text = path.read_text(encoding="utf-8")
    more += "#     minutes: 10\n#     needs: []\n"
    path.write_text(text.replace(header, header + more), encoding="utf-8")
    (tmp_path / "course/tracks.toml").write_text(TRACKS, encoding="utf-8")
    (tmp_path / "course/day9/teaching.toml").write_text(TEACHING, encoding="utf-8")
    for language in ("en", "zh"):
        folder = tmp_path / "notebooks" / ("" if language == "en" else language) / "day9"
        folder.mkdir(parents=True)
        cell = {"id": "goals", "cell_type": "markdown", "source": "# Count"}
        cell |= {"metadata": {"tags": ["lecture"]}}
        about = {"tlcourse": {"id": "d9.count", "language": language}}
        notebook = {"cells": [cell], "metadata": about}
        (folder / "01_count.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    return tmp_path


def names(root: Path, paths: object) -> list[str]:
    return sorted(path.relative_to(root).as_posix() for path in paths)


def test_all_is_missing_then_made_then_fresh(root: Path) -> None:
    stale = stale_pages(root, made_pages(root))
    assert names(root, stale) == sorted(MADE)
    assert set(stale.values()) == {"missing; run tlcourse build"}
    assert names(root, write_pages(root)) == sorted(MADE)
    assert stale_pages(root, made_pages(root)) == {}
    assert write_pages(root) == []


@pytest.mark.parametrize(
    ("changed", "old", "new", "stale"),
    [
        ("course/day9/teaching.toml", "Slowly", "Fast", ["lecture/day9.html"]),
        ("course/day9/teaching.toml", '["count"', '["add"', ["days/day9.ipynb"]),
        ("notebooks/zh/day9/01_count.ipynb", "# Count", "# One", ["lecture/day9.zh.html"]),
        ("course/tracks.toml", "15", "20", ["notebooks/catalogue.json"]),
    ],
    ids=["note", "can do", "notebook", "timetable"],
)
def test_a_change_makes_what_shows_it_stale(
    changed: str, old: str, new: str, stale: list[str], root: Path
) -> None:
    write_pages(root)
    path = root / changed
    path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    found = stale_pages(root, made_pages(root))
    assert names(root, found) == stale
    assert set(found.values()) == {"not made from course/ and the notebooks; run tlcourse build"}


def test_what_nothing_makes_is_removed(root: Path) -> None:
    write_pages(root)
    extra = root / "lecture/day7.html"
    extra.write_text("old", encoding="utf-8")
    assert names(root, stale_pages(root, made_pages(root))) == ["lecture/day7.html"]
    assert write_pages(root) == [extra]
    assert not extra.exists()


def test_without_timetables_nothing_is_made(root: Path) -> None:
    (root / "course/tracks.toml").unlink()
    assert made_pages(root) == {}


def test_start_here_is_made_in_both_languages(root: Path) -> None:
    shutil.copy(ROOT / "course/START_HERE.py", root / "course/START_HERE.py")
    made = names(root, made_pages(root))
    assert made[:2] == ["START_HERE.ipynb", "START_HERE.zh.ipynb"]
    assert catalogue.FILE.as_posix() in made
