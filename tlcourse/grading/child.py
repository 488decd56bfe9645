"""Runs a hand-in's setup and solution cells and seals its kernels. A process of its own.

Usage: python -m tlcourse.grading.child WORK, where WORK holds `hand_in.json`. What came of it
goes to `result.json` beside it. Whatever the learner's code prints goes to the process's
output, which the parent cuts and keeps for staff.
"""

from __future__ import annotations

import linecache
import os
import sys
from dataclasses import dataclass
from pathlib import Path

from tlcourse.diagnostics import TLError
from tlcourse.grading.tracing import Attempt, Order, attempt_all, raised, refused
from tlcourse.records import from_json, to_json

HAND_IN = "hand_in.json"
RESULT = "result.json"


@dataclass(frozen=True, kw_only=True)
class Work:
    """What the process is given.

    Args:
        order: what is asked.
        setup: sources of the setup cells.
        solutions: sources of the solution cells; the last one counts.
        package: a package that such cells made, sealed; it is looked at, and no cell runs.
    """

    order: Order
    setup: tuple[str, ...] = ()
    solutions: tuple[str, ...] = ()
    package: str = ""


@dataclass(frozen=True, kw_only=True)
class Result:
    """What the process leaves behind: one attempt per case."""

    attempts: tuple[Attempt, ...]


def main(folder: Path) -> None:
    """Runs the hand-in in `folder` and leaves the result there."""
    work = from_json(Work, (folder / HAND_IN).read_text(encoding="utf-8"))
    temporary = folder / "result.tmp"
    began = os.getpid()
    result = Result(attempts=_inspect(work) if work.package else _run(work))
    if os.getpid() != began:
        os._exit(0)  # a fork of the learner's code has nothing to say
    temporary.write_text(to_json(result), encoding="utf-8")
    temporary.replace(folder / RESULT)


def _inspect(work: Work) -> tuple[Attempt, ...]:
    from tlcourse.grading.packages.inspecting import inspect  # few exercises need it

    return inspect(work.order, work.package)


def _run(work: Work) -> tuple[Attempt, ...]:
    names: dict[str, object] = {"__name__": "__main__"}
    cells = [*work.setup, *work.solutions]
    file = ""
    try:
        for index, source in enumerate(cells):
            file = f"<cell {index}>"
            must_run = index < len(work.setup) or index == len(cells) - 1
            _run_cell(source, file, names, must_run=must_run)
        return attempt_all(work.order, names.get(work.order.entry))
    except TLError as problem:
        attempt = refused(problem)
    except BaseException as problem:  # noqa: BLE001 - SystemExit and the like are reported too
        attempt = raised(problem, file)
    return (attempt,) * len(work.order.bindings)


def _run_cell(source: str, file: str, names: dict[str, object], *, must_run: bool) -> None:
    # The front end reads a kernel's text by file name, as it does for a notebook's cells.
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    try:
        exec(compile(source, file, "exec"), names)
    except Exception:
        # A copy of the solution cell with an older try must not spoil the one that counts.
        if must_run:
            raise


if __name__ == "__main__":
    main(Path(sys.argv[1]))
    # Threads and exit handlers of the learner's code have no say any more.
    os._exit(0)
