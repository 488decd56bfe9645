"""T.meta_var: a Python value that an assignment keeps as it is."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class MetaVar:
    """A Python value that an assignment keeps as it is."""

    value: object


def meta_var(value: object) -> MetaVar:
    """Keeps a Python value under a name: `n = T.meta_var(4)` is 4, not a scalar of the kernel."""
    return MetaVar(value)
