"""Choices between tiles: what a mask keeps back harms nobody.

Taint follows the order of issue, and a mask is known only when its choice is executed. So from
the first choice that reads tainted tiles on, instructions wait here; they are followed in the
order of their issue as soon as the masks are known.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

import torch

from tlcourse.simulator.instruction import Instruction, Run
from tlcourse.simulator.tile import Tile

Tainted = list[tuple[Tile, torch.Tensor]]


class Masked:
    """Instructions that wait for masks.

    Args:
        follow: follows the taint through one instruction.
    """

    def __init__(self, follow: Callable[[Instruction], None]) -> None:
        self._follow = follow
        self._waiting: deque[Instruction] = deque()
        self._unknown: set[int] = set()
        self._masks: dict[int, torch.Tensor] = {}
        # Whether a mask kept taint back: the masks of other blocks may be others.
        self.kept_back = False

    @property
    def is_waiting(self) -> bool:
        """Whether an instruction that was issued earlier waits."""
        return bool(self._waiting)

    def wait(self, instruction: Instruction) -> None:
        """Puts off an instruction; if it is a choice, notes its mask when it is executed."""
        self._waiting.append(instruction)
        run = instruction.run
        if run is not None and is_choice(instruction):
            self._unknown.add(id(instruction))
            instruction.run = self._noting(instruction, run)

    def taken(self, instruction: Instruction, tainted: Tainted) -> Tainted:
        """What an instruction takes of tainted tiles: a choice only what its mask shows."""
        mask = self._masks.pop(id(instruction), None)
        if mask is None:
            return tainted
        found: Tainted = []
        for tile, state in tainted:
            shown = state.where(_shows(instruction, mask, tile), 0)
            self.kept_back |= not torch.equal(shown, state)
            if bool(shown.any()):
                found.append((tile, shown))
        return found

    def _noting(self, instruction: Instruction, run: Run) -> Run:
        def noted(mask: torch.Tensor, *others: object) -> None:
            instruction.run = run
            self._masks[id(instruction)] = mask.clone()
            self._unknown.discard(id(instruction))
            run(mask, *others)
            self._catch_up()

        return noted

    def _catch_up(self) -> None:
        while self._waiting and id(self._waiting[0]) not in self._unknown:
            self._follow(self._waiting.popleft())


def is_choice(instruction: Instruction) -> bool:
    """Whether an instruction takes each element of one of two operands, by a mask."""
    return instruction.site.op == "vsel" and isinstance(instruction.operands[0], Tile)


def _shows(instruction: Instruction, mask: torch.Tensor, tile: Tile) -> torch.Tensor:
    """Where a choice looks at a tile: at its mask everywhere, at an operand by the mask."""
    asked, first, second = instruction.operands
    shown = torch.full_like(mask, tile is asked)
    if tile is first:
        shown |= mask
    if tile is second:
        shown |= ~mask
    return shown
