"""How jobs are given out, with workers that fail in every way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from tlcourse.grading.bulk import engine, station
from tlcourse.grading.bulk.engine import Progress, run
from tlcourse.grading.bulk.job import Done, Job
from tlcourse.grading.bulk.station import Worked
from tlcourse.grading.bulk.store import Store
from tlcourse.grading.notebook_file import HandIn
from tlcourse.records import Check, State, Verdict

HAND_IN = HandIn(exercise="d2.minicv", setup=(), solutions=("pass",))
JOBS = [Job(key=key, hand_in=HAND_IN) for key in "abcd"]
COUNTS = dict.fromkeys("abcd", 1)


def done(key: str, state: State) -> Worked:
    check = Check(name="x", state=state, points=0.0, max_points=1.0, reason="r")
    verdict = Verdict(
        exercise="d2.minicv", state=state, points=0.0, max_points=1.0, checks=(check,)
    )
    return Worked(done=Done(key=key, verdict=verdict), seconds=1.0)


@pytest.fixture
def store(tmp_path: Path):
    opened = Store(tmp_path / "store.jsonl")
    yield opened
    opened.close()


def states(
    monkeypatch: pytest.MonkeyPatch, store: Store, work: Callable[[Job], Worked]
) -> dict[str, str]:
    monkeypatch.setattr(station, "work", work)
    with ThreadPoolExecutor(2) as executor:
        results = run(JOBS, COUNTS, store, executor, lambda progress: None)
    return {key: one.verdict.state for key, one in results.items()}


def test_what_the_store_knows_is_not_done_again(monkeypatch, store: Store) -> None:
    store.add(done("a", "PASS").done)
    given: list[str] = []

    def work(job: Job) -> Worked:
        given.append(job.key)
        return done(job.key, "FAIL")

    assert states(monkeypatch, store, work) == {"a": "PASS", "b": "FAIL", "c": "FAIL", "d": "FAIL"}
    assert sorted(given) == ["b", "c", "d"]
    assert len(store) == 4


def test_a_worker_that_dies_or_fails_loses_nothing(monkeypatch, store: Store) -> None:
    tries = Counter[str]()

    def work(job: Job) -> Worked:
        tries[job.key] += 1
        if job.key == "b" and tries["b"] == 1:
            raise OSError("the worker was killed")
        if job.key == "c" and tries["c"] < engine.TRIES:
            return done("c", "ERROR")
        return done(job.key, "PASS")

    assert set(states(monkeypatch, store, work).values()) == {"PASS"}
    assert tries == {"a": 1, "b": 2, "c": engine.TRIES, "d": 1}


def test_an_error_that_stays_is_told_and_not_kept(monkeypatch, store: Store) -> None:
    def work(job: Job) -> Worked:
        if job.key == "a":
            raise ValueError("always")
        return done(job.key, "PASS")

    assert states(monkeypatch, store, work)["a"] == "ERROR"
    assert "a" not in store


def test_a_timeout_is_tried_again_when_nothing_else_runs(monkeypatch, store: Store) -> None:
    order: list[str] = []

    def work(job: Job) -> Worked:
        order.append(job.key)
        late = job.key in "ab" and order.count(job.key) == 1
        return done(job.key, "TIMEOUT" if late or job.key == "b" else "PASS")

    found = states(monkeypatch, store, work)
    assert found == {"a": "PASS", "b": "TIMEOUT", "c": "PASS", "d": "PASS"}
    assert sorted(order[-2:]) == ["a", "b"]
    assert len(order) == 6


def test_a_kernel_that_took_too_many_steps_is_not_tried_again(monkeypatch, store: Store) -> None:
    order: list[str] = []

    def work(job: Job) -> Worked:
        order.append(job.key)
        worked = done(job.key, "TIMEOUT")
        sealed = replace(worked.done.verdict, sealed_sha256="x")
        return replace(worked, done=replace(worked.done, verdict=sealed))

    assert set(states(monkeypatch, store, work).values()) == {"TIMEOUT"}
    assert sorted(order) == list("abcd")


def test_progress_counts_every_copy_and_says_what_is_left(monkeypatch, store: Store) -> None:
    seen: list[tuple[int, int]] = []

    def told(progress: Progress) -> None:
        seen.append((progress.done, progress.states["PASS"]))
        left = progress.seconds_left()
        assert (left is None) == (progress.jobs_done == 0)

    monkeypatch.setattr(station, "work", lambda job: done(job.key, "PASS"))
    with ThreadPoolExecutor(1) as executor:
        run(JOBS, {**COUNTS, "a": 7}, store, executor, told)
    assert seen[0] == (0, 0)
    assert seen[-1] == (10, 10)
