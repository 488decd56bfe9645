"""The command `bench`: timings as ratios within one run."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tlcourse.cli.output import finish, print_json
from tlcourse.finder import prefer_simulated

if TYPE_CHECKING:
    from tlcourse.bench.functional import Measured


class BenchName(StrEnum):
    """What can be measured."""

    FUNCTIONAL = "functional"


def register(app: typer.Typer) -> None:
    """Adds this file's commands."""
    app.command()(bench)


def bench(
    name: Annotated[BenchName, typer.Argument(help="What to measure.")],
    peers: Annotated[bool, typer.Option("--peers", help="Triton's interpreter, too.")] = False,
    out: Annotated[
        Path | None, typer.Option(dir_okay=False, help="Write the figures to this JSON file.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the same as data.")] = False,
    seconds: Annotated[float, typer.Option(help="Time for each contender.")] = 2.0,
) -> None:
    """Measure kernels beside torch eager in one interleaved run; exit 1 above a budget."""
    from tlcourse.bench.functional import Report, machine, measure, versions
    from tlcourse.records import to_json

    assert name is BenchName.FUNCTIONAL, "the only one there is"
    if out is not None and not out.parent.is_dir():
        raise typer.BadParameter(f"there is no folder {out.parent}", param_hint="--out")
    prefer_simulated()
    rows: list[Measured] = []
    for row in measure(peers=peers, seconds=seconds):
        rows.append(row)
        if not json:
            typer.echo(_line(row))
    report = Report(machine=machine(), versions=versions(peers=peers), measured=tuple(rows))
    if json:
        print_json(report)
    if out is not None:
        out.write_text(to_json(report) + "\n", encoding="utf-8")
    finish(0 if report.met else 1)


def _line(row: Measured) -> str:
    state = "met   " if row.met else "MISSED"
    times = ", ".join(f"{name} {time:,.1f} ms" for name, time in row.milliseconds.items())
    eager = f"{row.times_eager:.2f} x torch eager (at most {row.most_eager:g})"
    triton = ""
    if row.times_faster_than_triton is not None:
        triton = (
            f", {row.times_faster_than_triton:,.0f} x faster than Triton's interpreter "
            f"(at least {row.least_triton:g})"
        )
    return f"{state}  {row.workload}: {eager}{triton}\n        {times}"
