"""Near names for a typo: `did you mean vexp2? `."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from types import ModuleType


def near_name(name: str, known: Iterable[str]) -> str:
    """A question that names the nearest known name, with a space behind it; empty if none."""
    by_lower = {candidate.lower(): candidate for candidate in known}
    found = difflib.get_close_matches(name.lower(), by_lower, 1, cutoff=0.6)
    return f"did you mean {by_lower[found[0]]}? " if found else ""


def public_names(namespace: object) -> list[str]:
    """The names that a learner may use of a namespace: its files do not count."""
    names = [name for name in dir(namespace) if not name.startswith("_")]
    return [name for name in names if not is_submodule(getattr(namespace, name, None))]


def is_submodule(value: object) -> bool:
    """Whether a value is a file of the T namespace, not one of its functions."""
    return isinstance(value, ModuleType) and value.__name__.startswith("tlcourse.language.")
