"""One hand-in as plain data that any worker can grade, and what came of it."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field

from tlcourse.grading.notebook_file import HandIn
from tlcourse.grading.sandbox import Limits
from tlcourse.grading.spec import load
from tlcourse.grading.version import grading_version
from tlcourse.grading.words import Language
from tlcourse.records import Verdict, to_json


@dataclass(frozen=True, kw_only=True)
class Job:
    """What is graded once, however many learners handed it in.

    Args:
        key: names everything that the verdict depends on.
        hand_in: the cells that run.
        limits: what they may use.
        language: of the words in the verdict.
        secret: seed of the inputs.
    """

    key: str
    hand_in: HandIn
    limits: Limits = field(default_factory=Limits)
    language: Language = "en"
    secret: str = ""


@dataclass(frozen=True, kw_only=True)
class Done:
    """What came of a job.

    Args:
        key: of the job.
        verdict: on the hand-in.
        prints: fingerprints of what was sealed.
        output: the head of what the learner's code printed; for staff alone.
        varies: whether the kernel is another one for other shapes, sizes aside.
    """

    key: str
    verdict: Verdict
    prints: tuple[int, ...] = ()
    output: str = ""
    varies: bool = False


def job_of(hand_in: HandIn, limits: Limits, language: Language, secret: str) -> Job:
    """The job on the cells of a notebook.

    Raises:
        TL601: there is no such exercise.
    """
    depends_on = (
        load(hand_in.exercise).sha256,
        grading_version(),
        hashlib.sha256(secret.encode()).hexdigest(),
        to_json(limits),
        language,
        to_json(hand_in),
    )
    key = hashlib.sha256(json.dumps(depends_on).encode()).hexdigest()
    return Job(key=key, hand_in=hand_in, limits=limits, language=language, secret=secret)
