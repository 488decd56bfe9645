"""The lecture cut of a lesson as slides: its cells tagged `lecture`, with their stored outputs.

A prose cell is a slide, a code cell with its output is one. Nothing is run: what a slide shows
stands in the executed notebook, and a widget goes along with its own script and state.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from posixpath import normpath
from typing import Any, cast

from markdown_it import MarkdownIt
from pygments import highlight
from pygments.formatters.html import HtmlFormatter
from pygments.lexers.python import PythonLexer

from tlcourse.build.source import Language
from tlcourse.build.teaching import Teaching
from tlcourse.widgets.quiz import choices_in

_WIDGET = "application/vnd.jupyter.widget-view+json"
_ASKS = re.compile(r"answer\(\s*\"([^\"]+)\"")
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_WORDS: dict[str, tuple[str, str]] = {
    "reveal": ("Show what comes out", "显示结果"),
    "code": ("code of this cell", "这一格的代码"),
    "room": ("A question to the room", "向全班提问"),
}


@dataclass(frozen=True, kw_only=True)
class Viewer:
    """A widget of a notebook: its script, its style and its packed state."""

    script: str
    style: str
    data: str


@dataclass(frozen=True, kw_only=True)
class Slide:
    """One slide.

    Args:
        id: `LESSON/CELL`, which is its address in the page.
        kind: `prose`, `code` or `figure`; it chooses the layout.
        body: markup; a widget's place is an empty box in it.
        note: what to say, may be empty.
        viewers: the widgets, in the order of their boxes.
    """

    id: str
    kind: str
    title: str
    body: str
    note: str = ""
    viewers: tuple[Viewer, ...] = ()


def word(key: str, language: Language) -> str:
    """A word of the slides."""
    return _WORDS[key][language == "zh"]


def slides(notebook: dict[str, Any], place: Path, teaching: Teaching | None) -> Iterator[Slide]:
    """The slides of a lesson.

    Args:
        notebook: as it is stored, executed.
        place: its path from the root of the course, which its links start from.
        teaching: what the teacher says beside it.
    """
    about = notebook["metadata"]["tlcourse"]
    language = cast(Language, about["language"])
    cut = _Cut(notebook, place, language)
    last: Slide | None = None
    for slide in cut.slides():
        if last is not None:
            yield _noted(last, teaching, language)
        last = slide
    if last is None:
        return
    if teaching is not None:  # the question comes before the recap
        body = f'<p class="room">{html.escape(teaching.question[language])}</p>'
        title = word("room", language)
        yield Slide(id=f"{about['id']}/room", kind="prose", title=title, body=body)
    yield _noted(last, teaching, language)


def _noted(slide: Slide, teaching: Teaching | None, language: Language) -> Slide:
    stem = slide.id.partition("/")[2].replace("-", "_")
    if teaching is None or stem not in teaching.notes:
        return slide
    return replace(slide, note=teaching.notes[stem][language])


class _Cut:
    """The lecture cut of one notebook."""

    def __init__(self, notebook: dict[str, Any], place: Path, language: Language) -> None:
        self._id = str(notebook["metadata"]["tlcourse"]["id"])
        self._cells = cast("list[dict[str, Any]]", notebook["cells"])
        self._models = _models(notebook)
        self._place = place
        self._language: Language = language

    def slides(self) -> Iterator[Slide]:
        heading = ""
        for number, cell in enumerate(self._cells):
            if "lecture" not in cell["metadata"].get("tags", ()):
                continue
            if cell["cell_type"] == "markdown":
                slide = self._prose(cell, self._choices(number))
                heading = slide.title or heading
            else:
                slide = self._code(cell, heading)
            yield slide

    def _choices(self, number: int) -> str:
        """The choices of the prediction that follows a prose cell, as a list."""
        behind = self._cells[number + 1] if number + 1 < len(self._cells) else {}
        source = "".join(behind.get("source", ""))
        asked = _ASKS.search(source)
        if behind.get("cell_type") != "code" or asked is None:
            return ""
        choices = choices_in(source, asked[1])
        rows = "".join(f"<li><b>{k}</b> {html.escape(said)}</li>" for k, said in choices)
        return f'<ul class="choices">{rows}</ul>' if rows else ""

    def _prose(self, cell: dict[str, Any], choices: str) -> Slide:
        text = "".join(cell["source"])
        found = re.match(r"#+ (.+)", text)
        title = found[1].strip() if found else ""
        body = _markdown(text[found.end() :] if found else text, self._place) + choices
        return Slide(id=f"{self._id}/{cell['id']}", kind="prose", title=title, body=body)

    def _code(self, cell: dict[str, Any], title: str) -> Slide:
        parts: list[str] = []
        viewers: list[Viewer] = []
        for output in cell.get("outputs", ()):
            viewer = self._viewer(output)
            if viewer is not None:
                viewers.append(viewer)
            parts.append(_shown(output, viewer is not None))
        is_figure = bool(viewers) or any("<figure" in part for part in parts)
        source = _python("".join(cell["source"]))
        out = f'<div class="out">{"".join(parts)}</div>' if parts else ""
        if "reveal" in cell["metadata"].get("tags", ()) and out:
            said = word("reveal", self._language)
            out = f'<details class="reveal"><summary>{said}</summary>{out}</details>'
        if is_figure:
            said = word("code", self._language)
            source = f'<details class="source"><summary>{said}</summary>{source}</details>'
        return Slide(
            id=f"{self._id}/{cell['id']}",
            kind="figure" if is_figure else "code",
            title=title,
            body=out + source if is_figure else source + out,
            viewers=tuple(viewers),
        )

    def _viewer(self, output: dict[str, Any]) -> Viewer | None:
        view = output.get("data", {}).get(_WIDGET)
        model = self._models.get(view["model_id"]) if view else None
        state: dict[str, str] = model["state"] if model else {}
        if "_esm" not in state or "data" not in state:
            return None
        return Viewer(script=state["_esm"], style=state.get("_css", ""), data=state["data"])


def _models(notebook: dict[str, Any]) -> Mapping[str, dict[str, Any]]:
    bundles = cast("dict[str, Any]", notebook["metadata"].get("widgets", {})).values()
    return {name: model for bundle in bundles for name, model in bundle["state"].items()}


def _shown(output: dict[str, Any], is_widget: bool) -> str:
    """An output as markup; of a widget, a box for it, and its twin where no script runs."""
    data = cast("dict[str, Any]", output.get("data", {}))
    page = "".join(data.get("text/html", ""))
    if is_widget:
        return f'<div class="widget"></div><noscript>{page}</noscript>'
    if page:
        return page
    text = "".join(output.get("text", data.get("text/plain", "")))
    return f"<pre>{html.escape(_COLOUR.sub('', text).rstrip())}</pre>" if text.strip() else ""


def _python(source: str) -> str:
    return highlight(source, PythonLexer(), HtmlFormatter(cssclass="code"))


def _markdown(text: str, place: Path) -> str:
    """Prose as markup; links to course files lead there from the folder of the lectures."""
    page = cast(str, MarkdownIt("commonmark").enable("table").render(text))

    def moved(link: re.Match[str]) -> str:
        if ":" in link[1] or link[1].startswith("#"):
            return link[0]
        return f'href="../{normpath(f"{place.parent.as_posix()}/{link[1]}")}"'

    return re.sub(r'href="([^"]+)"', moved, page)
