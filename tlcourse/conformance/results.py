"""What a conformance run found: one record per case, and how they are grouped."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, Literal

from tlcourse.records import Backend

Suite = Literal["npuir", "examples", "goldens", "lit"]
Execution = Literal["functional", "simulator"]
Outcome = Literal["passed", "failed", "cannot"]

_CODE = re.compile(r"TL\d{3}\b")
# Reasons that name what is missing: there each name is a group of its own.
_NAMING = ("TL105", "AttributeError", "ImportError", "ModuleNotFoundError")


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How a suite is run.

    Args:
        suite: which of upstream's trees.
        folder: the checkout of upstream.
        execution: how kernels run.
        backend: what compiles them for the simulator.
        jobs: child processes at a time.
        case_limit_s: seconds after which a case is stopped.
        memory_limit_bytes: address space of a child process.
        only: cases whose name holds this text; empty means all.
    """

    suite: Suite
    folder: Path
    execution: Execution = "functional"
    backend: Backend = "embedded"
    jobs: int = 1
    case_limit_s: float = 120.0
    memory_limit_bytes: int = 16 * 2**30
    only: str = ""


@dataclass(frozen=True, kw_only=True)
class Case:
    """One test, example or kernel source of upstream.

    Args:
        folder: the folder that it is counted under.
        name: its path below the suite's folder; for a test with its function and parameters.
        outcome: `cannot` where the table of known exclusions gives a reason for the failure.
        reason: why it did not pass, one line.
        seconds: wall time.
        steps: goldens only, what the module came through.
        findings: npuir only, what the executor saw and ran on after, code and first sentence.
    """

    folder: str
    name: str
    outcome: Outcome
    reason: str = ""
    seconds: float = 0.0
    steps: dict[str, bool] = field(default_factory=lambda: dict[str, bool]())
    findings: tuple[str, ...] = ()

    @property
    def group(self) -> str:
        """What cases that fail for the same reason share: the error code, or the first words."""
        if self.outcome == "cannot" or self.reason.startswith(_NAMING):
            return self.reason
        code = _CODE.match(self.reason)
        return code[0] if code else self.reason.split(": ")[0]


@dataclass(frozen=True, kw_only=True)
class Report:
    """All cases of a run, in the order of their names."""

    schema: ClassVar[str] = "tlcourse.Conformance/1"
    suite: Suite
    execution: Execution
    backend: Backend
    seconds: float
    cases: tuple[Case, ...]

    @property
    def passed(self) -> bool:
        """Whether there are cases and none failed."""
        return bool(self.cases) and all(case.outcome != "failed" for case in self.cases)


Listener = Callable[[Case, int], None]
"""Is told each case when it is done, and how many cases there are in all."""


def counts(cases: Sequence[Case]) -> dict[Outcome, int]:
    """How many cases passed, failed and cannot."""
    found = Counter(case.outcome for case in cases)
    return {"passed": found["passed"], "failed": found["failed"], "cannot": found["cannot"]}


def by_folder(cases: Sequence[Case]) -> dict[str, list[Case]]:
    """The cases of each folder, folders in the order of their names."""
    found: dict[str, list[Case]] = {}
    for case in sorted(cases, key=lambda case: (case.folder, case.name)):
        found.setdefault(case.folder, []).append(case)
    return found


def by_reason(cases: Sequence[Case], outcome: Outcome) -> list[tuple[str, list[Case]]]:
    """Cases of one outcome, grouped by what they share, the largest group first."""
    found: dict[str, list[Case]] = {}
    for case in cases:
        if case.outcome == outcome:
            found.setdefault(case.group, []).append(case)
    return sorted(found.items(), key=lambda item: (-len(item[1]), item[0]))
