"""The command `bench`: timings as ratios within one run."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tlcourse.cli import bench_more
from tlcourse.cli.output import finish, print_json, print_lines
from tlcourse.finder import prefer_simulated

if TYPE_CHECKING:
    from tlcourse.bench.compiling import Compiled, CompileReport
    from tlcourse.bench.functional import Measured, Report
    from tlcourse.bench.grading import GradingReport
    from tlcourse.bench.loading import Loading
    from tlcourse.bench.native import MeasuredNative, NativeReport
    from tlcourse.bench.simulator import Grid, Simulated, SimulatorReport
    from tlcourse.bench.widgets import Explored, WidgetsReport


class BenchName(StrEnum):
    """What can be measured."""

    FUNCTIONAL = "functional"
    COMPILE = "compile"
    SIMULATOR = "simulator"
    GRADING = "grading"
    WIDGETS = "widgets"
    NATIVE = "native"
    PEERS = "peers"
    STARTUP = "startup"
    LESSONS = "lessons"
    SOAK = "soak"


def register(app: typer.Typer) -> None:
    """Adds this file's commands."""
    app.command()(bench)


def bench(
    name: Annotated[
        BenchName | None, typer.Argument(help="What to measure; left out: everything.")
    ] = None,
    peers: Annotated[
        bool, typer.Option("--peers", help="Triton, the real compiler or tilelang-devkit, too.")
    ] = False,
    out: Annotated[
        Path | None, typer.Option(dir_okay=False, help="Write the figures to this JSON file.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the same as data.")] = False,
    seconds: Annotated[float, typer.Option(help="Time for each contender.")] = 2.0,
    hand_ins: Annotated[
        int, typer.Option(min=60, help="For grading: how many of every kind are graded.")
    ] = 5000,
    learners: Annotated[
        int, typer.Option(min=2, help="For grading: how many hand in six exercises each.")
    ] = 500,
    quick: Annotated[
        bool, typer.Option("--quick", help="Try out everything in minutes; needs --results.")
    ] = False,
    results: Annotated[
        Path | None, typer.Option(file_okay=False, help="For everything: where figures go.")
    ] = None,
) -> None:
    """Measure an executor, the compiler, grading or widgets in one run; exit 1 above a budget.

    Without a name, everything is measured; figures go to benchmarks/results, and
    docs/performance.md is made from them.
    """
    from tlcourse.records import to_json

    if name is None:
        finish(0 if _everything(peers, quick, results, (seconds, hand_ins, learners)) else 1)
    if out is not None and not out.parent.is_dir():
        raise typer.BadParameter(f"there is no folder {out.parent}", param_hint="--out")
    prefer_simulated()
    if name is BenchName.GRADING:
        report = _grading(peers=peers, count=hand_ins, learners=learners, quiet=json)
    else:
        report = _RUNS[name](peers=peers, seconds=seconds, quiet=json)
    if json:
        print_json(report)
    if out is not None:
        out.write_text(to_json(report) + "\n", encoding="utf-8")
    finish(0 if report.met else 1)


def _everything(
    peers: bool, quick: bool, results: Path | None, sizes: tuple[float, int, int]
) -> bool:
    """All measurements one after another; those without peers of their own run as they are."""
    folder = results or bench_more.RESULTS
    if quick and results is None:
        raise typer.BadParameter("a quick run keeps its figures elsewhere", param_hint="--results")
    if not folder.is_dir():
        raise typer.BadParameter(f"there is no folder {folder}", param_hint="--results")
    prefer_simulated()
    seconds, hand_ins, learners = (0.01, 60, 2) if quick else sizes
    runs: dict[str, Callable[[], bench_more.Report]] = {
        name.value: partial(run, peers=peers and name in _WITH_PEERS, seconds=seconds, quiet=False)
        for name, run in _RUNS.items()
    }
    for name, run in _SIZED.items():
        runs[name.value] = partial(run, peers=False, seconds=seconds, quiet=False, quick=quick)
    runs["grading"] = partial(_grading, peers=False, count=hand_ins, learners=learners, quiet=False)
    page = bench_more.PAGE if results is None else folder / bench_more.PAGE.name
    return bench_more.run_all(runs, folder, page)


def _functional(*, peers: bool, seconds: float, quiet: bool) -> Report:
    from tlcourse.bench.functional import Report, machine, measure, versions

    rows: list[Measured] = []
    for row in measure(peers=peers, seconds=seconds):
        rows.append(row)
        if not quiet:
            typer.echo(_line(row))
    return Report(machine=machine(), versions=versions(peers=peers), measured=tuple(rows))


