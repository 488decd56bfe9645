"""The verdict on answers, item by item, against the compiler's records, and on written texts."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace

from tlcourse.grading import handed, strict
from tlcourse.grading.facts import answer_of
from tlcourse.grading.packages.asked import Observed
from tlcourse.grading.sealed import Sealed
from tlcourse.grading.sealed import refused as sealed_refused
from tlcourse.grading.spec import Item, Spec
from tlcourse.grading.verdicts import from_checks, single
from tlcourse.grading.words import Language, plain, say
from tlcourse.records import Check, Verdict

OPEN = "?"
"""What an untouched answer says."""


def judge_answers(spec: Spec, sealed: Sealed, language: Language) -> Verdict:
    """The verdict on sealed answers.

    Args:
        spec: the exercise.
        sealed: its text is a JSON table of names and answers.
        language: of the words.

    Raises:
        TL608: the text is no such table.
    """
    given = _table(sealed.text)
    if all(_folded(given.get(item.name, OPEN)) in ("", OPEN) for item in spec.items):
        return single(spec, "TODO", "runs", say("untouched", language), language=language)
    enough = spec.full_at or len(spec.items)
    checks: list[Check] = []
    for item in spec.items:
        # Once enough are right, the others neither earn nor cost anything.
        right = sum(check.state == "PASS" for check in checks)
        share = spec.points / enough if right < enough else 0.0
        checks.append(_check(item, given, share, language))
    if sum(check.state == "PASS" for check in checks) >= enough:
        checks = [
            c if c.state == "PASS" else replace(c, state="TODO", max_points=0.0) for c in checks
        ]
    return from_checks(
        spec,
        [*checks, *_notes(spec, given, language)],
        some_right=any(check.points for check in checks),
        sealed_sha256=sealed.sha256,
        mode="",
    )


def judge_text(spec: Spec, sealed: Sealed, language: Language) -> Verdict:
    """What is said of a text that a person is to read: TODO until then, with its hash."""
    if not sealed.text.strip():
        return single(spec, "TODO", "runs", say("untouched", language), language=language)
    name = say("person", language)
    checks = [
        Check(
            name=name,
            state="TODO",
            points=0.0,
            max_points=float(line.points),
            reason=line.zh if language == "zh" else line.en,
        )
        for line in spec.rubric
    ]
    verdict = single(spec, "TODO", "person", say("person later", language), language=language)
    handed_in = replace(verdict.checks[0], max_points=0.0)
    return replace(verdict, checks=(handed_in, *checks), sealed_sha256=sealed.sha256)


def read_observed(sealed: Sealed) -> Observed:
    """What was seen of a package, as its text tells.

    Raises:
        TL603: it tells something else.
    """
    try:
        return strict.read(Observed, json.loads(sealed.text), "what was seen of the package")
    except (ValueError, RecursionError) as problem:
        raise sealed_refused(plain(str(problem))) from problem


def _table(text: str) -> Mapping[str, str]:
    try:
        return strict.read(dict[str, str], json.loads(text), "the table of answers")
    except (ValueError, RecursionError) as problem:
        raise handed.other_than_asked("the solution cell", plain(str(problem))) from problem


def _folded(word: str) -> str:
    """A word without differences that say nothing: case, blanks around it."""
    return " ".join(word.split()).casefold()


def _is_right(item: Item, given: Mapping[str, str]) -> bool:
    return _folded(given.get(item.name, "")) == _folded(answer_of(item.fact, item.of))


def _check(item: Item, given: Mapping[str, str], points: float, language: Language) -> Check:
    word = given.get(item.name, OPEN)
    name = say("item", language, name=item.name)
    if _is_right(item, given):
        reason = say("item right", language)
        return Check(name=name, state="PASS", points=points, max_points=points, reason=reason)
    is_open = _folded(word) in ("", OPEN)
    reason = say("item open" if is_open else "item wrong", language, got=plain(word))
    return Check(name=name, state="FAIL", points=0.0, max_points=points, reason=reason)


def _notes(spec: Spec, given: Mapping[str, str], language: Language) -> Sequence[Check]:
    known = {item.name for item in spec.items}
    foreign = plain(", ".join(sorted(given.keys() - known)))
    notes = [say("foreign item", language, names=foreign)] if foreign else []
    if spec.full_at:
        notes.append(say("enough", language, count=spec.full_at))
    name = say("cells", language)
    return [
        Check(name=name, state="PASS", points=0.0, max_points=0.0, reason=note) for note in notes
    ]
