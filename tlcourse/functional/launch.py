"""A running launch: its cores as generated code sees them, the block, flags and steps."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field

import torch

from tlcourse.diagnostics import Span
from tlcourse.functional import faults
from tlcourse.functional.barriers import Barrier, Barriers, Member, Scope
from tlcourse.functional.flags import CoreKind, Flags
from tlcourse.printing import Prints
from tlcourse.records import Finding, Program
from tlcourse.slack import stays_inside

Wait = tuple[int, int, tuple[int, ...]] | Barrier
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
        barriers: barriers between cores of one kind.
        findings: what was found so far.
        capacity: elements of the device block of each tensor, where leaving a tensor inside
            its block is a warning; empty where it is an error.
        prints: what T.print writes.
        after_block: called behind each block.
        threads: blocks that compiled code may run at once.
        is_finite: whether compiled code has looked for inf and NaN in the outputs, in vain.
    """

    program: Program
    grid: tuple[int, ...]
    step_limit: int
    steps: int = 0
    block: int = 0
    agent: str = ""
    flags: Flags = field(default_factory=Flags)
    barriers: Barriers = field(default_factory=Barriers)
    findings: list[Finding] = field(default_factory=lambda: list[Finding]())
    capacity: Mapping[str, int] = field(default_factory=lambda: dict[str, int]())
    prints: Prints = field(default_factory=Prints)
    after_block: Callable[[], None] | None = None
    threads: int = 1
    is_finite: bool = False

    def note(self, finding: Finding) -> None:
        """Keeps a warning, once for each place."""
        what = (finding.agent, *_spans(finding))
        if all((known.agent, *_spans(known)) != what for known in self.findings):
            self.findings.append(finding)


@dataclass(kw_only=True)
class Core:
    """One core: what generated code calls, and where its generator stands.

    Args:
        launch: the launch it belongs to.
        kind: cube or vector.
        vid: sub-block id, 0 or 1.
        waiting: the wait it stands at, if it does.
        done: whether it has finished the present block.
        block: the only block that it runs; None runs all, one after another.
    """

    launch: Launch
    kind: CoreKind
    vid: int
    waiting: Wait | None = None
    done: bool = False
    block: int | None = None

    @property
    def grid(self) -> tuple[int, ...]:
        """Blocks of the launch."""
        return self.launch.grid

    @property
    def blocks(self) -> range:
        """Blocks that it runs, where these run side by side."""
        assert self.block is not None, "asked by kernels whose blocks meet"
        return range(self.block, self.block + 1)

    @property
    def member(self) -> Member:
        """What it is for barriers."""
        return (self.launch.block if self.block is None else self.block, self.kind, self.vid)

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
        found = faults.outside(self._where(place, iteration), label, verb, offsets, extents, shape)
        capacity = self.launch.capacity.get(label, 0)
        if not capacity or not stays_inside(capacity, offsets, extents, shape):
            raise StopLaunch(found)
        self.launch.note(faults.beside(found))

    def disagree(self, place: int, tiles: tuple[tuple[str, Shape], ...], iteration: Shape) -> None:
        """Reports tiles whose extents do not fit together."""
        raise StopLaunch(faults.disagree(self._where(place, iteration), tiles))

    def steps(self, turns: int, cost: int, place: int) -> None:
        """Charges a loop before it runs."""
        launch = self.launch
        launch.steps += max(0, turns) * cost
        if launch.steps > launch.step_limit:
            where = self._where(place, ())
            what = f"in block {launch.block} this loop turns {turns:,} times, {cost:,} steps each"
            raise StopLaunch(faults.too_many_steps(where, what, launch.step_limit))

    def set(self, flag: int, place: int) -> None:
        """Raises a cross-core flag."""
        self.launch.flags.set(self.kind, self.vid, flag, place)

    def barrier(self, scope: Scope, flag: int, place: int, iteration: Shape) -> Barrier:
        """Comes to a barrier."""
        self.launch.barriers.arrive(self.member, scope, flag)
        return Barrier(flag=flag, place=place, iteration=iteration, scope=scope)

    def print(self, message: str, value: torch.Tensor | float, hexadecimal: bool) -> None:
        """Prints for T.print: block, core, message, value."""
        core = "cube core" if self.kind == "cube" else f"vector core {self.vid}"
        prints, block = self.launch.prints, self.launch.block
        prints.show(message, value, block=block, core=core, hexadecimal=hexadecimal)

    def _where(self, place: int, iteration: Shape) -> faults.Where:
        launch = self.launch
        return faults.Where(
            program=launch.program,
            agent=self.agent,
            place=place,
            block=launch.block,
            iteration=iteration,
        )


def _spans(finding: Finding) -> list[Span]:
    return [label.span for label in finding.diagnostic.labels]
