"""Runs upstream's own tests and examples on ours and says which of them pass.

Upstream's checkout is the user's and is never written to. Every case runs in a child process
with limits, so that a kernel that hangs or breaks the process costs one case.
"""

from __future__ import annotations

from tlcourse.conformance.results import Case, Report, Settings
from tlcourse.conformance.suites import run_suite

__all__ = ["Case", "Report", "Settings", "run_suite"]
