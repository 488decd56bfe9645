import csv
import json
from xml.etree import ElementTree

from tlcourse.grading.reports import pages, tables
from tlcourse.grading.reports.entries import Entry, items
from tlcourse.grading.spec import load
from tlcourse.grading.verdicts import label
from tlcourse.grading.words import say
from tlcourse.records import Check, Verdict

SPEC = load("d2.minicv")
HIDDEN = next(case for case in SPEC.cases if not case.public)


def _verdict(state: str, points: float, *checks: Check, of: str = "d2.minicv") -> Verdict:
    return Verdict(exercise=of, state=state, points=points, max_points=15.0, checks=checks)


def _check(name: str, reason: str, hint: str = "") -> Check:
    return Check(name=name, state="FAIL", points=0.0, max_points=5.0, reason=reason, hint=hint)


WRONG = _check(say("numbers", "en", case=label(HIDDEN, "en")), "C is wrong at [3, 41]")
ENTRIES = [
    Entry(learner="ana", file="a", verdict=_verdict("PASS", 15.0), key="k", prints=(1, 2)),
    Entry(learner="bo", file="b", verdict=_verdict("FAIL", 1.5, WRONG), notes=("handed in late",)),
    Entry(
        learner="<i>",
        file="c",
        verdict=_verdict("FAIL", 0.0, _check("numbers", "C is wrong at [1, 2]")),
    ),
    Entry(learner="eve", file="d", verdict=_verdict("TODO", 0.0)),
    Entry(learner="eve", file="e", verdict=_verdict("ERROR", 0.0, _check("grader", "fell\x00"))),
]
NAMES = {"ana": "Ana", "bo": "Bo", "<i>": "I", "eve": "Eve", "fay": "Fay"}


def test_every_learner_has_a_row_and_of_two_hand_ins_the_better_counts() -> None:
    better = Entry(learner="bo", file="b2", verdict=_verdict("PARTIAL", 9.0))
    rows = list(csv.reader(tables.grades_csv(NAMES, [*ENTRIES, better]).splitlines()))
    assert rows[0] == ["id", "name", "d2.minicv", "total"]
    assert rows[1:3] == [["ana", "Ana", "15", "15"], ["bo", "Bo", "9", "9"]]
    assert rows[-1] == ["fay", "Fay", "", "0"]


def test_the_item_table_says_what_went_wrong_and_who_fails_where_nobody_sees() -> None:
    (item,) = items(ENTRIES)
    assert item.states == {"PASS": 1, "FAIL": 2, "TODO": 1, "ERROR": 1}
    assert item.findings[0] == ("C is wrong at [.., ..]", 2)
    assert item.hidden == 1 / 4
    assert "2 x C is wrong at [.., ..]" in pages.items_page(ENTRIES)


def test_people_are_called_for_errors_lateness_and_texts() -> None:
    rows = list(csv.DictReader(tables.needs_human_csv(ENTRIES).splitlines()))
    assert [(row["id"], row["why"][:16]) for row in rows] == [
        ("bo", "handed in late"),
        ("eve", "the grader faile"),
    ]


def test_junit_is_xml_whatever_the_reasons_hold() -> None:
    root = ElementTree.fromstring(tables.junit_xml(ENTRIES).encode())
    (suite,) = root
    counts = {name: suite.get(name) for name in ("tests", "failures", "errors", "skipped")}
    assert counts == {"tests": "5", "failures": "2", "errors": "1", "skipped": "1"}
    assert {case.get("classname") for case in suite} == {"ana", "bo", "<i>", "eve"}


def test_results_are_one_json_line_each() -> None:
    lines = tables.results_jsonl(ENTRIES).splitlines()
    assert [json.loads(line)["learner"] for line in lines] == ["ana", "bo", "<i>", "eve", "eve"]
    assert json.loads(tables.summary_json(ENTRIES))["hand_ins"] == 5


def test_pages_escape_names_and_need_no_network() -> None:
    for page in (
        pages.index(NAMES, ENTRIES, ["a <note>"]),
        pages.items_page(ENTRIES),
        pages.similarity_page([]),
        pages.learner_page("<i>", "I", ENTRIES[2:3], "zh"),
    ):
        assert "<i>" not in page
        assert "<script" not in page
        assert "http" not in page
        assert page.startswith("<!doctype html>\n<html lang=")
    assert pages.file_of("../../etc/passwd") == "..%2F..%2Fetc%2Fpasswd.html"


def test_charts_show_every_state() -> None:
    chart = pages.states_chart(items(ENTRIES))
    assert [chart.count(f"<title>{s} ") for s in ("PASS", "FAIL", "TODO", "ERROR")] == [1, 1, 1, 1]
    points = pages.points_chart(ENTRIES)
    assert "90 to 100 %" in points
