"""START_HERE: a self-test that counts nothing, and a path by time and background."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tlcourse.build import notebooks, start
from tlcourse.build.catalogue import read_catalogue
from tlcourse.build.source import LANGUAGES, Language, read_source
from tlcourse.build.start import BACKGROUNDS, QUESTIONS, TIMES, doctor, offer_path, self_test
from tlcourse.diagnostics import TLError
from tlcourse.grading import progress_file

ROOT = Path(__file__).parents[2]
SOURCE = read_source(ROOT / "course/START_HERE.py")


def test_eight_questions_are_asked_and_known() -> None:
    asked = re.findall(r'answer\("([^"]+)"', "\n".join(c.text for c in SOURCE.cells_in("en")))
    assert asked == [one.id for one in QUESTIONS]
    assert len(asked) == 8


def test_lessons_that_need_it_exist() -> None:
    assert {one.lesson for one in QUESTIONS} <= set(read_catalogue().by_id)


def test_answers_stand_beside_what_the_run_shows(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress_file, "read", lambda: {"answers": {"start.f16": "c"}})
    self_test()
    said = capsys.readouterr().out
    row = next(line for line in said.splitlines() if "float16" in line)
    assert re.search(r"float16\s+c\s+a\s+2\.4", row)
    assert not re.search(r"\d+ of \d+|score|%", said)
    self_test(language="zh")
    assert "装饰器" in capsys.readouterr().out


@pytest.mark.parametrize("background", BACKGROUNDS)
@pytest.mark.parametrize("time", TIMES)
def test_every_path_is_offered(
    time: str, background: str, capsys: pytest.CaptureFixture[str]
) -> None:
    offer_path(time, background)
    said = capsys.readouterr().out
    assert said.lstrip().startswith(TIMES[time][0])
    assert BACKGROUNDS[background][0] in said
    units = read_catalogue().timetables.units[time]
    assert len(re.findall(r"^\s*\d+ ", said, re.MULTILINE)) == len(units)


def test_a_path_adds_up_its_minutes(capsys: pytest.CaptureFixture[str]) -> None:
    offer_path("five_evenings", "torch")
    known = read_catalogue().by_id
    unit = read_catalogue().timetables.units["five_evenings"][0]
    cuts = 15 * len([one for one in unit.lecture_cuts if one in known])
    expected = cuts + sum(known[one].minutes for one in unit.exercises)
    first = next(line for line in capsys.readouterr().out.splitlines() if line.split()[:1] == ["1"])
    assert str(expected) in first.split()


def test_a_wrong_word_gets_the_near_one() -> None:
    with pytest.raises(TLError) as caught:
        offer_path("five_day", "torch")
    assert caught.value.code == "TL808"
    assert "five_days" in caught.value.diagnostic.fix
    with pytest.raises(TLError):
        offer_path("five_days", "rust")


@pytest.mark.slow
def test_doctor_speaks_in_short(capsys: pytest.CaptureFixture[str]) -> None:
    doctor()
    first = capsys.readouterr().out.splitlines()[0]
    assert first.startswith("here: python, torch")


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_cells_show_what_the_self_test_says(language: Language) -> None:
    notebook = notebooks.executed(notebooks.bare_notebook(SOURCE, language), "START_HERE")
    shown = {
        cell.id: "".join(str(o.data["text/plain"]) for o in cell.outputs if "data" in o)
        for cell in notebook.cells
        if cell.cell_type == "code"
    }
    results = ["7", "20", "2", "torch.Size([64, 32])", "tensor(inf)", "2048.0", "1", "'Expert'"]
    assert [shown[f"run{number}"] for number in range(1, 9)] == results
    words = ["7", "20", "two", "64 x 32", "infinity", "2048", "one vector instruction", "Expert"]
    for number, (one, said) in enumerate(zip(QUESTIONS, words, strict=True), 1):
        cells = SOURCE.cells_in("en")
        asked = next(cell.text for cell in cells if cell.stem == f"q{number}")
        assert re.search(rf"\b{one.right}: {re.escape(said)}", asked)
    assert start.TIMES["five_days"][language == "zh"] in shown["path"]
