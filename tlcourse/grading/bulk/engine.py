"""Spreads jobs over workers and sees to it that every one ends with a result.

A worker is whatever an executor runs `station.work` on: a thread here with two processes of its
own, or a worker of a Dask cluster.
"""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from queue import Queue

from tlcourse.grading.bulk import station
from tlcourse.grading.bulk.job import Done, Job
from tlcourse.grading.bulk.station import Worked
from tlcourse.grading.bulk.store import Store
from tlcourse.grading.spec import load
from tlcourse.grading.verdicts import grader_failed

TRIES = 3
"""How often a job is given out before its fault counts as the grader's."""


@dataclass(kw_only=True)
class Progress:
    """How far a run is.

    Args:
        jobs: how many hand-ins each job that is left to do stands for.
        began: when the run did.
        done: hand-ins that have a result.
        jobs_done: jobs of this run that have one.
        states: the hand-ins' states.
        seconds: time that the jobs of each exercise took.
    """

    jobs: Mapping[str, int]
    began: float = field(default_factory=time.monotonic)
    done: int = 0
    jobs_done: int = 0
    states: Counter[str] = field(default_factory=Counter[str])
    seconds: dict[str, float] = field(default_factory=lambda: defaultdict[str, float](float))

    def elapsed(self) -> float:
        """Seconds since the run began."""
        return time.monotonic() - self.began

    def seconds_left(self) -> float | None:
        """What the run will still take, as far as anybody knows."""
        if not self.jobs_done:
            return None
        return self.elapsed() / self.jobs_done * (len(self.jobs) - self.jobs_done)


Told = Callable[[Progress], None]


def run(
    jobs: Sequence[Job],
    counts: Mapping[str, int],
    store: Store,
    executor: Executor,
    told: Told,
) -> dict[str, Done]:
    """Grades all jobs that the store does not know.

    A job that fails by the grader's fault is given out again, and one that ran out of time once
    more when no other job runs. Steps are counted, so a kernel that takes too many is not.

    Args:
        jobs: one per key.
        counts: by key, how many hand-ins it stands for.
        store: keeps results as they come.
        executor: gives jobs to workers.
        told: called after each result.

    Returns:
        key to result, for every job.
    """
    results = {job.key: store[job.key] for job in jobs if job.key in store}
    left = [job for job in jobs if job.key not in results]
    progress = Progress(jobs={job.key: counts[job.key] for job in left})
    for key, done in results.items():
        progress.done += counts[key]
        progress.states[done.verdict.state] += counts[key]
    told(progress)
    late: list[Job] = []
    for job, done in _each(left, executor, progress):
        if done.verdict.state == "TIMEOUT" and not done.verdict.sealed_sha256:
            late.append(job)  # told and kept when it has had its second try
        else:
            _keep(done, job, store, results, progress, told)
    for job in late:
        for _, done in _each([job], executor, progress):
            _keep(done, job, store, results, progress, told)
    return results


def _keep(
    done: Done,
    job: Job,
    store: Store,
    results: dict[str, Done],
    progress: Progress,
    told: Told,
) -> None:
    store.add(done)
    results[done.key] = done
    progress.jobs_done += 1
    progress.done += progress.jobs[job.key]
    progress.states[done.verdict.state] += progress.jobs[job.key]
    told(progress)


def _each(
    jobs: Iterable[Job], executor: Executor, progress: Progress
) -> Iterator[tuple[Job, Done]]:
    """Jobs with their results as they come; what failed by the grader's fault comes again."""
    ended: Queue[Future[Worked]] = Queue()
    waiting: dict[Future[Worked], Job] = {}
    tries = Counter[str]()

    def give_out(job: Job) -> None:
        tries[job.key] += 1
        future = executor.submit(station.work, job)
        waiting[future] = job
        future.add_done_callback(ended.put)

    for job in jobs:
        give_out(job)
    while waiting:
        future = ended.get()
        job = waiting.pop(future)
        worked = _result(future, job)
        progress.seconds[job.hand_in.exercise] += worked.seconds
        done = worked.done
        if done.verdict.state == "ERROR" and tries[job.key] < TRIES:
            give_out(job)
        else:
            yield job, done


def _result(future: Future[Worked], job: Job) -> Worked:
    try:
        return future.result()
    except Exception as problem:  # noqa: BLE001 - whatever takes a worker down costs no marks
        spec = load(job.hand_in.exercise)
        what = f"{type(problem).__name__}: {problem}"
        done = Done(key=job.key, verdict=grader_failed(spec, what, job.language))
        return Worked(done=done, seconds=0.0)


class LocalWorkers(ThreadPoolExecutor):
    """Workers on this machine; each thread keeps two processes that do the work."""

    def __init__(self, count: int) -> None:
        super().__init__(max_workers=count, thread_name_prefix="grader")

    def __exit__(self, kind: object, value: object, trace: object) -> None:
        """Ends the workers; where the run was interrupted, at once."""
        if kind is not None:
            station.close_all()
        self.shutdown(wait=kind is None, cancel_futures=True)
        station.close_all()
