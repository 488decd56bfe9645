"""Who still reads a tensor after an op: the question that in-place updates rest on."""

from __future__ import annotations

from xdsl.dialects import scf, tensor
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from tlcourse.dialects.hivm.base import PipeOp
from tlcourse.dialects.hivm.vector import ElementwiseOp, VCastOp


def is_read_after(value: SSAValue, op: Operation) -> bool:
    """Whether anybody reads a tensor, or a slice of it, once `op` has run.

    Inside a loop that the tensor comes from outside of, the next trip reads it again.
    """
    if _comes_from_outside_a_loop(value, op):
        return True
    return any(_is_later(user, op) for user in _users(value))


def is_safe_target(old: SSAValue, made: SSAValue) -> bool:
    """Whether the op that makes `made` may write it over the tile `old`.

    It may where its destination is still open, where nobody reads `old` after it, and where
    it reads `old` at most element by element.
    """
    maker = made.owner
    if not isinstance(maker, PipeOp) or not maker.results:
        return False
    if not isinstance(maker.destinations()[0].owner, tensor.EmptyOp):
        return False
    reads_old = any(source is old for source in maker.sources())
    if reads_old and not isinstance(maker, (ElementwiseOp, VCastOp)):
        return False
    return old.type == made.type and not is_read_after(old, maker)


def _users(value: SSAValue) -> list[Operation]:
    found: list[Operation] = []
    for use in value.uses:
        found.append(use.operation)
        if isinstance(use.operation, tensor.ExtractSliceOp):
            found += _users(use.operation.result)
    return found


def _is_later(user: Operation, op: Operation, *, climbed: bool = False) -> bool:
    """Whether `user` runs after `op`, or inside it.

    `climbed` says that `op` was reached from inside: what stands in its other regions is then
    the other branch of an `if`, which does not run.
    """
    if user is op:
        return False
    block = op.parent_block()
    ancestor = _ancestor_in(user, block)
    if ancestor is op:
        return not climbed
    if ancestor is not None and block is not None:
        return _position(block, ancestor) > _position(block, op)
    parent = op.parent_op()
    return parent is not None and _is_later(user, parent, climbed=True)


def _ancestor_in(op: Operation, block: Block | None) -> Operation | None:
    current: Operation | None = op
    while current is not None and current.parent_block() is not block:
        current = current.parent_op()
    return current


def _position(block: Block, op: Operation) -> int:
    return next(index for index, other in enumerate(block.ops) if other is op)


def _comes_from_outside_a_loop(value: SSAValue, op: Operation) -> bool:
    home = value.owner if isinstance(value, BlockArgument) else value.owner.parent_block()
    parent, block = op.parent_op(), op.parent_block()
    while block is not home and parent is not None:
        if isinstance(parent, scf.ForOp):
            return True
        block, parent = parent.parent_block(), parent.parent_op()
    return False


def updated(value: SSAValue) -> SSAValue:
    """The tile that a tile differs from in parts only."""
    while isinstance(value.owner, (tensor.InsertOp, tensor.InsertSliceOp)):
        value = value.owner.dest
    return value


def is_needed_elsewhere(value: SSAValue, op: scf.IfOp) -> bool:
    """Whether a tile is read after an `if`; its own yields do not count."""
    inside = [use.operation for use in value.uses if isinstance(use.operation, scf.YieldOp)]
    others = [use for use in value.uses if use.operation not in inside]
    nested = {id(inner) for inner in op.walk()}
    late = [use for use in others if id(use.operation) not in nested]
    return is_read_after(value, op) and bool(late)
