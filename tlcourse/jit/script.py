"""Runs a learner's script in this process, as `python FILE ARGS` would."""

from __future__ import annotations

import runpy
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

from tlcourse.diagnostics import TLError


def run_script(path: Path, arguments: Sequence[str]) -> int:
    """Runs a Python file as `__main__` with its arguments.

    An error of the script is shown from the script's own line on, without our frames.

    Returns:
        The exit code: 0, or 1 after an error. `sys.exit` in the script goes through.
    """
    saved = sys.argv, sys.path[:]
    sys.argv = [str(path), *arguments]
    sys.path.insert(0, str(path.resolve().parent))
    try:
        runpy.run_path(str(path), run_name="__main__")
    except TLError:
        raise
    except Exception as problem:  # noqa: BLE001 - whatever the script raises is shown to its author
        frames = _from(path, problem.__traceback__)
        traceback.print_exception(problem.with_traceback(frames))
        return 1
    finally:
        sys.argv, sys.path[:] = saved
    return 0


def _from(path: Path, frames: TracebackType | None) -> TracebackType | None:
    """The frames from the first one in the script on; all of them if there is none."""
    start = frames
    while start is not None and start.tb_frame.f_code.co_filename != str(path):
        start = start.tb_next
    return start or frames
