"""Near names for a typo: `did you mean vexp2? `."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def near_name(name: str, known: Iterable[str]) -> str:
    """A question that names the nearest known name, with a space behind it; empty if none."""
    by_lower = {candidate.lower(): candidate for candidate in known}
    found = difflib.get_close_matches(name.lower(), by_lower, 1, cutoff=0.6)
    return f"did you mean {by_lower[found[0]]}? " if found else ""
