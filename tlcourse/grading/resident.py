"""Keeps the trusted process running and asks it for verdicts."""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import sys
import threading
from contextlib import suppress
from functools import cache
from pathlib import Path
from queue import Empty, Queue
from typing import IO, cast

from tlcourse.grading import verdicts
from tlcourse.grading.child import Result
from tlcourse.grading.server import Request
from tlcourse.grading.spec import Spec
from tlcourse.grading.words import Language, plain, say
from tlcourse.records import Verdict, from_json, to_json

_START_SECONDS = 120.0
# Steps are what limits a kernel; the clock only guards against what steps do not count.
_JUDGE_SECONDS = 240.0


class Resident:
    """One trusted process. It is started early and asked late; a dead one is replaced.

    Args:
        module: what the process runs.
        seconds: wall time that one verdict may take.
        secret: seed of the inputs that it draws; without it, that of practice.
    """

    def __init__(
        self,
        module: str = "tlcourse.grading.server",
        seconds: float = _JUDGE_SECONDS,
        secret: str = "",
    ) -> None:
        self._module = module
        self._seconds = seconds
        self._secret = secret
        self._asking = threading.Lock()
        self._process: subprocess.Popen[str] | None = None
        self._answers: Queue[str] = Queue()
        self._ready = False

    @property
    def pid(self) -> int | None:
        """The process's number, where it runs."""
        return self._process.pid if self._process is not None else None

    def start(self) -> None:
        """Starts the process without waiting for it."""
        self._process = subprocess.Popen(
            [sys.executable, "-m", self._module],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
            env=_environment(),
        )
        self._answers, self._ready = Queue(), False
        output = cast(IO[str], self._process.stdout)
        threading.Thread(target=_pump, args=(output, self._answers), daemon=True).start()

    def stop(self) -> None:
        """Ends the process."""
        if self._process is None:
            return
        self._process.kill()
        self._process.wait()
        with suppress(OSError):  # a request that never left is lost with the process
            cast(IO[str], self._process.stdin).close()
        self._process = None

    def judge(
        self, spec: Spec, result: Result, *, public_only: bool = False, language: Language = "en"
    ) -> Verdict:
        """The verdict on what was traced.

        Args:
            spec: the exercise.
            result: an attempt per case.
            public_only: whether only the public cases were traced.
            language: of the words in the verdict.
        """
        request = Request(
            exercise=spec.id,
            result=result,
            public_only=public_only,
            language=language,
            secret=self._secret,
        )
        with self._asking:
            try:
                return from_json(Verdict, self._ask(to_json(request)))
            except Empty:
                self.stop()
                return self._too_slow(spec, language)
            except (OSError, ValueError) as problem:
                self.stop()
                return verdicts.grader_failed(spec, plain(str(problem)), language)

    def _too_slow(self, spec: Spec, language: Language) -> Verdict:
        reason = say("judge timeout", language, seconds=self._seconds)
        fix = say("judge timeout fix", language)
        return verdicts.single(spec, "TIMEOUT", "runs", reason, fix=fix, language=language)

    def _ask(self, request: str) -> str:
        if self._process is None or self._process.poll() is not None:
            self.stop()
            self.start()
        assert self._process is not None
        if not self._ready:
            self._receive(_START_SECONDS)
            self._ready = True
        print(request, file=cast(IO[str], self._process.stdin), flush=True)
        answer = self._receive(self._seconds)
        if problem := json.loads(answer).get("failed"):
            raise ValueError(problem)
        return answer

    def _receive(self, seconds: float) -> str:
        line = self._answers.get(timeout=seconds)
        if not line:
            raise ValueError("it ended without an answer")
        return line


def _pump(output: IO[str], answers: Queue[str]) -> None:
    with output:
        for line in output:
            answers.put(line)
    answers.put("")


def _environment() -> dict[str, str]:
    """That of this process without its settings of the course, which must not change a grade."""
    root = str(Path(__file__).parents[2])
    path = os.environ.get("PYTHONPATH")
    kept = {name: value for name, value in os.environ.items() if not _is_setting(name)}
    return {**kept, "PYTHONPATH": f"{root}{os.pathsep}{path}" if path else root}


def _is_setting(name: str) -> bool:
    return name.startswith(("TILELANG_", "TL_", "TLCOURSE_")) and name != "TLCOURSE_PRIVATE"


@cache
def shared() -> Resident:
    """The trusted process that this one shares; it is started at the first call."""
    resident = Resident()
    resident.start()
    atexit.register(resident.stop)
    return resident
