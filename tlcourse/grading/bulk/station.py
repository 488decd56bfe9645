"""Where a worker grades: a warm parent for learners' code and a trusted process beside it.

Each thread of a worker has a station of its own. A process of it that dies is replaced at the
next job; the job that it died on comes back as ERROR, to be done again.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from pathlib import Path

from tlcourse.grading.bulk.job import Done, Job
from tlcourse.grading.forked import WarmParent
from tlcourse.grading.hand_in import Runner, graded, graded_cells
from tlcourse.grading.protection import parent_here, protection_of, runner_of
from tlcourse.grading.reports.similarity import fingerprints, varies
from tlcourse.grading.resident import Resident
from tlcourse.grading.spec import load
from tlcourse.records import Verdict

_here = threading.local()
_all: list[Station] = []
_opening = threading.Lock()


@dataclass(frozen=True, kw_only=True)
class Station:
    """The processes of one worker thread."""

    secret: str
    parent: WarmParent | None
    runner: Runner
    resident: Resident

    def close(self) -> None:
        """Ends them."""
        self.resident.stop()
        if self.parent is not None:
            self.parent.stop()


@dataclass(frozen=True, kw_only=True)
class Worked:
    """What came of a job and how long it took; the time is for whoever watches, not kept."""

    done: Done
    seconds: float


def work(job: Job) -> Worked:
    """Grades one job on this thread's station."""
    began = time.monotonic()
    station = _station(job.secret)
    graded = graded_cells(
        job.hand_in,
        limits=job.limits,
        language=job.language,
        resident=station.resident,
        runner=station.runner,
    )
    is_kernel = load(job.hand_in.exercise).kind == "kernel"
    done = Done(
        key=job.key,
        verdict=graded.verdict,
        prints=fingerprints(graded.documents),
        output=graded.output,
        varies=is_kernel and varies(graded.documents),
    )
    return Worked(done=done, seconds=time.monotonic() - began)


def verdict_of(path: Path) -> Verdict:
    """The verdict on a notebook, with practice's inputs, on this thread's station."""
    station = _station("")
    return graded(path, resident=station.resident, runner=station.runner).verdict


def close_all() -> None:
    """Ends the processes of all stations of this process."""
    with _opening:
        for station in _all:
            station.close()
        _all.clear()


def pids() -> list[int]:
    """Numbers of the processes that grade for this one."""
    with _opening:
        found = [(s.resident.pid, s.parent.pid if s.parent else None) for s in _all]
    return [pid for pair in found for pid in pair if pid is not None]


def _station(secret: str) -> Station:
    station: Station | None = getattr(_here, "station", None)
    if station is None or station.secret != secret or station not in _all:
        station = _opened(secret)
        _here.station = station
    return station


def _opened(secret: str) -> Station:
    resident = Resident(secret=secret)
    resident.start()
    parent = parent_here()
    runner = runner_of(parent, protection_of(parent))
    station = Station(secret=secret, parent=parent, runner=runner, resident=resident)
    with _opening:
        _all.append(station)
    return station
