"""The child process of suite npuir: runs given cases by pytest and writes an event for each.

Arguments: the file for events, the file that lists the wanted cases (`-` only collects), then
those of pytest. An event is one line of JSON: `collected`, `broken` (a file that cannot be
read), `start`, `done`.
"""

from __future__ import annotations

import json
import sys
import types
import warnings
from collections.abc import Generator
from pathlib import Path

import pytest

from tlcourse.conformance.child import limit_memory
from tlcourse.conformance.pytest_run import run_pytest
from tlcourse.conformance.reasons import finding_of, reason_of
from tlcourse.jit import FindingWarning


class Recorder:
    """A pytest plugin that keeps the wanted cases only and tells the parent what happens.

    Args:
        events: the file to append to.
        wanted: node ids, None to keep all.
    """

    def __init__(self, events: Path, wanted: frozenset[str] | None) -> None:
        self._events = events
        self._wanted = wanted
        self._reason: tuple[str, str] | None = None
        self._findings: list[str] = []

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        if self._wanted is None:
            self._tell("collected", cases=[item.nodeid for item in items])
        else:
            items[:] = [item for item in items if item.nodeid in self._wanted]

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(
        self, collector: pytest.Collector
    ) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
        report = yield
        if report.failed:
            excinfo = getattr(getattr(report, "call", None), "excinfo", None)
            # pytest wraps a failing import in an error of its own.
            reason = reason_of(excinfo.value.__cause__ or excinfo.value) if excinfo else "unknown"
            self._tell("broken", case=collector.nodeid, reason=reason)
        return report

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self._reason = None
        self._findings = []
        self._tell("start", case=nodeid)

    def pytest_warning_recorded(self, warning_message: warnings.WarningMessage) -> None:
        if issubclass(warning_message.category, FindingWarning):
            self._findings.append(finding_of(str(warning_message.message)))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        if self._reason is None and call.excinfo is not None and not report.passed:
            outcome = "cannot" if report.skipped else "failed"
            self._reason = (outcome, reason_of(call.excinfo.value))
        return report

    # Outermost, because pytest hands out a case's warnings when all of it is over.
    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        result = yield
        outcome, reason = self._reason or ("passed", "")
        findings = list(dict.fromkeys(self._findings))
        self._tell("done", case=item.nodeid, outcome=outcome, reason=reason, findings=findings)
        return result

    def _tell(self, event: str, **facts: object) -> None:
        with self._events.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"event": event, **facts}) + "\n")


def _serve_examples(folder: Path) -> None:
    """Lets `import examples` mean upstream's folder, even where a package of that name is."""
    module = types.ModuleType("examples")
    module.__path__ = [str(folder)]
    sys.modules["examples"] = module


def main() -> int:
    """Reads the arguments; returns pytest's exit code."""
    events, wanted, checkout, *arguments = sys.argv[1:]
    limit_memory()
    _serve_examples(Path(checkout) / "examples")
    names = None
    if wanted != "-":
        names = frozenset(json.loads(Path(wanted).read_text(encoding="utf-8")))
    return run_pytest(arguments, plugins=[Recorder(Path(events), names)])


if __name__ == "__main__":
    sys.exit(main())
