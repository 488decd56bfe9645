"""Which buffers start as poison: all but those that a block fills before it reads them."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Block, Operation, SSAValue

from tlcourse.codegen.native.code import C_TYPES
from tlcourse.dialects import tl

# Integers of the same bytes as the functional executor's.
_BYTE = "0x7B"


def poison(start: str, dtype: str, count: int) -> str:
    """The line that poisons a buffer: NaN, or integers that stand out."""
    byte = "0xFF" if "float" in dtype else "1" if dtype == "bool" else _BYTE
    return f"memset({start}, {byte}, sizeof({C_TYPES[dtype]}) * {count});"


def needs_poison(op: tl.AllocOp) -> bool:
    """Whether somebody could see what the buffer held before its first statement.

    The first statement that uses it fills all of it and reads none of it, and stands in a
    block that holds all its other uses: then nobody can.
    """
    uses = uses_of(op.result)
    if not uses:
        return False
    first = next(one for one in _kernel(op).walk() if one in uses)
    block = first.parent_block()
    if block is None or not all(_is_inside(one, block) for one in uses):
        return True
    return not _fills(first, op.result)


def uses_of(value: SSAValue) -> set[Operation]:
    """Statements on a buffer, directly or through its parts."""
    found: set[Operation] = set()
    for use in value.uses:
        if isinstance(use.operation, tl.RegionOp):
            found |= uses_of(use.operation.result)
        else:
            found.add(use.operation)
    return found


def _fills(op: Operation, buffer: SSAValue) -> bool:
    match op:
        case tl.CopyOp():
            return op.dst is buffer and root_of(op.src) is not buffer
        case tl.BroadcastOp() | tl.CastOp():
            return op.destination is buffer and root_of(op.source) is not buffer
        case tl.ElementwiseOp():
            return op.destination is buffer and all(root_of(s) is not buffer for s in op.sources)
        case tl.GemmOp():
            return op.c is buffer and _is_true(op.init)
        case tl.TileOp():
            plain = not op.reads_destination() and all(root_of(s) is not buffer for s in op.sources)
            return plain and any(one is buffer for one in op.destinations)
        case _:
            return False


def root_of(value: SSAValue) -> SSAValue:
    """The buffer or tensor that a tile is a part of."""
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


def _is_inside(op: Operation, block: Block) -> bool:
    place: Operation | None = op
    while place is not None:
        if place.parent_block() is block:
            return True
        place = place.parent_op()
    return False
