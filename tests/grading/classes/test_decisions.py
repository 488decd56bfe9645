from pathlib import Path

import pytest

from tests.grading.classes.class_files import make_class
from tlcourse.diagnostics import TLError
from tlcourse.grading.classes.decisions import HEAD, applied, decisions, write_down
from tlcourse.grading.reports.entries import Entry
from tlcourse.grading.reports.tables import reasons
from tlcourse.records import Verdict

VERDICT = Verdict(exercise="d1.x", state="FAIL", points=1.0, max_points=10.0, checks=())
ENTRIES = [
    Entry(learner=name, file="x", verdict=VERDICT, notes=("late",)) for name in ("ana", "bo")
]


def test_decisions_are_added_and_applied_in_order(tmp_path: Path) -> None:
    folder = make_class(tmp_path / "class")
    write_down(folder, "override", "ana/d1.x", "the task was unclear", old="1", new="4")
    write_down(folder, "override", "ana/d1.x", 'said "yes", twice', old="4", new="10")
    write_down(folder, "false flag", "bo/d1.x", "the server was down")
    made = decisions(folder)
    assert [(d.what, d.new) for d in made] == [
        ("override", "4"),
        ("override", "10"),
        ("false flag", ""),
    ]
    assert made[1].why == 'said "yes", twice'
    ana, bo = applied(ENTRIES, made)
    assert (ana.verdict.state, ana.verdict.points) == ("PASS", 10.0)
    assert [check.hint for check in ana.verdict.checks] == [
        "the task was unclear",
        'said "yes", twice',
    ]
    assert (reasons(ana), reasons(bo)) == (["late"], [])


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("me,,override,ana/d1.x,1,ten,why", "line 2: new is 'ten', not points"),
        ("me,,override,ana/d1.x,1,nan,why", "line 2: new is 'nan', not points"),
        ("me,,override,ana,1,2,why", "line 2: ana is not learner/exercise"),
        ("me,,extension,ana,,soon,why", "line 2: new is 'soon', not a time"),
        ("me,,gift,ana/d1.x,1,2,why", "line 2: gift is none of override"),
        ("me,,override,ana/d1.x,1,2,", "line 2 does not say why"),
        (",,override,ana/d1.x,1,2,why", "line 2 does not say who"),
    ],
)
def test_a_line_that_cannot_be_used_stops_all(tmp_path: Path, line: str, why: str) -> None:
    folder = make_class(tmp_path / "class")
    path = folder / "decisions.csv"
    path.write_text(f"{','.join(HEAD)}\n{line}\n", encoding="utf-8")
    with pytest.raises(TLError) as caught:
        write_down(folder, "regrade", "ana", "why")
    assert caught.value.code == "TL622"
    assert why in caught.value.diagnostic.why
    assert path.read_text(encoding="utf-8").count("\n") == 2


@pytest.mark.parametrize("text", [b"", b"who,why\n", b"\xff\xfe"])
def test_a_file_that_is_no_table_is_named(tmp_path: Path, text: bytes) -> None:
    folder = make_class(tmp_path / "class")
    (folder / "decisions.csv").write_bytes(text)
    with pytest.raises(TLError, match="TL622"):
        decisions(folder)
