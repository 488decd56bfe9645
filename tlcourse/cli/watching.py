"""What `grade` shows while it runs: a bar with the time left, or a line now and then."""

from __future__ import annotations

import sys
import time
from collections.abc import Generator
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from tlcourse.grading.bulk.engine import Progress, Told

_EVERY_SECONDS = 10.0


@contextmanager
def watching(total: int, *, quiet: bool = False) -> Generator[Told]:
    """Gives what is to be called after each result; on standard error, so that pipes stay clean.

    Args:
        total: how many hand-ins there are.
        quiet: show nothing.
    """
    if quiet:
        yield lambda progress: None
        return
    last: list[Progress] = []
    with _bar(total) if sys.stderr.isatty() else nullcontext(_Lines(total).tell) as told:

        def both(progress: Progress) -> None:
            last[:] = [progress]
            told(progress)

        yield both
    if last and last[0].seconds:
        typer.echo(f"slowest: {slowest(last[0])}", err=True)


@contextmanager
def _bar(total: int) -> Generator[Told]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
    from rich.progress import Progress as Bar

    columns = (
        TextColumn("graded"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.description}"),
    )
    with Bar(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task("", total=total)
        yield lambda progress: bar.update(
            task, completed=progress.done, description=_words(progress)
        )


class _Lines:
    """A line at the start, every ten seconds and at the end."""

    def __init__(self, total: int) -> None:
        self._total = total
        self._last = -_EVERY_SECONDS

    def tell(self, progress: Progress) -> None:
        now = time.monotonic()
        if now - self._last < _EVERY_SECONDS and progress.done < self._total:
            return
        self._last = now
        typer.echo(f"graded {progress.done}/{self._total}  {_words(progress)}", err=True)


def _words(progress: Progress) -> str:
    states = ", ".join(f"{state} {count}" for state, count in sorted(progress.states.items()))
    left = progress.seconds_left()
    return f"{states}  {duration(left)} left" if left else states


def slowest(progress: Progress, count: int = 3) -> str:
    """The exercises that took most of the time."""
    rows = sorted(progress.seconds.items(), key=lambda row: -row[1])[:count]
    return ", ".join(f"{exercise} {duration(seconds)}" for exercise, seconds in rows)


def duration(seconds: float) -> str:
    """A time as a person says it."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
