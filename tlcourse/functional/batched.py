"""Runs many blocks at once: what the batched code calls, and the loop over groups of blocks.

The batched code reports nothing. Where anything is out of the ordinary it gives up, and the
blocks run one after another from the start, with all reports; that changes no number, because
no tensor that a batched kernel writes is read by it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tlcourse.functional.blocks import Blocks
from tlcourse.functional.launch import Launch
from tlcourse.functional.loading import load as load_source


class GiveUp(Exception):
    """The blocks must run one after another."""


@dataclass(frozen=True, kw_only=True)
class Group:
    """What the batched code sees as its core.

    Args:
        launch: the launch; its steps are counted for all blocks together.
        n: blocks of each group.
        groups: their ids.
    """

    launch: Launch
    n: int
    groups: tuple[Blocks, ...]
    vid: int = 0

    @property
    def grid(self) -> tuple[int, ...]:
        """Blocks of the launch."""
        return self.launch.grid

    def check(self, offset: Blocks | int, extent: int, size: int) -> None:
        """Gives up where a range leaves its dimension."""
        values = (offset,) if isinstance(offset, int) else offset.values
        if min(values) < 0 or max(values) + extent > size:
            raise GiveUp

    def disagree(self, *_: object) -> None:
        """Gives up; run one after another, the blocks report it."""
        raise GiveUp

    def steps(self, turns: int, cost: int, place: int) -> None:
        """Charges a loop for all blocks of the group; `place` is for the reports alone."""
        del place
        self.launch.steps += max(0, turns) * cost * self.n
        if self.launch.steps > self.launch.step_limit:
            raise GiveUp


def run_batched(
    launch: Launch, arguments: Sequence[Any], failures: tuple[type[Exception], ...]
) -> bool:
    """Runs all blocks in groups; False where they must run one after another instead.

    Args:
        launch: what runs; its steps count on success only.
        arguments: tensors and numbers, as the plain code takes them.
        failures: what torch raises; the plain code will explain it.
    """
    code = launch.program.options.get("batched")
    if code is None or launch.grid[0] < 2 or launch.capacity:
        return False
    before = launch.steps
    try:
        for group in _groups(launch, code["blocks"]):
            for _ in load_source(code["source"])(group, *arguments):
                pass
    except (GiveUp, *failures):
        launch.steps = before
        return False
    return True


def _groups(launch: Launch, together: int) -> list[Group]:
    """Full groups, which share their tiles, and a smaller one for the rest."""
    blocks = launch.grid[0]
    together = min(together, blocks)
    full = blocks // together * together
    starts = range(0, full, together)
    ids = tuple(Blocks(tuple(range(start, start + together))) for start in starts)
    groups = [Group(launch=launch, n=together, groups=ids)]
    if full < blocks:
        rest = Blocks(tuple(range(full, blocks)))
        groups.append(Group(launch=launch, n=blocks - full, groups=(rest,)))
    return groups
