"""Runs a learner's script in this process, as `python FILE ARGS` would."""

from __future__ import annotations

import runpy
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

from tlcourse.diagnostics import Label, SourceFile, Span, TLError, error


def run_script(path: Path, arguments: Sequence[str]) -> int:
    """Runs a Python file as `__main__` with its arguments.

    An error of the script is shown from the script's own line on, without our frames.

    Returns:
        The exit code: 0, or 1 after an error. `sys.exit` in the script goes through.

    Raises:
        TL713: not one line of the script ran: it cannot be read, or it is no Python.
    """
    saved = sys.argv, sys.path[:]
    sys.argv = [str(path), *arguments]
    sys.path.insert(0, str(path.resolve().parent))
    try:
        runpy.run_path(str(path), run_name="__main__")
    except TLError:
        raise
    except Exception as problem:
        frames = _from(path, problem.__traceback__)
        if frames is None:
            raise does_not_run(path, problem) from problem
        traceback.print_exception(problem.with_traceback(frames))
        return 1
    finally:
        sys.argv, sys.path[:] = saved
    return 0


def does_not_run(path: Path, problem: Exception) -> TLError:
    """The error for a Python file that raised: its own last line that ran, and what was raised."""
    line = problem.lineno if isinstance(problem, SyntaxError) else None
    frames = _from(path, problem.__traceback__)
    while frames is not None:
        line = frames.tb_lineno if frames.tb_frame.f_code.co_filename == str(path) else line
        frames = frames.tb_next
    text = _text(path)
    said = problem.msg if isinstance(problem, SyntaxError) else str(problem)
    return error(
        "TL713",
        f"{path} does not run: {type(problem).__name__}: {said}",
        why="the file is run to find its kernels, and this ended it",
        fix=f"mend the file until `python {path}` comes through",
        labels=_labels(path, text, line),
        sources={str(path): SourceFile(id=str(path), text=text, title=str(path))},
    )


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _labels(path: Path, text: str, line: int | None) -> tuple[Label, ...]:
    """A label under the whole of a line; none where no line is known."""
    lines = text.splitlines()
    if line is None or not 0 < line <= len(lines):
        return ()
    shown = lines[line - 1]
    first = len(shown) - len(shown.lstrip()) + 1
    last = max(len(shown.rstrip()), first) + 1
    span = Span(source=str(path), line=line, column=first, end_line=line, end_column=last)
    return (Label(span=span),)


def _from(path: Path, frames: TracebackType | None) -> TracebackType | None:
    """The frames from the first one in the script on; None if there is none."""
    while frames is not None and frames.tb_frame.f_code.co_filename != str(path):
        frames = frames.tb_next
    return frames
