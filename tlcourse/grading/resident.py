"""Keeps the trusted process beside a notebook running and asks it for verdicts."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from queue import Empty, Queue
from typing import IO, Any, cast

from tlcourse.grading.sealed import Sealed
from tlcourse.grading.spec import Spec
from tlcourse.records import Check, State, Verdict, from_data

_START_SECONDS = 120.0
_JUDGE_SECONDS = 120.0


class Resident:
    """One trusted process. It is started early and asked late; a dead one is replaced.

    Args:
        module: what the process runs.
        seconds: wall time that one verdict may take.
    """

    def __init__(
        self, module: str = "tlcourse.grading.server", seconds: float = _JUDGE_SECONDS
    ) -> None:
        self._module = module
        self._seconds = seconds
        self._asking = threading.Lock()
        self._process: subprocess.Popen[str] | None = None
        self._answers: Queue[str] = Queue()
        self._ready = False

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
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def judge(self, spec: Spec, documents: Sequence[Sealed]) -> Verdict:
        """The verdict on sealed kernels."""
        encoded = [base64.b64encode(document.to_bytes()).decode() for document in documents]
        request = json.dumps({"exercise": spec.id, "documents": encoded})
        with self._asking:
            try:
                return _verdict(spec, self._ask(request))
            except Empty:
                self.stop()
                what = f"no verdict within {self._seconds:g} seconds"
                return _failed(spec, "TIMEOUT", what)
            except (OSError, ValueError) as problem:
                self.stop()
                return _failed(spec, "ERROR", f"the grading process failed: {problem}")

    def _ask(self, request: str) -> dict[str, Any]:
        if self._process is None or self._process.poll() is not None:
            self.start()
        assert self._process is not None
        if not self._ready:
            self._receive(_START_SECONDS)
            self._ready = True
        print(request, file=cast(IO[str], self._process.stdin), flush=True)
        return cast(dict[str, Any], json.loads(self._receive(self._seconds)))

    def _receive(self, seconds: float) -> str:
        line = self._answers.get(timeout=seconds)
        if not line:
            raise ValueError("it ended without an answer")
        return line


def _pump(output: IO[str], answers: Queue[str]) -> None:
    for line in output:
        answers.put(line)
    answers.put("")


def _environment() -> dict[str, str]:
    root = str(Path(__file__).parents[2])
    path = os.environ.get("PYTHONPATH")
    return {**os.environ, "PYTHONPATH": f"{root}{os.pathsep}{path}" if path else root}


def _verdict(spec: Spec, data: dict[str, Any]) -> Verdict:
    if "refused" in data:
        return _failed(spec, "FAIL", str(data["refused"]).splitlines()[0])
    return from_data(Verdict, data)


def _failed(spec: Spec, state: State, reason: str) -> Verdict:
    points = float(spec.points)
    check = Check(name="grader", state=state, points=0.0, max_points=points, reason=reason)
    return Verdict(exercise=spec.id, state=state, points=0.0, max_points=points, checks=(check,))
