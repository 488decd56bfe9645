"""Keeps a warm parent running and lets it run hand-ins; a dead one is replaced."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, cast

from tlcourse.grading import sandbox, strict, walls
from tlcourse.grading.sandbox import Limits, Outcome
from tlcourse.records import to_json

_START_SECONDS = 120.0
_GRACE_SECONDS = 30.0


class WarmParent:
    """One process that forks hand-ins. Linux only; `works_here()` says so.

    Args:
        kinds: how hand-ins may be shut in, the best first; what the system lets be is taken.
    """

    def __init__(self, kinds: Sequence[walls.Kind] = walls.KINDS) -> None:
        self._kinds = kinds
        self._asking = threading.Lock()
        self._process: subprocess.Popen[str] | None = None
        self._answers: queue.Queue[str] = queue.Queue()
        self._kind: walls.Kind | None = None

    @property
    def kind(self) -> walls.Kind:
        """How hand-ins are shut in; starts the process where that is not known yet."""
        with self._asking:
            return self._ready()

    @property
    def pid(self) -> int | None:
        """The process's number, where it runs."""
        return self._process.pid if self._process is not None else None

    def run(self, work: Path, limits: Limits) -> Outcome:
        """Runs the hand-in that lies in `work`.

        Raises:
            OSError: the sandbox or the process failed, which is the grader's own fault.
        """
        with self._asking:
            self._ready()
            request = json.dumps({"work": str(work), "limits": json.loads(to_json(limits))})
            try:
                answer = self._ask(request, limits.wall_seconds + _GRACE_SECONDS)
                return strict.read(Outcome, json.loads(answer), "outcome")
            except (OSError, ValueError, queue.Empty) as problem:
                self._end()
                raise OSError(f"the warm parent: {problem or 'no answer'}") from problem

    def stop(self) -> None:
        """Ends the process, and with it a hand-in that it runs at this moment."""
        if self._process is not None:
            self._process.kill()  # whoever waits for an answer learns that none comes
        with self._asking:
            self._end()

    def _ready(self) -> walls.Kind:
        if self._kind is None or self._process is None or self._process.poll() is not None:
            self._end()
            self._begin()
            try:
                self._kind = json.loads(self._receive(_START_SECONDS))["ready"]
            except (ValueError, KeyError, queue.Empty) as problem:
                self._end()
                raise OSError("the warm parent does not start") from problem
        assert self._kind is not None
        return self._kind

    def _begin(self) -> None:
        seen = {"readable": sandbox.readable(), "hidden": sandbox.hidden()}
        offered = [walls.Walls(kind=kind, **seen) for kind in self._kinds]
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tlcourse.grading.warm", to_json(offered)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
            env=sandbox.environment(Path("/nonexistent")),
            cwd="/",
            start_new_session=True,  # an interrupt is for the one who asks
        )
        self._answers = queue.Queue()
        output = cast(IO[str], self._process.stdout)
        threading.Thread(target=_pump, args=(output, self._answers), daemon=True).start()

    def _ask(self, request: str, seconds: float) -> str:
        assert self._process is not None
        print(request, file=cast(IO[str], self._process.stdin), flush=True)
        answer = self._receive(seconds)
        if problem := json.loads(answer).get("failed"):
            raise OSError(problem)
        return answer

    def _receive(self, seconds: float) -> str:
        line = self._answers.get(timeout=seconds)
        if not line:
            raise ValueError("it ended without an answer")
        return line

    def _end(self) -> None:
        if self._process is None:
            return
        self._process.kill()
        self._process.wait()
        with suppress(OSError):  # a request that never left is lost with the process
            cast(IO[str], self._process.stdin).close()
        self._process, self._kind = None, None


def works_here() -> bool:
    """Whether this system forks: elsewhere every hand-in gets a Python of its own."""
    return sys.platform == "linux" and hasattr(os, "pidfd_open")


def _pump(output: IO[str], answers: queue.Queue[str]) -> None:
    with output:
        for line in output:
            answers.put(line)
    answers.put("")
