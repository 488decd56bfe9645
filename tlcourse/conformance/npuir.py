"""Suite npuir: upstream's testing/npuir, each case with a time limit, several at a time."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tlcourse.conformance.child import Child, environment
from tlcourse.conformance.known import excluded, explained
from tlcourse.conformance.reasons import ended, too_slow
from tlcourse.conformance.results import Case, Outcome, Settings

FOLDER = Path("testing/npuir")

_COLLECT_LIMIT_S = 600.0
_POLL_S = 0.1
# Starting a process costs about three seconds; smaller batches spread the work better.
_BATCHES_PER_JOB = 8
_MODULE = "recorder"

Tell = Callable[[Case, int], None]


@dataclass(frozen=True, kw_only=True)
class Collected:
    """What pytest found: cases, and files that it could not read with the reason."""

    names: tuple[str, ...]
    broken: dict[str, str]


def run(settings: Settings, tell: Tell) -> list[Case]:
    """Runs all cases; `tell` is called from several threads."""
    found = _collect(settings)
    names = [name for name in found.names if settings.only in name]
    unread = {name: why for name, why in found.broken.items() if settings.only in name}
    total = len(names) + len(unread)
    cases = [judged(_case(name, "failed", why), settings) for name, why in unread.items()]
    for case in cases:
        tell(case, total)

    def work(batch: Sequence[str]) -> list[Case]:
        return _Batch(settings, batch, lambda case: tell(case, total)).run()

    with ThreadPoolExecutor(settings.jobs) as pool:
        for done in pool.map(work, batches(names, settings.jobs)):
            cases += done
    return cases


def batches(names: Sequence[str], jobs: int) -> list[list[str]]:
    """Cases in groups of about equal size; the cases of one file stay together."""
    size = max(1, len(names) // (jobs * _BATCHES_PER_JOB))
    found: list[list[str]] = []
    for name in names:
        same = found and _file(found[-1][-1]) == _file(name)
        if found and (same or len(found[-1]) < size):
            found[-1].append(name)
        else:
            found.append([name])
    return found


def judged(case: Case, settings: Settings) -> Case:
    """The case as it counts.

    A finding that the table does not explain fails the case; an exclusion that the table
    knows turns a failure into `cannot`.
    """
    if case.outcome == "passed":
        open_ones = [text for text in case.findings if not explained(case.name, text[:5])]
        return replace(case, outcome="failed", reason=open_ones[0]) if open_ones else case
    backend = settings.backend if settings.execution == "simulator" else ""
    why = excluded("npuir", case.name, backend) if case.outcome == "failed" else ""
    return replace(case, outcome="cannot", reason=why) if why else case


def _case(name: str, outcome: Outcome, reason: str = "") -> Case:
    folder = name.split("/")[0] if "/" in name else "."
    return Case(folder=folder, name=name, outcome=outcome, reason=reason)


def _collect(settings: Settings) -> Collected:
    with TemporaryDirectory(prefix="tlcourse-") as scratch:
        events = Path(scratch) / "events"
        arguments = [str(events), "-", str(settings.folder), "--collect-only", "-q", *_common()]
        with _child(settings, arguments, Path(scratch)) as child:
            child.wait(_COLLECT_LIMIT_S)
            told = _read(events, 0)[0]
    names: list[str] = [
        name for event in told if event["event"] == "collected" for name in event["cases"]
    ]
    broken = {event["case"]: event["reason"] for event in told if event["event"] == "broken"}
    return Collected(names=tuple(names), broken=broken)


class _Batch:
    """Runs some cases in one child; a child that hangs or dies is replaced for the rest."""

    def __init__(
        self, settings: Settings, names: Sequence[str], tell: Callable[[Case], None]
    ) -> None:
        self._settings = settings
        self._left = list(names)
        self._tell = tell
        self._done: list[Case] = []
        self._running: tuple[str, float] | None = None

    def run(self) -> list[Case]:
        """Until each case has a result."""
        while self._left:
            before = len(self._left)
            with TemporaryDirectory(prefix="tlcourse-") as scratch:
                log = self._run_child(Path(scratch))
            if len(self._left) == before:
                for name in list(self._left):
                    self._finish(_case(name, "failed", log))
        return self._done

    def _run_child(self, scratch: Path) -> str:
        """One child, from start to end; returns why it ended without a result, if it did."""
        wanted, events = scratch / "wanted", scratch / "events"
        wanted.write_text(json.dumps(self._left), encoding="utf-8")
        files = list(dict.fromkeys(_file(name) for name in self._left))
        place = str(self._settings.folder)
        arguments = [str(events), str(wanted), place, "-q", *_common(), *files]
        self._running, seen = None, 0
        with _child(self._settings, arguments, scratch) as child:
            while True:
                code = child.wait(_POLL_S)
                told, seen = _read(events, seen)
                self._take(told)
                if code is not None:
                    return self._ended(ended(code, child.log()))
                if self._is_late():
                    return self._ended(too_slow(self._settings.case_limit_s))

    def _take(self, told: list[dict[str, Any]]) -> None:
        for event in told:
            if event["event"] == "start":
                self._running = (event["case"], time.monotonic())
            elif event["event"] == "done":
                case = _case(event["case"], event["outcome"], event["reason"])
                self._finish(replace(case, findings=tuple(event["findings"])))

    def _finish(self, case: Case) -> None:
        began = self._running[1] if self._running else time.monotonic()
        self._running = None
        if case.name not in self._left:
            return
        self._left.remove(case.name)
        case = judged(replace(case, seconds=time.monotonic() - began), self._settings)
        self._done.append(case)
        self._tell(case)

    def _is_late(self) -> bool:
        limit = self._settings.case_limit_s
        return self._running is not None and time.monotonic() - self._running[1] > limit

    def _ended(self, reason: str) -> str:
        """The case that ran when the child ended failed for this reason."""
        if self._running is not None:
            self._finish(_case(self._running[0], "failed", reason))
        return reason


def _child(settings: Settings, arguments: Sequence[str], scratch: Path) -> Child:
    env = environment(settings, scratch)
    return Child(_MODULE, arguments, env=env, folder=settings.folder / FOLDER)


def _common() -> tuple[str, ...]:
    """Upstream's settings, and nothing of the folders above it; no files beside the tests."""
    return ("-c", "pytest.ini", "--rootdir", ".", "-p", "no:cacheprovider", "-p", "no:xdist")


def _file(name: str) -> str:
    return name.split("::")[0]


def _read(events: Path, seen: int) -> tuple[list[dict[str, Any]], int]:
    """The whole lines that were written since `seen`, in bytes, and where they end."""
    if not events.exists():
        return [], seen
    text = events.read_bytes()[seen:]
    end = text.rfind(b"\n") + 1
    return [json.loads(line) for line in text[:end].splitlines()], seen + end
