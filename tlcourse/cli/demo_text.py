"""The demo's report as lines for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tlcourse.examples.demo import DemoReport

_BAR = 30  # characters of a full bar


def demo_lines(report: DemoReport) -> list[str]:
    """All lines of the report, who serves `tilelang` first."""
    shape = ", ".join(f"{name} {value}" for name, value in report.shape.items())
    return [
        f"tilelang and torch_npu are {report.served}: {report.served_reason}",
        f"MiniCV, {report.mode} form, {report.backend} back half: {shape}",
        *_passes(report),
        *_numbers(report),
        *_time(report),
    ]


def _passes(report: DemoReport) -> list[str]:
    changed = sum(line.status == "changed" for line in report.passes)
    lines = [
        f"  {'*' if line.status == 'changed' else ' '} {line.phase:<8} {line.name}"
        for line in report.passes
    ]
    head = f"passes: {len(report.passes)}, of which {changed} changed the IR (*)"
    return ["", head, *lines]


def _numbers(report: DemoReport) -> list[str]:
    lines = [
        f"  {line.name}: {'equal to' if line.agrees else 'DIFFERS from'} torch, "
        f"largest error {line.max_error}, limit {line.limit}"
        for line in report.outputs
    ]
    found = [f"  {finding}" for finding in report.findings]
    return ["", "numbers", *lines, f"findings: {len(found) or 'none'}", *found]


def _time(report: DemoReport) -> list[str]:
    head = f"simulated time on {report.chip}: {report.nanoseconds / 1000:.1f} us"
    lines = [
        f"  {line.agent:<5} {line.pipe:<6} {line.busy_percent:>3} % "
        f"{'#' * round(_BAR * line.busy_percent / 100)}".rstrip()
        for line in report.pipes
    ]
    return ["", f"{head} ({report.cycles:,} cycles)", "pipe use, mean over the cores", *lines]
