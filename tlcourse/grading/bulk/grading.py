"""Grades all that was found and writes the reports: the body of `tlcourse grade --report`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path

from tlcourse.diagnostics import TLError
from tlcourse.grading.bulk import engine
from tlcourse.grading.bulk.gather import Found, hand_in_of
from tlcourse.grading.bulk.job import Done, Job, job_of
from tlcourse.grading.bulk.store import Store
from tlcourse.grading.reports import pages, tables
from tlcourse.grading.reports.entries import Entry
from tlcourse.grading.reports.similarity import pairs
from tlcourse.grading.sandbox import Limits
from tlcourse.grading.verdicts import unreadable
from tlcourse.grading.whole import readable, write_whole
from tlcourse.grading.words import Language

STORE = "store.jsonl"
_VARIES = "its kernel is another one for other shapes"

Again = Callable[[Found, str], bool]
"""Whether a hand-in for an exercise is graded once more though it has a result."""


@dataclass(frozen=True, kw_only=True)
class Options:
    """How hand-ins are graded.

    Args:
        limits: what learners' code may use.
        secret: seed of the inputs; empty for practice.
        languages: learner to language, where it is not English.
        again: what is graded once more.
    """

    limits: Limits = field(default_factory=Limits)
    secret: str = ""
    languages: Mapping[str, Language] = field(default_factory=dict[str, Language])
    again: Again = lambda found, exercise: False


@dataclass(frozen=True, kw_only=True)
class Overview:
    """What the pages say beside the hand-ins.

    Args:
        names: learner to name, everybody who gets a row.
        notes: sentences above the tables.
        starters: by exercise, fingerprints of the untouched exercise.
        published: by exercise, fingerprints of published and earlier solutions.
        languages: learner to language.
    """

    names: Mapping[str, str]
    notes: tuple[str, ...] = ()
    starters: Mapping[str, tuple[int, ...]] = field(default_factory=dict[str, tuple[int, ...]])
    published: Mapping[str, Sequence[tuple[int, ...]]] = field(
        default_factory=dict[str, Sequence[tuple[int, ...]]]
    )
    languages: Mapping[str, Language] = field(default_factory=dict[str, Language])


def grade_found(
    found: Sequence[Found],
    report: Path,
    options: Options,
    executor: Executor,
    told: engine.Told = lambda progress: None,
) -> list[Entry]:
    """Grades hand-ins; what the store of the report knows already is not done again.

    Raises:
        TL631: another process writes to the report.
    """
    read = [_read(one, options) for one in found]
    jobs = {job.key: job for job in read if isinstance(job, Job)}
    counts = Counter(job.key for job in read if isinstance(job, Job))
    with closing(Store(report / STORE)) as store:
        for one, job in zip(found, read, strict=True):
            if isinstance(job, Job) and options.again(one, job.hand_in.exercise):
                store.forget(job.key)
        results = engine.run(list(jobs.values()), counts, store, executor, told)
    entries = [_entry(one, job, results) for one, job in zip(found, read, strict=True)]
    return with_doubles(entries)


def _read(found: Found, options: Options) -> Job | Entry:
    language = options.languages.get(found.learner, "en")
    try:
        return job_of(hand_in_of(found), options.limits, language, options.secret)
    except TLError as problem:
        verdict = unreadable(readable(found.path.stem), problem.diagnostic, language)
        return Entry(learner=found.learner, file=found.file, verdict=verdict)


def _entry(found: Found, job: Job | Entry, results: Mapping[str, Done]) -> Entry:
    if isinstance(job, Entry):
        return job
    done = results[job.key]
    return Entry(
        learner=found.learner,
        file=found.file,
        verdict=done.verdict,
        key=job.key,
        prints=done.prints,
        notes=(_VARIES,) if done.varies else (),
    )


def with_doubles(entries: Iterable[Entry]) -> list[Entry]:
    """The entries, with a note where somebody handed in an exercise more than once."""
    listed = list(entries)
    counts = Counter((entry.learner, entry.verdict.exercise) for entry in listed)
    counting = tables.counted(listed)
    return [
        entry
        if counts[name := (entry.learner, entry.verdict.exercise)] == 1
        else replace(entry, notes=(*entry.notes, _twice(counts[name], counting[name])))
        for entry in listed
    ]


def _twice(count: int, counting: Entry) -> str:
    return f"handed in {count} times; {counting.file} counts"


def write_reports(folder: Path, entries: Sequence[Entry], overview: Overview) -> None:
    """Writes every report; each file is the old one or the new one, never a part."""
    handed = [(e.learner, e.verdict.exercise, e.prints) for e in entries if not e.is_cleared]
    alike = pairs(handed, overview.starters, overview.published)
    learners = folder / "learners"
    learners.mkdir(parents=True, exist_ok=True)
    for learner in {entry.learner for entry in entries}:
        own = [entry for entry in entries if entry.learner == learner]
        language = overview.languages.get(learner, "en")
        text = pages.learner_page(learner, overview.names.get(learner, ""), own, language)
        write_whole(learners / pages.file_of(learner), text)
    for name, text in {
        "results.jsonl": tables.results_jsonl(entries),
        "summary.json": tables.summary_json(entries),
        "grades.csv": tables.grades_csv(overview.names, entries),
        "junit.xml": tables.junit_xml(entries),
        "needs_human.csv": tables.needs_human_csv(entries),
        "items.html": pages.items_page(entries),
        "similarity.html": pages.similarity_page(alike),
        "index.html": pages.index(overview.names, entries, overview.notes),
    }.items():
        write_whole(folder / name, text)
