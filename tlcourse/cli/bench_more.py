"""`tlcourse bench` for peers, startup, lessons and the soak, and for everything in one go."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import typer

from tlcourse.diagnostics import TLError

if TYPE_CHECKING:
    from tlcourse.bench.lessons import LessonsReport
    from tlcourse.bench.peers import PeersReport
    from tlcourse.bench.soak import SoakReport
    from tlcourse.bench.startup import StartupReport

RESULTS, PAGE = Path("benchmarks/results"), Path("docs/performance.md")
STATE = {True: "met   ", False: "MISSED"}


class Report(Protocol):
    """What every measurement gives back."""

    @property
    def met(self) -> bool:
        """Whether every budget is met."""
        ...


def peers(*, peers: bool, seconds: float, quiet: bool, quick: bool = False) -> PeersReport:
    """All executors beside all peers that are installed."""
    from tlcourse.bench import peers as bench
    from tlcourse.bench.functional import machine

    rows: list[bench.PeerTimes] = []
    for row in bench.measure_peers(seconds=seconds):
        rows.append(row)
        times = ", ".join(f"{name} {time:,.1f} ms" for name, time in row.milliseconds.items())
        _say(f"{STATE[row.met]}  {row.workload}: {times}", quiet)
    missing = bench.absent()
    for name, how in missing.items():
        _say(f"        {name} is not installed: {how}", quiet)
    return bench.PeersReport(
        machine=machine(), versions=bench.installed(), measured=tuple(rows), absent=missing
    )


def startup(*, peers: bool, seconds: float, quiet: bool, quick: bool = False) -> StartupReport:
    """Imports, a first cell and a first check."""
    from tlcourse.bench import startup as bench
    from tlcourse.bench.functional import machine, versions

    rows = bench.measure_startup(1) if quick else bench.measure_startup()
    for row in rows:
        most = "" if row.most_seconds is None else f" (at most {row.most_seconds:g})"
        _say(f"{STATE[row.met]}  {row.name}: {row.seconds:.2f} s{most}", quiet)
    return bench.StartupReport(machine=machine(), versions=versions(peers=False), measured=rows)


def lessons(*, peers: bool, seconds: float, quiet: bool, quick: bool = False) -> LessonsReport:
    """Every lesson from top to bottom."""
    from tlcourse.bench import lessons as bench
    from tlcourse.bench.functional import machine, versions

    rows: list[bench.LessonTime] = []
    for row in bench.measure_lessons(1 if quick else None):
        rows.append(row)
        _say(
            f"{STATE[row.met]}  {row.name}: {row.seconds:.1f} s (at most "
            f"{bench.MOST_SECONDS:g}), {row.peak_bytes / 1e6:,.0f} MB (at most "
            f"{bench.MOST_BYTES / 1e6:,.0f})",
            quiet,
        )
    return bench.LessonsReport(
        machine=machine(),
        versions=versions(peers=False),
        measured=tuple(rows),
        typical_seconds=bench.typical(tuple(rows)),
    )


def soak(*, peers: bool, seconds: float, quiet: bool, quick: bool = False) -> SoakReport:
    """Very many kernels in this process."""
    from tlcourse.bench.soak import measure_soak

    def told(text: str) -> None:
        _say(f"        {text}", quiet)

    report = measure_soak(5, 5, told=told) if quick else measure_soak(told=told)
    _say(
        f"{STATE[report.met]}  {report.kernels} kernels, {report.runs} launches: memory grew by "
        f"{report.growth_bytes / 1e6:.1f} MB (at most {report.most_growth_bytes / 1e6:.0f}); "
        f"left: {', '.join(report.left) or 'nothing'}",
        quiet,
    )
    return report


def run_all(runs: dict[str, Callable[[], Report]], results: Path, page: Path | None) -> bool:
    """Runs every measurement, writes its figures, then the page that shows them.

    Args:
        runs: the measurements by name, in order.
        results: the folder of the figures.
        page: the page to write, None for none.

    Returns:
        whether all ran and met their budgets. One that cannot run here is told and left out.
    """
    from tlcourse.bench.performance_page import page_of, read_results
    from tlcourse.records import to_json

    met = True
    for name, run in runs.items():
        typer.echo(f"--- {name}")
        try:
            report = run()
        except TLError as problem:
            typer.echo(str(problem), err=True)
            met = False
            continue
        (results / f"{name}.json").write_text(to_json(report) + "\n", encoding="utf-8")
        met = met and report.met
    if page is not None:
        page.write_text(page_of(read_results(results)), encoding="utf-8")
        typer.echo(f"written: {page}")
    return met


def _say(text: str, quiet: bool) -> None:
    if not quiet:
        typer.echo(text)
