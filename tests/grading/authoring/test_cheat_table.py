"""The cheats through nbgrader, and the table that says what they scored."""

from __future__ import annotations

from pathlib import Path

import pytest

from tlcourse.grading.authoring import cheat_table
from tlcourse.grading.authoring.cheat_table import NOT_TRIED, Scored
from tlcourse.grading.authoring.cheats import cheats

ROOT = Path(__file__).parents[3]


def test_what_was_measured_is_what_is_stated() -> None:
    rows = cheat_table.read_table(ROOT)
    assert list(rows) == [cheat.name for cheat in cheats()], "run `tlcourse spec cheats`"
    assert cheat_table.wrong(rows) == []
    for cheat in cheats():
        row = rows[cheat.name]
        assert row.stated == f"{cheat.points:g}"
        assert (row.stock == NOT_TRIED) is not cheat.stock
    page = (ROOT / "docs" / "grading.md").read_text(encoding="utf-8")
    assert cheat_table.with_table(page, rows) == page


def test_a_score_that_is_not_as_stated_is_named() -> None:
    rows = {cheat.name: Scored(stated="0", through="4", stock="0") for cheat in cheats()}
    assert cheat_table.wrong(rows) == [cheat.name for cheat in cheats()]
    assert len(cheat_table.wrong({})) == len(cheats())


def test_the_table_shows_what_stock_nbgrader_gets_wrong(tmp_path: Path) -> None:
    (tmp_path / "grader").mkdir()
    (tmp_path / "docs").mkdir()
    page = tmp_path / "docs" / "grading.md"
    page.write_text(f"a {cheat_table.BEGIN} old {cheat_table.END} b", encoding="utf-8")
    rows = {
        "x": Scored(stated="0", through="0", stock="5"),
        "y": Scored(stated="5", through="5", stock="5"),
        "z": Scored(stated="0", through="0", stock=NOT_TRIED),
    }
    cheat_table.write_table(tmp_path, rows)
    assert cheat_table.read_table(tmp_path) == rows
    text = page.read_text(encoding="utf-8")
    assert "| x | 0 | 0 | **5** |\n| y | 5 | 5 | 5 |\n| z | 0 | 0 | not tried |" in text
    assert "old" not in text


@pytest.mark.slow
def test_every_cheat_scores_through_nbgrader_as_stated() -> None:
    pytest.importorskip("nbgrader")
    rows = cheat_table.measure(lambda text: None, with_stock=False)
    assert {name: rows[name].through for name in cheat_table.wrong(rows)} == {}
