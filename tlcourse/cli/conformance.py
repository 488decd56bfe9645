"""Commands that run other people's tests on ours: `pytest`, `conformance`."""

from __future__ import annotations

import os
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tlcourse.cli.kernels import BackendName, ExecutionName
from tlcourse.cli.output import finish
from tlcourse.finder import prefer_simulated

if TYPE_CHECKING:
    from tlcourse.conformance import Report, Settings


class SuiteName(StrEnum):
    """The trees of upstream that can be run."""

    NPUIR = "npuir"
    EXAMPLES = "examples"
    GOLDENS = "goldens"
    LIT = "lit"


class SimulatedName(StrEnum):
    """The ways to run a kernel without hardware."""

    FUNCTIONAL = "functional"
    SIMULATOR = "simulator"


ExecutionOption = Annotated[
    SimulatedName,
    typer.Option(
        help="How kernels run: statement by statement as written, or compiled and on the "
        "simulated chip, with its checks."
    ),
]
BackendOption = Annotated[
    BackendName,
    typer.Option(
        help="What compiles for the simulator: our passes, or the real compiler's pipeline."
    ),
]


def register(app: typer.Typer) -> None:
    """Adds this file's commands."""
    extra = {"allow_interspersed_args": False, "ignore_unknown_options": True}
    app.command(context_settings={"allow_extra_args": True, "help_option_names": [], **extra})(
        pytest
    )
    app.command()(conformance)


def pytest(
    context: typer.Context,
    execution: Annotated[
        ExecutionName | None, typer.Option(help="How kernels run, default simulator.")
    ] = None,
) -> None:
    """Run pytest, with its own arguments, on tests that import tilelang and torch_npu."""
    from tlcourse.conformance.pytest_run import OwnHelp, run_pytest

    if execution is ExecutionName.NPU:
        os.environ["TLCOURSE_BACKEND"] = "npu"
    else:
        prefer_simulated()
        if execution is not None:
            os.environ["TLCOURSE_EXECUTION"] = execution.value
    finish(run_pytest(context.args, plugins=[OwnHelp()]))


def conformance(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", exists=True, file_okay=False, help="The checkout.")
    ],
    suite: Annotated[SuiteName, typer.Option(help="Which of upstream's trees.")],
    execution: ExecutionOption = SimulatedName.FUNCTIONAL,
    backend: BackendOption = BackendName.EMBEDDED,
    jobs: Annotated[int, typer.Option(min=1, help="Processes at a time.")] = os.cpu_count() or 1,
    limit: Annotated[float, typer.Option(min=1, help="Seconds for one case.")] = 120.0,
    only: Annotated[str, typer.Option(help="Only cases whose name holds this text.")] = "",
    json: Annotated[
        Path | None, typer.Option("--json", dir_okay=False, help="Write the report here as data.")
    ] = None,
    page: Annotated[
        Path | None,
        typer.Option(dir_okay=False, help="Suite lit, whole: write the report as a page."),
    ] = None,
) -> None:
    """Run upstream's tests, examples or kernel sources on ours; exit 1 if one fails.

    In suite npuir a case also fails if the executor finds a fault in its kernel that
    docs/upstream.md does not explain.
    """
    from tlcourse.cli.conformance_text import report_lines
    from tlcourse.conformance import Settings
    from tlcourse.records import to_json

    _check_outputs(json, page, whole_lit=suite is SuiteName.LIT and not only)
    settings = Settings(
        suite=suite.value,
        folder=folder,
        execution=execution.value,
        backend=backend.value,
        jobs=jobs,
        case_limit_s=limit,
        only=only,
    )
    report = _run(settings)
    for line in report_lines(report):
        typer.echo(line)
    if json is not None:
        json.write_text(to_json(report) + "\n", encoding="utf-8")
    if page is not None:
        from tlcourse.conformance.lit_page import page_of

        page.write_text(page_of(report), encoding="utf-8")
    finish(0 if report.passed else 1)


def _check_outputs(json: Path | None, page: Path | None, *, whole_lit: bool) -> None:
    """Misuse where a report cannot be written, before anything runs."""
    for out, option in ((json, "--json"), (page, "--page")):
        if out is not None and not out.parent.is_dir():
            raise typer.BadParameter(f"there is no folder {out.parent}", param_hint=option)
    if page is not None and not whole_lit:
        raise typer.BadParameter(
            "tells of the whole suite lit, without --only", param_hint="--page"
        )


def _run(settings: Settings) -> Report:
    """Runs the suite with a bar on stderr; where that is no terminal, the bar is left out."""
    from rich.console import Console
    from rich.progress import Progress

    from tlcourse.conformance import Case, run_suite

    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        bar = progress.add_task(f"{settings.suite}: finding cases", total=None)
        failed = 0

        def tell(case: Case, total: int) -> None:
            nonlocal failed
            failed += case.outcome == "failed"
            text = f"{settings.suite}: {failed} failed"
            progress.update(bar, total=total, advance=1, description=text)

        return run_suite(settings, tell)
