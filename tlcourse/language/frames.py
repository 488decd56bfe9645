"""Blocks of a kernel: what stands in `with` and `for`, and how its body is collected."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

from xdsl.dialects.builtin import i32
from xdsl.ir import Block, Region

from tlcourse.dialects import tl
from tlcourse.language.affine import Index, ssa
from tlcourse.language.builder import Builder
from tlcourse.language.dtype_rules import INDEX
from tlcourse.language.scalar import Expr

FrameKind = Literal["kernel", "scope", "pipe", "loop", "branch"]


class Frame(ABC):
    """What a `with` statement enters.

    Args:
        kind: names bound inside end with the block, unless it is a "pipe" block.
    """

    kind: FrameKind

    @abstractmethod
    def open(self, build: Builder) -> Generator[object]:
        """A generator that yields once, the value for `as`, around the body."""


@contextmanager
def opened(frame: Frame, build: Builder) -> Generator[object]:
    """Enters a frame."""
    yield from frame.open(build)


@dataclass(frozen=True, kw_only=True)
class Loop:
    """What a `for` statement iterates over: nested loops, outermost first."""

    lower: tuple[Index, ...]
    upper: tuple[Index, ...]
    kind: tl.LoopKind
    num_stages: int | None = None


@contextmanager
def loop_nest(loop: Loop, build: Builder) -> Generator[tuple[Expr, ...]]:
    """Opens the loops of a `for` statement and yields their variables."""
    with _nested(loop, build, 0) as variables:
        yield variables


@contextmanager
def _nested(loop: Loop, build: Builder, depth: int) -> Generator[tuple[Expr, ...]]:
    if depth == len(loop.lower):
        yield ()
        return
    block = Block(arg_types=[i32])
    bounds = ssa(loop.lower[depth]), ssa(loop.upper[depth])
    build.emit(tl.ForOp(*bounds, loop.kind, Region(block), loop.num_stages))
    with build.inside(block), _nested(loop, build, depth + 1) as inner:
        yield (Expr(block.args[0], INDEX), *inner)
