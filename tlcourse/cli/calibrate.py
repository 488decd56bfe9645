"""The command `calibrate`: the timing model's constants from measured times."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from tlcourse.cli.output import finish
from tlcourse.finder import prefer_simulated

_KERNELS = Path(__file__).resolve().parents[2] / "benchmarks" / "kernels"


def register(app: typer.Typer) -> None:
    """Adds this file's commands."""
    app.command()(calibrate)


def calibrate(
    data: Annotated[
        Path, typer.Argument(exists=True, dir_okay=False, help="CSV file of measured times.")
    ],
    out: Annotated[
        Path, typer.Option(file_okay=False, help="Folder for calibration.md and its figure.")
    ] = Path("docs"),
    kernels: Annotated[
        Path,
        typer.Option(
            file_okay=False,
            show_default="benchmarks/kernels of the checkout",
            help="Folder with the kernels and their table.",
        ),
    ] = _KERNELS,
    fit: Annotated[
        bool, typer.Option(help="Choose the constants, or judge those that are there.")
    ] = True,
    leave_out: Annotated[
        bool, typer.Option(help="Also predict each family from the others alone.")
    ] = True,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print the main figures only.")] = False,
) -> None:
    """Fit the timing model to measured times, write its constants and a report."""
    from tlcourse.bishengir import find_tool
    from tlcourse.calibration.calibrate import calibrate as run
    from tlcourse.calibration.figure import draw
    from tlcourse.calibration.report import markdown, summary
    from tlcourse.calibration.store import store
    from tlcourse.chips.constants import FILE

    if not out.is_dir():
        raise typer.BadParameter(f"there is no folder {out}", param_hint="--out")
    prefer_simulated()
    if find_tool() is not None:  # what ships, where it is installed
        os.environ.setdefault("TLCOURSE_COMPILER", "bishengir")

    def say(line: str) -> None:
        if not quiet:
            typer.echo(line, err=True)

    found = run(data, kernels, fits=fit, leaves_out=leave_out, say=say)
    draw(found.predicted, out / "calibration.png")
    (out / "calibration.md").write_text(markdown(found, "calibration.png"), encoding="utf-8")
    if fit:
        store(FILE, found.values)
    for line in summary(found):
        typer.echo(line)
    finish(0)
