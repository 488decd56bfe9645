"""The cores of a timeline, by the names that the files have."""

from __future__ import annotations

from dataclasses import dataclass

from tlcourse.records import Bubble, Instruction, Timeline

# Pipe in a record, lane in the files, for each kind of core in upstream's order.
LANES = {
    "aic": {
        "S": "SCALAR",
        "M": "CUBE",
        "MTE1": "MTE1",
        "MTE2": "MTE2",
        "MTE3": "MTE3",
        "FIX": "FIXP",
    },
    "aiv": {"S": "SCALAR", "V": "VECTOR", "MTE2": "MTE2", "MTE3": "MTE3"},
}


@dataclass(frozen=True, kw_only=True)
class Core:
    """One core of the group that a timeline shows.

    Args:
        name: as the files have it: `core0.cubecore0`, `core0.veccore1`.
        agent: as the record has it: `aic`, `aiv0`, `aiv1`.
        instructions: all that it did, by start.
        bubbles: where one of its pipes stood still.
    """

    name: str
    agent: str
    instructions: tuple[Instruction, ...]
    bubbles: tuple[Bubble, ...]

    @property
    def lanes(self) -> dict[str, str]:
        """Its pipes, with the names of their lanes."""
        return LANES[self.agent[:3]]

    @property
    def cycles(self) -> int:
        """From its first instruction to the end of its last."""
        starts = (one.start_cycle for one in self.instructions)
        ends = (one.end_cycle for one in self.instructions)
        return max(ends, default=0) - min(starts, default=0)

    def busy(self, *pipes: str) -> int:
        """Cycles in which these pipes worked, added up."""
        return sum(i.end_cycle - i.start_cycle for i in self.on(*pipes))

    def on(self, *pipes: str) -> list[Instruction]:
        """What these pipes did."""
        return [one for one in self.instructions if one.pipe in pipes]

    def moved(self, *pipes: str) -> int:
        """Bytes that these pipes moved through GM."""
        return sum(one.bytes for one in self.on(*pipes))


def cores_of(timeline: Timeline) -> tuple[Core, ...]:
    """The cores of the group shown: the cube core, then the vector cores."""
    group = min((lane.core for lane in timeline.lanes), default=0)
    agents = sorted({one.agent for one in timeline.instructions})
    return tuple(_core(timeline, agent, group) for agent in agents)


def _core(timeline: Timeline, agent: str, group: int) -> Core:
    kind, sub = ("cubecore", "0") if agent == "aic" else ("veccore", agent.removeprefix("aiv"))
    mine = [one for one in timeline.instructions if one.agent == agent]
    lanes = {lane.name for lane in timeline.lanes if lane.agent == agent}
    return Core(
        name=f"core{group}.{kind}{sub}",
        agent=agent,
        instructions=tuple(sorted(mine, key=lambda one: (one.start_cycle, one.id))),
        bubbles=tuple(gap for gap in timeline.bubbles if gap.lane in lanes),
    )
