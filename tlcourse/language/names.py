"""Near names for a typo: `did you mean vexp2? `."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from types import ModuleType

# Beginnings that say what a function is about; longer ones first.
_FAMILIES = ("alloc_", "reduce_", "sync_", "npuir_", "v")


def near_name(name: str, known: Iterable[str]) -> str:
    """A question that names the nearest known name, with a space behind it; empty if none."""
    by_lower = {candidate.lower(): candidate for candidate in known}
    found = difflib.get_close_matches(name.lower(), by_lower, 1, cutoff=0.6)
    return f"did you mean {by_lower[found[0]]}? " if found else ""


def nearest_names(name: str, known: Iterable[str], prefix: str) -> str:
    """What a namespace has instead of a name: the nearest one, else those of the same family.

    Args:
        name: what was asked for.
        known: names of the namespace.
        prefix: how the learner calls the namespace.
    """
    names = sorted(known)
    near = near_name(name, names)
    if near:
        return near.replace("did you mean ", f"did you mean {prefix}.")
    start = next((start for start in _FAMILIES if name.startswith(start)), None)
    family = [known for known in names if start and known.startswith(start)]
    return f"{prefix}.{start}.. are: {', '.join(family)}; " if family else ""


def public_names(namespace: object) -> list[str]:
    """The names that a learner may use of a namespace: its files do not count."""
    names = [name for name in dir(namespace) if not name.startswith("_")]
    return [name for name in names if not is_submodule(getattr(namespace, name, None))]


def is_submodule(value: object) -> bool:
    """Whether a value is a file of the T namespace, not one of its functions."""
    return isinstance(value, ModuleType) and value.__name__.startswith("tlcourse.language.")
