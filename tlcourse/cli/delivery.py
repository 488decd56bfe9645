"""Commands that bring the course to machines: `wheelhouse`, `update`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tlcourse.cli.output import print_lines


def register(app: typer.Typer) -> None:
    """Adds this file's commands."""
    app.command()(wheelhouse)
    app.command()(update)


def wheelhouse(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A folder, or a USB stick.")],
    extras: Annotated[
        str, typer.Option(help="Parts to take along, with commas: notebooks,bishengir,class.")
    ] = "notebooks,bishengir",
    wheel: Annotated[
        Path | None, typer.Option(help="The wheel of tlcourse, if you have it.", exists=True)
    ] = None,
    torch_index: Annotated[
        str, typer.Option(metavar="URL", help="Where the CPU build of torch lies, on Linux.")
    ] = "",
    check: Annotated[
        bool, typer.Option("--check", help="Only read what is there, and compare the hashes.")
    ] = False,
) -> None:
    """Collect all wheels for a classroom without a network, and how to install from them.

    Run it once on each kind of machine of the class, with the same DIR: the wheels add up.
    """
    from tlcourse.build.house_list import check as check_house
    from tlcourse.build.wheelhouse import make_wheelhouse

    if check:
        houses = check_house(folder)
    else:
        chosen = tuple(name.strip() for name in extras.split(",") if name.strip())
        houses = make_wheelhouse(
            folder, chosen, wheel=wheel, torch_index=torch_index, told=typer.echo
        )
    count, megabytes = len(houses.needed()), houses.bytes() / 1e6
    print_lines(
        [
            f"{folder}: {count} wheels, {megabytes:.0f} MB, all as listed in wheelhouse.json",
            f"to install: {folder / 'INSTALL.txt'}",
        ]
    )


def update(
    wheel: Annotated[
        Path | None,
        typer.Argument(metavar="[WHEEL]", help="A wheel of a newer tlcourse; else the installed."),
    ] = None,
    folder: Annotated[Path | None, typer.Option(help="Your working copy, if elsewhere.")] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only show what would change.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Bring a newer course into your working copy; what you wrote stays.

    Cells that you changed are never touched. Where the course has another text for one of them,
    it is put into a new cell below yours.
    """
    from tlcourse.build.course_source import course_in
    from tlcourse.build.issued import read_issued
    from tlcourse.build.restart import working_copy
    from tlcourse.build.update import carry_out, plan_update
    from tlcourse.cli.update_text import done_lines, plan_lines

    copy = working_copy(folder)
    with course_in(wheel) as source:
        plan = plan_update(copy, source.folder)
        print_lines(plan_lines(plan, copy, read_issued(copy).version, source.version))
        if dry_run or not plan.changes:
            return
        if not yes:
            typer.confirm("Close these notebooks first. Write it?", abort=True)
        done = carry_out(plan, copy, source.version)
    print_lines(done_lines(done, wheel, source.version))
