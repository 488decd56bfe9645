"""one-shot-bufferize for the ops of some dialects only: the others keep their tensors.

```
%y = vexp ins(%x) outs(%e) -> tensor          %b = to_memref %x
%z = other.op(%y)                       -->   %o = memref.alloc()
                                              vexp ins(%b) outs(%o)
                                              %y = to_tensor %o
                                              %z = other.op(%y)
```

A border to a tensor is a `to_memref` right behind its definition, or a `to_tensor`. Nothing is
updated in place: each op writes into a fresh buffer, and one that also reads what it writes gets
a copy of the old contents first.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

from xdsl.dialects import arith, func, memref, tensor
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    IndexType,
    IntegerAttr,
    MemRefType,
    TensorType,
    i64,
)
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from tlcourse.dialects.annotation import MarkOp
from tlcourse.dialects.bufferization import ToMemrefOp, ToTensorOp
from tlcourse.dialects.hivm.base import DestinationOp
from tlcourse.dialects.hivm.choices import BitcastOp
from tlcourse.dialects.hivm.core import DebugOp
from tlcourse.dialects.hivm.cube import MmadL1Op
from tlcourse.dialects.hivm.dma import MoveOp
from tlcourse.dialects.locations import inherit
from tlcourse.dialects.memref import CopyOp
from tlcourse.dialects.rewriting import insert_before
from tlcourse.passes.npuir.cube_vector import tensor_type
from tlcourse.passes.npuir.tensor_shapes import reshaped

_ALIGNMENT = 64


def bufferize_dialects(function: func.FuncOp, dialects: Collection[str]) -> None:
    """Gives buffers to the ops of some dialects, as far as a form on buffers is known.

    Args:
        function: the function to change.
        dialects: the names before the first dot of the ops, for example `hivm`.
    """
    for op in list(function.walk()):
        if op.name.split(".")[0] in dialects:
            _bufferize(op)
    for op in list(function.walk()):
        if isinstance(op, ToTensorOp) and not op.tensor.first_use:
            op.detach()
            op.erase()


def alloc_like(value: SSAValue, before: Operation) -> SSAValue:
    """A fresh buffer of the extents of a tensor."""
    kind = tensor_type(value)
    extents = [
        _extent(value, dim, before)
        for dim, extent in enumerate(kind.get_shape())
        if extent == DYNAMIC_INDEX
    ]
    alloc = memref.AllocOp(extents, [], MemRefType(kind.element_type, kind.get_shape()))
    alloc.alignment = IntegerAttr(_ALIGNMENT, i64)
    insert_before(before, [alloc])
    return alloc.memref


def buffer_of(
    value: SSAValue, *, layout: Callable[[SSAValue], MemRefType] | None = None
) -> SSAValue:
    """The buffer of a tensor that stays one, read right behind its definition.

    Args:
        value: the tensor.
        layout: the type of its buffer; row after row if left out.
    """
    if isinstance(value.owner, ToTensorOp):
        return value.owner.memref
    border = ToMemrefOp(value, (layout or _plain)(value))
    owner = value.owner
    place = InsertPoint.at_start(owner) if isinstance(owner, Block) else InsertPoint.after(owner)
    if isinstance(owner, Operation):
        inherit([border], owner.location)
    Rewriter.insert_op(border, place)
    return border.memref


def _plain(value: SSAValue) -> MemRefType:
    kind = tensor_type(value)
    return MemRefType(kind.element_type, kind.get_shape())


def _bufferize(op: Operation) -> None:
    match op:
        case DestinationOp():
            _on_buffers(op)
        case MarkOp() | DebugOp():
            op.operands = [_known(value) for value in op.operands]
        case BitcastOp() if _is_tensor(op.src):
            bits = BitcastOp(buffer_of(op.src), tensor_type(op.result).get_element_type())
            _replace(op, bits, bits.result)
        case tensor.CollapseShapeOp() | tensor.ExpandShapeOp():
            view = reshaped(op, buffer_of(op.src))
            _replace(op, view, view.result)
        case tensor.EmptyOp():
            border = ToTensorOp(alloc_like(op.tensor, op))
            border.properties.clear()
            insert_before(op, [border])
            op.tensor.replace_all_uses_with(border.tensor)
            Rewriter.erase_op(op)
        case tensor.ExtractOp():
            load = memref.LoadOp.get(buffer_of(op.tensor), list(op.indices))
            insert_before(op, [load])
            op.result.replace_all_uses_with(load.res)
            Rewriter.erase_op(op)
        case _:
            return


def _on_buffers(op: DestinationOp) -> None:
    operands = list(op.operands)
    places: list[SSAValue] = []
    for index in written_operands(op):
        places.append(_place(op, operands[index]))
        operands[index] = places[-1]
    made = type(op).create(
        operands=[_known(value) for value in operands],
        properties=dict(op.properties),
        attributes=dict(op.attributes),
    )
    insert_before(op, [made])
    for result, place in zip(op.results, places, strict=True):
        border = ToTensorOp(place)
        border.properties.clear()
        insert_before(op, [border])
        result.replace_all_uses_with(border.tensor)
    Rewriter.erase_op(op)


def written_operands(op: DestinationOp) -> list[int]:
    """The positions of the destinations that become results.

    A destination stands behind the sources, and one tile may be both.
    """
    operands, found = list(op.operands), list[int]()
    for destination, _ in zip(op.destinations(), op.results, strict=False):
        found.append(
            max(
                index
                for index, value in enumerate(operands)
                if value is destination and index not in found
            )
        )
    return found


def _place(op: Operation, old: SSAValue) -> SSAValue:
    """The fresh buffer that an op writes for a tensor."""
    contents = buffer_of(old) if isinstance(op, MoveOp | MmadL1Op) else None
    place = alloc_like(old, op)
    if contents is not None:
        insert_before(op, [CopyOp(contents, place)])
    return place


def _replace(op: Operation, made: Operation, buffer: SSAValue) -> None:
    border = ToTensorOp(buffer)
    border.properties.clear()
    insert_before(op, [made, border])
    op.results[0].replace_all_uses_with(border.tensor)
    Rewriter.erase_op(op)


def _known(value: SSAValue) -> SSAValue:
    return buffer_of(value) if _is_tensor(value) else value


def _is_tensor(value: SSAValue) -> bool:
    return isinstance(value.type, TensorType)


def _extent(value: SSAValue, dim: int, before: Operation) -> SSAValue:
    """The extent of a tensor that is known at run time only."""
    if isinstance(value.owner, tensor.EmptyOp):
        shape = tensor_type(value).get_shape()
        return value.owner.dynamic_sizes[shape[:dim].count(DYNAMIC_INDEX)]
    index = arith.ConstantOp(IntegerAttr(dim, IndexType()))
    extent = tensor.DimOp(value, index)
    insert_before(before, [index, extent])
    return extent.result
