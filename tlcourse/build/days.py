"""days/dayN.ipynb: the page of a day, made from the catalogue and from teaching.toml.

It lists lessons and exercises, shows the learner's progress, and ends with what can be done now.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import nbformat
from nbformat import NotebookNode, v4

from tlcourse.build.catalogue import Catalogue, Entry
from tlcourse.build.notebooks import kernel_metadata, to_text
from tlcourse.build.source import LANGUAGES, Language
from tlcourse.build.teaching import Day

FOLDER = "days"
_WORDS: dict[str, tuple[str, str]] = {
    "title": ("# Day {0}: {1}", "# 第 {0} 天：{1}"),
    "sum": (
        "{0} lessons and {1} exercises, {2} minutes; the core alone takes {3}.",
        "{0} 节课、{1} 个练习，共 {2} 分钟；只做核心内容需 {3} 分钟。",
    ),
    "lessons": (
        "## Lessons\n\n| lesson | track | minutes | needs | exercises |\n|---|---|---:|---|---|",
        "## 课\n\n| 课 | 路线 | 分钟 | 先修 | 练习 |\n|---|---|---:|---|---|",
    ),
    "exercises": (
        "## Exercises\n\n| exercise | track | minutes | points | needs |\n|---|---|---:|---:|---|",
        "## 练习\n\n| 练习 | 路线 | 分钟 | 分值 | 先修 |\n|---|---|---:|---:|---|",
    ),
    "progress": (
        "## How far you are\n\nRun the next cell. It reads the checks in this working copy.",
        "## 进展\n\n运行下一个单元格。它读取本工作副本里的检查记录。",
    ),
    "can_do": ("## What you can do now", "## 现在你能做什么"),
    "next": ("Next: [day {0}]({1}).", "接下来：[第 {0} 天]({1})。"),
    "home": ("Back to [START_HERE]({0}).", "回到 [START_HERE]({0})。"),
    "core": ("core", "核心"),
    "more": ("more", "补充"),
    "deep": ("deep", "深入"),
}


def day_pages(root: Path, days: Sequence[Day], catalogue: Catalogue) -> dict[Path, str]:
    """The notebooks of the days in both languages: path to text."""
    last = days[-1].number if days else 0
    return {
        root / FOLDER / file_name(day.number, language): to_text(
            _notebook(day, day.number == last, catalogue, language)
        )
        for day in days
        for language in LANGUAGES
    }


def file_name(day: int, language: Language) -> str:
    """The name of a page: `day2.ipynb`, `day2.zh.ipynb`."""
    return f"day{day}.ipynb" if language == "en" else f"day{day}.{language}.ipynb"


def _say(key: str, language: Language, *values: object) -> str:
    return _WORDS[key][language == "zh"].format(*values)


def _notebook(day: Day, is_last: bool, catalogue: Catalogue, language: Language) -> NotebookNode:
    lessons = catalogue.of_day(day.number, "lesson")
    exercises = catalogue.of_day(day.number, "exercise")
    both = [*lessons, *exercises]
    core = sum(one.minutes for one in both if one.track == "core")
    total = sum(one.minutes for one in both)
    head = _say("title", language, day.number, day.title[language])
    counted = _say("sum", language, len(lessons), len(exercises), total, core)
    told = "" if language == "en" else f', language="{language}"'
    tables = {
        "lessons": [_lesson(one, catalogue, language) for one in lessons],
        "exercises": [_exercise(one, language) for one in exercises],
    }
    code = f"from tlcourse import progress\n\nprogress(day={day.number}{told})"
    cells = [
        v4.new_markdown_cell(f"{head}\n\n{counted}", id="head"),
        *(
            v4.new_markdown_cell("\n".join([_say(key, language), *rows]), id=key)
            for key, rows in tables.items()
        ),
        v4.new_markdown_cell(_say("progress", language), id="how-far"),
        v4.new_code_cell(code, id="progress"),
        v4.new_markdown_cell(_end(day, is_last, language), id="can-do"),
    ]
    notebook = v4.new_notebook(cells=cells)
    about = {"id": f"day{day.number}", "language": language}
    notebook.metadata = nbformat.from_dict({**kernel_metadata(), "tlcourse": about})
    return notebook


def _end(day: Day, is_last: bool, language: Language) -> str:
    home = "../START_HERE.ipynb" if language == "en" else f"../START_HERE.{language}.ipynb"
    after = "home" if is_last else "next"
    values = (home,) if is_last else (day.number + 1, file_name(day.number + 1, language))
    can_do = [f"- {one[language]}" for one in day.can_do]
    return "\n".join([_say("can_do", language), "", *can_do, "", _say(after, language, *values)])


def _lesson(entry: Entry, catalogue: Catalogue, language: Language) -> str:
    exercises = [_link(one, language, one.id) for one in catalogue.exercises_after(entry.id)]
    columns = (
        _link(entry, language),
        _say(entry.track, language),
        str(entry.minutes),
        _needs(entry, catalogue, language),
        ", ".join(exercises) or "-",
    )
    return f"| {' | '.join(columns)} |"


def _exercise(entry: Entry, language: Language) -> str:
    name = f"{_link(entry, language, entry.id)}: {entry.titled(language)}"
    track = _say(entry.track, language)
    needs = ", ".join(entry.needs) or "-"
    return f"| {name} | {track} | {entry.minutes} | {entry.points:g} | {needs} |"


def _needs(entry: Entry, catalogue: Catalogue, language: Language) -> str:
    known = catalogue.by_id
    titles = [
        known[one].titled(language).split()[0] if one in known else one for one in entry.needs
    ]
    return ", ".join(titles) or "-"


def _link(entry: Entry, language: Language, words: str = "") -> str:
    part = "notebooks" if entry.kind == "lesson" else "exercises"
    folder = part if language == "en" else f"{part}/{language}"
    return f"[{words or entry.titled(language)}](../{folder}/{entry.path})"
