"""What the lessons teach: taught, only named, absent, and a tag that is out of place."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tlcourse.build.course import build, covered_by
from tlcourse.build.coverage import Coverage, Point, coverage, page, read_points, summary
from tlcourse.build.source import read_source
from tlcourse.diagnostics import TLError

ROOT = Path(__file__).parents[2]
Make = Callable[..., str]
Write = Callable[..., Path]


def point(name: str, lesson: str = "d9.count", *, is_core: bool = True) -> Point:
    return Point(id=name, section="s", text="t", lessons=(lesson,), exercises=(), is_core=is_core)


@pytest.fixture
def covered(write_source: Write, prose: Make, code: Make) -> tuple[Coverage, ...]:
    cells = (prose("goals", "One.", "一。", "kp:K002"), code("two", "2", "kp:K001"))
    lesson = read_source(write_source("01_count.py", *cells))
    points = (point("K001"), point("K002"), point("K003", is_core=False))
    return coverage(points, [lesson])


def test_code_teaches_prose_names(covered: tuple[Coverage, ...]) -> None:
    assert [(c.state, c.fails) for c in covered] == [
        ("taught", False),
        ("named", True),
        ("absent", False),
    ]
    assert covered[0].shown == ("d9.count#two",)
    assert covered[1].said == ("d9.count#goals",)


def test_summary_and_page_count_them(covered: tuple[Coverage, ...]) -> None:
    assert summary(covered) == (
        "3 points: 1 taught, 1 only named, 1 absent; 1 core points are not taught"
    )
    text = page(covered)
    assert "| core | 1 | 1 | 0 |" in text
    assert "Core points that are not taught: K002." in text
    assert "Every core point is taught." in page(covered[:1])


@pytest.mark.parametrize(
    ("points", "reason"),
    [
        ((), "the tag kp:K001 names no point"),
        ((point("K001", "d9.other"),), "K001 is taught by d9.other, not by d9.count"),
    ],
)
def test_a_tag_out_of_place_is_refused(
    points: tuple[Point, ...], reason: str, write_source: Write, code: Make
) -> None:
    lesson = read_source(write_source("01_count.py", code("two", "2", "kp:K001")))
    with pytest.raises(TLError) as caught:
        coverage(points, [lesson])
    assert caught.value.diagnostic.code == "TL801"
    assert reason in caught.value.diagnostic.what


def test_build_writes_the_page_and_check_names_what_a_lesson_leaves_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = "id,section,point,lesson,exercise,core,note\nK001,s,t,d9.count,,yes,\n"
    (tmp_path / "course" / "day9").mkdir(parents=True)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "knowledge_points.csv").write_text(table, encoding="utf-8")
    build(False, tmp_path, told=lambda line: None)
    assert "| core | 0 | 0 | 1 |" in (tmp_path / "docs" / "coverage.md").read_text("utf-8")
    assert build(True, tmp_path) == []
    header = "# ---\n# jupyter:\n#   tlcourse:\n#     id: d9.count\n# ---\n"
    lesson = tmp_path / "course" / "day9" / "01_count.py"
    lesson.write_text(f'{header}\n# %% stem="two"\n2\n', encoding="utf-8")
    stale = build(True, tmp_path)
    assert "docs/coverage.md: core points that no code cell teaches: K001" in stale


def test_table_of_the_course_is_whole() -> None:
    points = read_points(ROOT)
    assert [p.id for p in points] == [f"K{number:03}" for number in range(1, 251)]
    assert sum(p.is_core for p in points) == 167
    assert all(p.text and p.lessons for p in points)


def test_tags_of_the_course_name_points_of_their_lesson() -> None:
    taught = [c for c in covered_by(ROOT) if c.state == "taught"]
    assert len(taught) >= 9
