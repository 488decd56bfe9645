"""The command `doctor`: what this machine has, and a command to paste for what it lacks."""

from __future__ import annotations

from typing import Annotated

import typer

from tlcourse.cli.output import finish, print_json


def register(app: typer.Typer) -> None:
    """Adds this file's commands."""
    app.command()(doctor)


def doctor(
    json: Annotated[bool, typer.Option("--json", help="Print the same as data.")] = False,
    short: Annotated[
        bool, typer.Option("--short", help="Only what is missing, and how to mend it.")
    ] = False,
) -> None:
    """Say what works on this machine, with a fix to paste for each thing that does not."""
    from tlcourse.cli.checkup import check_up, check_up_quickly

    facts = check_up_quickly() if short else check_up()
    if json:
        print_json(facts)
    else:
        shown = [fact for fact in facts if not short or fact.state != "ok"]
        if short:
            fine = ", ".join(fact.name for fact in facts if fact.state == "ok")
            typer.echo(f"here: {fine}")
        for fact in shown:
            typer.echo(f"{fact.state:<8} {fact.name:<14} {fact.found}")
            if fact.fix:
                typer.echo(f"{'':<23} fix: {fact.fix}")
    finish(1 if any(fact.state == "missing" for fact in facts) else 0)
