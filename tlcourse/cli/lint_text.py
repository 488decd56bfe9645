"""What `tlcourse ir --lint` prints."""

from __future__ import annotations

import warnings
from pathlib import Path

from tlcourse.diagnostics import render_text
from tlcourse.jit.differences import differences
from tlcourse.jit.inspect import load_kernel
from tlcourse.jit.report import KernelWarning
from tlcourse.lint import WARNED, LintReport


def linted(path: Path, kernel: str | None) -> LintReport:
    """The report on a kernel in a file; what stands in it is not warned of a second time.

    Raises:
        TL710 to TL713: the kernel cannot be found in the file.
    """
    with warnings.catch_warnings():
        said = rf"warning\[({'|'.join(WARNED)})\]"
        warnings.filterwarnings("ignore", message=said, category=KernelWarning)
        return differences(load_kernel(path, kernel))


def lint_lines(report: LintReport) -> list[str]:
    """A report as lines: the differences, and how many there are."""
    lines: list[str] = []
    for found in report.differences:
        lines += [*render_text(found.diagnostic, dict(report.sources)).splitlines(), ""]
    return [*lines, f"{report.kernel}, {report.mode} mode: {_count(len(report.differences))}"]


def _count(number: int) -> str:
    if number == 0:
        return "no differences from upstream"
    plural = "s" if number > 1 else ""
    return f"{number} difference{plural} from upstream, explained in docs/differences.md"
