"""Points for simulated cycles, on a scale of ratios between a slow form and the reference."""

from __future__ import annotations

from collections.abc import Sequence
from math import log

from tlcourse.grading.spec import Case, Spec
from tlcourse.grading.words import Language, say
from tlcourse.records import Check


def cycles_check(
    spec: Spec, timed: Sequence[tuple[Case, int]], *, is_clean: bool, language: Language
) -> Check:
    """The check on cycles: the mean over the cases that say what is slow and what is fast.

    Args:
        spec: the exercise.
        timed: cases with their simulated cycles.
        is_clean: whether every case is right and without a fault; wrong work earns nothing.
        language: of the words.
    """
    name, points = say("cycles", language), spec.points * spec.weights.cycles / 100
    counted = [(case, seen) for case, seen in timed if case.fast_cycles]
    if not is_clean or not counted:
        later = say("cycles later", language)
        return Check(name=name, state="TODO", points=0.0, max_points=points, reason=later)
    shares = [share(seen, case.slow_cycles, case.fast_cycles) for case, seen in counted]
    case, seen = min(counted, key=lambda one: share(one[1], one[0].slow_cycles, one[0].fast_cycles))
    earned = sum(shares) / len(shares)
    return Check(
        name=name,
        state="PASS" if earned == 1 else "PARTIAL" if earned else "FAIL",
        points=round(points * earned, 2),
        max_points=points,
        reason=say(
            "cycles seen", language, seen=seen, slow=case.slow_cycles, fast=case.fast_cycles
        ),
    )


def share(seen: int, slow: int, fast: int) -> float:
    """From 0 at `slow` cycles to 1 at `fast` ones: equal ratios are worth the same."""
    if seen <= 0:
        return 0.0
    return min(1.0, max(0.0, log(slow / seen) / log(slow / fast)))
