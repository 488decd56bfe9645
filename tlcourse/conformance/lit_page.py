"""docs/lit.md: how upstream's lit tests fare on our passes, as a page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tlcourse.conformance.results import Case, Report, by_reason, counts

_SHOWN = 15
_HEAD = """# Upstream's lit tests

Made by `tlcourse conformance DIR --suite lit --page docs/lit.md`, DIR being a checkout of AscendNPU
IR at tag v1.2.0. Each module of its tests whose RUN line names embedded passes only is run through
our passes of the same names and compared with upstream's own CHECK lines by the package filecheck.
Not counted: modules under RUN lines with other passes, and modules of which nothing but the name of
a function is compared. A name with two numbers says which RUN line of the file, and which module.
"""


def page_of(report: Report) -> str:
    """The page of a report of suite lit."""
    judged = [case for case in report.cases if case.outcome != "cannot"]
    return "\n".join([_HEAD, *_total(judged), *_table(judged), *_reasons(judged)]) + "\n"


def _total(judged: Sequence[Case]) -> Iterator[str]:
    passed = counts(judged)["passed"]
    share = 100 * passed // max(1, len(judged))
    yield f"{passed} of {len(judged)} modules pass ({share} %)."
    yield ""


def _table(judged: Sequence[Case]) -> Iterator[str]:
    yield "| file | modules | passed | failed |"
    yield "|---|---:|---:|---:|"
    files: dict[str, list[Case]] = {}
    for case in judged:
        files.setdefault(case.name.split(":")[0], []).append(case)
    for name, inside in files.items():
        passed = counts(inside)["passed"]
        yield f"| {name} | {len(inside)} | {passed} | {len(inside) - passed} |"
    yield ""


def _reasons(judged: Sequence[Case]) -> Iterator[str]:
    yield "## Why modules fail"
    yield ""
    yield "The commonest reasons, with one example each."
    yield ""
    yield "| modules | reason | example |"
    yield "|---:|---|---|"
    for group, inside in by_reason(judged, "failed")[:_SHOWN]:
        yield f"| {len(inside)} | {group} | {inside[0].name}: {_cell(inside[0].reason)} |"


def _cell(text: str) -> str:
    return f"`{text.replace('|', '/').replace('`', '')}`"
