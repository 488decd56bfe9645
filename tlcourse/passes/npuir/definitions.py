"""Where a tile comes from: the op that made it, behind views, loops and branches."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects import memref, scf, tensor
from xdsl.ir import Block, BlockArgument, Operation, OpResult, SSAValue

from tlcourse.dialects.bufferization import ToMemrefOp, ToTensorOp
from tlcourse.dialects.memref import CastOp

# Said of a slice that bufferization turns into a write in place; the slice then is no op at all.
ELIDED = "elide_after_bufferize"
_VIEWS = (
    tensor.ReshapeOp,
    tensor.CollapseShapeOp,
    tensor.ExpandShapeOp,
    tensor.ExtractSliceOp,
    memref.CollapseShapeOp,
    memref.ExpandShapeOp,
    memref.SubviewOp,
    memref.ViewOp,
    memref.ReinterpretCastOp,
    CastOp,
    ToMemrefOp,
    ToTensorOp,
)


def definition(
    value: SSAValue, wanted: Callable[[Operation], bool], *, through_parts: bool = True
) -> Operation | None:
    """The op that made a value, if it is a wanted one; None where another op is met first.

    A carried tile of a loop counts as the one that it starts with, the result of a loop as the
    one that it yields, and the result of a branch as that of its first region.

    Args:
        value: the tile.
        wanted: which ops are looked for.
        through_parts: a tile that a part is put into counts as that part.
    """
    if isinstance(value, BlockArgument):
        start = _start(value)
        return None if start is None else definition(start, wanted, through_parts=through_parts)
    assert isinstance(value, OpResult)
    op = value.op
    if wanted(op):
        elided = isinstance(op, tensor.InsertSliceOp) and ELIDED in op.attributes
        return None if elided else op
    source = _source(op, value.index, through_parts=through_parts)
    return None if source is None else definition(source, wanted, through_parts=through_parts)


def yielded(loop: scf.ForOp, argument: SSAValue) -> SSAValue | None:
    """What a loop hands to its next turn for a carried value; None for the counter."""
    block = loop.body.block
    if not isinstance(argument, BlockArgument) or argument.owner is not block:
        return None
    return None if argument.index == 0 else _end(block).operands[argument.index - 1]


def _start(argument: BlockArgument) -> SSAValue | None:
    match argument.owner.parent_op():
        case scf.ForOp() as loop:
            return loop.iter_args[argument.index - 1] if argument.index else None
        case scf.WhileOp() as loop if argument.owner.parent is loop.before_region:
            return loop.arguments[argument.index]
        case _:
            return None


def _source(op: Operation, index: int, *, through_parts: bool) -> SSAValue | None:
    match op:
        case scf.ForOp():
            return _end(op.body.block).operands[index]
        case scf.WhileOp():
            return _end(op.after_region.block).operands[index]
        case scf.IfOp():
            return _end(op.true_region.block).operands[index]
        case tensor.InsertSliceOp():
            return op.source if through_parts or ELIDED in op.attributes else None
        case _:
            return op.operands[0] if isinstance(op, _VIEWS) else None


def _end(block: Block) -> Operation:
    last = block.last_op
    assert last is not None
    return last
