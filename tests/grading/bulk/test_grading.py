"""Real workers that are killed while they work, and what stands in the reports after it."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from tests.grading.hand_ins import UNTOUCHED, write
from tlcourse.grading.bulk import station
from tlcourse.grading.bulk.engine import LocalWorkers, Progress
from tlcourse.grading.bulk.gather import found_in
from tlcourse.grading.bulk.grading import Options, Overview, grade_found, write_reports
from tlcourse.grading.reports.tables import reasons


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "handed"
    place.mkdir()
    for index in range(5):
        write(place / f"s{index}.ipynb", f"raise ValueError({index})")
    (place / "s5.ipynb").write_bytes(UNTOUCHED.read_bytes())
    return place


def test_killed_processes_of_a_worker_lose_nothing(folder: Path, tmp_path: Path) -> None:
    found = found_in([folder])
    with LocalWorkers(1) as executor:
        calm = grade_found(found, tmp_path / "calm", Options(), executor)
    killed: list[int] = []

    def told(progress: Progress) -> None:
        if progress.jobs_done in (1, 3) and len(killed) < 4:
            for pid in station.pids():
                killed.append(pid)
                os.kill(pid, signal.SIGKILL)

    with LocalWorkers(1) as executor:
        disturbed = grade_found(found, tmp_path / "disturbed", Options(), executor, told)
    assert len(killed) >= 2
    assert disturbed == calm
    assert {entry.verdict.state for entry in calm} == {"FAIL", "TODO"}
    assert station.pids() == []


def test_an_interrupt_ends_the_workers_and_keeps_what_is_done(folder: Path, tmp_path: Path) -> None:
    def told(progress: Progress) -> None:
        if progress.jobs_done == 2:
            raise KeyboardInterrupt

    report = tmp_path / "report"
    with pytest.raises(KeyboardInterrupt), LocalWorkers(1) as executor:
        grade_found(found_in([folder]), report, Options(), executor, told)
    assert len((report / "store.jsonl").read_text().splitlines()) == 2
    assert station.pids() == []
    assert not (report / "grades.csv").exists()


def test_of_two_hand_ins_the_better_counts_and_a_person_is_told(tmp_path: Path) -> None:
    place = tmp_path / "handed" / "ana"
    place.mkdir(parents=True)
    write(place / "a.ipynb", "1 / 0")
    (place / "b.ipynb").write_bytes(UNTOUCHED.read_bytes())
    with LocalWorkers(1) as executor:
        entries = grade_found(found_in([place.parent]), tmp_path / "r", Options(), executor)
    assert [reasons(entry) for entry in entries] == [
        ["handed in 2 times; ana/a.ipynb counts"],
        ["handed in 2 times; ana/a.ipynb counts"],
    ]
    write_reports(tmp_path / "r", entries, Overview(names={"ana": "Ana"}))
    page = (tmp_path / "r" / "learners" / "ana.html").read_text(encoding="utf-8")
    assert "division by zero" in page
