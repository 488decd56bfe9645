"""`tlcourse bench grading`: thousands of hand-ins, a run that is disturbed, and stock nbgrader.

1. The same hand-ins are graded twice on two workers: once undisturbed; once with a worker killed,
   then the run itself killed and started again. The results must be the same, byte for byte.
2. A class in which each learner hands in six exercises, nobody just as another; then once more.
3. A sample through stock nbgrader, whose graded cell judges the same cases in its own kernel,
   beside ours with one worker, both timed in the same run.
"""

from __future__ import annotations

import csv
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tlcourse.bench.hand_ins import Exercise, exercises, with_solution, write_hand_ins
from tlcourse.grading.spec import load

MOST_CLASS_MINUTES, MOST_RERUN_SECONDS, LEAST_TIMES_STOCK = 60.0, 60.0, 1.0
_OWN_SHARE = 0.05
_SECONDS = "4"
_SIX = (
    "d1.change_vadd",
    "d2.copy_tails",
    "d2.gemm",
    "d2.minicv",
    "d2.softmax",
    "d3.online_softmax",
)
_SAMPLE = 8
_COMMAND = [sys.executable, "-c", "from tlcourse.cli import main; main()"]
# What stock nbgrader runs in place of the check: the same cases, judged in the learner's kernel.
_STOCK_CHECK = """from tlcourse.grading.judge import judge
from tlcourse.grading.spec import load
from tlcourse.grading.tracing import attempt_all, order_of
spec = load("{id}")
judge(spec, spec.cases, attempt_all(order_of(spec, spec.cases), {entry})).points"""


@dataclass(frozen=True, kw_only=True)
class Rush:
    """The same hand-ins graded with and without disturbance.

    Args:
        hand_ins: how many.
        kinds: how many of each kind.
        jobs: how many of them are different.
        minutes: of the undisturbed run on two workers.
        disturbed_minutes: of the other one, both of its parts together.
        results: how many have a result in both.
        same: whether both reports are the same, byte for byte.
    """

    hand_ins: int
    kinds: dict[str, int]
    jobs: int
    minutes: float
    disturbed_minutes: float
    results: int
    same: bool

    @property
    def met(self) -> bool:
        """Whether nothing was lost and nothing changed."""
        return self.same and self.results == self.hand_ins


@dataclass(frozen=True, kw_only=True)
class ClassTime:
    """Learners with six exercises each on two workers: the first run and the one after it."""

    learners: int
    hand_ins: int
    minutes: float
    rerun_seconds: float

    @property
    def met(self) -> bool:
        """Whether both are within their budgets, which are for 500 learners."""
        scale = self.learners / 500
        return self.minutes <= MOST_CLASS_MINUTES * scale and self.rerun_seconds <= (
            MOST_RERUN_SECONDS
        )


@dataclass(frozen=True, kw_only=True)
class Stock:
    """Seconds for a hand-in, by stock nbgrader and by ours with one worker."""

    hand_ins: int
    stock_seconds: float
    our_seconds: float
    times_faster: float

    @property
    def met(self) -> bool:
        """Whether ours is ahead."""
        return self.times_faster >= LEAST_TIMES_STOCK


@dataclass(frozen=True, kw_only=True)
class GradingReport:
    """The figures, and what they were measured on."""

    machine: dict[str, str]
    versions: dict[str, str]
    rush: Rush
    lessons: ClassTime
    stock: Stock

    @property
    def met(self) -> bool:
        """Whether every budget is met."""
        return self.rush.met and self.lessons.met and self.stock.met


def measure_rush(count: int, *, told: Callable[[str], None], names: tuple[str, ...] = ()) -> Rush:
    """Grades hand-ins of every kind, undisturbed and disturbed.

    Args:
        count: how many.
        told: called with what has happened.
        names: the exercises; all of them where it is empty.
    """
    with tempfile.TemporaryDirectory(prefix="tlcourse-bench-") as scratch:
        folder, root = Path(scratch) / "handed", Path(scratch)
        kinds = write_hand_ins(folder, count, own=_OWN_SHARE, names=names)
        told(f"{count} hand-ins written")
        quiet = root / "quiet"
        minutes = _timed(lambda: _grade(folder, quiet)) / 60
        jobs = _lines(quiet / "store.jsonl")
        told(f"graded in {minutes:.1f} minutes; the same once more, disturbed")
        began = time.monotonic()
        for event in _disturbed(folder, root / "disturbed", jobs):
            told(event)
        disturbed = (time.monotonic() - began) / 60
        texts = [(root / name / "results.jsonl").read_bytes() for name in ("quiet", "disturbed")]
    return Rush(
        hand_ins=count,
        kinds=kinds,
        jobs=jobs,
        minutes=round(minutes, 2),
        disturbed_minutes=round(disturbed, 2),
        results=min(text.count(b"\n") for text in texts),
        same=texts[0] == texts[1],
    )


