"""Reports that programs read: results.jsonl, grades.csv, junit.xml and needs_human.csv."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from xml.etree import ElementTree

from tlcourse.grading.report import first_sentence
from tlcourse.grading.reports.entries import Entry, items
from tlcourse.grading.verdicts import flags
from tlcourse.grading.version import grading_version
from tlcourse.records import Verdict, to_data

# What XML cannot hold at all.
_NO_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def results_jsonl(entries: Iterable[Entry]) -> str:
    """One verdict a line, with whose it is and what it depends on."""
    lines = (
        json.dumps(
            {
                "learner": entry.learner,
                "file": entry.file,
                "key": entry.key,
                "grading_version": grading_version(),
                "verdict": to_data(entry.verdict),
            },
            sort_keys=True,
            ensure_ascii=False,
        )
        for entry in entries
    )
    return "".join(f"{line}\n" for line in lines)


def summary_json(entries: Sequence[Entry]) -> str:
    """The class overview as data: how each exercise went."""
    data = {"hand_ins": len(entries), "items": [to_data(item) for item in items(entries)]}
    return json.dumps(data, sort_keys=True, ensure_ascii=False, indent=1) + "\n"


def counted(entries: Iterable[Entry]) -> dict[tuple[str, str], Entry]:
    """By learner and exercise, the hand-in that counts: of several, the one with most points."""
    found: dict[tuple[str, str], Entry] = {}
    for entry in entries:
        name = (entry.learner, entry.verdict.exercise)
        if name not in found or entry.verdict.points > found[name].verdict.points:
            found[name] = entry
    return found


def grades_csv(names: Mapping[str, str], entries: Sequence[Entry]) -> str:
    """A row for each learner, a column for each exercise.

    Args:
        names: learner to name, everybody who gets a row.
        entries: the hand-ins.
    """
    counting = counted(entries)
    exercises = [item.exercise for item in items(entries)]
    rows: list[Sequence[str]] = [["id", "name", *exercises, "total"]]
    for learner, name in names.items():
        verdicts = [counting.get((learner, exercise)) for exercise in exercises]
        points = [entry.verdict.points if entry else None for entry in verdicts]
        total = sum(point for point in points if point is not None)
        cells = ["" if point is None else f"{point:g}" for point in points]
        rows.append([learner, name, *cells, f"{round(total, 2):g}"])
    return table(rows)


def needs_human_csv(entries: Iterable[Entry]) -> str:
    """What a person must look at, and why."""
    rows: list[Sequence[str]] = [["id", "exercise", "file", "state", "why"]]
    for entry in entries:
        for why in reasons(entry):
            verdict = entry.verdict
            rows.append([entry.learner, verdict.exercise, entry.file, verdict.state, why])
    return table(rows)


def reasons(entry: Entry) -> list[str]:
    """Why a person must look at a hand-in; nothing where nobody must."""
    verdict = entry.verdict
    if entry.is_cleared:
        return []
    found = list(entry.notes)
    if verdict.state == "ERROR":
        found.append(f"the grader failed: {verdict.checks[0].reason}")
    elif verdict.state == "TIMEOUT":
        is_counted = bool(verdict.sealed_sha256)
        found.append("takes more steps than it may" if is_counted else "ran out of time twice")
    elif not verdict.max_points:
        found.append(f"cannot be read: {verdict.checks[0].reason}")
    elif verdict.state == "TODO" and verdict.sealed_sha256:
        found.append("a text that a person reads")
    return found + flags(verdict)


def junit_xml(entries: Sequence[Entry]) -> str:
    """A test suite for each exercise, a test case for each hand-in."""
    root = ElementTree.Element("testsuites")
    for exercise in sorted({entry.verdict.exercise for entry in entries}):
        own = [entry for entry in entries if entry.verdict.exercise == exercise]
        counts = {"failures": ("FAIL", "PARTIAL", "TIMEOUT"), "errors": ("ERROR",)}
        numbers = {
            name: str(sum(entry.verdict.state in states for entry in own))
            for name, states in {**counts, "skipped": ("TODO",)}.items()
        }
        about = {"name": xml_text(exercise), "tests": str(len(own)), **numbers}
        suite = ElementTree.SubElement(root, "testsuite", about)
        for entry in own:
            _case(suite, entry)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _case(suite: ElementTree.Element, entry: Entry) -> None:
    verdict = entry.verdict
    case = ElementTree.SubElement(
        suite, "testcase", classname=xml_text(entry.learner), name=xml_text(verdict.exercise)
    )
    kind = {"PASS": "", "TODO": "skipped", "ERROR": "error"}.get(verdict.state, "failure")
    if kind:
        ElementTree.SubElement(case, kind, message=xml_text(_told(verdict)))


def _told(verdict: Verdict) -> str:
    return f"{verdict.state} {verdict.points:g}/{verdict.max_points:g}: {first_sentence(verdict)}"


def xml_text(text: str) -> str:
    """A text without what XML cannot hold."""
    return _NO_XML.sub("?", text)


def table(rows: Iterable[Sequence[str]]) -> str:
    """Rows as CSV text."""
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\n").writerows(rows)
    return stream.getvalue()
