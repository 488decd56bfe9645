from __future__ import annotations

import json
from pathlib import Path

import pytest

from tlcourse.grading.authoring import matrix
from tlcourse.grading.authoring.matrix import Row
from tlcourse.grading.authoring.spec_check import Line
from tlcourse.grading.spec import known_ids

ROOT = Path(__file__).parents[3]
ROWS = {
    "d1.change_vadd": Row(
        sha="x",
        lines=(
            Line(what="mutant a", ok=True, said="FAIL 0/5, 'words'", mutant="a"),
            Line(what="mutant b", ok=False, said="PASS 5/5, 'words'", mutant="b"),
            Line(what="guess: zeros", ok=True, said="4 of 4 rejected", guess="zeros"),
            Line(what="guess: mean", ok=False, said="2 of 3 rejected", guess="mean"),
            Line(what="seconds, public cases", ok=False, said="1.20 s of computing, the limit"),
            Line(what="seconds, all cases", ok=True, said="1.50 s of computing, the limit"),
        ),
    )
}


def test_the_page_is_made_from_the_exercises_as_they_are() -> None:
    rows = matrix.read_rows(ROOT)
    assert matrix.stale_rows(rows) == [], "run `tlcourse spec matrix`"
    assert set(rows) == set(known_ids())
    assert not matrix.is_page_stale(ROOT, rows)


def test_no_wrong_answer_passes_in_any_exercise() -> None:
    lines = [line for row in matrix.read_rows(ROOT).values() for line in row.lines]
    assert lines
    assert [line for line in lines if not line.ok] == []


def test_the_tables_say_what_was_seen() -> None:
    page = matrix.with_matrix(f"before {matrix.BEGIN} old {matrix.END} after", ROWS)
    assert page.startswith("before ")
    assert page.endswith(" after")
    assert "old" not in page
    assert "1 exercises. Mutants: 1 of 2 (50 %)" in page
    assert "| `d1.change_vadd` | 4/4 | 2/3 **no** |" in page
    assert "| `d1.change_vadd` | 1.20 **no** | 1.50 |" in page
    assert "| `d1.change_vadd` | b | PASS 5/5 | 'words' | **no** |" in page


def test_a_row_is_stale_once_its_spec_or_its_mutants_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = matrix.read_rows(ROOT)
    assert "d1.name_that_pass" not in matrix.stale_rows(rows)
    (tmp_path / "day1").mkdir()
    (tmp_path / "day1" / "name_that_pass.mutants.toml").write_text("", encoding="utf-8")
    monkeypatch.setenv("TLCOURSE_PRIVATE", str(tmp_path))
    assert "d1.name_that_pass" in matrix.stale_rows(rows)


def test_every_exercise_has_times_and_a_row_without_them_is_found() -> None:
    assert matrix.untimed(matrix.read_rows(ROOT)) == [], "run `tlcourse spec matrix`"
    (row,) = ROWS.values()
    bare = Row(sha="x", lines=row.lines[:4])
    assert matrix.untimed({"d1.change_vadd": bare}) == ["d1.change_vadd"]
    assert matrix.with_times(bare, row.lines) == row
    assert matrix.untimed(ROWS) == []


def test_rows_are_written_and_read_back(tmp_path: Path) -> None:
    (tmp_path / "grader").mkdir()
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "grading.md").write_text(f"{matrix.BEGIN}{matrix.END}", "utf-8")
    matrix.write(tmp_path, {**ROWS, "d9.gone": ROWS["d1.change_vadd"]})
    assert matrix.read_rows(tmp_path) == ROWS
    assert not matrix.is_page_stale(tmp_path, ROWS)
    assert "d9.gone" not in json.loads((tmp_path / "grader" / "matrix.json").read_text("utf-8"))
