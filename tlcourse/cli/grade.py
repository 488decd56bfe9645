"""Commands for those who grade: `grade` and `validate`."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tlcourse.cli.output import finish, print_json

if TYPE_CHECKING:
    from tlcourse.grading.bulk.engine import Progress
    from tlcourse.grading.hand_in import Runner
    from tlcourse.grading.protection import Protection
    from tlcourse.grading.reports.entries import Entry
    from tlcourse.grading.sandbox import Limits


def register(app: typer.Typer) -> None:
    """Adds this file's commands."""
    app.command()(grade)
    app.command()(validate)


@dataclass(frozen=True, kw_only=True)
class Bulk:
    """How many hand-ins are graded: the options of `grade` that go together."""

    report: Path | None
    jobs: int | None
    dask: str | None
    limit: int | None
    only: str
    compare: bool
    adopt: bool
    reason: str
    as_json: bool


Paths = Annotated[
    list[Path],
    typer.Argument(help="Notebooks, folders, zips, nbgrader's submitted/, or one class."),
]
Report = Annotated[Path | None, typer.Option(file_okay=False, help="Folder for results and pages.")]
AsJson = Annotated[bool, typer.Option("--json", help="Verdicts as JSON, one a line.")]
Seconds = Annotated[
    int, typer.Option(min=1, help="CPU time of a notebook; a class has its own in class.toml.")
]
Jobs = Annotated[
    int | None, typer.Option(min=1, help="Hand-ins graded at once; without it, one a core.")
]
Dask = Annotated[
    str | None, typer.Option(metavar="ADDRESS", help="Use the workers of a Dask cluster.")
]
Limit = Annotated[
    int | None, typer.Option(min=1, help="Rehearse on the first N; nothing is reported.")
]
Only = Annotated[
    str, typer.Option(metavar="ID", help="Grade a learner, exercise or learner/exercise again.")
]
Compare = Annotated[
    bool, typer.Option("--compare", help="Show which grades of a class would change.")
]
Adopt = Annotated[
    bool, typer.Option("--adopt", help="Take today's rules for a class; needs --reason.")
]
Reason = Annotated[str, typer.Option(help="Why; it is kept in decisions.csv.")]
SelfTest = Annotated[
    bool, typer.Option("--selftest", help="First try the sandbox and the course's solutions.")
]
RequireSandbox = Annotated[
    bool, typer.Option("--require-sandbox", help="Refuse to run where a protection is off.")
]


def grade(
    paths: Paths,
    report: Report = None,
    as_json: AsJson = False,
    seconds: Seconds = 30,
    jobs: Jobs = None,
    dask: Dask = None,
    limit: Limit = None,
    only: Only = "",
    compare: Compare = False,
    adopt: Adopt = False,
    reason: Reason = "",
    selftest: SelfTest = False,
    require_sandbox: RequireSandbox = False,
) -> None:
    """Grade notebooks, folders and zips of them, or all hand-ins of a class.

    A run that is ended goes on where it was. Ends with 1 if a single notebook is not fully right,
    or if the grader itself failed on a hand-in of a report or a class.
    """
    from tlcourse.grading.sandbox import Limits

    check_paths(paths)
    bulk = Bulk(
        report=report,
        jobs=jobs,
        dask=dask,
        limit=limit,
        only=only,
        compare=compare,
        adopt=adopt,
        reason=reason,
        as_json=as_json,
    )
    is_class = len(paths) == 1 and (paths[0] / "roster.csv").is_file()
    _check_options(bulk, is_class=is_class)
    protection = _protected(quiet=as_json, selftest=selftest, require_sandbox=require_sandbox)
    limits = Limits(cpu_seconds=seconds, wall_seconds=4 * seconds)
    if is_class:
        from tlcourse.cli.classes import grade_a_class

        grade_a_class(paths[0], bulk, protection)
    elif report is not None:
        _grade_into(paths, report, bulk, limits, protection)
    else:
        _grade_notebooks(paths, limits, as_json)


def validate(
    paths: Annotated[list[Path], typer.Argument(help="Notebooks to hand in.")],
    repair: Annotated[
        bool, typer.Option("--repair", help="Write a copy with all cells as they were given out.")
    ] = False,
) -> None:
    """Check before handing in that each notebook can be graded; no code runs.

    Says which cells are missing, doubled or changed, and whether the version is another one.
    """
    from tlcourse.diagnostics import TLError
    from tlcourse.grading.validating import repair as write_repaired
    from tlcourse.grading.validating import validate as look_at

    check_paths(paths)
    bad = 0
    found = notebooks(paths)
    if not found:
        typer.echo("there is no notebook to look at", err=True)
        finish(1)
    for path in found:
        try:
            seen = look_at(path)
            typer.echo(f"{path.name}: {seen.exercise}, can be graded")
            for note in seen.notes:
                typer.echo(f"  note: {note}")
            if repair:
                typer.echo(f"  repaired: {write_repaired(path)}")
        except TLError as problem:
            bad += 1
            typer.echo(f"{path.name}: {problem}")
    finish(1 if bad else 0)


def check_paths(paths: Sequence[Path]) -> None:
    """Every path that is named must be there."""
    missing = [str(path) for path in paths if not path.exists()]
    if missing:
        raise typer.BadParameter(f"there is no {', '.join(missing)}")


def notebooks(paths: Sequence[Path]) -> list[Path]:
    """The notebooks that are named, and those in the folders that are."""
    found: list[Path] = []
    for path in paths:
        found += sorted(_inside(path)) if path.is_dir() else [path]
    return found


