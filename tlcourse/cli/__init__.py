"""The command `tlcourse`: reads arguments, calls a layer, prints what it says.

Exit codes: 0 done, 1 work found wrong, 2 misuse. Nothing heavy is imported before a command
needs it.
"""

from __future__ import annotations

import errno
import sys
import warnings
from collections.abc import Callable
from pathlib import Path

import typer

from tlcourse.cli import (
    authoring,
    bench,
    calibrate,
    classes,
    conformance,
    course,
    delivery,
    grade,
    kernels,
    machine,
    ops,
    opt,
    profile,
    what_if,
)
from tlcourse.diagnostics import TLError, error

_NO_ROOM = (errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC))  # Windows has no quotas

app = typer.Typer(
    name="tlcourse",
    help="Write TileLang kernels, see every compiler pass, run them on a simulated Ascend NPU.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for group in (
    course,
    kernels,
    ops,
    opt,
    profile,
    what_if,
    grade,
    classes,
    authoring,
    machine,
    delivery,
    bench,
    calibrate,
    conformance,
):
    group.register(app)


def main() -> None:
    """Runs the command line; an error of the learner's is shown without a traceback."""
    warnings.showwarning = _warning_shown(warnings.showwarning)
    try:
        app()
    except TLError as problem:
        print(problem, file=sys.stderr)
        sys.exit(1)
    except OSError as problem:
        if problem.filename is None and problem.errno not in _NO_ROOM:
            raise
        print(_no_access(problem), file=sys.stderr)
        sys.exit(1)


def _no_access(problem: OSError) -> TLError:
    """A file that the system does not let a command read or write."""
    return error(
        "TL718",
        f"The file {problem.filename} cannot be used" if problem.filename else "A disk is full",
        why=f"the system says: {problem.strerror}",
        fix="give a path in a folder that you may write to, with room on its disk",
    )


def _warning_shown(usual: Callable[..., None]) -> Callable[..., None]:
    """Shows a warning that a command gives without the place in typer that called the command."""

    def show(
        message: Warning | str,
        category: type[Warning],
        filename: str,
        *rest: object,
        **more: object,
    ) -> None:
        if Path(filename).parent.name == "typer":
            print(message, file=sys.stderr)
        else:
            usual(message, category, filename, *rest, **more)

    return show
