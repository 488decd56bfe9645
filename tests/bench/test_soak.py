"""A short soak: results are right, and what a process keeps is told."""

from __future__ import annotations

from dataclasses import replace

from tlcourse.bench.soak import MOST_GROWTH_BYTES, measure_soak


def test_a_few_kernels_leave_nothing_behind() -> None:
    lines: list[str] = []
    report = measure_soak(5, 10, told=lines.append, ways=("functional", "simulator"))
    assert (report.kernels, report.runs) == (5, 10)
    assert report.left == ()
    assert lines[0].startswith("10 kernels: ")


def test_what_is_left_is_named() -> None:
    report = measure_soak(1, 1, told=lambda line: None, ways=("functional",))
    more = replace(report.before, files=report.before.files + 1, temporary=("x",))
    kept = replace(report, after=more, growth_bytes=0)
    assert kept.left == ("files", "x")
    assert not kept.met
    assert replace(report, after=report.before, growth_bytes=MOST_GROWTH_BYTES).met
    assert not replace(report, after=report.before, growth_bytes=MOST_GROWTH_BYTES + 1).met
