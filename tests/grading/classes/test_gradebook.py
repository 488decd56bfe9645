from __future__ import annotations

from pathlib import Path

import pytest

from tests.grading.classes.class_files import PEOPLE, ROSTER
from tlcourse.diagnostics import TLError
from tlcourse.grading.classes import folder as class_folder
from tlcourse.grading.classes import gradebook
from tlcourse.grading.classes.roster import roster


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("Ana Lima", ("Ana", "Lima")),
        ("Lima, Ana Maria", ("Ana Maria", "Lima")),
        ("Ana Maria Lima", ("Ana Maria", "Lima")),
        ("王小明", ("", "王小明")),
        ("", ("", "")),
    ],
)
def test_a_name_has_two_parts(name: str, parts: tuple[str, str]) -> None:
    assert gradebook.split(name) == parts


def students(folder: Path) -> dict[str, tuple[str | None, ...]]:
    from nbgrader.api import Gradebook

    book = Gradebook(gradebook.address(folder))
    try:
        found = book.students
        return {one.id: (one.first_name, one.last_name, one.lms_user_id) for one in found}
    finally:
        book.close()


def test_a_class_begins_with_the_rosters_learners_in_the_gradebook(tmp_path: Path) -> None:
    pytest.importorskip("nbgrader")
    people = tmp_path / "people.csv"
    people.write_text(ROSTER + "\n".join(PEOPLE), encoding="utf-8")
    folder = tmp_path / "class"
    class_folder.init(folder, learners=people)
    assert students(folder) == {
        "ana": ("Ana", "Lima", "4711"),
        "ana2": ("Ana", "B", None),
        "bo": ("Bo", "Grön", "99"),
    }
    text = (folder / "roster.csv").read_text(encoding="utf-8")
    (folder / "roster.csv").write_text(text.replace("Ana Lima", "Ana Silva"), encoding="utf-8")
    learners = roster(folder)
    assert gradebook.write_students(gradebook.address(folder), learners) == 1
    assert gradebook.write_students(gradebook.address(folder), learners[:1]) == 0
    assert students(folder)["ana"] == ("Ana", "Silva", "4711")
    assert len(students(folder)) == 3


def test_a_roster_that_cannot_be_used_makes_no_class(tmp_path: Path) -> None:
    people = tmp_path / "people.csv"
    people.write_text("who\nme\n", encoding="utf-8")
    with pytest.raises(TLError, match="TL621"):
        class_folder.init(tmp_path / "class", learners=people)
    assert not (tmp_path / "class").exists()
