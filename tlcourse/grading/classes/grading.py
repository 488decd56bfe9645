"""Grades a class: its own seed and variants, frozen versions, decisions of people on top."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from tlcourse.diagnostics import TLError, error
from tlcourse.grading.bulk import engine, gather
from tlcourse.grading.bulk.gather import Found
from tlcourse.grading.bulk.grading import (
    STORE,
    Again,
    Options,
    Overview,
    grade_found,
    write_reports,
)
from tlcourse.grading.bulk.job import Job, job_of
from tlcourse.grading.bulk.store import Store
from tlcourse.grading.classes import folder as class_folder
from tlcourse.grading.classes.collecting import Lateness, collected
from tlcourse.grading.classes.decisions import applied, decisions, write_down
from tlcourse.grading.classes.roster import Learner, roster
from tlcourse.grading.reports.entries import Entry
from tlcourse.grading.reports.tables import table
from tlcourse.grading.sandbox import Limits
from tlcourse.grading.spec import load, specs_folder
from tlcourse.grading.version import grading_version
from tlcourse.grading.whole import write_whole

_VERSION = "grading_version"


@dataclass(frozen=True, kw_only=True)
class ClassRun:
    """A class that is ready to be graded.

    Args:
        folder: the class.
        learners: its roster.
        settings: what is fixed for it.
        found: its hand-ins, in the roster's order.
        strangers: learners with hand-ins who are not on the roster; nobody grades those.
    """

    folder: Path
    learners: tuple[Learner, ...]
    settings: class_folder.Settings
    found: tuple[Found, ...]
    strangers: tuple[str, ...] = ()

    @property
    def report(self) -> Path:
        """Where results are."""
        return self.folder / class_folder.REPORT


def open_class(folder: Path) -> ClassRun:
    """Reads a class and lets its variants be used from here on.

    Raises:
        TL621, TL622, TL623: the roster, the decisions or the settings cannot be used.
    """
    learners = tuple(roster(folder))
    settings = class_folder.settings(folder)
    decisions(folder)
    class_folder.use_variants(folder, settings)
    by_learner: dict[str, list[Found]] = {}
    for found in gather.found_in([folder / "submitted"]):
        by_learner.setdefault(found.learner, []).append(found)
    in_order = [one for learner in learners for one in by_learner.get(learner.id, ())]
    strangers = sorted(by_learner.keys() - {learner.id for learner in learners})
    return ClassRun(
        folder=folder,
        learners=learners,
        settings=settings,
        found=tuple(in_order),
        strangers=tuple(strangers),
    )


def changes(run: ClassRun) -> dict[str, tuple[str, str]]:
    """What is not as it was when the class's hand-ins were graded: before and now, by name."""
    found: dict[str, tuple[str, str]] = {}
    if run.settings.grading_version != grading_version():
        found[_VERSION] = (run.settings.grading_version, grading_version())
    for exercise, before in class_folder.pinned(run.folder).items():
        now = _spec_of(exercise)
        if now != before:
            found[exercise] = (before[:12], now[:12])
    return found


def check_unchanged(run: ClassRun) -> None:
    """Refuses to grade with other rules than before.

    Raises:
        TL636: the passes, the timing or a spec have changed since the class was first graded.
    """
    changed = changes(run)
    if changed:
        raise _changed(run.folder, changed)


def adopt(run: ClassRun, why: str) -> ClassRun:
    """Takes the rules of today for a class, and writes that down."""
    for name, (before, now) in changes(run).items():
        write_down(run.folder, "adopt", name, why, old=before, new=now)
    settings = replace(run.settings, grading_version=grading_version())
    class_folder.save(run.folder, settings)
    pinned = {exercise: _spec_of(exercise) for exercise in class_folder.pinned(run.folder)}
    class_folder.pin(run.folder, {name: sha256 for name, sha256 in pinned.items() if sha256})
    return replace(run, settings=settings)


def grade_class(
    run: ClassRun,
    executor: Executor,
    told: engine.Told,
    *,
    limit: int | None = None,
    again: Again = lambda found, exercise: False,
    notes: Sequence[str] = (),
    write: bool = True,
) -> list[Entry]:
    """Grades the hand-ins that have no result yet, applies decisions, writes the reports.

    Args:
        run: the class.
        executor: gives jobs to workers.
        told: called after each result.
        limit: grade the first ones only, as a rehearsal; no report is written then.
        again: what is graded once more though it has a result.
        notes: sentences for the overview page.
        write: whether reports are written.

    Raises:
        TL631: the class is being graded already.
    """
    found = run.found[:limit]
    secret = class_folder.secret(run.folder)
    options = replace(options_of(run, secret), again=again)
    run.report.mkdir(exist_ok=True)
    graded = grade_found(found, run.report, options, executor, told)
    specs = class_folder.pinned(run.folder) | _specs_of(graded)
    overview = _overview(run, options, executor, sorted(specs), notes)
    noted = _with_copies(run, _with_lateness(run, graded), overview)
    entries = applied(noted, decisions(run.folder))
    if limit is None and write:
        class_folder.pin(run.folder, specs)
        write_reports(run.report, entries, overview)
    return entries


