"""300 corruptions with a fixed seed: never a traceback, a hang, or more points than before.

Half of them spoil sealed objects, which the trusted side judges at once; the others spoil the
bytes of notebooks. A notebook whose solution is as it was is traced to the same object.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from tests.grading.hand_ins import ROOT
from tlcourse.diagnostics import TLError
from tlcourse.grading import judge as judging
from tlcourse.grading.child import Result
from tlcourse.grading.hand_in import graded
from tlcourse.grading.judge import judge
from tlcourse.grading.notebook_file import HandIn, read_hand_in
from tlcourse.grading.server import Request, answer
from tlcourse.grading.spec import Spec, load
from tlcourse.grading.tracing import Attempt
from tlcourse.grading.validating import validate
from tlcourse.records import to_json

EXERCISES = ("d1.change_vadd", "d5.rewrite", "d1.lower_to_scf", "d1.name_that_pass")
STATES = {"PASS", "PARTIAL", "FAIL", "TODO"}


def notebook_of(exercise: str) -> Path:
    return ROOT / "solutions" / f"day{exercise[1]}" / f"{exercise[3:]}.ipynb"


@cache
def documents(exercise: str) -> tuple[str, ...]:
    """What the course's solution seals."""
    return graded(notebook_of(exercise)).documents


def cut(text: str, chance: random.Random) -> str:
    at = chance.randrange(len(text))
    return text[:at]


def drop(text: str, chance: random.Random) -> str:
    at = chance.randrange(len(text))
    return text[:at] + text[at + chance.randint(1, 40) :]


def turn(text: str, chance: random.Random) -> str:
    at = chance.randrange(len(text))
    return text[:at] + chr(chance.choice([0, 10, 34, 37, 92, 123, 0x4E2D, 0xD7FF])) + text[at + 1 :]


def repeat(text: str, chance: random.Random) -> str:
    at, size = chance.randrange(len(text)), chance.randint(1, 200)
    return text[:at] + text[at : at + size] * 2 + text[at + size :]


def swap(text: str, chance: random.Random) -> str:
    lines = text.split("\n")
    first, second = chance.randrange(len(lines)), chance.randrange(len(lines))
    lines[first], lines[second] = lines[second], lines[first]
    return "\n".join(lines)


def number(text: str, chance: random.Random) -> str:
    places = [index for index, letter in enumerate(text) if letter.isdigit()]
    at = chance.choice(places)
    return text[:at] + chance.choice(["0", "9", "-1", "99999999", "1e309"]) + text[at + 1 :]


SPOIL: tuple[Callable[[str, random.Random], str], ...] = (cut, drop, turn, repeat, swap, number)


def judged(spec: Spec, texts: tuple[str, ...]) -> tuple[str, float]:
    attempts = [Attempt(state="sealed", document=text) for text in texts]
    verdict = judge(spec, spec.cases[: len(texts)], attempts)
    return verdict.state, verdict.points


@pytest.mark.parametrize("exercise", EXERCISES)
def test_spoiled_sealed_objects_score_no_more(
    exercise: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(judging, "STEPS", 100_000)
    spec, whole = load(exercise), documents(exercise)[:1]
    chance = random.Random(exercise)
    state, points = judged(spec, whole)
    assert points > 0
    for index in range(26):
        spoiled = SPOIL[index % len(SPOIL)](whole[0], chance)
        found, score = judged(spec, (spoiled,))
        assert found in STATES, spoiled
        assert score <= points, spoiled
        assert (found, score) == (state, points) or spoiled != whole[0]


def test_spoiled_requests_are_answered() -> None:
    attempt = Attempt(state="sealed", document=documents("d1.name_that_pass")[0])
    request = Request(
        exercise="d1.name_that_pass",
        result=Result(attempts=(attempt,)),
        public_only=False,
        language="en",
    )
    whole, chance = to_json(request), random.Random(1)
    best = json.loads(answer(whole))["points"]
    for index in range(50):
        told = json.loads(answer(SPOIL[index % len(SPOIL)](whole, chance)))
        assert "failed" in told or told["points"] <= best


def read_or_refused(path: Path) -> HandIn | None:
    """What the notebook holds; None where it is refused with an error of its own."""
    try:
        validate(path)
        return read_hand_in(path)
    except TLError as problem:
        if problem.diagnostic.code not in ("TL610", "TL611"):
            raise
        return None


@pytest.mark.parametrize("exercise", EXERCISES)
def test_spoiled_notebooks_are_read_or_refused(exercise: str, tmp_path: Path) -> None:
    whole = notebook_of(exercise).read_text(encoding="utf-8")
    wanted, chance = read_hand_in(notebook_of(exercise)), random.Random(exercise)
    path = tmp_path / "x.ipynb"
    for index in range(24):
        path.write_bytes(SPOIL[index % len(SPOIL)](whole, chance).encode())
        found = read_or_refused(path)
        # Only the learner's own text may differ: the setup is the course's.
        if isinstance(found, HandIn) and found.exercise == exercise:
            assert found.setup == wanted.setup


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    whole, chance = notebook_of(EXERCISES[0]).read_bytes(), random.Random(2)
    path = tmp_path / "x.ipynb"
    for _ in range(50):
        data = bytearray(whole)
        for _ in range(chance.randint(1, 30)):
            data[chance.randrange(len(data))] = chance.randrange(256)
        path.write_bytes(bytes(data))
        read_or_refused(path)
