"""From a Program to Python functions: generated code is compiled once a process."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, cast

import torch

from tlcourse.records import Program
from tlcourse.simulator import lane_numeric, numeric, scalars
from tlcourse.simulator.core import Core, Kind
from tlcourse.simulator.instruction import Run, Site
from tlcourse.simulator.machine import Code

AgentFunction = Callable[..., Code]


@dataclass(frozen=True, kw_only=True)
class Loaded:
    """A Program ready to run: one function per kind of core, and its table of sites."""

    program: Program
    functions: Mapping[Kind, AgentFunction]
    sites: list[Site]

    @property
    def kind(self) -> str:
        """`vector`, `cube` or `mix`."""
        kinds = list(self.functions)
        return kinds[0] if len(kinds) == 1 else "mix"

    @property
    def functions_of_one(self) -> dict[str, Run]:
        """What the sites compute in one block, by name."""
        return self._meanings(False)

    @property
    def functions_of_many(self) -> dict[str, Run]:
        """What they compute in many blocks at once."""
        return self._meanings(True)

    def _meanings(self, of_many: bool) -> dict[str, Run]:
        found: dict[str, Run] = {}
        for agent in self.program.agents:
            found |= _names(agent.source, agent.agent, of_many)
        return found

    def code(self, core: Core, arguments: tuple[object, ...]) -> Code:
        """The generator of a core."""
        return self.functions[core.kind](core, *arguments)


def load(program: Program) -> Loaded:
    """Reads the generated code and the table of sites of a Program."""
    rows = cast(list[Mapping[str, Any]], program.options["sites"])
    return Loaded(
        program=program,
        functions={
            agent.agent: _names(agent.source, agent.agent, False)["run"] for agent in program.agents
        },
        sites=[Site.read(index, row) for index, row in enumerate(rows)],
    )


@lru_cache(maxsize=64)
def _names(source: str, agent: str, of_many: bool) -> dict[str, Any]:
    names: dict[str, Any] = {
        "torch": torch,
        "numeric": lane_numeric if of_many else numeric,
        "scalars": scalars,
    }
    exec(compile(source, f"<simulator program, {agent}>", "exec"), names)
    return names
