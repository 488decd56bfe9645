"""Pass hivm-flatten-ops: one long row instead of many short ones."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import func, memref
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    IntegerAttr,
    MemRefType,
    NoneAttr,
    StridedLayoutAttr,
    i64,
)
from xdsl.ir import Operation, SSAValue

from tlcourse.dialects.hivm.base import PipeOp
from tlcourse.dialects.hivm.dma import CopyOp, LoadOp, StoreOp
from tlcourse.dialects.hivm.vector import ElementwiseOp, VBrcOp, VCastOp
from tlcourse.dialects.rewriting import insert_before
from tlcourse.passes.npuir.buffers import is_static, memref_kind
from tlcourse.passes.npuir.functions import DevicePass

_FLAT_OPS = (ElementwiseOp, VCastOp, VBrcOp, LoadOp, StoreOp, CopyOp)
_DIMENSION_ARRAYS = ("broadcast", "transpose", "broadcast_dims")


@dataclass(frozen=True)
class HivmFlattenOpsPass(DevicePass):
    """Joins neighbouring dimensions that lie in one piece in all operands.

    ```
    vexp ins(%a : memref<64x128xf32, ub>) outs(%b : memref<64x128xf32, ub>)
      -->
    %c = memref.collapse_shape %a [[0, 1]] : .. into memref<8192xf32, ub>
    vexp ins(%c : memref<8192xf32, ub>) outs(%d : memref<8192xf32, ub>)
    ```

    Algorithm: dimensions i and i + 1 join when in every operand one step of i is as long as
    all of i + 1. Each operand is seen through a `collapse_shape` of the joined groups.

    Differs from upstream: an op that broadcasts, transposes or reduces keeps its dimensions;
    upstream joins those that the op does not name.
    """

    name = "hivm-flatten-ops"

    def run(self, function: func.FuncOp) -> None:
        for op in list(function.walk()):
            if isinstance(op, _FLAT_OPS) and not _names_dimensions(op):
                _flatten(op)


def _names_dimensions(op: Operation) -> bool:
    arrays = (op.properties.get(name) for name in _DIMENSION_ARRAYS)
    return any(isinstance(a, DenseArrayBase) and a.get_values() for a in arrays)


def _flatten(op: PipeOp) -> None:
    kinds = [kind for value in op.operands if (kind := memref_kind(value)) is not None]
    shape = kinds[0].get_shape()
    if len(shape) < 2 or any(not is_static(k) or k.get_shape() != shape for k in kinds):
        return
    groups = _groups(kinds)
    if len(groups) == len(shape):
        return
    seen: dict[SSAValue, SSAValue] = {}
    for index, value in enumerate(op.operands):
        kind = memref_kind(value)
        if kind is None:
            continue
        if value not in seen:
            seen[value] = _collapsed(op, value, kind, groups)
        op.operands[index] = seen[value]


def _groups(kinds: Sequence[MemRefType]) -> list[list[int]]:
    groups = [[0]]
    for dim in range(1, len(kinds[0].get_shape())):
        if all(_joins(kind, dim - 1) for kind in kinds):
            groups[-1].append(dim)
        else:
            groups.append([dim])
    return groups


def _joins(kind: MemRefType, dim: int) -> bool:
    strides = kind.get_strides()
    if strides is None:
        return False
    outer, inner = strides[dim], strides[dim + 1]
    return outer is not None and inner is not None and outer == inner * kind.get_shape()[dim + 1]


def _collapsed(
    op: PipeOp, value: SSAValue, kind: MemRefType, groups: Sequence[Sequence[int]]
) -> SSAValue:
    view = memref.CollapseShapeOp(
        operands=[value],
        result_types=[_collapsed_type(kind, groups)],
        properties={
            "reassociation": ArrayAttr(
                ArrayAttr(IntegerAttr(dim, i64) for dim in group) for group in groups
            )
        },
    )
    view.result.name_hint = f"{value.name_hint}_flat" if value.name_hint else None
    insert_before(op, [view])
    return view.result


def _collapsed_type(kind: MemRefType, groups: Sequence[Sequence[int]]) -> MemRefType:
    shape, strides = kind.get_shape(), kind.get_strides()
    assert strides is not None
    extents = [math.prod(shape[dim] for dim in group) for group in groups]
    layout = kind.layout
    if not isinstance(layout, NoneAttr):
        layout = StridedLayoutAttr([strides[group[-1]] for group in groups], kind.get_offset())
    return MemRefType(kind.element_type, extents, layout, kind.memory_space)
