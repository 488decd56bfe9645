"""The rush in small: every kind of hand-in, a killed worker, a killed run."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tlcourse.bench.grading import (
    ClassTime,
    GradingReport,
    Rush,
    Stock,
    measure_class,
    measure_rush,
    measure_stock,
)
from tlcourse.bench.hand_ins import SHARES, exercises, with_solution, write_hand_ins
from tlcourse.grading.bulk.gather import found_in
from tlcourse.grading.notebook_file import MAX_BYTES, read_hand_in


def test_hand_ins_of_every_kind_are_written_the_same_each_time(tmp_path: Path) -> None:
    first = write_hand_ins(tmp_path / "a", 400, own=0.5)
    second = write_hand_ins(tmp_path / "b", 400, own=0.5)
    assert first == second
    assert first.keys() == SHARES.keys()
    assert all(first.values())
    found = [found_in([tmp_path / name]) for name in "ab"]
    assert len(found[0]) == 400
    small = [one.path for one in found[0] if one.path.stat().st_size <= MAX_BYTES]
    twins = [tmp_path / "b" / path.relative_to(tmp_path / "a") for path in small]
    assert [p.read_bytes() for p in small] == [p.read_bytes() for p in twins]
    assert len(small) == 400 - first["huge"]


def test_a_mutant_is_the_exercise_with_another_solution(tmp_path: Path) -> None:
    (exercise,) = exercises(("d1.change_vadd",))
    path = tmp_path / "x.ipynb"
    path.write_text(with_solution(exercise, exercise.mutants[0]), encoding="utf-8")
    assert read_hand_in(path).solutions == (exercise.mutants[0],)
    assert exercise.mutants[0] != exercise.solution
    checked = exercise.with_check("1 + 1")
    cells = json.loads(with_solution(checked, exercise.stub))["cells"]
    assert "1 + 1" in [cell["source"] for cell in cells]


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="processes are found and killed as Linux does it")
def test_a_disturbed_run_gives_the_same_grades() -> None:
    told: list[str] = []
    names = ("d1.change_vadd", "d1.where_it_lands")
    rush = measure_rush(60, told=told.append, names=names)
    assert rush.met
    assert (rush.results, rush.same) == (60, True)
    assert sum(text.startswith("killed") for text in told) == 3


@pytest.mark.slow
def test_a_class_and_stock_nbgrader_judge_what_they_are_timed_on() -> None:
    """Both raise where a run fails, and stock nbgrader where its scores are not full marks."""
    pytest.importorskip("nbgrader")
    lessons = measure_class(1)
    assert (lessons.learners, lessons.hand_ins) == (1, 6)
    stock = measure_stock(1)
    assert stock.hand_ins == 1
    assert stock.stock_seconds > 0


def test_budgets() -> None:
    rush = Rush(
        hand_ins=2, kinds={}, jobs=1, minutes=1.0, disturbed_minutes=1.0, results=2, same=True
    )
    lessons = ClassTime(learners=50, hand_ins=300, minutes=5.9, rerun_seconds=59.0)
    stock = Stock(hand_ins=8, stock_seconds=2.0, our_seconds=1.0, times_faster=2.0)
    report = GradingReport(machine={}, versions={}, rush=rush, lessons=lessons, stock=stock)
    assert report.met
    assert not ClassTime(learners=50, hand_ins=300, minutes=6.1, rerun_seconds=59.0).met
    lost = Rush(
        hand_ins=2, kinds={}, jobs=1, minutes=1.0, disturbed_minutes=1.0, results=1, same=True
    )
    assert not lost.met
