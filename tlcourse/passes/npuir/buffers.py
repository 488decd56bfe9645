"""Buffers behind memref values: which ones a value may stand for, their size, layout and name."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import cast

from xdsl.dialects import arith, memref, scf, tensor
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    BFloat16Type,
    DenseArrayBase,
    Float16Type,
    Float32Type,
    Float64Type,
    IntegerType,
    MemRefType,
)
from xdsl.ir import Attribute, Block, BlockArgument, Operation, OpResult, SSAValue

from tlcourse.dialects.hivm.choices import BitcastOp
from tlcourse.dialects.hivm.vector import dims_of
from tlcourse.dialects.locations import point
from tlcourse.dialects.memref import CastOp

Extent = int | SSAValue

VIEWS = (
    CastOp,
    memref.CastOp,
    memref.SubviewOp,
    memref.ReinterpretCastOp,
    memref.CollapseShapeOp,
    memref.ExpandShapeOp,
    memref.ExtractStridedMetaDataOp,
    memref.ViewOp,
    memref.MemorySpaceCastOp,
    BitcastOp,
)
_FLOAT_BITS: dict[type[Attribute], int] = {
    Float16Type: 16,
    BFloat16Type: 16,
    Float32Type: 32,
    Float64Type: 64,
}


def element_bits(element: Attribute) -> int:
    """Bits of an element on chip, where a bool takes one."""
    if isinstance(element, IntegerType):
        return cast(IntegerType, element).width.data
    return _FLOAT_BITS[type(element)]


def memref_kind(value: SSAValue) -> MemRefType | None:
    """The memref type of a value; None for scalars and tensors."""
    return cast(MemRefType, value.type) if isinstance(value.type, MemRefType) else None


def kind_of(value: SSAValue) -> MemRefType:
    """The type of a value that is a memref."""
    kind = memref_kind(value)
    assert kind is not None
    return kind


def is_static(kind: MemRefType) -> bool:
    """Whether all extents are numbers."""
    return DYNAMIC_INDEX not in kind.get_shape()


def extents_of(value: SSAValue) -> list[Extent]:
    """The extents of a slice or a buffer: numbers, and values where they are open."""
    shape = kind_of(value).get_shape()
    if DYNAMIC_INDEX not in shape:
        return list(shape)
    op = value.owner
    assert isinstance(op, memref.SubviewOp | memref.AllocOp)
    values = iter(op.sizes if isinstance(op, memref.SubviewOp) else op.dynamic_sizes)
    return [next(values) if extent == DYNAMIC_INDEX else extent for extent in shape]


def box_of(
    op: memref.SubviewOp | tensor.ExtractSliceOp | tensor.InsertSliceOp,
) -> tuple[list[Extent], list[Extent]]:
    """Offsets and sizes of a slice: numbers, and values where they are known at run time only."""
    return mixed(op.static_offsets, op.offsets), mixed(op.static_sizes, op.sizes)


def mixed(static: DenseArrayBase, dynamic: Sequence[SSAValue]) -> list[Extent]:
    """Numbers, and the values that stand in the open places."""
    values = iter(dynamic)
    return [next(values) if number == DYNAMIC_INDEX else number for number in dims_of(static)]


def size_bytes(kind: MemRefType) -> int:
    """Bytes from the first element to the last of a buffer of static shape."""
    strides = cast(Sequence[int], kind.get_strides() or ())
    steps = zip(kind.get_shape(), strides, strict=True)
    elements = 1 + sum((extent - 1) * stride for extent, stride in steps)
    return math.ceil(elements * element_bits(kind.element_type) / 8)


def is_contiguous(kind: MemRefType) -> bool:
    """Whether the elements lie row after row without gaps; the offset may be anything."""
    if not is_static(kind):
        return False
    expected = 1
    for extent, stride in reversed(
        list(zip(kind.get_shape(), kind.get_strides() or (), strict=True))
    ):
        if extent != 1 and stride != expected:
            return False
        expected *= extent
    return True


def sources_of(value: SSAValue) -> Sequence[SSAValue] | None:
    """The values that `value` is a view of or may stand for; None for a buffer itself."""
    if isinstance(value, BlockArgument):
        return _carried(value)
    op = value.owner
    assert isinstance(op, Operation)
    if isinstance(op, VIEWS):
        return (op.operands[0],)
    if isinstance(op, arith.SelectOp):
        return (op.lhs, op.rhs)
    if isinstance(op, scf.ForOp):
        index = cast(OpResult, value).index
        return (op.iter_args[index], _yielded(op.body.block)[index])
    if isinstance(op, scf.IfOp):
        index = cast(OpResult, value).index
        return tuple(_yielded(region.block)[index] for region in op.regions)
    return None


def _carried(value: BlockArgument) -> Sequence[SSAValue] | None:
    loop = value.owner.parent_op()
    if not isinstance(loop, scf.ForOp) or value.index == 0:
        return None
    index = value.index - 1
    return (loop.iter_args[index], _yielded(loop.body.block)[index])


def _yielded(block: Block) -> Sequence[SSAValue]:
    last = block.last_op
    assert last is not None
    return last.operands


def roots(value: SSAValue) -> tuple[SSAValue, ...]:
    """The buffers that a memref value may point into: allocations, planned buffers, arguments."""
    found: dict[SSAValue, None] = {}
    seen: set[SSAValue] = set()
    queue = [value]
    while queue:
        current = queue.pop()
        if current in seen:
            continue
        seen.add(current)
        behind = sources_of(current)
        if behind is None:
            found[current] = None
        else:
            queue += reversed(behind)
    return tuple(found)


def users(value: SSAValue, *, stop: Operation | None = None) -> Iterator[Operation]:
    """Ops that use a buffer, directly or through a view, a select, a loop or an if.

    Args:
        value: the buffer, or what stands for it.
        stop: an op that hands the buffer on to users that do not count.
    """
    seen: set[SSAValue] = set()
    queue = [value]
    while queue:
        current = queue.pop()
        if current in seen:
            continue
        seen.add(current)
        for use in current.uses:
            yield use.operation
            if use.operation is not stop:
                queue += _passed_on(use.operation, use.index)


def _passed_on(op: Operation, index: int) -> list[SSAValue]:
    if isinstance(op, VIEWS):
        return [op.results[0]] if index == 0 else []
    if isinstance(op, arith.SelectOp):
        return list(op.results) if index else []
    if isinstance(op, scf.ForOp):
        return [op.body.block.args[index - 2], op.results[index - 3]] if index >= 3 else []
    if isinstance(op, scf.YieldOp):
        parent = op.parent_op()
        assert parent is not None
        carried = [parent.body.block.args[index + 1]] if isinstance(parent, scf.ForOp) else []
        return [*parent.results[index : index + 1], *carried]
    return []


def name_of(value: SSAValue) -> str:
    """The learner's name of a buffer, or where it was made, for messages."""
    if value.name_hint:
        return value.name_hint
    op = value.owner
    place = point(op.location) if isinstance(op, Operation) else None
    return f"the buffer of line {place.line.data}" if place else "a buffer of the compiler"
