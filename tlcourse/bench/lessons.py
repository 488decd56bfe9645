"""`tlcourse bench lessons`: each lesson's notebook from top to bottom, its time and its memory."""

from __future__ import annotations

import statistics
import threading
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, cast

from tlcourse.bench.soak import require_psutil

MOST_SECONDS, MOST_BYTES = 60.0, 1_500_000_000
TYPICAL_SECONDS = 20.0
_LOOK_SECONDS = 0.1


@dataclass(frozen=True, kw_only=True)
class LessonTime:
    """One notebook: seconds to run it in a fresh kernel, and the most memory it held."""

    name: str
    seconds: float
    peak_bytes: int

    @property
    def met(self) -> bool:
        """Whether both are within their budgets."""
        return self.seconds <= MOST_SECONDS and self.peak_bytes <= MOST_BYTES


@dataclass(frozen=True, kw_only=True)
class LessonsReport:
    """All lessons, and what they ran on."""

    machine: dict[str, str]
    versions: dict[str, str]
    measured: tuple[LessonTime, ...]
    typical_seconds: float

    @property
    def met(self) -> bool:
        """Whether every lesson is within its budgets, and the one in the middle is quick."""
        return self.typical_seconds <= TYPICAL_SECONDS and all(one.met for one in self.measured)


def typical(rows: tuple[LessonTime, ...]) -> float:
    """The median time of all lessons."""
    return round(statistics.median(one.seconds for one in rows), 1)


def measure_lessons(most: int | None = None) -> Iterator[LessonTime]:
    """Runs the English notebooks one after another, each in a fresh kernel.

    Args:
        most: how many; None is all of them.

    Raises:
        TL770: psutil is not installed.
        TL803: a notebook does not run.
    """
    import nbformat

    from tlcourse.build.notebooks import executed
    from tlcourse.build.workspace import course_folder

    require_psutil()
    root = course_folder()
    for path in sorted((root / "notebooks").glob("day*/*.ipynb"))[:most]:
        notebook = cast(Any, nbformat).read(path, as_version=4)
        name = path.relative_to(root / "notebooks").as_posix()
        begin = time.monotonic()
        with _watched() as peak:
            executed(notebook, name)
        seconds = round(time.monotonic() - begin, 1)
        yield LessonTime(name=name, seconds=seconds, peak_bytes=max(peak))


@contextmanager
def _watched() -> Generator[list[int]]:
    """Looks at the memory of the processes that this one has started, until the end."""
    seen, ended = [0], threading.Event()
    watch = threading.Thread(target=_look, args=(seen, ended), daemon=True)
    watch.start()
    try:
        yield seen
    finally:
        ended.set()
        watch.join()


def _look(seen: list[int], ended: threading.Event) -> None:
    while not ended.wait(_LOOK_SECONDS):
        seen[0] = max(seen[0], _memory_of_children())


def _memory_of_children() -> int:
    import psutil

    total = 0
    for child in psutil.Process().children(recursive=True):
        try:
            total += child.memory_info().rss
        except psutil.NoSuchProcess:
            continue
    return total
