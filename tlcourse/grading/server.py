"""The trusted process beside a notebook: reads sealed kernels from a pipe, answers with verdicts.

Usage: python -m tlcourse.grading.server. One request a line, one answer a line, until the pipe
closes, so the process never outlives the notebook's.
"""

from __future__ import annotations

import base64
import json
import os
import sys
from typing import IO, Any

from tlcourse.diagnostics import TLError
from tlcourse.grading.judge import judge
from tlcourse.grading.sealed import from_bytes
from tlcourse.grading.spec import load
from tlcourse.records import to_json

READY = "ready"


def main(requests: IO[str], answers: IO[str]) -> None:
    """Serves until the requests end."""
    print(READY, file=answers, flush=True)
    for line in requests:
        print(answer(json.loads(line)), file=answers, flush=True)


def answer(request: dict[str, Any]) -> str:
    """The verdict on one request as JSON; a refusal of the request itself has the key `refused`."""
    try:
        documents = [from_bytes(base64.b64decode(text)) for text in request["documents"]]
        return to_json(judge(load(request["exercise"]), documents))
    except TLError as problem:
        return json.dumps({"refused": str(problem)})


def _own_output() -> IO[str]:
    """Standard output for answers alone: whatever else prints goes to standard error."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return answers


if __name__ == "__main__":
    main(sys.stdin, _own_output())
