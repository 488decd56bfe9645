"""Blocks behind the one that stands for their class: the same instructions, only their numbers.

Where the first block of a class had no fault, nothing orders its accesses in two ways, so the
numbers of a like block follow from the order in which the first was executed. The generated
code of each core runs to its end, noting what computes; flags cost next to nothing. A block
that would issue something else, or that touches what it may not, is left to the machine.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tlcourse.simulator.agreement import Agreement
from tlcourse.simulator.bounds import Bounds
from tlcourse.simulator.core import Core, Kind, Steps
from tlcourse.simulator.instruction import Instruction
from tlcourse.simulator.machine import PIPES, Machine
from tlcourse.simulator.memory import Memory
from tlcourse.simulator.sync import Mode, Token
from tlcourse.simulator.tile import Outside, Tile

Key = tuple[int, int]


@dataclass(frozen=True, kw_only=True)
class Order:
    """What a block computed, in the order of its execution.

    Args:
        keys: core and place in its text, of each instruction that computes.
        sites: the sites of all of them.
    """

    keys: tuple[Key, ...]
    sites: tuple[int, ...]


def order_of(executed: Sequence[Instruction]) -> Order | None:
    """The order of a block; None where its scalar units read or wrote a tile."""
    if any(i.pipe.name == "S" and (i.reads or i.writes or i.run) for i in executed):
        return None
    computing = [i for i in executed if i.run is not None]
    return Order(
        keys=tuple((i.core.number, i.order) for i in computing),
        sites=tuple(i.site.index for i in computing),
    )


class NumbersCore(Core):
    """A core that notes what computes, by its place in the text."""

    def __init__(
        self,
        machine: Machine,
        *,
        kind: Kind,
        block: int,
        sub: int,
        blocks: int,
        subs: int,
        memories: Mapping[str, Memory],
        steps: Steps,
    ) -> None:
        super().__init__(
            machine,
            kind=kind,
            block=block,
            sub=sub,
            blocks=blocks,
            subs=subs,
            memories=memories,
            steps=steps,
        )
        self.noted: dict[Key, Instruction] = {}

    def set_flag(self, site: int, wait_pipe: str, event: int) -> None:
        self._issued += 1

    def wait_flag(self, site: int, set_pipe: str, event: int) -> None:
        self._issued += 1

    def raise_flag(self, site: int, flag: int, mode: Mode) -> None:
        self._issued += 1

    def await_flag(self, site: int, flag: int, mode: Mode) -> None:
        self._issued += 1

    def barrier(self, site: int) -> None:
        self._issued += 1

    def barrier_all(self, site: int) -> None:
        self._issued += len(PIPES)

    def _set(self, instruction: Instruction, pipe: str, wait_pipe: str, event: int) -> Token:
        return Token(None, 0)

    def _wait(self, instruction: Instruction, set_pipe: str, pipe: str, event: int) -> Token:
        return Token(None, 0)

    def _push(self, instruction: Instruction, *, issues: bool = True) -> None:
        self._issued += 1
        instruction.order = self._issued
        self.noted[self.number, self._issued] = instruction


class _Objection(Exception):
    """A block does something that is to be reported."""


class _Objects:
    """Takes what the checks of shapes find."""

    def outside(self, instruction: Instruction, tile: Tile, how: Outside, access: str) -> None:
        raise _Objection

    def misaligned(self, instruction: Instruction, tile: Tile, start: int) -> None:
        raise _Objection

    def disagree(self, instruction: Instruction, source: Tile, target: Tile) -> None:
        raise _Objection


def in_order(noted: Mapping[Key, Instruction], order: Order) -> list[Instruction] | None:
    """The instructions of a block in the order of another; None where the two are not alike."""
    if len(noted) != len(order.keys):
        return None
    found = [noted.get(key) for key in order.keys]
    checks = (Bounds(_Objects()), Agreement(_Objects()))
    out: list[Instruction] = []
    for instruction, site in zip(found, order.sites, strict=True):
        if instruction is None or instruction.site.index != site:
            return None
        try:
            for check in checks:
                check.issued(instruction)
        except _Objection:
            return None
        out.append(instruction)
    return out