def measure_class(learners: int) -> ClassTime:
    """Grades six exercises of each learner, all different, and then the same again."""
    pool = exercises(_SIX)
    with tempfile.TemporaryDirectory(prefix="tlcourse-bench-") as scratch:
        folder, report = Path(scratch) / "handed", Path(scratch) / "report"
        for number in range(learners):
            for place, exercise in enumerate(pool):
                sources = (exercise.solution, *exercise.mutants)
                source = sources[(number + place) % len(sources)] + f"\n# {number}"
                _put(folder / f"s{number:03}", exercise, source)
        first = _timed(lambda: _grade(folder, report))
        again = _timed(lambda: _grade(folder, report))
    return ClassTime(
        learners=learners,
        hand_ins=learners * len(pool),
        minutes=round(first / 60, 2),
        rerun_seconds=round(again, 1),
    )


def measure_stock(count: int = _SAMPLE) -> Stock:
    """Times stock nbgrader and ours on the same hand-ins, one after the other."""
    (exercise,) = exercises(("d2.softmax",))
    with tempfile.TemporaryDirectory(prefix="tlcourse-bench-") as scratch:
        course, mine = Path(scratch) / "course", Path(scratch) / "mine"
        _put_into(course / "source" / "." / "day2", exercise, exercise.stub, stock=True)
        for number in range(count):
            source = f"{exercise.solution}\n# {number}"
            _put_into(course / "submitted" / f"s{number}" / "day2", exercise, source, stock=True)
            _put(mine / f"s{number}", exercise, source)
        _nbgrader(course, "generate_assignment", "day2")
        start = _timed(lambda: _nbgrader(course, "--version"))
        stock = _timed(lambda: _nbgrader(course, "autograde", "day2")) - start
        _check_scores(course, count, load(exercise.id).points)
        ours = _timed(lambda: _grade(mine, Path(scratch) / "report", jobs=1))
        ours -= _timed(lambda: _grade(mine, Path(scratch) / "report", jobs=1))
    return Stock(
        hand_ins=count,
        stock_seconds=round(stock / count, 2),
        our_seconds=round(ours / count, 2),
        times_faster=round(stock / ours, 1),
    )


def _check_scores(course: Path, count: int, points: int) -> None:
    """Stock nbgrader must have judged what it was timed on: all of them are right."""
    _nbgrader(course, "export", "--to=grades.csv")
    rows = list(csv.DictReader((course / "grades.csv").read_text(encoding="utf-8").splitlines()))
    scores = [float(row["score"]) for row in rows]
    if scores != [float(points)] * count:
        raise RuntimeError(f"stock nbgrader gave {scores}")


def _put(folder: Path, exercise: Exercise, source: str) -> None:
    day = exercise.id.split(".")[0]
    _put_into(folder / f"day{day[1:]}", exercise, source, stock=False)


def _put_into(folder: Path, exercise: Exercise, source: str, *, stock: bool) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    slug = exercise.id.split(".")[1]
    check = _STOCK_CHECK.format(id=exercise.id, entry=load(exercise.id).entry)
    text = with_solution(exercise.with_check(check) if stock else exercise, source)
    (folder / f"{slug}.ipynb").write_text(text, encoding="utf-8")


def _timed(run: Callable[[], object]) -> float:
    began = time.monotonic()
    run()
    return time.monotonic() - began


def _grade(folder: Path, report: Path, jobs: int = 2) -> None:
    done = subprocess.run(_arguments(folder, report, jobs), capture_output=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr.decode(errors="replace")[-2000:])


def _arguments(folder: Path, report: Path, jobs: int) -> list[str]:
    options = ["--report", str(report), "--jobs", str(jobs), "--seconds", _SECONDS]
    return [*_COMMAND, "grade", str(folder), *options]


def _disturbed(folder: Path, report: Path, jobs: int) -> Iterator[str]:
    """Kills a worker after a third of the jobs, the run after two thirds, and starts it again."""
    process = subprocess.Popen(
        _arguments(folder, report, 2), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    store = report / "store.jsonl"
    _wait(process, store, jobs // 3)
    for name in ("tlcourse.grading.server", "tlcourse.grading.warm"):
        os.kill(_child(process.pid, name), signal.SIGKILL)
        yield f"killed {name} after {_lines(store)} results"
    _wait(process, store, 2 * jobs // 3)
    process.kill()
    process.wait()
    yield f"killed the run after {_lines(store)} results"
    _grade(folder, report)


def _wait(process: subprocess.Popen[bytes], store: Path, lines: int) -> None:
    while _lines(store) < lines:
        if process.poll() is not None:
            raise RuntimeError("the run ended before it could be disturbed")
        time.sleep(0.1)


def _lines(store: Path) -> int:
    return store.read_bytes().count(b"\n") if store.is_file() else 0


def _child(parent: int, name: str) -> int:
    """A child process that runs a module; Linux tells."""
    for path in Path(f"/proc/{parent}/task").glob("*/children"):
        for child in path.read_text(encoding="ascii").split():
            if name in Path(f"/proc/{child}/cmdline").read_text(encoding="utf-8").split("\0"):
                return int(child)
    raise RuntimeError(f"{parent} has no child that runs {name}")


def _nbgrader(course: Path, *arguments: str) -> None:
    program = shutil.which("nbgrader", path=str(Path(sys.executable).parent)) or "nbgrader"
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    done = subprocess.run(
        [program, *arguments],
        cwd=course,
        capture_output=True,
        check=False,
        env={**os.environ, "PATH": path, "TLCOURSE_BACKEND": "simulated"},
    )
    if done.returncode:
        raise RuntimeError(done.stderr.decode(errors="replace")[-2000:])
