"""Where many blocks find their tiles: distances that follow one or two loops over the blocks."""

from __future__ import annotations

import numpy as np

from tlcourse.simulator.lanes import Values

Loops = tuple[tuple[int, int], ...]
"""(count, step) of each loop, the outer one first."""


def loops_of(shifts: Values) -> Loops | None:
    """Loops that give the distances in order, from the first one; None if no two loops do.

    (0, 1, 8, 9) is ((2, 8), (2, 1)); all equal is ((4, 0),).
    """
    count = len(shifts)
    rest = shifts - shifts[0]
    step = int(rest[1]) if count > 1 else 0
    other = np.flatnonzero(rest != np.arange(count) * step)
    if not other.size:
        return ((count, step),)
    inner = int(other[0])
    if count % inner:
        return None
    found = (count // inner, int(rest[inner])), (inner, step)
    return found if _has(rest, found) else None


def split(shifts: Values, inner: int) -> Loops | None:
    """The same with a given length of the inner loop."""
    count = len(shifts)
    if count % inner:
        return None
    rest = shifts - shifts[0]
    outer = int(rest[inner]) if count > inner else 0
    found = (count // inner, outer), (inner, int(rest[1]) if inner > 1 else 0)
    return found if _has(rest, found) else None


def _has(rest: Values, loops: Loops) -> bool:
    (outer, far), (inner, near) = loops
    wanted = np.arange(outer)[:, None] * far + np.arange(inner) * near
    return bool((wanted.reshape(-1) == rest).all())
