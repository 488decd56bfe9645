"""Extents of tensors, and what a tensor that is seen with other dimensions is as a buffer."""

from __future__ import annotations

from typing import cast

from xdsl.dialects import memref, scf, tensor
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    MemRefType,
    NoneAttr,
    StridedLayoutAttr,
)
from xdsl.ir import BlockArgument, OpResult, SSAValue

from tlcourse.dialects.bufferization import ToTensorOp
from tlcourse.dialects.hivm.base import DestinationOp
from tlcourse.dialects.memref import strides_of
from tlcourse.passes.npuir.buffers import extents_of, is_contiguous, kind_of
from tlcourse.passes.npuir.cube_vector import tensor_type

Reshape = tensor.CollapseShapeOp | tensor.ExpandShapeOp


def reshaped(op: Reshape, buffer: SSAValue) -> memref.CollapseShapeOp | memref.ExpandShapeOp:
    """The view of a buffer in one piece that a reshape of its tensor stands for."""
    kind = tensor_type(op.result)
    layout = _split_layout(op, buffer) if isinstance(op, tensor.ExpandShapeOp) else NoneAttr()
    result = MemRefType(kind.element_type, kind.get_shape(), layout, kind_of(buffer).memory_space)
    properties = dict(op.properties)
    if isinstance(op, tensor.CollapseShapeOp):
        return memref.CollapseShapeOp.build(
            operands=[buffer], result_types=[result], properties=properties
        )
    return memref.ExpandShapeOp.build(
        operands=[buffer, list(op.dynamic_output_shape)],
        result_types=[result],
        properties=properties,
    )


def _split_layout(op: tensor.ExpandShapeOp, buffer: SSAValue) -> StridedLayoutAttr | NoneAttr:
    """The layout of a buffer whose dimensions are split; none where it lies in one piece."""
    if is_contiguous(kind_of(buffer)):
        return NoneAttr()
    shape = tensor_type(op.result).get_shape()
    strides, offset = strides_of(kind_of(buffer))
    split: list[int | None] = []
    for stride, group in zip(strides, op.reassociation, strict=True):
        steps: list[int | None] = []
        for dim in reversed([number.value.data for number in group]):
            steps.insert(0, stride)
            stride = None if stride is None or shape[dim] == DYNAMIC_INDEX else stride * shape[dim]
        split += steps
    return StridedLayoutAttr(split, offset)


def extents(value: SSAValue) -> list[int | SSAValue]:
    """The extents of a tensor: numbers, and values where they are known at run time only."""
    shape = tensor_type(value).get_shape()
    if DYNAMIC_INDEX not in shape:
        return list(shape)
    like = _same_shape(value)
    if like is not None:
        return extents(like)
    op = value.owner
    if isinstance(op, ToTensorOp):
        return extents_of(op.memref)
    assert isinstance(op, tensor.EmptyOp | tensor.ExtractSliceOp)
    values = iter(op.dynamic_sizes if isinstance(op, tensor.EmptyOp) else op.sizes)
    return [next(values) if extent == DYNAMIC_INDEX else extent for extent in shape]


def _same_shape(value: SSAValue) -> SSAValue | None:
    """Another tensor of the same shape that was there before, None where a shape is chosen."""
    if isinstance(value, BlockArgument):
        loop = value.owner.parent_op()
        assert isinstance(loop, scf.ForOp)
        return loop.iter_args[value.index - 1]
    index = cast(OpResult, value).index
    match value.owner:
        case DestinationOp() as op:
            return op.destinations()[index]
        case tensor.InsertSliceOp() as op:
            return op.dest
        case scf.ForOp() as op:
            return op.iter_args[index]
        case scf.IfOp() as op:
            end = op.true_region.block.last_op
            assert end is not None
            return end.operands[index]
        case _:
            return None
