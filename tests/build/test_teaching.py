"""What a teacher says: a row for each lesson, at slides and cells that exist, in two languages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tlcourse.build.source import Source, read_source
from tlcourse.build.teaching import Day, Teaching, Words, read_days
from tlcourse.diagnostics import TLError

ROOT = Path(__file__).parents[2]
DAYS = read_days(ROOT)
CHINESE = re.compile(r"[\u4e00-\u9fff]")
LESSONS = [read_source(path) for path in sorted((ROOT / "course").glob("day*/*.py"))]


def said_of(lesson: Source) -> Teaching:
    return next(day.lessons[lesson.id] for day in DAYS if lesson.id in day.lessons)


@pytest.fixture(params=LESSONS, ids=lambda lesson: lesson.id)
def lesson(request: pytest.FixtureRequest) -> Source:
    return request.param


def test_five_days_say_what_can_be_done() -> None:
    assert [day.number for day in DAYS] == [1, 2, 3, 4, 5]
    assert all(3 <= len(day.can_do) <= 5 for day in DAYS)


def test_three_notes_stand_at_slides_of_the_lesson(lesson: Source) -> None:
    cut = {cell.stem for cell in lesson.cells if "lecture" in cell.tags}
    notes = said_of(lesson).notes
    assert len(notes) == 3
    assert set(notes) <= cut


def test_each_prediction_has_its_wrong_belief(lesson: Source) -> None:
    asked = re.findall(r'answer\("([^"]+\.p\d)"', "\n".join(c.text for c in lesson.cells_in("en")))
    assert [one.prediction for one in said_of(lesson).misreads] == sorted(set(asked))


def test_what_shows_a_belief_comes_after_its_prediction(lesson: Source) -> None:
    cells = lesson.cells_in("en")
    stems = [cell.stem for cell in cells]
    for one in said_of(lesson).misreads:
        asked = next(k for k, c in enumerate(cells) if f'answer("{one.prediction}"' in c.text)
        assert stems.index(one.shown_by) > asked
        assert cells[stems.index(one.shown_by)].kind == "code"


def texts(day: Day) -> Iterator[Words]:
    yield day.title
    yield from day.can_do
    for one in day.lessons.values():
        yield one.question
        yield from one.notes.values()
        yield from (misread.belief for misread in one.misreads)


@pytest.mark.parametrize("day", DAYS, ids=lambda day: f"day{day.number}")
def test_every_text_is_short_and_stands_in_both_languages(day: Day) -> None:
    for words in texts(day):
        assert words.en
        assert len(words.en.split()) <= 40, words.en
        assert CHINESE.search(words.zh) or words.zh == words.en, words.zh
        assert not CHINESE.search(words.en), words.en
    for one in day.lessons.values():
        assert len(one.board.en.splitlines()) == len(one.board.zh.splitlines())


@pytest.mark.parametrize(
    "text",
    ["[day", '[day]\ntitle = ["a"]\ncan_do = []', '[day]\ntitle = ["a", "b"]\n', "x = 1"],
    ids=["no toml", "one language", "no can_do", "no day"],
)
def test_a_broken_file_is_named(text: str, tmp_path: Path) -> None:
    path = tmp_path / "course/day7/teaching.toml"
    path.parent.mkdir(parents=True)
    path.write_text(text, encoding="utf-8")
    with pytest.raises(TLError) as caught:
        read_days(tmp_path)
    assert caught.value.code == "TL805"
    assert "day7/teaching.toml" in str(caught.value)
