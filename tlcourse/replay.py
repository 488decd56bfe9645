"""The record of a replay: what each instruction of a block did, one after another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tlcourse.diagnostics import Span


@dataclass(frozen=True, kw_only=True)
class Change:
    """A tile that an instruction wrote.

    Args:
        tile: the learner's name for it.
        memory: `UB`, `L1`, `L0C`, `GM`.
        shape: its extents, for example `32x128`.
        before: its first elements before the instruction, as text; `-` was never written.
        after: the same elements afterwards.
    """

    tile: str
    memory: str
    shape: str
    before: str
    after: str


@dataclass(frozen=True, kw_only=True)
class ReplayStep:
    """One executed instruction.

    Args:
        index: its place in the order of execution, from 0.
        agent: `aic`, `aiv0` or `aiv1`.
        pipe: the pipe that executed it.
        op: its name.
        iteration: values of the loop variables around it.
        span: the learner's line.
        reads: names of the tiles that it read.
        changes: tiles that it wrote.
        flags: all flags that are up when it is done, in words.
    """

    index: int
    agent: str
    pipe: str
    op: str
    iteration: tuple[int, ...] = ()
    span: Span | None = None
    reads: tuple[str, ...] = ()
    changes: tuple[Change, ...] = ()
    flags: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Replay:
    """The instructions of one block in the order in which they were executed.

    Args:
        kernel: its name.
        block: the logical block.
        seed: which legal order this is.
        steps: the first instructions.
        left_out: how many more there were.
    """

    schema: ClassVar[str] = "tlcourse.Replay/1"
    kernel: str
    block: int
    seed: int
    steps: tuple[ReplayStep, ...]
    left_out: int = 0
