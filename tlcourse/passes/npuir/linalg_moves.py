"""linalg's ops that move elements and compute nothing, as instructions of HIVM.

```
linalg.fill ins(%x) outs(%e)                       hivm.hir.vbrc ins(%x) outs(%e)
linalg.copy ins(%a) outs(%b)                       hivm.hir.copy ins(%a) outs(%b)
linalg.transpose ins(%a) outs(%b)         -->      hivm.hir.vtranspose ins(%a) outs(%b)
linalg.broadcast ins(%a) outs(%b)                  %w = expand_shape %a    // 8x32 to 8x1x32
  dimensions = [1]                                 hivm.hir.vbrc ins(%w) outs(%b)
                                                     broadcast_dims = [1]
```
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.dialects import arith, memref, tensor
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    DenseArrayBase,
    IndexType,
    IntegerAttr,
    MemRefType,
    NoneAttr,
    StridedLayoutAttr,
    TensorType,
    i64,
)
from xdsl.dialects.linalg.ops import BroadcastOp, FillOp, TransposeOp
from xdsl.dialects.linalg.ops import CopyOp as LinalgCopyOp
from xdsl.ir import Operation, SSAValue

from tlcourse.dialects.hivm.dma import CopyOp
from tlcourse.dialects.hivm.shapes import VTransposeOp
from tlcourse.dialects.hivm.vector import VBrcOp
from tlcourse.dialects.memref import type_of
from tlcourse.passes.npuir.cube_vector import tensor_type

MOVES = (FillOp, LinalgCopyOp, TransposeOp, BroadcastOp)
Groups = Sequence[Sequence[int]]


def lowered(op: Operation) -> list[Operation]:
    """The instructions that do the work of one of `MOVES`; the last one has its results."""
    match op:
        case FillOp():
            return [VBrcOp(op.inputs[0], op.outputs[0])]
        case LinalgCopyOp():
            return [CopyOp(op.inputs[0], op.outputs[0])]
        case TransposeOp():
            order = [int(dim) for dim in op.permutation.get_values()]
            return [VTransposeOp(op.inputs[0], op.outputs[0], order)]
        case BroadcastOp():
            dims = [int(dim) for dim in op.dimensions.get_values()]
            return _broadcast(op.input, op.init, dims)
        case _:
            raise AssertionError(f"{op.name} is none of them")


def _broadcast(source: SSAValue, init: SSAValue, dims: Sequence[int]) -> list[Operation]:
    kind = source.type
    assert isinstance(kind, (MemRefType, TensorType))
    if not kind.get_shape():  # one number, as a tensor without dimensions
        return [VBrcOp(source, init, dims)]
    groups = _groups(len(kind.get_shape()) + len(dims), dims)
    extents = iter(kind.get_shape())
    shape = [1 if dim in dims else next(extents) for group in groups for dim in group]
    new_ops: list[Operation] = []
    dynamic: list[SSAValue] = []
    for index, extent in enumerate(kind.get_shape()):
        if extent == DYNAMIC_INDEX:
            place = arith.ConstantOp(IntegerAttr(index, IndexType()))
            dim_op = memref.DimOp if isinstance(kind, MemRefType) else tensor.DimOp
            known = dim_op.build(operands=[source, place.result], result_types=[IndexType()])
            new_ops += [place, known]
            dynamic.append(known.results[0])
    wide = _expanded(source, dynamic, groups, shape)
    return [*new_ops, wide, VBrcOp(wide.results[0], init, dims)]


def _groups(rank: int, dims: Sequence[int]) -> list[list[int]]:
    """The new dimensions that each old one becomes: its own and the repeated ones behind it."""
    groups: list[list[int]] = [[]]
    taken = False
    for dim in range(rank):
        if dim not in dims and taken:
            groups.append([])
        taken = taken or dim not in dims
        groups[-1].append(dim)
    return groups


def _expanded(
    source: SSAValue, dynamic: Sequence[SSAValue], groups: Groups, shape: Sequence[int]
) -> Operation:
    reassociation = ArrayAttr(ArrayAttr(IntegerAttr(dim, i64) for dim in group) for group in groups)
    if isinstance(source.type, TensorType):
        wide = TensorType(tensor_type(source).element_type, shape)
        return tensor.ExpandShapeOp(source, dynamic, reassociation, list(shape), wide)
    kind = type_of(source)
    layout = _layout(kind, groups, shape)
    return memref.ExpandShapeOp.build(
        operands=[source, dynamic],
        result_types=[MemRefType(kind.element_type, shape, layout, kind.memory_space)],
        properties={
            "reassociation": reassociation,
            "static_output_shape": DenseArrayBase.from_list(i64, list(shape)),
        },
    )


def _layout(kind: MemRefType, groups: Groups, shape: Sequence[int]) -> StridedLayoutAttr | NoneAttr:
    """Strides of the new dimensions: the old one's, times the extents further in."""
    if isinstance(kind.layout, NoneAttr):
        return kind.layout
    strides: list[int | None] = []
    for group, stride in zip(groups, kind.get_strides() or (), strict=True):
        for place in range(len(group)):
            inside = [shape[dim] for dim in group[place + 1 :]]
            known = stride is not None and DYNAMIC_INDEX not in inside
            strides.append(prod(inside, start=stride) if known and stride else None)
    return StridedLayoutAttr(strides, kind.get_offset())
