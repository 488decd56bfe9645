"""The command `bench`: timings as ratios within one run."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tlcourse.cli.output import finish, print_json
from tlcourse.finder import prefer_simulated

if TYPE_CHECKING:
    from tlcourse.bench.compiling import Compiled, CompileReport
    from tlcourse.bench.functional import Measured, Report
    from tlcourse.bench.simulator import Grid, Simulated, SimulatorReport


class BenchName(StrEnum):
    """What can be measured."""

    FUNCTIONAL = "functional"
    COMPILE = "compile"
    SIMULATOR = "simulator"


def register(app: typer.Typer) -> None:
    """Adds this file's commands."""
    app.command()(bench)


def bench(
    name: Annotated[BenchName, typer.Argument(help="What to measure.")],
    peers: Annotated[
        bool, typer.Option("--peers", help="Triton's interpreter, or the real compiler, too.")
    ] = False,
    out: Annotated[
        Path | None, typer.Option(dir_okay=False, help="Write the figures to this JSON file.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the same as data.")] = False,
    seconds: Annotated[float, typer.Option(help="Time for each contender.")] = 2.0,
) -> None:
    """Measure an executor or the compiler in one interleaved run; exit 1 above a budget."""
    from tlcourse.records import to_json

    if out is not None and not out.parent.is_dir():
        raise typer.BadParameter(f"there is no folder {out.parent}", param_hint="--out")
    prefer_simulated()
    report = _RUNS[name](peers=peers, seconds=seconds, quiet=json)
    if json:
        print_json(report)
    if out is not None:
        out.write_text(to_json(report) + "\n", encoding="utf-8")
    finish(0 if report.met else 1)


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


_RUNS = {
    BenchName.FUNCTIONAL: _functional,
    BenchName.COMPILE: _compile,
    BenchName.SIMULATOR: _simulator,
}


def _simulator_line(row: Simulated) -> str:
    times = ", ".join(f"{name} {time:,.1f} ms" for name, time in row.milliseconds.items())
    ratios = ", ".join(
        f"checks {name} {ratio:.1f} x functional (at most {row.most_times[name]:g})"
        for name, ratio in row.times_functional.items()
    )
    return f"{_STATE[row.met]}  {row.workload}: {ratios}{_found(row.findings)}\n        {times}"


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
