"""lecture/dayN.html: the lecture cuts of a day as one page that needs nothing beside it.

Arrow keys, PageUp and PageDown step through the slides, `s` shows the speaker notes, `l` the
other language at the same slide. A slide's address is `dayN.html#LESSON/CELL`.
"""

from __future__ import annotations

import html
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, cast

from pygments.formatters.html import HtmlFormatter

from tlcourse.build.slides import Slide, Viewer, slides
from tlcourse.build.source import LANGUAGES, Language
from tlcourse.build.teaching import Day

FOLDER = "lecture"
_HERE = Path(__file__).parent
_EXPORT_LINE = "export default { render };"
_WORDS: dict[str, tuple[str, str]] = {
    "day": ("Day {0}: {1}", "第 {0} 天：{1}"),
    "previous": ("back  (←, PageUp)", "后退（←、PageUp）"),
    "next": ("on  (→, PageDown, space)", "前进（→、PageDown、空格）"),
    "contents": ("contents  (o)", "目录（o）"),
    "notes": ("speaker notes  (s)", "讲稿（s）"),
    "other": ("中文  (l)", "English（l）"),
    "widget": ("into the widget  (w; Escape leaves it)", "进入组件（w；按 Escape 离开）"),
    "theme": ("light or dark  (d)", "浅色或深色（d）"),
    "no_note": ("No note for this slide.", "这一页没有讲稿。"),
    "then": ("Then: {0}", "下一页：{0}"),
}


@dataclass(frozen=True, kw_only=True)
class Lesson:
    """A lesson on its way into a page: its title and its slides."""

    id: str
    title: str
    slides: tuple[Slide, ...]


def lecture_pages(root: Path, days: Sequence[Day]) -> dict[Path, str]:
    """The pages of a checkout, made from its executed notebooks: path to text."""
    return {
        root / FOLDER / file_name(day.number, language): page(day, language, lessons)
        for day in days
        for language in LANGUAGES
        if (lessons := _lessons(root, day, language))
    }


def file_name(day: int, language: Language) -> str:
    """The name of a page: `day2.html`, `day2.zh.html`."""
    return f"day{day}.html" if language == "en" else f"day{day}.{language}.html"


def _lessons(root: Path, day: Day, language: Language) -> list[Lesson]:
    folder = root / "notebooks" / ("" if language == "en" else language) / f"day{day.number}"
    return [_lesson(root, path, day) for path in sorted(folder.glob("*.ipynb"))]


def _lesson(root: Path, path: Path, day: Day) -> Lesson:
    notebook: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    name = str(notebook["metadata"]["tlcourse"]["id"])
    place = path.relative_to(root)
    shown = tuple(slides(notebook, place, day.lessons.get(name)))
    return Lesson(id=name, title=shown[0].title if shown else name, slides=shown)


def page(day: Day, language: Language, lessons: Sequence[Lesson]) -> str:
    """The text of a day's page."""
    words = {key: said[language == "zh"] for key, said in _WORDS.items()}
    title = words["day"].format(day.number, day.title[language])
    viewers = [viewer for lesson in lessons for slide in lesson.slides for viewer in slide.viewers]
    sections = "\n".join(_section(lesson, slide) for lesson in lessons for slide in lesson.slides)
    other = file_name(day.number, "zh" if language == "en" else "en")
    styles = [_code_style(), *dict.fromkeys(viewer.style for viewer in viewers), _read("css")]
    return (
        f'<!doctype html>\n<html lang="{language}">\n<meta charset="utf-8">\n'
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
        "script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:\">\n"
        '<meta name="viewport" content="width=device-width">\n'
        f"<title>{html.escape(title)}</title>\n<style>{''.join(styles)}</style>\n"
        f'<body class="lecture">\n<header>{_bar(title, other, words)}</header>\n'
        f'<nav class="contents" hidden>{_contents(lessons)}</nav>\n<main>\n{sections}\n</main>\n'
        '<aside class="notes" aria-live="polite" hidden></aside>\n'
        f'<script type="module">\n{_script(viewers, words)}</script>\n</body>\n</html>\n'
    )


def _bar(title: str, other: str, words: Mapping[str, str]) -> str:
    def button(key: str, sign: str) -> str:
        said = html.escape(words[key])
        return f'<button data-do="{key}" title="{said}" aria-label="{said}">{sign}</button>'

    signs = {"previous": "←", "next": "→", "contents": "☰", "notes": "✎", "widget": "⌨"}
    buttons = "".join(button(key, sign) for key, sign in {**signs, "theme": "◐"}.items())
    link = f'<a class="other" href="{other}" title="{words["other"]}">{words["other"][:7]}</a>'
    return (
        f'<b>{html.escape(title)}</b><span class="lesson"></span><span class="count"></span>'
        f"{buttons}{link}"
    )


def _contents(lessons: Sequence[Lesson]) -> str:
    parts: list[str] = []
    for lesson in lessons:
        heads = [slide for slide in lesson.slides[1:] if slide.kind == "prose" and slide.title]
        rows = "".join(
            f'<li><a href="#{slide.id}">{html.escape(slide.title)}</a></li>' for slide in heads
        )
        first = lesson.slides[0].id if lesson.slides else ""
        head = f'<a href="#{first}">{html.escape(lesson.title)}</a>'
        parts.append(f"<section><h2>{head}</h2><ol>{rows}</ol></section>")
    return "".join(parts)


def _section(lesson: Lesson, slide: Slide) -> str:
    opens = slide is lesson.slides[0]
    head = f"<h1>{html.escape(slide.title)}</h1>" if slide.title else ""
    note = f"<template>{html.escape(slide.note)}</template>" if slide.note else ""
    kind = f"{slide.kind} opening" if opens else slide.kind
    return (
        f'<section class="slide {kind}" id="{slide.id}" '
        f'data-lesson="{html.escape(lesson.title)}">{head}'
        f'<div class="body">{slide.body}</div>{note}</section>'
    )


def _script(viewers: Sequence[Viewer], words: Mapping[str, str]) -> str:
    scripts = list(dict.fromkeys(viewer.script for viewer in viewers))
    made = ",\n".join(_function(script) for script in scripts)
    states = [[scripts.index(viewer.script), viewer.data] for viewer in viewers]
    said = json.dumps(dict(words), ensure_ascii=False)
    return (
        f"const WORDS = {said};\nconst VIEWERS = [{made}];\n"
        f"const STATES = {json.dumps(states)};\n{_read('js')}"
    )


def _function(script: str) -> str:
    """A viewer's module as a function of its own, so that several share one page."""
    body = script.rstrip()
    assert body.endswith(_EXPORT_LINE), "every viewer ends with this line"
    return f"(() => {{\n{body.removesuffix(_EXPORT_LINE)}return render;\n}})()"


@cache
def _code_style() -> str:
    themes = {"default": ".code", "github-dark": "[data-theme=dark] .code"}
    return "".join(
        f"{cast(Any, HtmlFormatter(style=style)).get_style_defs(where)}\n"
        for style, where in themes.items()
    )


@cache
def _read(suffix: str) -> str:
    return (_HERE / f"lecture.{suffix}").read_text(encoding="utf-8")
