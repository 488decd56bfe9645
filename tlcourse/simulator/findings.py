"""Findings of a run: each fault once, its first occurrence with both lines, and a count."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace

from tlcourse.diagnostics import Diagnostic, Label, Severity, Span
from tlcourse.records import Finding, Wait
from tlcourse.simulator.instruction import Instruction


@dataclass(frozen=True, kw_only=True)
class Fault:
    """One occurrence of a fault, before it is counted.

    Args:
        key: equal for occurrences that have one cause.
        code: `TL5xx`.
        at: the instruction at which it shows.
        cut: the statement to show in place of that of `at`, which then comes second; -1: none.
        other: the instruction that the fault is with, where there is one.
        label: words beside the caret of `at`.
        other_label: words beside the caret of `other`.
        excuses: keys of faults that follow from this one and are not reported beside it.
        waits: edges of a deadlock's graph, with the span numbers of wait and raise.
        wait_call: of a flag that is raised too often, the statement that waits for it.
        front: of a race, where a wait has to stand, `in T.rs("PIPE_V") in front of line 7`.
    """

    key: Hashable
    code: str
    at: Instruction
    cut: int = -1
    other: Instruction | None = None
    other_span: int = -1
    what: str
    why: str
    fix: str
    label: str
    other_label: str = ""
    severity: Severity = "error"
    excuses: tuple[Hashable, ...] = ()
    waits: tuple[tuple[Wait, int, int], ...] = ()
    wait_call: str = ""
    front: str = ""


@dataclass
class FindingLog:
    """Collects faults; equal ones are counted, consequences of others are left out."""

    spans: Sequence[Span | None]
    faults: dict[Hashable, Fault] = field(default_factory=lambda: dict[Hashable, Fault]())
    counts: dict[Hashable, int] = field(default_factory=lambda: dict[Hashable, int]())
    plain: list[Finding] = field(default_factory=lambda: list[Finding]())

    def add(self, fault: Fault) -> None:
        """Takes an occurrence of a fault."""
        self.faults.setdefault(fault.key, fault)
        self.counts[fault.key] = self.counts.get(fault.key, 0) + 1

    def knows(self, key: Hashable) -> bool:
        """Counts a further occurrence of a known fault; False where it is new."""
        if key not in self.faults:
            return False
        self.counts[key] += 1
        return True

    def refine(self, key: Hashable, fix: str) -> None:
        """Gives a known fault another remedy, one that mends more."""
        self.faults[key] = replace(self.faults[key], fix=fix)

    def add_place(self, key: Hashable, other: Instruction, label: str) -> None:
        """Shows one more statement with a known fault that has a single place so far."""
        fault = self.faults[key]
        if fault.other is None and fault.other_span < 0 and other.site.span != fault.at.site.span:
            self.faults[key] = replace(fault, other=other, other_label=label)

    def add_finding(self, finding: Finding) -> None:
        """Takes a finding that no instruction stands for."""
        self.plain.append(finding)

    def __len__(self) -> int:
        return len(self.faults) + len(self.plain)

    def span(self, index: int) -> Span | None:
        """The place with an index in the program's table; -1 is none."""
        return self.spans[index] if 0 <= index < len(self.spans) else None

    def findings(self) -> tuple[Finding, ...]:
        """All findings in the order in which they showed first."""
        excused = {key for fault in self.faults.values() for key in fault.excuses}
        found = [
            replace(self._finding(fault), count=self.counts[key])
            for key, fault in self.faults.items()
            if key not in excused
        ]
        return (*found, *self.plain)

    def _finding(self, fault: Fault) -> Finding:
        span = self.span(fault.at.site.span if fault.cut < 0 else fault.cut)
        other_index = fault.other.site.span if fault.other is not None else fault.other_span
        other = self.span(other_index)
        labels = [(span, fault.label), (other, fault.other_label)]
        return Finding(
            diagnostic=Diagnostic(
                code=fault.code,
                severity=fault.severity,
                what=fault.what,
                labels=tuple(Label(span=s, text=text) for s, text in labels if s and text),
                why=fault.why,
                fix=self._missing_wait(fault) or fault.fix,
            ),
            agent=fault.at.core.name,
            pipe=fault.at.pipe.name,
            block=fault.at.core.block,
            iteration=fault.at.turn,
            other_span=other,
            waits=tuple(
                replace(wait, span=self.span(at), setter_span=self.span(by))
                for wait, at, by in fault.waits
            ),
        )

    def _missing_wait(self, race: Fault) -> str:
        """What mends a race whose flag is raised, behind the access that has to be over."""
        if race.front:
            for key in race.excuses:
                flag = self.faults.get(key)
                if flag is not None and flag.wait_call and _is_raised_behind(race, flag):
                    return (
                        f"write {flag.wait_call} {race.front}: the flag is raised, and nobody "
                        "waits for it there"
                    )
        return ""


def _is_raised_behind(race: Fault, flag: Fault) -> bool:
    earlier = race.other or race.at
    return flag.at.core.kind == earlier.core.kind and flag.at.site.index >= earlier.site.index
