"""Commands for those who write exercises: `spec check`, `spec matrix` and `new-exercise`."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tlcourse.cli.output import finish, print_json, print_lines

if TYPE_CHECKING:
    from tlcourse.grading.authoring.spec_check import Grader, Line

spec_app = typer.Typer(no_args_is_help=True, help="Check the specs of exercises.")
ROOT = Path(__file__).parents[2]


def register(app: typer.Typer) -> None:
    """Adds this file's commands."""
    app.command("new-exercise")(new_exercise)
    spec_app.command("check")(spec_check)
    spec_app.command("matrix")(spec_matrix)
    spec_app.command("cheats")(spec_cheats)
    app.add_typer(spec_app, name="spec")


def spec_check(
    chosen: Annotated[
        list[str] | None,
        typer.Argument(metavar="[ID|PATH]...", help="Exercises or their specs; else all."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="The same as data.")] = False,
) -> None:
    """Check that exercises are fit to be graded by: specs, solutions, mutants, seconds, cycles.

    Specs in TLCOURSE_PRIVATE are merged over the public ones first.
    """
    import time

    from tlcourse.grading.authoring.spec_check import check_spec
    from tlcourse.grading.spec import known_ids

    failed = 0
    with _grader() as grader:
        for exercise in [_id(one) for one in chosen] if chosen else known_ids():
            began = time.monotonic()
            lines: list[Line] = []
            for line in check_spec(exercise, grader):
                lines.append(line)
                if not as_json:
                    typer.echo(_in_words(exercise, line))
            failed += sum(not line.ok for line in lines)
            if as_json:
                print_json({"exercise": exercise, "lines": lines})
            else:
                typer.echo(f"{exercise}: {len(lines)} checks in {time.monotonic() - began:.0f} s")
    finish(1 if failed else 0)


def spec_matrix(
    check: Annotated[bool, typer.Option("--check", help="Only compare.")] = False,
    again: Annotated[bool, typer.Option("--all", help="Make every row again.")] = False,
) -> None:
    """Make the matrix of exercises and wrong answers in docs/grading.md; only stale rows run."""
    from tlcourse.grading.authoring import matrix
    from tlcourse.grading.authoring.spec_check import check_spec, timed
    from tlcourse.grading.spec import known_ids

    rows = matrix.read_rows(ROOT)
    stale = known_ids() if again else matrix.stale_rows(rows)
    if check:
        is_old = matrix.is_page_stale(ROOT, rows) or set(rows) != set(known_ids())
        typer.echo(f"stale: {', '.join(stale) or 'the page'}" if stale or is_old else "fresh")
        finish(1 if stale or is_old else 0)
    with _grader() as grader:
        for exercise in stale:
            rows[exercise] = matrix.row_of(exercise, list(check_spec(exercise, grader)))
            matrix.write(ROOT, rows)
            typer.echo(f"{exercise}: {len(rows[exercise].lines)} wrong answers and times")
        for exercise in matrix.untimed(rows):
            rows[exercise] = matrix.with_times(rows[exercise], timed(exercise, grader))
    matrix.write(ROOT, rows)
    kept = [line for row in matrix.read_rows(ROOT).values() for line in row.lines]
    finish(0 if all(line.ok for line in kept) else 1)


def spec_cheats() -> None:
    """Measure what each cheat of grader/cheats.toml scores through nbgrader, ours and stock.

    Makes the table in docs/grading.md; takes about ten minutes.
    """
    from tlcourse.grading.authoring import cheat_table

    rows = cheat_table.measure(typer.echo)
    cheat_table.write_table(ROOT, rows)
    wrong = cheat_table.wrong(rows)
    print_lines(f"{name}: {rows[name].through}" for name in wrong)
    finish(1 if wrong else 0)


def new_exercise(
    exercise: Annotated[str, typer.Argument(help="Its id, for example d2.gemm.")],
) -> None:
    """Start an exercise: its source, its spec and its mutants, ready for `spec check`."""
    from tlcourse.grading.authoring.new_exercise import new_exercise as make

    for path in make(exercise, ROOT):
        typer.echo(path.relative_to(ROOT).as_posix())
    typer.echo(f"next: `tlcourse build`, then `tlcourse spec check {exercise}`")


@contextmanager
def _grader() -> Generator[Grader]:
    from tlcourse.grading.authoring.spec_check import Grader
    from tlcourse.grading.protection import parent_here, protection_of, runner_of
    from tlcourse.grading.resident import Resident

    parent, resident = parent_here(), Resident()
    try:
        yield Grader(resident=resident, runner=runner_of(parent, protection_of(parent)))
    finally:
        resident.stop()
        if parent is not None:
            parent.stop()


def _id(word: str) -> str:
    """The id that a word stands for: `grader/specs/day2/gemm.toml` is d2.gemm."""
    path = Path(word)
    if path.suffix != ".toml":
        return word
    return f"d{path.absolute().parent.name.removeprefix('day')}.{path.stem}"


def _in_words(exercise: str, line: Line) -> str:
    return f"{'ok    ' if line.ok else 'FAILED'} {exercise} {line.what}: {line.said}"
