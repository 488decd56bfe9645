"""T.If, T.Then and T.Else: `if` as blocks of `with`, as TVMScript's builder writes it.

`with T.If(cond), T.Then():` is `if cond:`. With both branches the form is

    with T.If(cond):
        with T.Then():
            ...
        with T.Else():
            ...
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass

from xdsl.dialects import scf
from xdsl.ir import Block, Region

from tlcourse.language.builder import Builder, builder
from tlcourse.language.calls import statement
from tlcourse.language.frames import Frame, FrameKind
from tlcourse.language.scalar import Expr
from tlcourse.language.scalar_functions import condition as to_condition

_FORM = "write `with T.If(cond):`, and in it `with T.Then():` and `with T.Else():`; or plain `if`"


@dataclass(frozen=True, kw_only=True)
class IfFrame(Frame):
    """`with T.If(cond)`: the block that holds the branches."""

    cond: Expr
    # Names bound inside belong to the branches, so this block is none for names.
    kind: FrameKind = "pipe"

    def open(self, build: Builder) -> Generator[object]:
        """Yields nothing of use."""
        op = scf.IfOp(self.cond.value, (), Region(Block()), Region())
        build.emit(op)
        place = build.span
        yield None
        with build.at(place):
            _check_closed(build, op)
        op.true_region.block.add_op(scf.YieldOp())


@dataclass(frozen=True, kw_only=True)
class BranchFrame(Frame):
    """`with T.Then()` or `with T.Else()`: a branch of the T.If around it."""

    op: scf.IfOp
    is_then: bool
    kind: FrameKind = "branch"

    def open(self, build: Builder) -> Generator[object]:
        """Yields nothing of use."""
        region = self.op.true_region if self.is_then else self.op.false_region
        if not self.is_then:
            region.add_block(Block())
        with build.inside(region.block):
            yield None
            if not self.is_then:
                build.emit(scf.YieldOp())


@statement
def If(condition: object) -> Frame:
    """`if` as a block of `with`: `with T.If(n > 0), T.Then(): ...`.

    Args:
        condition: a comparison or a bool.

    Raises:
        TL103: something else than T.Then and T.Else stands in it.
        TL125: it is no condition.
    """
    return IfFrame(cond=to_condition(condition, "condition"))


@statement
def Then() -> Frame:
    """What runs where the condition of the T.If around it holds.

    Raises:
        TL103: no T.If stands around it, or it has a T.Then already.
    """
    op = _open_if("Then")
    if op.true_region.block.ops.first is not None or op.false_region.blocks:
        raise _misplaced("T.Then stands in T.If for a second time, or behind T.Else")
    return BranchFrame(op=op, is_then=True)


@statement
def Else() -> Frame:
    """What runs where the condition of the T.If around it does not hold.

    Raises:
        TL103: no T.If stands around it, or it has a T.Else already.
    """
    op = _open_if("Else")
    if op.false_region.blocks:
        raise _misplaced("T.Else stands in T.If for a second time")
    return BranchFrame(op=op, is_then=False)


def _open_if(name: str) -> scf.IfOp:
    """The T.If that is open: the last op here, whose first branch has not ended."""
    last = builder().block.last_op
    if isinstance(last, scf.IfOp) and not isinstance(last.true_region.block.last_op, scf.YieldOp):
        return last
    raise _misplaced(f"T.{name} stands outside T.If, or behind another statement of it")


def _misplaced(what: str) -> Exception:
    return builder().fail(
        "TL103", what, why="a branch belongs to the condition right around it", fix=_FORM
    )


def _check_closed(build: Builder, op: scf.IfOp) -> None:
    if build.block.last_op is op:
        return
    raise build.fail(
        "TL103",
        "T.If holds a statement outside its branches",
        why="what stands in neither branch has no condition to run under",
        fix=_FORM,
    )
