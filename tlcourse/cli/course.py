"""Commands around the course: `lab`, `build`, `hint`, `reset`, `checkpoint`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from tlcourse.cli.output import finish, print_lines


def register(app: typer.Typer) -> None:
    """Adds this file's commands."""
    app.command()(lab)
    app.command()(build)
    app.command()(hint)
    app.command()(reset)
    app.command()(checkpoint)


Exercise = Annotated[str, typer.Argument(help="For example d4.sync.")]
Folder = Annotated[Path | None, typer.Option(help="Your working copy, if it is elsewhere.")]
Chinese = Annotated[bool, typer.Option("--zh", help="The Chinese notebook.")]


def lab(
    check: Annotated[
        bool, typer.Option("--check", help="Start, open a notebook, run its first cell, stop.")
    ] = False,
    port: Annotated[int | None, typer.Option(help="Port to serve on.")] = None,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Open no browser.")] = False,
    folder: Annotated[Path, typer.Option(help="Your working copy of the course.")] = Path(
        "tlcourse-lab"
    ),
) -> None:
    """Open the course in JupyterLab, in a working copy that keeps your changes."""
    from tlcourse.build.lab import check_lab, run_lab

    if check:
        print_lines(check_lab())
    else:
        finish(run_lab(port, not no_browser, folder))


def build(
    check: Annotated[
        bool, typer.Option("--check", help="Only compare; list what is out of date.")
    ] = False,
    again: Annotated[
        bool, typer.Option("--all", help="Run every lesson again, also the ones up to date.")
    ] = False,
    covered: Annotated[
        bool, typer.Option("--coverage", help="Only print which points the lessons teach.")
    ] = False,
) -> None:
    """Make notebooks, exercises, solutions and lecture pages from the sources in course/."""
    from tlcourse.build.course import build as build_course

    if covered:
        return _print_coverage()
    stale = build_course(check, again=again)
    fresh = "all course files are made from their sources"
    print_lines(stale or [f"{fresh}; `pytest --nbval notebooks/` compares their outputs"])
    finish(1 if stale else 0)


def _print_coverage() -> None:
    from tlcourse.build.course import covered_by
    from tlcourse.build.coverage import page, summary

    found = covered_by(Path(__file__).parents[2])
    print_lines([page(found), summary(found)])
    finish(1 if any(one.fails for one in found) else 0)


def hint(
    exercise: Annotated[str, typer.Argument(help="For example d2.minicv.")],
    level: Annotated[int, typer.Option(min=1, help="Which hint; the last says most.")] = 1,
    every: Annotated[bool, typer.Option("--all", help="All hints, the first one first.")] = False,
) -> None:
    """Show a hint of an exercise, the first one or another `--level`."""
    from tlcourse.chinese import chosen_language
    from tlcourse.grading.notebook import hint_texts
    from tlcourse.grading.words import say

    language = chosen_language()
    texts = hint_texts(exercise, language)
    if not texts:
        print_lines([say("no hints", language, exercise=exercise)])
        return
    if level > len(texts):
        raise typer.BadParameter(f"{exercise} has {len(texts)} hints", param_hint="--level")
    more = say("more hints", language, exercise=exercise, level=level + 1)
    one = [texts[level - 1], *([more] if level < len(texts) else [])]
    print_lines(texts if every else one)


def reset(exercise: Exercise, folder: Folder = None, zh: Chinese = False) -> None:
    """Give back the untouched exercise; your notebook is kept beside it as .bak."""
    from tlcourse.build import restart

    kept = restart.reset(exercise, restart.working_copy(folder), _language(zh))
    print_lines([f"{exercise} is as the course gives it", *_kept(kept)])


def checkpoint(
    exercise: Exercise,
    folder: Folder = None,
    zh: Chinese = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Start a step from the reference of the step before; says first what it costs."""
    from tlcourse.build import restart

    start = restart.before(exercise)
    copy = restart.working_copy(folder)
    capped = start.capped(exercise)
    print_lines(
        [
            f"{exercise} will start from the reference of {start.before}.",
            f"Of the points of {capped}, at most {restart.CAP_PERCENT} % count from then on.",
        ]
    )
    if not yes:
        typer.confirm("Go on?", abort=True)
    kept = restart.checkpoint(exercise, copy, _language(zh))
    print_lines([f"{exercise} is ready to go on from", *_kept(kept)])


def _language(zh: bool) -> Literal["en", "zh"]:
    from tlcourse.chinese import chosen_language

    return "zh" if zh else chosen_language()


def _kept(kept: Path | None) -> list[str]:
    if kept is None:
        return ["nothing of yours had to be kept"]
    open_again = "in JupyterLab, choose File > Reload Notebook from Disk"
    return [f"what you had is kept in {kept}", open_again]
