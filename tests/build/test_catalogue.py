"""notebooks/catalogue.json: what there is, as headers, specs and timetables say it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tlcourse.build.catalogue import FILE, Catalogue, make_catalogue, read_catalogue, to_text

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return make_catalogue(ROOT)


def test_what_is_written_is_read_back(catalogue: Catalogue, tmp_path: Path) -> None:
    (tmp_path / FILE).parent.mkdir()
    (tmp_path / FILE).write_text(to_text(catalogue), encoding="utf-8")
    assert read_catalogue(tmp_path) == catalogue


def test_the_stored_one_is_today_s(catalogue: Catalogue) -> None:
    assert read_catalogue() == catalogue


def test_every_entry_has_its_notebook_in_both_languages(catalogue: Catalogue) -> None:
    for entry in catalogue.entries:
        part = "notebooks" if entry.kind == "lesson" else "exercises"
        assert (ROOT / part / entry.path).is_file()
        assert (ROOT / part / "zh" / entry.path).is_file()
        assert entry.title != entry.title_zh


def test_an_exercise_follows_one_lesson(catalogue: Catalogue) -> None:
    lessons = [one.id for one in catalogue.entries if one.kind == "lesson"]
    found = [one.id for name in lessons for one in catalogue.exercises_after(name)]
    assert sorted(found) == sorted(one.id for one in catalogue.entries if one.kind == "exercise")
    after = [one.id for one in catalogue.exercises_after("d4.split_sync")]
    assert after == ["d4.split", "d4.sync"]


def test_fusion_is_as_its_header_says(catalogue: Catalogue) -> None:
    entry = catalogue.by_id["d2.fusion"]
    assert (entry.kind, entry.track, entry.minutes, entry.day) == ("lesson", "core", 45, 2)
    assert entry.titled("zh") == "2.4 MiniCV：一个内核里的 cube 与 vector"
    assert catalogue.by_id["d4.sync"].points == 20
