"""Exercises that offer several tasks: which one a learner's function has chosen.

The names of its parameters say so, so that nothing else has to be written down.
"""

from __future__ import annotations

from collections.abc import Sequence

from tlcourse.diagnostics import TLError, error
from tlcourse.grading.spec import Case, Spec
from tlcourse.grading.tracing import Attempt, refused


def chosen(
    spec: Spec, cases: Sequence[Case], attempts: Sequence[Attempt]
) -> tuple[Spec, list[Case], list[Attempt]]:
    """The family that was chosen, with its cases and attempts; the first one where none was."""
    pairs = list(zip(cases, attempts, strict=True))
    found = next((case.family for case, one in pairs if one.state != "other"), "")
    family = next((one for one in spec.families if one.name == found), None)
    if family is None:
        problem = refused(_none(spec))
        part = spec.parts[0]
        own = [case for case in cases if case.family == spec.families[0].name]
        return part, own, [problem] * len(own)
    own_pairs = [(case, one) for case, one in pairs if case.family == found]
    return spec.of(family), [case for case, _ in own_pairs], [one for _, one in own_pairs]


def _none(spec: Spec) -> TLError:
    offered = ", or ".join(f"({', '.join(part.cases[0].binding)})" for part in spec.parts)
    return error(
        "TL643",
        f"{spec.entry} has the parameters of none of the tasks",
        why=f"its parameters say which task it solves: {offered}",
        fix="keep the parameters of the task that you chose",
    )