def _compile(*, peers: bool, seconds: float, quiet: bool) -> CompileReport:
    from tlcourse.bench.compiling import CompileReport, measure_compile
    from tlcourse.bench.functional import machine, versions

    row = measure_compile(peers=peers, seconds=seconds)
    if not quiet:
        typer.echo(_compile_line(row))
    return CompileReport(machine=machine(), versions=versions(peers=False), measured=(row,))


def _simulator(*, peers: bool, seconds: float, quiet: bool) -> SimulatorReport:
    from tlcourse.bench.functional import machine, versions
    from tlcourse.bench.simulator import SimulatorReport, measure_grid, measure_simulator

    if peers:
        raise typer.BadParameter("the simulator has no peers", param_hint="--peers")
    rows: list[Simulated] = []
    for row in measure_simulator(seconds=seconds):
        rows.append(row)
        if not quiet:
            typer.echo(_simulator_line(row))
    grid = measure_grid()
    if not quiet:
        typer.echo(_grid_line(grid))
    return SimulatorReport(
        machine=machine(), versions=versions(peers=False), measured=tuple(rows), grid=grid
    )


def _widgets(*, peers: bool, seconds: float, quiet: bool) -> WidgetsReport:
    from tlcourse.bench import widgets
    from tlcourse.bench.functional import machine, versions
    from tlcourse.cli.checkup import find_browser

    rows: list[Explored] = []
    for row in widgets.measure_widgets(find_browser(), peers=peers):
        rows.append(row)
        if not quiet:
            print_lines(_widget_lines(row))
    return widgets.WidgetsReport(
        machine=machine(),
        versions=versions(peers=False),
        script_bytes=widgets.script_bytes(),
        most_script_bytes=widgets.MOST_SCRIPT_BYTES,
        measured=tuple(rows),
    )


def _widget_lines(row: Explored) -> list[str]:
    opened, most = row.opening, row.budget
    kept = f" (at most {most.state_bytes:,})" if most.state_bytes else ""
    lines = [
        f"{_STATE[row.met]}  {row.name}: {row.passes} passes, up to {row.lines:,} lines",
        f"        Python {row.python_seconds:.2f} s (at most {most.python_seconds:g}), "
        f"state {row.state_bytes:,} B{kept}, opens in {opened.seconds:.2f} s "
        f"(at most {most.open_seconds:g}), slowest step {opened.worst_step_ms:.0f} ms "
        f"(at most {most.step_ms:g}), page {row.page_bytes:,} B",
    ]
    if row.peer is not None:
        there = row.peer.opening
        lines.append(
            f"        tilelang-devkit: Python {row.peer.python_seconds:.2f} s, opens in "
            f"{there.seconds:.2f} s, slowest step {there.worst_step_ms:.0f} ms, "
            f"page {row.peer.page_bytes:,} B, {there.nodes:,} elements (ours {opened.nodes:,})"
        )
    return lines + [f"        fault: {fault}" for fault in dict.fromkeys(opened.faults)]


def _grading(*, peers: bool, count: int, learners: int, quiet: bool) -> GradingReport:
    from tlcourse.bench import grading
    from tlcourse.bench.functional import machine, versions

    if peers:
        raise typer.BadParameter("stock nbgrader always runs along", param_hint="--peers")

    def told(text: str) -> None:
        typer.echo(text, err=quiet)

    report = grading.GradingReport(
        machine=machine(),
        versions=versions(peers=False),
        stock=grading.measure_stock(),
        rush=grading.measure_rush(count, told=told),
        lessons=grading.measure_class(learners),
    )
    if not quiet:
        print_lines(_grading_lines(report))
    return report


def _grading_lines(report: GradingReport) -> list[str]:
    rush, lessons, stock = report.rush, report.lessons, report.stock
    return [
        f"{_STATE[rush.met]}  {rush.hand_ins} hand-ins, {rush.jobs} of them different: "
        f"{rush.minutes:.1f} min; disturbed {rush.disturbed_minutes:.1f} min with "
        f"{rush.results} results, {'the same' if rush.same else 'OTHER'} grades",
        f"{_STATE[lessons.met]}  {lessons.learners} learners with six exercises each: "
        f"{lessons.minutes:.1f} min, once more {lessons.rerun_seconds:.1f} s",
        f"{_STATE[stock.met]}  {stock.times_faster:.1f} x as fast as stock nbgrader: "
        f"{stock.our_seconds:.2f} s a hand-in, stock {stock.stock_seconds:.2f} s",
    ]


