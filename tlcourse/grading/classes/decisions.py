"""What people decided about a class: lines of decisions.csv, applied after every run.

| what | item | old, new |
|---|---|---|
| override | learner/exercise | points before and after |
| extension | learner or learner/exercise | deadline before and after |
| regrade | learner, exercise or learner/exercise | nothing: it has been done |
| false flag | learner/exercise | nothing: nobody needs to look at it again |
| adopt | exercise or grading_version | version before and after |
"""

from __future__ import annotations

import csv
import getpass
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Literal, cast, get_args

from tlcourse.diagnostics import TLError, error
from tlcourse.grading.reports.entries import Entry
from tlcourse.grading.reports.tables import table
from tlcourse.grading.whole import write_whole
from tlcourse.records import Check, State, Verdict

HEAD = ("who", "when", "what", "item", "old", "new", "why")
What = Literal["override", "extension", "regrade", "false flag", "adopt"]


@dataclass(frozen=True, kw_only=True)
class Decision:
    """One line of decisions.csv."""

    who: str
    when: str
    what: What
    item: str
    old: str
    new: str
    why: str


def decisions(folder: Path) -> list[Decision]:
    """All decisions, the oldest first.

    Raises:
        TL622: a line cannot be used; nothing of the file is applied then.
    """
    path = folder / "decisions.csv"
    if not path.is_file():
        return []
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            rows = csv.DictReader(stream)
            if tuple(rows.fieldnames or ()) != HEAD:
                raise ValueError(f"its first line is not {','.join(HEAD)}")
            return [_decision(cast(dict[str, str | None], row), rows.line_num) for row in rows]
    except UnicodeDecodeError as problem:
        raise _unusable(folder, "it is not UTF-8 text") from problem
    except (ValueError, csv.Error) as problem:
        raise _unusable(folder, str(problem)) from problem


def _decision(row: dict[str, str | None], line: int) -> Decision:
    values = {name: (row.get(name) or "").strip() for name in HEAD}
    for name in ("who", "what", "item", "why"):
        if not values[name]:
            raise ValueError(f"line {line} does not say {name}")
    if values["what"] not in get_args(What):
        raise ValueError(f"line {line}: {values['what']} is none of {', '.join(get_args(What))}")
    if values["what"] in ("override", "false flag") and values["item"].count("/") != 1:
        raise ValueError(f"line {line}: {values['item']} is not learner/exercise")
    if values["what"] == "override":
        _check_points(values["new"], line)
    if values["what"] == "extension":
        _check_moment(values["new"], line)
    words = {name: value for name, value in values.items() if name != "what"}
    return Decision(what=cast(What, values["what"]), **words)


def _check_points(text: str, line: int) -> None:
    try:
        fits = 0 <= float(text) < 10_000
    except ValueError:
        fits = False
    if not fits:
        raise ValueError(f"line {line}: new is {text!r}, not points")


def _check_moment(text: str, line: int) -> None:
    try:
        datetime.fromisoformat(text)
    except ValueError as problem:
        raise ValueError(f"line {line}: new is {text!r}, not a time") from problem


def write_down(
    folder: Path, what: What, item: str, why: str, *, old: str = "", new: str = ""
) -> None:
    """Adds a decision; the file is the old one or the new one, never a part.

    Raises:
        TL622: the file cannot be read as it is.
    """
    known = decisions(folder)
    now = datetime.now().isoformat(timespec="minutes")
    one = Decision(who=_user(), when=now, what=what, item=item, old=old, new=new, why=why)
    rows = [HEAD, *([getattr(row, name) for name in HEAD] for row in (*known, one))]
    write_whole(folder / "decisions.csv", table(rows))


def applied(entries: Sequence[Entry], made: Sequence[Decision]) -> list[Entry]:
    """The hand-ins as people decided."""
    return [_applied(entry, made) for entry in entries]


def _applied(entry: Entry, made: Sequence[Decision]) -> Entry:
    item = f"{entry.learner}/{entry.verdict.exercise}"
    for decision in made:
        if decision.item == item and decision.what == "override":
            entry = replace(entry, verdict=_overridden(entry.verdict, decision))
        elif decision.item == item and decision.what == "false flag":
            entry = replace(entry, notes=(), is_cleared=True)
    return entry


def _overridden(verdict: Verdict, decision: Decision) -> Verdict:
    points = float(decision.new)
    state: State = "PARTIAL" if points else "FAIL"
    if verdict.max_points and points >= verdict.max_points:
        state = "PASS"
    reason = f"{decision.who} changed the points from {verdict.points:g} to {points:g}"
    note = Check(
        name="decision",
        state="PASS",
        points=0.0,
        max_points=0.0,
        reason=reason,
        hint=decision.why,
    )
    return replace(verdict, state=state, points=points, checks=(*verdict.checks, note))


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return "somebody"


def _unusable(folder: Path, why: str) -> TLError:
    return error(
        "TL622",
        f"{folder.resolve().name}/decisions.csv cannot be used",
        why=f"grades follow from its lines, so each must be plain: {why}",
        fix=f"correct the line; the first one is {','.join(HEAD)}",
    )
