"""One line that says why a case did not pass."""

from __future__ import annotations

import re

from tlcourse.diagnostics import TLError

_LONGEST = 200
_FINDING = re.compile(r"\w+\[(TL\d{3})\]: (.*)")


def reason_of(problem: BaseException) -> str:
    """The code and first sentence of an error of ours, else type and first line of any other."""
    if isinstance(problem, TLError):
        return f"{problem.diagnostic.code}: {problem.diagnostic.what}"[:_LONGEST]
    lines = str(problem).strip().splitlines()
    first = lines[0] if lines else "no message"
    if first.endswith(":"):  # a head, and what it announces
        first = " ".join(lines[:2])
    return f"{type(problem).__name__}: {first}"[:_LONGEST]


def finding_of(text: str) -> str:
    """The code and first sentence of a finding's text, `error[TL520]: store uses ..`."""
    head = text.strip().split("\n", 1)[0]
    found = _FINDING.match(head)
    return f"{found[1]}: {found[2]}"[:_LONGEST] if found else head[:_LONGEST]


def ended(code: int, log: str) -> str:
    """The reason of a process that ended without a result: its exit code and its last line."""
    how = f"signal {-code}" if code < 0 else f"exit code {code}"
    lines = log.strip().splitlines()
    return f"the process ended ({how}): {lines[-1] if lines else 'it wrote nothing'}"[:_LONGEST]


def too_slow(seconds: float) -> str:
    """The reason of a case that was stopped."""
    return f"stopped after {seconds:g} s"
