"""The tables of `tlcourse conformance`, as lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

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
    how = "" if report.suite == "goldens" else f", execution {report.execution}"
    return [*lines, "", f"suite {report.suite}{how}, {report.seconds:,.0f} s"]


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