def _native(*, peers: bool, seconds: float, quiet: bool) -> NativeReport:
    from tlcourse.bench.functional import machine, versions
    from tlcourse.bench.loading import measure_loading
    from tlcourse.bench.native import NativeReport, measure_native

    rows: list[MeasuredNative] = []
    for row in measure_native(peers=peers, seconds=seconds):
        rows.append(row)
        if not quiet:
            typer.echo(_native_line(row))
    loading = measure_loading()
    if not quiet:
        typer.echo(_loading_line(loading))
    facts = machine() | {"torch threads": "1, then 2"}
    return NativeReport(
        machine=facts, versions=versions(peers=False), measured=tuple(rows), loading=loading
    )


_SIZED = {
    BenchName.STARTUP: bench_more.startup,
    BenchName.LESSONS: bench_more.lessons,
    BenchName.SOAK: bench_more.soak,
}
_RUNS = {
    BenchName.FUNCTIONAL: _functional,
    BenchName.COMPILE: _compile,
    BenchName.SIMULATOR: _simulator,
    BenchName.NATIVE: _native,
    BenchName.WIDGETS: _widgets,
    BenchName.PEERS: bench_more.peers,
    **_SIZED,
}
_WITH_PEERS = (BenchName.FUNCTIONAL, BenchName.COMPILE, BenchName.NATIVE, BenchName.WIDGETS)


def _simulator_line(row: Simulated) -> str:
    times = ", ".join(f"{name} {time:,.1f} ms" for name, time in row.milliseconds.items())
    ratios = ", ".join(
        f"checks {name} {ratio:.1f} x functional (at most {row.most_times[name]:g})"
        for name, ratio in row.times_functional.items()
    )
    return f"{_STATE[row.met]}  {row.workload}: {ratios}{_found(row.findings)}\n        {times}"


def _native_line(row: MeasuredNative) -> str:
    times = ", ".join(f"{name} {time:,.1f} ms" for name, time in row.milliseconds.items())
    fused = "" if row.times_fused is None else f", {row.times_fused:.2f} x torch's fused attention"
    return (
        f"{_STATE[row.met]}  {row.workload}, threads: {row.threads}: {row.times_eager:.2f} x torch "
        f"eager{fused} (at most {row.most_times:g})\n        {times}"
    )


def _loading_line(loading: Loading) -> str:
    return (
        f"{_STATE[loading.met]}  {loading.kernels} precompiled kernels load in "
        f"{loading.milliseconds:.1f} ms behind torch (at most {loading.most_milliseconds:g}); a "
        f"first compile of one takes {loading.first_compile_milliseconds:,.0f} ms"
    )


def _grid_line(grid: Grid) -> str:
    return (
        f"{_STATE[grid.met]}  {grid.workload}: {grid.seconds:,.1f} s "
        f"(at most {grid.most_seconds:g}){_found(grid.findings)}"
    )


def _found(findings: int) -> str:
    return f", {findings} findings" if findings else ""


def _compile_line(row: Compiled) -> str:
    times = ", ".join(f"{name} {time:,.1f} ms" for name, time in row.milliseconds.items())
    budgets = row.budgets
    return (
        f"{_STATE[row.met]}  {row.workload}: first compile {row.first_milliseconds:,.0f} ms "
        f"(at most {budgets['first compile']:g}; imports before it "
        f"{row.import_milliseconds:,.0f} ms), {row.round_trips:.1f} x printing and parsing once "
        f"(at most {budgets['round trips']:g})\n        {times} "
        f"(at most {budgets['from the cache']:g})"
    )


_STATE = {True: "met   ", False: "MISSED"}


def _line(row: Measured) -> str:
    times = ", ".join(f"{name} {time:,.1f} ms" for name, time in row.milliseconds.items())
    eager = f"{row.times_eager:.2f} x torch eager (at most {row.most_eager:g})"
    triton = ""
    if row.times_faster_than_triton is not None:
        triton = (
            f", {row.times_faster_than_triton:,.0f} x faster than Triton's interpreter "
            f"(at least {row.least_triton:g})"
        )
    return f"{_STATE[row.met]}  {row.workload}: {eager}{triton}\n        {times}"
