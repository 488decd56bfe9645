"""Commands for a class: `class init|archive`, `handin`, `collect`, `feedback` and `explain`."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tlcourse.cli.grade import Bulk, check_paths, conclude, forecast, notebooks
from tlcourse.cli.output import finish, print_lines

if TYPE_CHECKING:
    from tlcourse.grading.bulk.engine import Progress
    from tlcourse.grading.bulk.grading import Again
    from tlcourse.grading.classes.collecting import Collected
    from tlcourse.grading.classes.grading import ClassRun
    from tlcourse.grading.protection import Protection
    from tlcourse.grading.reports.entries import Entry

class_app = typer.Typer(no_args_is_help=True, help="Set up and keep a class.")


class Form(StrEnum):
    """How feedback is packed."""

    MOODLE = "moodle"
    CANVAS = "canvas"
    PLAIN = "plain"


def register(app: typer.Typer) -> None:
    """Adds this file's commands."""
    app.command()(handin)
    app.command()(collect)
    app.command()(feedback)
    app.command()(explain)
    class_app.command("init")(class_init)
    class_app.command("archive")(class_archive)
    app.add_typer(class_app, name="class")


def class_init(
    folder: Annotated[Path, typer.Argument(help="A new folder for the class.")],
    old: Annotated[
        Path | None, typer.Option("--from", help="A class of an earlier year to go on from.")
    ] = None,
    variants: Annotated[
        Path | None, typer.Option(help="Folder of private specs, where marks count.")
    ] = None,
    roster: Annotated[
        Path | None, typer.Option(exists=True, dir_okay=False, help="The roster to start with.")
    ] = None,
) -> None:
    """Make a class folder, which is nbgrader's course root too, with a roster to fill in."""
    from tlcourse.grading.classes.folder import init

    init(folder, old=old, variants=variants, learners=roster)
    first = "" if roster else "fill in roster.csv, then "
    typer.echo(f"{folder}: {first}`tlcourse collect ZIPS --into {folder}`")


def class_archive(
    folder: Annotated[Path, typer.Argument(help="The class folder.")],
    out: Annotated[Path | None, typer.Option(dir_okay=False, help="The zip.")] = None,
) -> None:
    """Pack a whole class, its secret included, into one zip for the staff."""
    from tlcourse.grading.classes.feedback import archive

    check_paths([folder])
    target = out or folder.resolve().parent / f"{folder.resolve().name}.zip"
    typer.echo(f"{target}: {archive(folder, target)} files")


def handin(
    paths: Annotated[list[Path], typer.Argument(help="Notebooks, or the folder they lie in.")],
    learner: Annotated[str, typer.Option("--id", help="Your id on the roster.")],
    out: Annotated[Path | None, typer.Option(dir_okay=False, help="The zip.")] = None,
) -> None:
    """Check notebooks and pack them into a zip with a receipt, ready to upload."""
    from tlcourse.grading.bulk import station
    from tlcourse.grading.classes.handin import hand_in

    check_paths(paths)
    target = out or Path(f"{learner}.zip")
    try:
        lines = hand_in(learner, notebooks(paths), target, station.verdict_of)
    finally:
        station.close_all()
    for line in lines:
        typer.echo(f"{line.exercise}: {line.state} {line.points:g}/{line.max_points:g}")
    typer.echo(f"{target}: upload this file")


def collect(
    zips: Annotated[list[Path], typer.Argument(help="Zips of Canvas, of Moodle or of learners.")],
    into: Annotated[Path, typer.Option(help="The class folder.")],
) -> None:
    """Take hand-ins out of zips into a class folder; ends with 1 if something was left out."""
    from tlcourse.grading.classes.collecting import collect as collect_zips

    check_paths(zips)
    _check_are_files(zips)
    reports = collect_zips(into, zips)
    for report in reports:
        print_lines(_told(report))
    finish(1 if any(report.left_out or report.unknown for report in reports) else 0)


def feedback(
    folder: Annotated[Path, typer.Argument(help="The class folder.")],
    form: Annotated[Form, typer.Option("--format", help="Who takes the zip.")] = Form.PLAIN,
    out: Annotated[Path | None, typer.Option(dir_okay=False, help="The zip.")] = None,
) -> None:
    """Pack the learners' verdict pages into a zip to give back."""
    from tlcourse.grading.classes.feedback import feedback as pack

    check_paths([folder])
    target = out or folder / f"feedback-{form}.zip"
    typer.echo(f"{target}: {pack(folder, target, form.value)} learners")


