"""Kernels with a barrier over all blocks: the blocks run side by side, in turn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from tlcourse.functional.barriers import Barrier, Barriers
from tlcourse.functional.deadlock import deadlock, stuck_at_barrier
from tlcourse.functional.flags import Flags
from tlcourse.functional.launch import Core, Launch, Steps, StopLaunch
from tlcourse.functional.schedule import advance, collect_left
from tlcourse.records import Finding

Agents = Sequence[tuple[Core, Steps]]


@dataclass(kw_only=True)
class _Block:
    """One block while others run, too."""

    number: int
    agents: Agents
    flags: Flags = field(default_factory=Flags)

    def enter(self, launch: Launch) -> None:
        """Makes this block the one that runs."""
        launch.block, launch.flags = self.number, self.flags


def run_together(launch: Launch, start: Callable[[int], Agents]) -> None:
    """Runs all blocks of a launch side by side.

    Args:
        launch: the launch.
        start: gives fresh cores and their generators for a block.

    Raises:
        StopLaunch: with a finding, where the kernel cannot go on.
    """
    blocks = [_Block(number=number, agents=start(number)) for number in range(launch.grid[0])]
    cores = [core for block in blocks for core, _ in block.agents]
    launch.barriers = Barriers(members=[core.member for core in cores])
    while not all(core.done for core in cores):
        # Every block gets its turn before anybody is asked whether one went on.
        moved = [_turn(launch, block) for block in blocks]
        if not any(moved):
            raise StopLaunch(_standstill(launch, blocks))
    left: dict[tuple[str, int], Finding] = {}
    for block in blocks:
        block.enter(launch)
        collect_left(launch, block.agents, left)
    launch.findings += left.values()


def _turn(launch: Launch, block: _Block) -> bool:
    block.enter(launch)
    moved = [advance(launch, core, steps) for core, steps in block.agents if not core.done]
    return any(moved)


def _standstill(launch: Launch, blocks: Sequence[_Block]) -> Finding:
    cores = [core for block in blocks for core, _ in block.agents]
    waiting = [core for core in cores if isinstance(core.waiting, Barrier)]
    if waiting:
        return stuck_at_barrier(launch, waiting[0])
    stuck = next(b for b in blocks if any(core.waiting is not None for core, _ in b.agents))
    stuck.enter(launch)
    return deadlock(launch, [core for core, _ in stuck.agents])
