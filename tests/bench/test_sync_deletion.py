"""Every flag of a kernel, taken away: the simulator tells, with the right lines."""

from __future__ import annotations

from collections import Counter

import pytest

from tlcourse.bench.sync_deletion import PAGE, Deletion, Subject, deletions
from tlcourse.examples.course import COURSE

MINICV = {kernel.mode: kernel for kernel in COURSE if kernel.kind == "minicv"}


@pytest.fixture(scope="module")
def expert() -> tuple[Subject, list[Deletion]]:
    subject = Subject.make(MINICV["Expert"], "embedded")
    return subject, list(deletions(subject))


def test_each_deletion_is_told(expert: tuple[Subject, list[Deletion]]) -> None:
    """12 flags, 6 raised and 6 waited for; and the barriers at the end of both cores."""
    _, done = expert
    assert Counter(one.outcome for one in done) == {"race": 6, "deadlock": 6, "redundant": 2}


def test_a_race_names_the_lines_on_both_sides(expert: tuple[Subject, list[Deletion]]) -> None:
    """The first label is the line that came too early, the second the one it ran into."""
    subject, done = expert
    text = next(iter(subject.kernel.func.sources.values())).text.splitlines()
    told = {
        one.line.text: [
            text[label.span.line - 1].strip().split("(")[1].split(",")[0]
            for label in one.findings[0].diagnostic.labels
        ]
        for one in done
        if one.outcome == "race"
    }
    assert told == {
        "mmadL1 waits until a is in L1: MTE2 to MTE1, flag 0": ["A_l1", "A[bx : bx + block_M"],
        "mmadL1 waits until b is in L1: MTE2 to MTE1, flag 1": ["A_l1", "B[k * block_K : "],
        "wait_flag M to FIX, flag 0": ["C_l0", "A_l1"],
        "sync_block_wait S to MTE2, flag 0": ["C[row : row + half_M", "C_l0"],
        "wait_flag MTE2 to V, flag 0": ["C_ub", "C[row : row + half_M"],
        "wait_flag V to MTE3, flag 0": ["D_ub", "C_ub"],
    }


def test_a_deadlock_names_the_wait(expert: tuple[Subject, list[Deletion]]) -> None:
    """The line is that of the wait which the raise that went belongs to."""
    _, done = expert
    waits = {
        (one.line.agent, one.line.pipes, one.line.text[-1]): one.line.span.line
        for one in done
        if "wait" in one.line.text and one.line.span
    }
    told = [one for one in done if one.outcome == "deadlock" and "block" not in one.line.text]
    assert len(told) == 5
    for one in told:
        key = (one.line.agent, one.line.pipes, one.line.text[-1])
        assert one.findings[0].diagnostic.labels[0].span.line == waits[key]


def test_the_page_has_no_miss() -> None:
    """Its last row but the head sums up all kernels and both back halves."""
    rows = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if "| all |" in line]
    assert len(rows) == 1
    cells = [int(cell) for cell in rows[0].split("|")[4:-1]]
    assert cells[0] == sum(cells[1:])
    assert cells[0] > 500
    assert "Findings that one deletion brings about, at most: 1." in PAGE.read_text("utf-8")
    assert cells[-1] == 0
