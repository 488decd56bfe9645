"""Writes down what each instruction of a block does, for a replay."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import torch

from tlcourse.diagnostics import Span
from tlcourse.replay import Change, ReplayStep
from tlcourse.simulator import wording
from tlcourse.simulator.core import Core
from tlcourse.simulator.instruction import Instruction
from tlcourse.simulator.machine import Observer
from tlcourse.simulator.memory import POISON
from tlcourse.simulator.sync import FlagKey
from tlcourse.simulator.tile import Tile

# Steps that are kept; a replay is looked at one by one.
STEPS = 2000
_SHOWN = 4


class Recorder(Observer):
    """Keeps the steps of the machine that runs a block.

    Args:
        spans: the program's table of places.
    """

    def __init__(self, spans: Sequence[Span | None]) -> None:
        self._spans = spans
        self._before: list[str] = []
        self.steps: list[ReplayStep] = []
        self.left_out = 0

    def starting(self, instruction: Instruction) -> None:
        """Reads what the instruction is going to write over."""
        self._before = [_values(tile) for tile in instruction.writes]

    def executed(self, instruction: Instruction) -> None:
        """Keeps the instruction as a step; the parts of a barrier over all pipes are one."""
        if instruction.pipe.name != instruction.site.pipe:
            return
        if len(self.steps) >= STEPS:
            self.left_out += 1
            return
        span = instruction.site.span
        self.steps.append(
            ReplayStep(
                index=len(self.steps),
                agent=instruction.core.name,
                pipe=instruction.pipe.name,
                op=instruction.site.op,
                iteration=instruction.turn,
                span=self._spans[span] if span >= 0 else None,
                reads=tuple(dict.fromkeys(tile.name for tile in instruction.reads)),
                changes=tuple(
                    _change(tile, before)
                    for tile, before in zip(instruction.writes, self._before, strict=True)
                ),
                flags=tuple(_flags_up(instruction)),
            )
        )


def _change(tile: Tile, before: str) -> Change:
    return Change(
        tile=tile.name,
        memory=wording.MEMORY_NAMES[tile.memory.space],
        shape="x".join(map(str, tile.sizes)),
        before=before,
        after=_values(tile),
    )


def _values(tile: Tile) -> str:
    """The first elements of a tile; `-` is an element that nobody has written."""
    if tile.elements == 0 or not tile.is_in_memory():
        return ""
    found = tile.view().flatten()[:_SHOWN].clone()
    values = cast(list[float], found.tolist())
    words = [_number(value) for value in values]
    if tile.width >= 2 and tile.memory.space != "gm":
        halves = found.view(torch.int16).reshape(len(words), -1)
        untouched = cast(list[bool], (halves == POISON).all(dim=1).tolist())
        words = ["-" if is_poison else w for w, is_poison in zip(words, untouched, strict=True)]
    return ", ".join(words) + (", ..." if tile.elements > _SHOWN else "")


def _number(value: float | bool) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _flags_up(instruction: Instruction) -> list[str]:
    """Every flag that was raised and not yet taken down, counters with their count."""
    machine = instruction.core.machine
    found: list[str] = []
    for key, flag in machine.flags.all.items():
        up = sum(
            token.is_set and (token.waiter is None or not token.waiter.done)
            for token in flag.tokens
        )
        if up:
            found.append(_flag(key, up, machine.cores))
    return found


def _flag(key: FlagKey, up: int, cores: list[Core]) -> str:
    """`flag 0 of MTE2 for V in aiv0`, `2 x cross-core flag 1 of the cube core for aiv1`."""
    times = f"{up} x " if up > 1 else ""
    link = "for" if key.is_between_cores else "in"
    return f"{times}{wording.flag(key, cores)} {link} {cores[key.receiver].name}"
