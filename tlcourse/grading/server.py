"""The trusted process beside whoever checks or grades: reads what was traced from a pipe.

Usage: python -m tlcourse.grading.server. One request a line, one verdict a line, until the pipe
closes, so the process never outlives the one that asks.
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass
from typing import IO

from tlcourse.grading import strict
from tlcourse.grading.child import Result
from tlcourse.grading.inputs import PRACTICE
from tlcourse.grading.judge import judge
from tlcourse.grading.spec import load
from tlcourse.grading.words import Language
from tlcourse.records import to_json

READY = "ready"


@dataclass(frozen=True, kw_only=True)
class Request:
    """One question.

    Args:
        exercise: its id.
        result: an attempt per case.
        public_only: whether the attempts are for the public cases alone.
        language: of the words in the verdict.
        secret: seed of the inputs; empty where nothing is at stake.
    """

    exercise: str
    result: Result
    public_only: bool
    language: Language
    secret: str = ""


def main(requests: IO[str], answers: IO[str]) -> None:
    """Serves until the requests end."""
    print(READY, file=answers, flush=True)
    for line in requests:
        print(answer(line), file=answers, flush=True)


def answer(line: str) -> str:
    """The verdict on one request, both as JSON; what no verdict came of has the key `failed`."""
    try:
        return _judged(line)
    except Exception as problem:  # noqa: BLE001 - one bad request must not end the service
        return json.dumps({"failed": f"{type(problem).__name__}: {problem}"})


def _judged(line: str) -> str:
    request = strict.read(Request, json.loads(line), "request")
    spec = load(request.exercise)
    cases = spec.public_cases if request.public_only else spec.cases
    secret = request.secret.encode() or PRACTICE
    attempts = request.result.attempts
    return to_json(judge(spec, cases, attempts, language=request.language, secret=secret))


def _own_output() -> IO[str]:
    """Standard output for answers alone: whatever else prints goes to standard error."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return answers


if __name__ == "__main__":
    main(sys.stdin, _own_output())
