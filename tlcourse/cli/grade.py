"""Commands for those who grade: `grade`, `validate`, `collect` and `class init`."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tlcourse.cli.output import finish, print_json, print_lines
from tlcourse.records import Verdict

if TYPE_CHECKING:
    from tlcourse.grading.sandbox import Limits

class_app = typer.Typer(no_args_is_help=True, help="Set up and keep a class.")


def register(app: typer.Typer) -> None:
    """Adds this file's commands."""
    app.command()(grade)
    app.command()(validate)
    app.command()(collect)
    class_app.command("init")(class_init)
    app.add_typer(class_app, name="class")


def grade(
    paths: Annotated[list[Path], typer.Argument(help="Notebooks, or one class folder.")],
    as_json: Annotated[bool, typer.Option("--json", help="Verdicts as JSON, one a line.")] = False,
    seconds: Annotated[int, typer.Option(min=1, help="CPU time that one notebook may take.")] = 30,
) -> None:
    """Grade notebooks, or all hand-ins of a class.

    Ends with 1 if a notebook is not fully right, or if the grader failed on a class's hand-in.
    """
    from tlcourse.grading.sandbox import Limits, isolation

    _check_paths(paths)
    if not as_json and isolation() == "limits only":
        typer.echo(
            "note: hand-ins run with limits but can read files; install bubblewrap", err=True
        )
    limits = Limits(cpu_seconds=seconds, wall_seconds=4 * seconds)
    if len(paths) == 1 and (paths[0] / "roster.csv").is_file():
        _grade_class(paths[0], limits, as_json)
    else:
        _grade_notebooks(_notebooks(paths), limits, as_json)


def validate(
    paths: Annotated[list[Path], typer.Argument(help="Notebooks to hand in.")],
) -> None:
    """Check before handing in that each notebook can be graded; no code runs."""
    from tlcourse.diagnostics import TLError
    from tlcourse.grading.notebook_file import read_hand_in

    _check_paths(paths)
    bad = 0
    for path in _notebooks(paths):
        try:
            typer.echo(f"{path.name}: {read_hand_in(path).exercise}, can be graded")
        except TLError as problem:
            bad += 1
            typer.echo(f"{path.name}: {problem}")
    finish(1 if bad else 0)


def collect(
    zips: Annotated[list[Path], typer.Argument(help="Zips, named by learner.")],
    into: Annotated[Path, typer.Option(help="The class folder.")],
) -> None:
    """Take learners' zips into a class folder."""
    from tlcourse.grading.class_folder import collect as collect_zips

    _check_paths(zips)
    _check_are_files(zips)
    reports = collect_zips(into, zips)
    for report in reports:
        who = report.learner or "unknown learner"
        typer.echo(f"{report.zip}: {who}, {len(report.taken)} notebooks: {', '.join(report.taken)}")
        print_lines(f"  left out: {reason}" for reason in report.left_out)
    finish(1 if any(report.left_out for report in reports) else 0)


def class_init(
    folder: Annotated[Path, typer.Argument(help="A new folder for the class.")],
) -> None:
    """Make an empty class folder with a roster to fill in."""
    from tlcourse.grading.class_folder import init

    init(folder)
    typer.echo(f"{folder}: fill in roster.csv, then `tlcourse collect ZIPS --into {folder}`")


def _check_paths(paths: list[Path]) -> None:
    missing = [str(path) for path in paths if not path.exists()]
    if missing:
        raise typer.BadParameter(f"there is no {', '.join(missing)}")


def _check_are_files(zips: list[Path]) -> None:
    folders = [str(path) for path in zips if path.is_dir()]
    if folders:
        zips_in = Path(folders[0]) / "*.zip"
        raise typer.BadParameter(f"{', '.join(folders)} is a folder; name the zips: {zips_in}")


def _notebooks(paths: list[Path]) -> list[Path]:
    found: list[Path] = []
    for path in paths:
        found += sorted(_inside(path)) if path.is_dir() else [path]
    return found


def _inside(folder: Path) -> Iterator[Path]:
    """Notebooks of a folder, without the copies that editors keep in hidden folders."""
    for path in folder.rglob("*.ipynb"):
        if not any(part.startswith(".") for part in path.relative_to(folder).parts):
            yield path


def _grade_notebooks(paths: list[Path], limits: Limits, as_json: bool) -> None:
    from tlcourse.grading.hand_in import grade_notebook
    from tlcourse.grading.report import as_text

    if not paths:
        typer.echo("there is no notebook to grade", err=True)
    states: list[str] = []
    for path in paths:
        verdict = grade_notebook(path, limits=limits)
        states.append(verdict.state)
        if as_json:
            print_json(verdict)
        else:
            typer.echo(as_text(verdict))
    finish(0 if states and set(states) == {"PASS"} else 1)


def _grade_class(folder: Path, limits: Limits, as_json: bool) -> None:
    from tlcourse.grading.class_folder import grade as grade_class
    from tlcourse.grading.hand_in import grade_notebook

    def told(learner: str, verdict: Verdict) -> None:
        if as_json:
            print_json(verdict)
            return
        points = f"{verdict.points:g}/{verdict.max_points:g}"
        typer.echo(f"{learner}: {verdict.exercise} {verdict.state} {points}")

    results = grade_class(folder, partial(grade_notebook, limits=limits), told)
    if not any(results.values()):
        hint = f"take zips in with `tlcourse collect ZIPS --into {folder}`"
        typer.echo(f"{len(results)} learners, no hand-in yet; {hint}", err=True)
    if not as_json:
        typer.echo(f"grades: {folder / 'report' / 'grades.csv'}")
    failed = any(v.state == "ERROR" for verdicts in results.values() for v in verdicts)
    finish(1 if failed else 0)
