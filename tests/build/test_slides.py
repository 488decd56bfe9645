"""The lecture cut of a notebook as slides: what stands on each, in which order."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tlcourse.build.slides import Slide, slides
from tlcourse.build.teaching import Teaching, Words

PLACE = Path("notebooks/day9/01_count.ipynb")
WIDGET = "application/vnd.jupyter.widget-view+json"
TEACHING = Teaching(
    question=Words(en="Why <three>?", zh="为什么是三？"),
    board=Words(en="1 + 2", zh="1 + 2"),
    notes={"show_it": Words(en="wait", zh="等一等")},
    misreads=(),
)


def prose(name: str, text: str, *tags: str) -> dict[str, Any]:
    return {"id": name, "cell_type": "markdown", "source": text, "metadata": {"tags": list(tags)}}


def code(name: str, source: str, *tags: str, **output: Any) -> dict[str, Any]:
    outputs = [{"output_type": "execute_result", **output}] if output else []
    cell = prose(name, source, *tags)
    return {**cell, "cell_type": "code", "outputs": outputs, "execution_count": 1}


def notebook(*cells: dict[str, Any], language: str = "en", **models: Any) -> dict[str, Any]:
    state = {"w": {"state": models}}
    about = {"id": "d9.count", "language": language}
    return {"cells": list(cells), "metadata": {"tlcourse": about, "widgets": state}}


def made(*cells: dict[str, Any], teaching: Teaching | None = None, **more: Any) -> list[Slide]:
    return list(slides(notebook(*cells, **more), PLACE, teaching))


def test_only_cells_of_the_cut_are_shown() -> None:
    cells = [prose("goals", "# Count", "lecture"), prose("more", "## More"), code("run", "1")]
    assert [slide.id for slide in made(*cells)] == ["d9.count/goals"]


def test_a_heading_becomes_the_title_and_code_keeps_it() -> None:
    first, second = made(prose("a", "## Tiles\n\nLook.", "lecture"), code("b", "x < 1", "lecture"))
    assert (first.title, second.title) == ("Tiles", "Tiles")
    assert "Tiles" not in first.body
    assert "&lt;" in second.body
    assert (first.kind, second.kind) == ("prose", "code")


def test_choices_of_the_prediction_behind_are_listed() -> None:
    asked = code("p1", 'answer("d9.count.p1", "?")  # a: two  b: a & b')
    (slide,) = made(prose("a", "## How many?", "lecture"), asked)
    assert "<li><b>a</b> two</li><li><b>b</b> a &amp; b</li>" in slide.body


def test_what_gives_the_answer_away_is_closed() -> None:
    output = {"data": {"text/plain": "3"}}
    (slide,) = made(code("run", "1 + 2", "lecture", "reveal", **output))
    assert slide.body.index('<details class="reveal">') < slide.body.index("<pre>3</pre>")


def test_a_figure_stands_before_its_code() -> None:
    (slide,) = made(code("f", "show()", "lecture", data={"text/html": "<figure>x</figure>"}))
    assert slide.kind == "figure"
    assert slide.body.index("<figure>") < slide.body.index('<details class="source">')


def test_a_widget_brings_script_style_and_state() -> None:
    state = {"state": {"_esm": "script", "_css": "style", "data": "packed"}}
    shown = {"data": {WIDGET: {"model_id": "m"}, "text/html": "<p>twin</p>"}}
    (slide,) = made(code("w", "show()", "lecture", **shown), m=state)
    (viewer,) = slide.viewers
    assert (viewer.script, viewer.style, viewer.data) == ("script", "style", "packed")
    assert '<div class="widget"></div><noscript><p>twin</p></noscript>' in slide.body


@pytest.mark.parametrize(
    ("link", "address"),
    [
        ("../../exercises/day9/halve.ipynb", "../exercises/day9/halve.ipynb"),
        ("02_next.ipynb", "../notebooks/day9/02_next.ipynb"),
        ("https://example.org/a", "https://example.org/a"),
    ],
)
def test_links_lead_to_the_course_from_the_folder_of_lectures(link: str, address: str) -> None:
    (slide,) = made(prose("a", f"See [this]({link}).", "lecture"))
    assert f'href="{address}"' in slide.body


def test_the_question_comes_before_the_last_slide_and_notes_beside_theirs() -> None:
    cells = [prose("show-it", "## One", "lecture"), prose("recap", "## Recap", "lecture")]
    found = made(*cells, teaching=TEACHING, language="zh")
    names = [slide.id for slide in found]
    assert names == ["d9.count/show-it", "d9.count/room", "d9.count/recap"]
    assert [slide.note for slide in found] == ["等一等", "", ""]
    assert "为什么是三？" in found[1].body
    english = made(*cells, teaching=TEACHING)
    assert "Why &lt;three&gt;?" in english[1].body


def test_colours_of_a_terminal_are_left_out() -> None:
    (slide,) = made(code("run", "print()", "lecture", text="\x1b[31mred\x1b[0m"))
    assert "<pre>red</pre>" in slide.body