def explain(
    submission: Annotated[Path, typer.Argument(help="A learner's folder, notebook or zip.")],
    exercise: Annotated[str, typer.Argument(help="Its id, for example d2.minicv.")],
) -> None:
    """Judge one hand-in again with the same inputs; ends with 1 if the report says otherwise."""
    from tlcourse.grading.classes.explaining import explain as judge_again
    from tlcourse.grading.report import as_text

    check_paths([submission])
    found = judge_again(submission, exercise)
    typer.echo(as_text(found.verdict))
    typer.echo(f"the class's report says: {found.reported or 'nothing yet'}")
    typer.echo(f"the learner's receipt says: {found.receipt or 'there is none'}")
    if found.output:
        typer.echo(f"it printed, for staff alone:\n{found.output}")
    finish(0 if found.is_same else 1)


def grade_a_class(folder: Path, bulk: Bulk, protection: Protection) -> None:
    """`tlcourse grade CLASS`."""
    from tlcourse.grading.classes.decisions import write_down
    from tlcourse.grading.classes.grading import adopt, again_of, check_unchanged, open_class

    run = open_class(folder)
    if bulk.compare:
        _compare(run, bulk)
    if bulk.adopt:
        run = adopt(run, bulk.reason)
    check_unchanged(run)
    if bulk.only:
        _check_only(run, bulk.only)
        write_down(folder, "regrade", bulk.only, bulk.reason)
    for stranger in run.strangers:
        typer.echo(f"not graded: {stranger} is not on the roster", err=True)
    if not run.found:
        hint = f"take zips in with `tlcourse collect ZIPS --into {folder}`"
        typer.echo(f"{len(run.learners)} learners, no hand-in yet; {hint}", err=True)
    entries, progress = _graded(run, bulk, protection.in_words(), again_of(bulk.only))
    if bulk.limit is not None and not bulk.as_json:
        typer.echo(forecast(progress, len(run.found) - len(entries), run.report))
    conclude(entries, run.report, bulk)


def _check_only(run: ClassRun, wanted: str) -> None:
    from tlcourse.grading.spec import known_ids

    learner, slash, exercise = wanted.partition("/")
    ids = [one.id for one in run.learners]
    if slash and learner in ids and exercise in known_ids():
        return
    if slash or wanted not in (*ids, *known_ids()):
        raise typer.BadParameter(f"{wanted} is no learner of the roster, exercise, or both with /")


def _graded(
    run: ClassRun, bulk: Bulk, note: str, again: Again, *, write: bool = True
) -> tuple[list[Entry], Progress | None]:
    from tlcourse.cli.watching import watching
    from tlcourse.grading.bulk.workers import workers
    from tlcourse.grading.classes.grading import grade_class

    last: list[Progress] = []
    total = len(run.found[: bulk.limit])
    with workers(bulk.jobs, bulk.dask) as executor, watching(total, quiet=bulk.as_json) as told:

        def seen(progress: Progress) -> None:
            last[:] = [progress]
            told(progress)

        entries = grade_class(
            run,
            executor,
            seen,
            limit=bulk.limit,
            again=again,
            notes=(note,),
            write=write,
        )
    return entries, last[0] if last else None


def _compare(run: ClassRun, bulk: Bulk) -> None:
    from tlcourse.grading.classes.grading import again_of, changes, compare

    for name, (before, now) in changes(run).items():
        typer.echo(f"{name}: {before or 'none'} before, {now or 'none'} now")
    entries, _ = _graded(run, bulk, "", again_of(""), write=False)
    rows = compare(run, entries)
    print_lines(f"{learner} {exercise}: {old} -> {new}" for learner, exercise, old, new in rows)
    typer.echo(f"{len(rows)} grades would change: {run.report / 'compare.csv'}")
    finish(0)


def _told(report: Collected) -> Sequence[str]:
    lists = {
        "late": report.late,
        "double": report.double,
        "unknown learner": report.unknown,
        "left out": report.left_out,
    }
    taken: dict[str, list[str]] = {}
    for one in report.taken:
        taken.setdefault(one.learner, []).append(one.exercise)
    who = f"{report.zip}: {len(report.taken)} notebooks of {len(taken)} learners"
    names = [f"  {learner}: {', '.join(exercises)}" for learner, exercises in taken.items()]
    return [who, *names, *(f"  {kind}: {line}" for kind, rows in lists.items() for line in rows)]


def _check_are_files(zips: Sequence[Path]) -> None:
    folders = [str(path) for path in zips if path.is_dir()]
    if folders:
        zips_in = Path(folders[0]) / "*.zip"
        raise typer.BadParameter(f"{', '.join(folders)} is a folder; name the zips: {zips_in}")
