"""The tables of `tlcourse conformance`, as lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tlcourse.conformance.known import explained
from tlcourse.conformance.results import Case, Outcome, Report, by_folder, by_reason, counts

_COLUMNS = ("cases", "passed", "failed", "cannot")
_HEADS: dict[Outcome, str] = {"failed": "failed", "cannot": "cannot, as known"}
# Groups larger than this show so many of their cases.
_SHOWN = 3


def report_lines(report: Report) -> list[str]:
    """The table per folder, then why cases failed, the commonest reason first."""
    lines = [*_table(report.cases)]
    if report.suite == "goldens":
        lines += ["", *_steps(report.cases)]
    for outcome, head in _HEADS.items():
        lines += _reasons(report.cases, outcome, head)
    lines += _findings(report.cases)
    return [*lines, "", f"suite {report.suite}{_how(report)}, {report.seconds:,.0f} s"]


def _how(report: Report) -> str:
    """How kernels were run, for suites that run kernels."""
    if report.suite in ("goldens", "lit"):
        return ""
    backend = f", backend {report.backend}" if report.execution == "simulator" else ""
    return f", execution {report.execution}{backend}"


def _table(cases: Sequence[Case]) -> Iterator[str]:
    folders = by_folder(cases)
    width = max((len(name) for name in (*folders, "folder")), default=6)
    yield _row("folder", _COLUMNS, width)
    for folder, inside in folders.items():
        yield _row(folder, _numbers(inside), width)
    yield _row("total", _numbers(cases), width)


def _numbers(cases: Sequence[Case]) -> tuple[str, ...]:
    return tuple(str(number) for number in (len(cases), *counts(cases).values()))


def _row(name: str, cells: Sequence[str], width: int) -> str:
    return f"{name:<{width}}" + "".join(f"{cell:>8}" for cell in cells)


def _steps(cases: Sequence[Case]) -> Iterator[str]:
    """How many modules came through each step of the real compiler."""
    names = dict.fromkeys(name for case in cases for name in case.steps)
    for name in names:
        through = sum(case.steps.get(name, False) for case in cases)
        yield f"{name}: {through} of {len(cases)}"


def _findings(cases: Sequence[Case]) -> Iterator[str]:
    """What the executor found in cases that pass, by the reason that the table gives."""
    groups: dict[str, list[str]] = {}
    for case in cases:
        for code in dict.fromkeys(text[:5] for text in case.findings):
            reason = explained(case.name, code)
            if reason:
                groups.setdefault(f"{code}: {reason}", []).append(case.name)
    if groups:
        yield from ("", "findings, as known")
    for head, names in groups.items():
        yield f"  {len(names):>4}  {head}"
        yield f"          {names[0]}"


def _reasons(cases: Sequence[Case], outcome: Outcome, head: str) -> Iterator[str]:
    groups = by_reason(cases, outcome)
    if groups:
        yield from ("", head)
    for _, inside in groups:
        yield f"  {len(inside):>4}  {inside[0].reason}"
        for case in inside[:_SHOWN]:
            yield f"          {case.name}"
        if len(inside) > _SHOWN:
            yield f"          and {len(inside) - _SHOWN} more"
