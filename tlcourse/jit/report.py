"""How a learner hears of faults: as an error where the run stopped, else as a warning.

A finding after which the run stopped is raised, because the outputs are incomplete. All
others are warnings, so that the wrong numbers of a racy kernel can be looked at; with
TLCOURSE_STRICT they are raised as well.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence

from tlcourse.config import read_config
from tlcourse.diagnostics import Diagnostic, SourceMap, TLError, levels_to_the_learner, render_text
from tlcourse.records import Finding

STOPPING = frozenset({"TL501", "TL502", "TL504", "TL505", "TL506", "TL527", "TL529", "TL530"})
"""Codes of findings that are raised: out of bounds, deadlock, too many steps, no way on."""

MOST_WARNINGS = 8
"""So many findings of a launch are shown as warnings; the others are counted."""


class KernelWarning(UserWarning):
    """Something in a kernel that is accepted, and that its author should know."""


class FindingWarning(KernelWarning):
    """A fault that the executor saw and ran on after."""


# Python shows equal warnings from one line once; a fault of each launch must be seen. Appended,
# so that every filter of the user's comes first.
warnings.filterwarnings("always", category=FindingWarning, append=True)


def warn(diagnostics: Sequence[Diagnostic], sources: SourceMap) -> None:
    """Warns about what the language found in a kernel's text, at the learner's line."""
    for diagnostic in diagnostics:
        _warn(render_text(diagnostic, sources), KernelWarning)


def report(findings: Sequence[Finding], sources: SourceMap) -> None:
    """Warns about findings, at the learner's line, then raises the first that stopped the run.

    With TLCOURSE_STRICT, where none stopped it, the first of all is raised.

    Args:
        findings: what the executor saw.
        sources: the texts that their spans point into.

    Raises:
        TLError: the code of a finding in STOPPING; with TLCOURSE_STRICT of any finding.
    """
    stopped = [finding for finding in findings if finding.diagnostic.code in STOPPING]
    raised = stopped or (findings[:1] if read_config().strict else [])
    others = [one for one in findings if one not in stopped and one not in raised]
    for finding in others[:MOST_WARNINGS]:
        _warn(_counted(finding, sources), FindingWarning)
    if len(others) > MOST_WARNINGS:
        more = len(others) - MOST_WARNINGS
        _warn(f"{more} more findings; kernel.last_launch.findings holds all", FindingWarning)
    if raised:
        raise TLError(raised[0].diagnostic, dict(sources))


def _counted(finding: Finding, sources: SourceMap) -> str:
    text = render_text(finding.diagnostic, sources)
    return text if finding.count == 1 else f"{text}\n  = seen {finding.count} times"


def _warn(text: str, category: type[Warning]) -> None:
    warnings.warn(text, category, stacklevel=levels_to_the_learner())
