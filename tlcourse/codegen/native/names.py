"""Tiles that need no memory: a copy of a tensor that nobody writes, for products only.

The buffer is then but a name for the part of the tensor, which a product reads where it lies.
"""

from __future__ import annotations

from xdsl.dialects.builtin import DYNAMIC_INDEX
from xdsl.ir import BlockArgument, Operation, SSAValue

from tlcourse.codegen.native.poison import needs_poison, root_of, uses_of
from tlcourse.dialects import tl


def is_name(op: tl.CopyOp) -> bool:
    """Whether the destination of a copy can stand for its source."""
    buffer, tensor = op.dst, root_of(op.src)
    alloc = buffer.owner
    if not isinstance(alloc, tl.AllocOp) or not isinstance(tensor, BlockArgument):
        return False
    if op.relu is not None or not _same_shape(op) or needs_poison(alloc):
        return False
    others = uses_of(buffer) - {op}
    if not all(isinstance(one, tl.GemmOp) and root_of(one.c) is not buffer for one in others):
        return False
    return not any(may_write(one, tensor) for one in uses_of(tensor))


def _same_shape(op: tl.CopyOp) -> bool:
    source, target = tl.memref_of(op.src), tl.memref_of(op.dst)
    shapes = [[n for n in one.get_shape() if n != 1] for one in (source, target)]
    is_known = DYNAMIC_INDEX not in shapes[0] and shapes[0] == shapes[1]
    return is_known and len(shapes[0]) == 2 and source.element_type == target.element_type


def may_write(op: Operation, tensor: SSAValue) -> bool:
    """Whether a statement may change a tensor: all that do more than copy from it might."""
    return not isinstance(op, (tl.CopyOp, tl.LoadOp)) or (
        isinstance(op, tl.CopyOp) and root_of(op.dst) is tensor
    )
