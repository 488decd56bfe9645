"""How an on-chip buffer is kept: in which dtype, whether each block poisons it, or only a name.

A buffer whose first access writes all of it needs no poison, if every other access follows in
the same block of code: nobody can read what was there before.

A half precision buffer that only feeds matrix products is kept in float32, which products need.
It holds the same numbers: only copies from its own dtype, and scalars of it, are written there.

Where such a buffer is only ever filled with whole tiles of tensors that the kernel never writes,
it is but a name for the last of these tiles, and each tile is converted once a launch.
"""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, MemRefType
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from tlcourse.dialects import tl
from tlcourse.functional.emit.access import written
from tlcourse.functional.emit.cores import users_on
from tlcourse.functional.emit.emitter import HALF, dtype_of_buffer, shape_of


def needs_poison(op: tl.AllocOp, core: tl.Core) -> bool:
    """Whether a buffer may be read on this core before all of it is written."""
    users = users_on(op.result, core)
    accesses = {id(user) for user in users}
    first = next((inner for inner in _kernel(op).walk() if id(inner) in accesses), None)
    if first is None or not _fills(first, op.result):
        return first is not None
    home = first.parent_block()
    return not all(_is_inside(user, home) for user in users)


def storage_dtype(op: tl.AllocOp, core: tl.Core) -> str:
    """The torch dtype that holds a buffer on this core."""
    dtype = dtype_of_buffer(op.result)
    if dtype not in HALF:
        return dtype
    users = users_on(op.result, core)
    feeds = any(isinstance(user, tl.GemmOp) for user in users)
    return "float32" if feeds and all(_keeps(user, dtype) for user in users) else dtype


def is_name(op: tl.AllocOp, core: tl.Core) -> bool:
    """Whether a buffer can be a name for tiles of tensors that the kernel never writes."""
    if storage_dtype(op, core) == dtype_of_buffer(op.result):
        return False
    users = users_on(op.result, core)
    return len(shape_of(op.result)) == 2 and all(_takes(user, op.result) for user in users)


def _takes(user: Operation, buffer: SSAValue) -> bool:
    """Whether an access multiplies a whole buffer, or fills it with a tile that never changes."""
    if isinstance(user, tl.GemmOp):
        return buffer in (user.a, user.b)
    if not isinstance(user, tl.CopyOp) or user.dst is not buffer:
        return False
    extents = [extent for extent in shape_of(user.src) if extent != 1]
    wanted = [extent for extent in shape_of(buffer) if extent != 1]
    return extents == wanted and len(wanted) == 2 and _is_read_only(_root(user.src))


def _is_read_only(tensor: SSAValue) -> bool:
    """Whether a tensor in GM is written by no statement of the kernel, on no core."""
    if not isinstance(tensor, BlockArgument):
        return False
    users = [*users_on(tensor, "cube"), *users_on(tensor, "vector")]
    return all(_root_of_target(user) is not tensor for user in users)


def _root_of_target(op: Operation) -> SSAValue | None:
    target = op.buffer if isinstance(op, tl.StoreOp) else written(op)
    return None if target is None else _root(target)


def _keeps(user: Operation, dtype: str) -> bool:
    """Whether an access leaves a half precision buffer exact when it is kept wide."""
    match user:
        case tl.CopyOp():
            return dtype_of_buffer(user.src) == dtype
        case tl.BroadcastOp():
            return not isinstance(user.source.type, MemRefType)
        case tl.GemmOp():
            return dtype_of_buffer(user.c) != dtype
        case _:
            return False


def _fills(op: Operation, buffer: SSAValue) -> bool:
    """Whether a statement writes all of a buffer and reads none of it."""
    target = written(op)
    if target is None or not _is_all_of(target, buffer):
        return False
    if isinstance(op, tl.GemmOp) and not _is_true(op.init):
        return False
    if isinstance(op, tl.TileOp) and op.reads_destination():
        return False
    # In place, a buffer stands among the operands twice: as source and as destination.
    return sum(_root(operand) is buffer for operand in op.operands) == 1


def _is_all_of(target: SSAValue, buffer: SSAValue) -> bool:
    if target is buffer:
        return True
    region = target.owner
    return (
        isinstance(region, tl.RegionOp)
        and region.buffer is buffer
        and shape_of(region.result) == shape_of(buffer)
        and None not in shape_of(buffer)
    )


def _root(value: SSAValue) -> SSAValue:
    while isinstance(value.owner, tl.RegionOp):
        value = value.owner.buffer
    return value


def _is_true(value: SSAValue) -> bool:
    owner = value.owner
    if not isinstance(owner, arith.ConstantOp) or not isinstance(owner.value, IntegerAttr):
        return False
    return owner.value.value.data != 0


def _kernel(op: Operation) -> Operation:
    while not isinstance(op, tl.KernelOp):
        parent = op.parent_op()
        assert parent is not None, "buffers stand inside tl.kernel"
        op = parent
    return op


def _is_inside(op: Operation, block: Block | None) -> bool:
    place: Operation | None = op
    while place is not None:
        if place.parent_block() is block:
            return True
        place = place.parent_op()
    return False
