"""Runs a function of ours in a process of its own, because it calls a learner's code."""

from __future__ import annotations

import json
import multiprocessing
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from tlcourse.grading import strict
from tlcourse.records import to_json

R = TypeVar("R")

# A fork has everything imported already; elsewhere a process starts from nothing.
_CONTEXT: Any = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")


def apart(
    kind: type[R], report: Path, seconds: float, work: Callable[..., R], *arguments: object
) -> R | str:
    """What `work` gives in another process, or in words why it gave nothing.

    Args:
        kind: the record that it gives.
        report: file through which the record comes.
        seconds: wall time that it may take.
        work: a function of a module.
        arguments: of the function.
    """
    process = _CONTEXT.Process(target=_report, args=(report, work, arguments))
    process.start()
    process.join(seconds)
    if process.is_alive():
        process.kill()
        process.join()
        return f"it did not end within {seconds:g} seconds"
    if process.exitcode != 0 or not report.is_file():
        return f"its process ended with exit code {process.exitcode}"
    try:
        return strict.read(kind, json.loads(report.read_bytes()), "report")
    except (ValueError, RecursionError) as problem:
        return f"it left something else than a report: {problem}"


def _report(report: Path, work: Callable[..., object], arguments: tuple[object, ...]) -> None:
    report.write_text(to_json(work(*arguments)), encoding="utf-8")