def _check_options(bulk: Bulk, *, is_class: bool) -> None:
    if not is_class and (bulk.compare or bulk.adopt or bulk.only):
        raise typer.BadParameter("--compare, --adopt and --only are for one class folder")
    if (bulk.adopt or bulk.only) and not bulk.reason.strip():
        raise typer.BadParameter("say why with --reason; it is kept in decisions.csv")
    if is_class and bulk.report is not None:
        raise typer.BadParameter("a class has its report in its own folder", param_hint="--report")
    needs_report = bulk.dask or bulk.limit or bulk.jobs
    if needs_report and not is_class and bulk.report is None:
        raise typer.BadParameter("--jobs, --dask and --limit go with --report DIR or a class")


def _inside(folder: Path) -> Iterator[Path]:
    """Notebooks of a folder, without the copies that editors keep in hidden folders."""
    for path in folder.rglob("*.ipynb"):
        if not any(part.startswith(".") for part in path.relative_to(folder).parts):
            yield path


def _protected(*, quiet: bool, selftest: bool, require_sandbox: bool) -> Protection:
    """Finds out what shuts learners' code in, says what is off, and tries it if that is asked."""
    from tlcourse.grading.protection import parent_here, protection_of, require, runner_of

    parent = parent_here()
    try:
        protection = protection_of(parent)
        if require_sandbox:
            require(protection)
        if protection.off and not quiet:
            typer.echo(f"note: {protection.in_words()}", err=True)
        if selftest:
            _selftest(runner_of(parent, protection), protection)
    finally:
        if parent is not None:
            parent.stop()
    return protection


def _selftest(runner: Runner, protection: Protection) -> None:
    from tlcourse.grading.selftest import run_selftest

    tests = run_selftest(runner, protection)
    for test in tests:
        typer.echo(f"{'ok    ' if test.ok else 'FAILED'} {test.name}: {test.said}", err=True)
    failed = [test.name for test in tests if not test.ok]
    if failed:
        typer.echo(f"selftest failed: {', '.join(failed)}; nothing was graded", err=True)
        finish(1)
    typer.echo(f"selftest: {len(tests)} tests passed; {protection.in_words()}", err=True)


def _grade_notebooks(paths: Sequence[Path], limits: Limits, as_json: bool) -> None:
    """Grades one notebook after the other and shows each verdict in full."""
    import tempfile

    from tlcourse.grading.bulk import station
    from tlcourse.grading.bulk.engine import LocalWorkers
    from tlcourse.grading.bulk.gather import found_in
    from tlcourse.grading.bulk.grading import Options, grade_found
    from tlcourse.grading.report import as_text

    found = found_in(paths)
    if not found:
        typer.echo("there is no notebook to grade", err=True)
    states: list[str] = []
    with tempfile.TemporaryDirectory(prefix="tlcourse-") as folder, LocalWorkers(1) as executor:
        for one in found:
            (entry,) = grade_found([one], Path(folder), Options(limits=limits), executor)
            states.append(entry.verdict.state)
            if as_json:
                print_json(entry.verdict)
            else:
                typer.echo(as_text(entry.verdict))
    station.close_all()
    finish(0 if states and set(states) == {"PASS"} else 1)


def _grade_into(
    paths: Sequence[Path], report: Path, bulk: Bulk, limits: Limits, protection: Protection
) -> None:
    from tlcourse.cli.watching import watching
    from tlcourse.grading.bulk.gather import found_in
    from tlcourse.grading.bulk.grading import Options, Overview, grade_found, write_reports
    from tlcourse.grading.bulk.workers import workers

    found = found_in(paths)[: bulk.limit]
    if not found:
        typer.echo("there is no notebook to grade", err=True)
        finish(1)
    with (
        workers(bulk.jobs, bulk.dask) as executor,
        watching(len(found), quiet=bulk.as_json) as told,
    ):
        entries = grade_found(found, report, Options(limits=limits), executor, told)
    if bulk.limit is None:
        names = {entry.learner: "" for entry in entries}
        write_reports(report, entries, Overview(names=names, notes=(protection.in_words(),)))
    conclude(entries, report, bulk)


def conclude(entries: Sequence[Entry], report: Path, bulk: Bulk) -> None:
    """Says where the report is and what is left for people; ends the command."""
    from tlcourse.grading.reports.tables import reasons

    if bulk.as_json:
        for entry in entries:
            print_json(entry.verdict)
    elif bulk.limit is not None:
        typer.echo(f"rehearsed on {len(entries)} hand-ins; no report was written")
    else:
        people = sum(bool(reasons(entry)) for entry in entries)
        typer.echo(f"grades: {report / 'grades.csv'}; overview: {report / 'index.html'}")
        typer.echo(f"{people} hand-ins need a person: {report / 'needs_human.csv'}")
    finish(1 if any(entry.verdict.state == "ERROR" for entry in entries) else 0)


def forecast(progress: Progress | None, left: int, report: Path) -> str:
    """What the rest will take, from what the rehearsal took."""
    from tlcourse.cli.watching import duration, slowest

    if progress is None or not progress.jobs_done or not progress.done:
        return "nothing new was graded, so there is no forecast"
    seconds = progress.elapsed() / progress.jobs_done * left
    size = (report / "store.jsonl").stat().st_size / progress.done * left
    free = shutil.disk_usage(report).free
    return (
        f"the other {left} hand-ins will take about {duration(seconds)} and {size / 2**20:.0f} MiB "
        f"of {free / 2**30:.0f} GiB; slowest: {slowest(progress)}"
    )
