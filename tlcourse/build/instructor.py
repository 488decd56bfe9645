"""docs/instructor.md and its Chinese twin: written text around tables made from the course.

course/instructor.md holds the text, with `{timing}`, `{misconceptions}`, `{boards}` and
`{ta_sheet}` where a table goes. course/ta_sheet.toml holds cause and question for the errors that
learners meet.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tlcourse.build.catalogue import Catalogue, Entry
from tlcourse.build.source import LANGUAGES, Language
from tlcourse.build.teaching import Day, Words
from tlcourse.chinese import chinese_errors

SHEET = Path("course/ta_sheet.toml")
_HEADS: dict[str, tuple[str, str]] = {
    "timing": (
        "| day | lessons | exercises | core minutes | all minutes | points |",
        "| 天 | 课 | 练习 | 核心分钟数 | 全部分钟数 | 分值 |",
    ),
    "misconceptions": (
        "| lesson | prediction | wrong belief | what shows it |",
        "| 课 | 预测 | 错误的想法 | 由什么看出 |",
    ),
    "ta_sheet": (
        "| code | title | usual cause | what to ask |",
        "| 编号 | 标题 | 常见原因 | 可以这样问 |",
    ),
}


@dataclass(frozen=True, kw_only=True)
class Met:
    """An error that learners meet: its usual cause, and what to ask instead of telling the fix."""

    code: str
    cause: Words
    ask: Words


def instructor_pages(root: Path, days: Sequence[Day], catalogue: Catalogue) -> dict[Path, str]:
    """The instructor guide in both languages: path to text; nothing where none is written."""
    pages: dict[Path, str] = {}
    for language in LANGUAGES:
        name = "instructor.md" if language == "en" else f"instructor.{language}.md"
        written = root / "course" / name
        if written.is_file():
            tables = _tables(root, days, catalogue, language)
            text = written.read_text(encoding="utf-8")
            pages[root / "docs" / name] = _filled(text, tables)
    return pages


def read_sheet(root: Path) -> tuple[Met, ...]:
    """The sheet for teaching assistants, by code."""
    data = tomllib.loads((root / SHEET).read_text(encoding="utf-8"))
    return tuple(
        Met(code=code, cause=Words.of(row["cause"]), ask=Words.of(row["ask"]))
        for code, row in sorted(data.items())
    )


def titles(root: Path, language: Language) -> dict[str, str]:
    """The title of each error code."""
    if language == "zh":
        return {code: one.title for code, one in chinese_errors().items()}
    text = (root / "docs" / "errors.md").read_text(encoding="utf-8")
    return dict(re.findall(r"^## (TL\d{3}) (.+)$", text, re.MULTILINE))


def anchor(heading: str) -> str:
    """The name that code-hosting pages give a heading: `TL101 No text` becomes `tl101-no-text`."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def _filled(text: str, tables: dict[str, Callable[[], str]]) -> str:
    return re.sub(r"^\{(\w+)\}$", lambda found: tables[found[1]](), text, flags=re.MULTILINE)


def _tables(
    root: Path, days: Sequence[Day], catalogue: Catalogue, language: Language
) -> dict[str, Callable[[], str]]:
    return {
        "timing": lambda: _table("timing", _timing(days, catalogue), language),
        "misconceptions": lambda: _table(
            "misconceptions", _misconceptions(days, catalogue, language), language
        ),
        "boards": lambda: _boards(days, catalogue, language),
        "ta_sheet": lambda: _table("ta_sheet", _sheet(root, language), language),
    }


def _table(key: str, rows: Iterable[Sequence[str]], language: Language) -> str:
    head = _HEADS[key][language == "zh"]
    rule = "|" + "---|" * (head.count("|") - 1)
    return "\n".join([head, rule, *(f"| {' | '.join(row)} |" for row in rows)])


def _timing(days: Sequence[Day], catalogue: Catalogue) -> Iterable[Sequence[str]]:
    for day in days:
        lessons = catalogue.of_day(day.number, "lesson")
        exercises = catalogue.of_day(day.number, "exercise")
        both = [*lessons, *exercises]
        core = sum(one.minutes for one in both if one.track == "core")
        points = sum(one.points for one in exercises)
        counts = (len(lessons), len(exercises), core, sum(one.minutes for one in both))
        yield (str(day.number), *map(str, counts), f"{points:g}")


def _misconceptions(
    days: Sequence[Day], catalogue: Catalogue, language: Language
) -> Iterable[Sequence[str]]:
    known = catalogue.by_id
    for day in days:
        for name, teaching in sorted(day.lessons.items(), key=lambda pair: _place(known, pair[0])):
            for one in teaching.misreads:
                cell = f"`{one.shown_by.replace('_', '-')}`"
                title = known[name].titled(language).split()[0] if name in known else name
                yield title, f"`{one.prediction}`", one.belief[language], cell


def _place(known: Mapping[str, Entry], name: str) -> tuple[bool, int]:
    return name not in known, list(known).index(name) if name in known else 0


def _boards(days: Sequence[Day], catalogue: Catalogue, language: Language) -> str:
    known = catalogue.by_id
    parts: list[str] = []
    for day in days:
        for name, teaching in sorted(day.lessons.items(), key=lambda pair: _place(known, pair[0])):
            title = known[name].titled(language) if name in known else name
            parts += [f"**{title}**", "", "```", teaching.board[language].strip("\n"), "```", ""]
    return "\n".join(parts).rstrip()


def _sheet(root: Path, language: Language) -> Iterable[Sequence[str]]:
    named = titles(root, language)
    sections = titles(root, "en")  # errors.md has English headings alone
    for one in read_sheet(root):
        link = f"[{one.code}](errors.md#{anchor(f'{one.code} {sections[one.code]}')})"
        yield link, named[one.code], one.cause[language], one.ask[language]
