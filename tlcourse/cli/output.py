"""What the commands share: printing lines, records as JSON, and ending with a code."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NoReturn

import typer


def print_lines(lines: Iterable[str]) -> None:
    """Prints plain lines, one each."""
    for line in lines:
        typer.echo(line)


def print_json(record: object) -> None:
    """Prints a record, or a list of records, as canonical JSON."""
    from tlcourse.records import to_json

    typer.echo(to_json(record))


def finish(code: int) -> NoReturn:
    """Ends the command with an exit code."""
    raise typer.Exit(code)
