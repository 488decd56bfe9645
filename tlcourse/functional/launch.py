"""A running launch: its cores as generated code sees them, the block, flags and steps."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, field

import torch

from tlcourse.functional import faults
from tlcourse.functional.flags import CoreKind, Flags
from tlcourse.functional.printing import block_text
from tlcourse.records import Finding, Program

Wait = tuple[int, int, tuple[int, ...]]
Steps = Generator[Wait | None, None, None]
Shape = tuple[int, ...]


class StopLaunch(Exception):
    """Ends a launch with a finding."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(finding.diagnostic.what)
        self.finding = finding


@dataclass(kw_only=True)
class Launch:
    """State of one launch.

    Args:
        program: what runs.
        grid: logical blocks, and turns of a second dimension inside each.
        step_limit: steps after which the launch ends.
        steps: steps taken so far.
        block: the logical block that runs now.
        agent: the core that runs now, by its name in records.
        flags: cross-core flags of this block.
        findings: what was found so far.
    """

    program: Program
    grid: tuple[int, ...]
    step_limit: int
    steps: int = 0
    block: int = 0
    agent: str = ""
    flags: Flags = field(default_factory=Flags)
    findings: list[Finding] = field(default_factory=lambda: list[Finding]())


@dataclass(kw_only=True)
class Core:
    """One core: what generated code calls, and where its generator stands.

    Args:
        launch: the launch it belongs to.
        kind: cube or vector.
        vid: sub-block id, 0 or 1.
        waiting: the wait it stands at, if it does.
        done: whether it has finished the present block.
    """

    launch: Launch
    kind: CoreKind
    vid: int
    waiting: Wait | None = None
    done: bool = False

    @property
    def grid(self) -> tuple[int, ...]:
        """Blocks of the launch."""
        return self.launch.grid

    @property
    def agent(self) -> str:
        """The name in records: aic, aiv0 or aiv1."""
        return "aic" if self.kind == "cube" else f"aiv{self.vid}"

    @property
    def title(self) -> str:
        """The name in messages."""
        return "cube" if self.kind == "cube" else f"vector {self.vid}"

    def outside(
        self,
        place: int,
        label: str,
        verb: str,
        offsets: Shape,
        extents: Shape,
        shape: Shape,
        iteration: Shape,
    ) -> None:
        """Reports a range that leaves its buffer; an empty one behind the end is harmless."""
        if 0 in extents and min(*extents, *offsets) >= 0:
            return
        raise StopLaunch(
            faults.outside(self._where(place, iteration), label, verb, offsets, extents, shape)
        )

    def disagree(self, place: int, tiles: tuple[tuple[str, Shape], ...], iteration: Shape) -> None:
        """Reports tiles whose extents do not fit together."""
        raise StopLaunch(faults.disagree(self._where(place, iteration), tiles))

    def steps(self, turns: int, cost: int, place: int) -> None:
        """Charges a loop before it runs."""
        launch = self.launch
        launch.steps += max(0, turns) * cost
        if launch.steps > launch.step_limit:
            where = self._where(place, ())
            what = f"this loop turns {turns:,} times in block {launch.block}"
            raise StopLaunch(faults.too_many_steps(where, what, launch.step_limit))

    def set(self, flag: int, place: int) -> None:
        """Raises a cross-core flag."""
        self.launch.flags.set(self.kind, self.vid, flag, place)

    def print(self, message: str, value: torch.Tensor | float, hexadecimal: bool) -> None:
        """Prints for T.print: who, which block, the message, the value."""
        head = f"[{self.title}, block {self.launch.block}] {message}"
        print(head + block_text(value, hexadecimal))

    def _where(self, place: int, iteration: Shape) -> faults.Where:
        launch = self.launch
        return faults.Where(
            program=launch.program,
            agent=self.agent,
            place=place,
            block=launch.block,
            iteration=iteration,
        )
