"""xDSL's memref dialect with a readable text for `copy` and `cast`, and the types of subviews."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects import memref
from xdsl.dialects.builtin import DYNAMIC_INDEX, IntAttr, MemRefType, StridedLayoutAttr
from xdsl.ir import Dialect, SSAValue
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def, result_def, traits_def
from xdsl.traits import Pure


@irdl_op_definition
class CopyOp(IRDLOperation):
    """`memref.copy %source, %destination : type to type`."""

    name = "memref.copy"
    source = operand_def(MemRefType)
    destination = operand_def(MemRefType)
    assembly_format = "$source `,` $destination attr-dict `:` type($source) `to` type($destination)"

    def __init__(self, source: SSAValue, destination: SSAValue) -> None:
        super().__init__(operands=[source, destination])


@irdl_op_definition
class CastOp(IRDLOperation):
    """`memref.cast %source : type to type`: the same buffer under a looser or tighter type."""

    name = "memref.cast"
    source = operand_def(MemRefType)
    dest = result_def(MemRefType)
    traits = traits_def(Pure())
    assembly_format = "$source attr-dict `:` type($source) `to` type($dest)"

    def __init__(self, source: SSAValue, kind: MemRefType) -> None:
        super().__init__(operands=[source], result_types=[kind])


@irdl_op_definition
class ReshapeOp(IRDLOperation):
    """`memref.reshape %source(%shape)`: the elements of a buffer under a shape read at run time."""

    name = "memref.reshape"
    source = operand_def(MemRefType)
    shape = operand_def(MemRefType)
    result = result_def(MemRefType)
    assembly_format = "$source `(` $shape `)` attr-dict `:` functional-type(operands, results)"

    def __init__(self, source: SSAValue, shape: SSAValue, kind: MemRefType) -> None:
        super().__init__(operands=[source, shape], result_types=[kind])


_OURS = (CopyOp, CastOp, ReshapeOp)
_NAMES = {op.name for op in _OURS}

MemRef = Dialect(
    "memref",
    [*(op for op in memref.MemRef.operations if op.name not in _NAMES), *_OURS],
    list(memref.MemRef.attributes),
)


def subview(
    source: SSAValue,
    offsets: Sequence[int | SSAValue],
    sizes: Sequence[int | SSAValue],
    shape: Sequence[int] | None = None,
) -> memref.SubviewOp:
    """A rectangular part of a memref at unit strides, with the type that MLIR infers for it.

    Args:
        source: the memref.
        offsets: one per dimension, integers or `index` values.
        sizes: one per dimension, integers or `index` values.
        shape: shape of the result where it leaves out dimensions of extent 1.
    """
    kind = type_of(source)
    strides, start = strides_of(kind)
    full = [size if isinstance(size, int) else DYNAMIC_INDEX for size in sizes]
    kept = _kept(full, full if shape is None else shape)
    layout = StridedLayoutAttr([strides[d] for d in kept], _offset(start, strides, offsets))
    result_type = MemRefType(kind.element_type, [full[d] for d in kept], layout, kind.memory_space)
    ones: list[int | SSAValue] = [1] * len(full)
    return memref.SubviewOp.get(source, list(offsets), list(sizes), ones, result_type)


def _kept(full: Sequence[int], shape: Sequence[int]) -> list[int]:
    """The dimensions of `full` that are left when extents of 1 are dropped to give `shape`."""
    kept: list[int] = []
    spare = len(full) - len(shape)
    for dim, extent in enumerate(full):
        wanted = shape[len(kept)] if len(kept) < len(shape) else None
        if extent != wanted:
            assert extent == 1
            assert spare > 0
            spare -= 1
            continue
        kept.append(dim)
    return kept


def type_of(value: SSAValue) -> MemRefType:
    """The type of a value that is a memref."""
    assert isinstance(value.type, MemRefType)
    return cast(MemRefType, value.type)


def strides_of(kind: MemRefType) -> tuple[list[int | None], int | None]:
    """Strides and offset of a memref type in elements; None where known only at run time."""
    layout = kind.layout
    if isinstance(layout, StridedLayoutAttr):
        strides = [item.data if isinstance(item, IntAttr) else None for item in layout.strides]
        return strides, layout.offset.data if isinstance(layout.offset, IntAttr) else None
    strides: list[int | None] = []
    step: int | None = 1
    for dim in reversed(kind.get_shape()):
        strides.insert(0, step)
        step = None if step is None or dim == DYNAMIC_INDEX else step * dim
    return strides, 0


def _offset(
    start: int | None, strides: Sequence[int | None], offsets: Sequence[int | SSAValue]
) -> int | None:
    total = start
    for stride, offset in zip(strides, offsets, strict=True):
        if total is None or stride is None or not isinstance(offset, int):
            return None
        total += stride * offset
    return total
