"""The order in which cores run: blocks one after another, cores of a block in turn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tlcourse.functional.barriers import Barrier, Barriers
from tlcourse.functional.deadlock import deadlock, left_over, stuck_at_barrier
from tlcourse.functional.flags import Flags
from tlcourse.functional.launch import Core, Launch, Steps, StopLaunch, Wait
from tlcourse.records import Finding


def run_blocks(launch: Launch, agents: Sequence[tuple[Core, Steps]]) -> None:
    """Runs all blocks of a launch.

    Raises:
        StopLaunch: with a finding, where the kernel cannot go on.
    """
    left: dict[tuple[str, int], Finding] = {}
    for block in range(launch.grid[0]):
        launch.block, launch.flags = block, Flags()
        _run_block(launch, agents)
        if launch.after_block is not None:
            launch.after_block()
        collect_left(launch, agents, left)
    launch.findings += left.values()


def _run_block(launch: Launch, agents: Sequence[tuple[Core, Steps]]) -> None:
    cores = [core for core, _ in agents]
    for core in cores:
        core.done, core.waiting = False, None
    launch.barriers = Barriers(members=[core.member for core in cores])
    while not all(core.done for core in cores):
        # Every core gets its turn before anybody is asked whether one went on.
        moved = [advance(launch, core, steps) for core, steps in agents if not core.done]
        if not any(moved):
            raise StopLaunch(_standstill(launch, cores))


def _standstill(launch: Launch, cores: Sequence[Core]) -> Finding:
    waiting = [core for core in cores if isinstance(core.waiting, Barrier)]
    return stuck_at_barrier(launch, waiting[0]) if waiting else deadlock(launch, cores)


def advance(launch: Launch, core: Core, steps: Steps) -> bool:
    """Runs a core up to its next wait or the end of the block; False where it must wait on."""
    if core.waiting and not _may_go_on(launch, core, core.waiting):
        return False
    core.waiting, launch.agent = None, core.agent
    core.waiting = next(steps)
    core.done = core.waiting is None
    return True


def _may_go_on(launch: Launch, core: Core, wait: Wait) -> bool:
    if isinstance(wait, Barrier):
        return launch.barriers.passed(core.member, wait)
    return launch.flags.take(core.kind, core.vid, wait[0])


def collect_left(
    launch: Launch, agents: Sequence[tuple[Core, Steps]], left: dict[tuple[str, int], Finding]
) -> None:
    """Keeps the first finding of each flag and counts the blocks that repeat it."""
    for kind, flag, count in launch.flags.left():
        known = left.get((kind, flag))
        if known is None:
            agent = next((core.agent for core, _ in agents if core.kind != kind), "aiv0")
            left[kind, flag] = left_over(launch, agent, kind, flag, count)
        else:
            left[kind, flag] = replace(known, count=known.count + 1)
