"""Runs the package's own tests on a copy of it, in a process of their own."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from pathlib import Path

import _pytest.config
import pytest

from tlcourse.grading.packages.asked import Tested

_OPTIONS = ("-q", "-x", "--color=no", "--noconftest", "-p", "no:cacheprovider", "-c", os.devnull)


# What each run would import anew in its fork.
_NEEDED = (
    *(f"_pytest.{name}" for name in _pytest.config.default_plugins),
    "torch.fx.experimental.symbolic_shapes",
    "torch.distributed._functional_collectives",
    "tlcourse.ops.launching",
    "tlcourse.ops.code_check",
)
for _name in _NEEDED:
    import_module(_name)


class _Counter:
    """Counts what pytest reports."""

    def __init__(self) -> None:
        self.passed = self.failed = 0
        self.said = ""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.passed += report.when == "call" and report.passed
        self.failed += report.failed
        if report.failed:
            self.said = self.said or _last_line(report.longreprtext)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        self.failed += report.failed
        if report.failed:
            self.said = self.said or _last_line(report.longreprtext)


def tested(folder: Path, site: Path, name: str) -> Tested:
    """What the tests in a file say, where the package is installed in `site`."""
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    os.chdir(folder)
    sys.path.insert(0, str(site))
    counter = _Counter()
    code = pytest.main([*_OPTIONS, "--rootdir", str(folder), name], plugins=[counter])
    if code not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED) and not counter.failed:
        return Tested(said=f"pytest ended with {pytest.ExitCode(code).name}")
    return Tested(passed=counter.passed, failed=counter.failed, said=counter.said)


def _last_line(text: str) -> str:
    lines = [line for line in text.splitlines() if line.startswith("E ")]
    return lines[0].removeprefix("E ").strip() if lines else ""
