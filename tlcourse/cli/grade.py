"""Grade."""

import typer


def register(app: typer.Typer) -> None:
    """Adds this file's commands."""
