"""What an exercise may ask for beside right numbers, seen in what the simulator recorded."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tlcourse.jit.launch import Launch


@dataclass(frozen=True, kw_only=True)
class Effect:
    """One effect: how it is seen, and what to say where it is missing."""

    holds: Callable[[Launch], bool]
    missing: str


def _agents(launch: Launch) -> set[str]:
    return {lane.agent for lane in launch.timeline.lanes if lane.busy_cycles}


def _both_kinds(launch: Launch) -> bool:
    agents = _agents(launch)
    return "aic" in agents and bool(agents & {"aiv0", "aiv1"})


def _both_vector_cores(launch: Launch) -> bool:
    return {"aiv0", "aiv1"} <= _agents(launch)


EFFECTS: dict[str, Effect] = {
    "both_kinds_of_core": Effect(
        holds=_both_kinds,
        missing="the work is done by one kind of core; asked is cube and vector work",
    ),
    "both_vector_cores": Effect(
        holds=_both_vector_cores,
        missing="one vector core does all the vector work; asked is half for each",
    ),
}
