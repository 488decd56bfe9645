from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tlcourse.bench.timing_page import CASES, PAGE, Case, Outcome, measured

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.key)
def test_time_goes_where_the_pass_says(case: Case) -> None:
    found = measured(case)
    assert found.agrees, f"{found.before:.2f} us before, {found.after:.2f} us after"


def test_multi_buffer_takes_waits_away() -> None:
    case = next(one for one in CASES if one.key == "auto multi-buffer")
    waits = [
        sum(
            gap.end_cycle - gap.start_cycle
            for gap in variant.timeline().bubbles
            if gap.lane.endswith("MTE2")
        )
        for variant in (case.before, case.after)
    ]
    assert waits[1] < 0.7 * waits[0]


def test_a_wrong_direction_is_seen() -> None:
    slower = Outcome(case=CASES[0], before=10.0, after=10.5)
    assert not slower.agrees
    same = replace(CASES[0], direction="same")
    assert not Outcome(case=same, before=10.0, after=10.5).agrees
    assert Outcome(case=same, before=10.0, after=10.05).agrees
    bound = replace(CASES[0], direction="not longer")
    assert not Outcome(case=bound, before=10.0, after=10.5).agrees


def test_page_has_a_row_for_each_case_and_none_goes_the_wrong_way() -> None:
    text = (ROOT / PAGE).read_text(encoding="utf-8")
    rows = [line.split(" | ") for line in text.splitlines() if line.startswith("| ")][2:]
    assert [row[0].removeprefix("| ") for row in rows] == [case.key for case in CASES]
    assert {row[6] for row in rows} == {"yes"}
