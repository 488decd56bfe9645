"""What the reports are made from: one entry a hand-in, and counts over them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import get_args

from tlcourse.diagnostics import TLError
from tlcourse.grading.spec import Spec, load
from tlcourse.grading.verdicts import label
from tlcourse.grading.words import say
from tlcourse.records import State, Verdict

STATES: tuple[State, ...] = get_args(State)
_SIZES = re.compile(r"-?\d+(?:[.,]\d+)*(?:e[+-]?\d+)?")


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One hand-in with its verdict.

    Args:
        learner: who handed it in.
        file: what was handed in, as a person would call it.
        verdict: on it.
        key: names what the verdict depends on; empty for what could not be read.
        prints: fingerprints of what was sealed.
        notes: what a person should know of it.
        is_cleared: whether a person has looked at it already and found nothing.
    """

    learner: str
    file: str
    verdict: Verdict
    key: str = ""
    prints: tuple[int, ...] = ()
    notes: tuple[str, ...] = ()
    is_cleared: bool = False


@dataclass(frozen=True, kw_only=True)
class Item:
    """How an exercise went.

    Args:
        exercise: its id.
        states: how many hand-ins ended in each state.
        mean: mean share of the points.
        findings: the commonest reasons with how many have them.
        hidden: share of the started hand-ins that fail a hidden case.
    """

    exercise: str
    states: dict[str, int]
    mean: float
    findings: tuple[tuple[str, int], ...]
    hidden: float


def items(entries: Sequence[Entry]) -> list[Item]:
    """Every exercise that was handed in, by id."""
    exercises = sorted({entry.verdict.exercise for entry in entries if entry.verdict.max_points})
    return [_item(name, [e for e in entries if e.verdict.exercise == name]) for name in exercises]


def _item(exercise: str, entries: Sequence[Entry]) -> Item:
    verdicts = [entry.verdict for entry in entries]
    states = Counter(verdict.state for verdict in verdicts)
    started = [verdict for verdict in verdicts if verdict.state != "TODO"]
    reasons = Counter([reason for verdict in started if (reason := commonest(verdict))])
    hidden = _hidden_names(exercise)
    failing = [v for v in started if any(c.state == "FAIL" and c.name in hidden for c in v.checks)]
    return Item(
        exercise=exercise,
        states={state: states[state] for state in STATES if states[state]},
        mean=sum(v.points / v.max_points for v in verdicts) / len(verdicts),
        findings=tuple(sorted(reasons.items(), key=lambda pair: (-pair[1], pair[0]))[:3]),
        hidden=len(failing) / len(started) if started else 0.0,
    )


def commonest(verdict: Verdict) -> str:
    """What went wrong first, in words that are the same for everybody it happened to."""
    failing = next((c for c in verdict.checks if c.state not in ("PASS", "TODO")), None)
    if failing is None:
        return ""
    return _SIZES.sub("..", failing.hint.split("\n")[0] or failing.reason)


def _hidden_names(exercise: str) -> set[str]:
    try:
        spec = load(exercise)
    except TLError:
        return set()
    return _names(spec)


def _names(spec: Spec) -> set[str]:
    hidden = [case for case in spec.cases if not case.public]
    return {
        say("numbers", language, case=label(case, language))
        for case in hidden
        for language in ("en", "zh")
    }