def options_of(run: ClassRun, secret: str) -> Options:
    """How the class is graded."""
    seconds = run.settings.seconds
    return Options(
        limits=Limits(cpu_seconds=seconds, wall_seconds=4 * seconds),
        secret=secret,
        languages={learner.id: learner.language for learner in run.learners},
    )


def compare(run: ClassRun, entries: Sequence[Entry]) -> list[tuple[str, str, str, str]]:
    """Hand-ins whose grade differs from the report's, and writes them to compare.csv.

    Returns:
        learner, exercise, and state with points in the report and now.
    """
    before = reported(run.report)
    rows: list[tuple[str, str, str, str]] = []
    for entry in entries:
        name = (entry.learner, entry.verdict.exercise)
        now = f"{entry.verdict.state} {entry.verdict.points:g}"
        if name in before and before[name] != now:
            rows.append((*name, before[name], now))
    write_whole(run.report / "compare.csv", table([("id", "exercise", "old", "new"), *rows]))
    return rows


def reported(report: Path) -> dict[tuple[str, str], str]:
    """State and points of the last report, by learner and exercise."""
    path = report / "results.jsonl"
    if not path.is_file():
        return {}
    found: dict[tuple[str, str], str] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        data = json.loads(line)
        verdict = data["verdict"]
        found[data["learner"], verdict["exercise"]] = f"{verdict['state']} {verdict['points']:g}"
    return found


def _with_lateness(run: ClassRun, entries: Sequence[Entry]) -> list[Entry]:
    rules = Lateness(run.settings, decisions(run.folder))
    learners = {learner.id: learner for learner in run.learners}
    late = {
        (one.learner, one.exercise)
        for one in collected(run.folder)
        if one.learner in learners and rules.is_late(learners[one.learner], one)
    }
    return [
        replace(entry, notes=(*entry.notes, "handed in late"))
        if (entry.learner, entry.verdict.exercise) in late
        else entry
        for entry in entries
    ]


def _with_copies(run: ClassRun, entries: Sequence[Entry], overview: Overview) -> list[Entry]:
    """Where marks count, a hand-in that is a published or earlier solution is for a person."""
    if not run.settings.variants:
        return list(entries)
    return [
        replace(entry, notes=(*entry.notes, "equals a published or an earlier solution"))
        if entry.prints and entry.prints in overview.published.get(entry.verdict.exercise, ())
        else entry
        for entry in entries
    ]


def _overview(
    run: ClassRun,
    options: Options,
    executor: Executor,
    exercises: Sequence[str],
    notes: Sequence[str],
) -> Overview:
    published = class_folder.earlier(run.folder)
    for exercise, prints in _course_prints(run, options, executor, exercises, "solutions").items():
        published.setdefault(exercise, []).append(prints)
    told = [f"graded by rules of version {grading_version()}", *notes]
    if run.strangers:
        told.append(f"not graded, not on the roster: {', '.join(run.strangers)}")
    return Overview(
        names={learner.id: learner.name for learner in run.learners},
        notes=tuple(told),
        starters=_course_prints(run, options, executor, exercises, "exercises"),
        published=published,
        languages=options.languages,
    )


def _course_prints(
    run: ClassRun, options: Options, executor: Executor, exercises: Sequence[str], kind: str
) -> dict[str, tuple[int, ...]]:
    """Fingerprints of the course's own notebooks; none of a kind that is not installed here."""
    found: dict[str, tuple[int, ...]] = {}
    root = specs_folder().parents[1] / kind
    jobs: dict[str, Job] = {}
    for exercise in exercises:
        day, slug = exercise.split(".")
        path = root / f"day{day[1:]}" / f"{slug}.ipynb"
        if path.is_file():
            one = Found(learner="", file=path.name, path=path)
            jobs[exercise] = job_of(gather.hand_in_of(one), options.limits, "en", options.secret)
    with closing(Store(run.report / STORE)) as store:
        counts = {job.key: 1 for job in jobs.values()}
        done = engine.run(list(jobs.values()), counts, store, executor, lambda progress: None)
    for exercise, job in jobs.items():
        found[exercise] = done[job.key].prints
    return found


def _specs_of(entries: Sequence[Entry]) -> dict[str, str]:
    graded = {entry.verdict.exercise for entry in entries if entry.key}
    return {exercise: load(exercise).sha256 for exercise in graded}


def _spec_of(exercise: str) -> str:
    try:
        return load(exercise).sha256
    except TLError:
        return ""


def again_of(wanted: str) -> Again:
    """What `--only` names: a learner, an exercise, or learner/exercise; nothing for no name."""
    learner, slash, exercise = wanted.partition("/")

    def is_wanted(found: Found, its_exercise: str) -> bool:
        if slash:
            return (found.learner, its_exercise) == (learner, exercise)
        return wanted in (found.learner, its_exercise)

    return is_wanted


def _changed(folder: Path, changed: Mapping[str, tuple[str, str]]) -> TLError:
    what = ", ".join(f"{name} ({a or 'none'} to {b or 'none'})" for name, (a, b) in changed.items())
    name = folder.resolve().name
    return error(
        "TL636",
        f"{name} was graded by other rules than today's: {what}",
        why="a change of the course or of a spec never changes grades by itself",
        fix=f"see what would change with `tlcourse grade {name} --compare`, then take it over "
        "with `--adopt --reason TEXT`, or go back to the version that the class was graded by",
    )
