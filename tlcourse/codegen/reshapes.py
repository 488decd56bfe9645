"""T.reshape: another view where nobody can tell, else a copy of the elements.

From the statement on the destination holds the source's elements, and later writes to one are
not seen in the other. On tensors that costs nothing. On memrefs a view of the source's memory
does where the source is not used any more, and the destination only from here on.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.dialects import memref, tensor
from xdsl.dialects.builtin import (
    ArrayAttr,
    IntegerAttr,
    MemRefType,
    StridedLayoutAttr,
    TensorType,
    i64,
)
from xdsl.ir import Operation, SSAValue

from tlcourse.codegen.regions import tensor_type
from tlcourse.codegen.writer import Writer
from tlcourse.dialects import tl
from tlcourse.dialects.memref import CopyOp, type_of


def reshape_tensor(writer: Writer, op: tl.ReshapeOp) -> None:
    """Writes a reshape of Developer mode: one dimension, then the destination's."""
    value = writer.buffers[op.sources[0]]
    shape = type_of(op.destinations[0]).get_shape()
    kind, element = tensor_type(value), tensor_type(value).get_element_type()
    flat = TensorType(element, [prod(shape)])
    if kind.get_num_dims() > 1:
        dims = {"reassociation": _all_dims(kind.get_num_dims())}
        collapsed = tensor.CollapseShapeOp.build(
            operands=[value], result_types=[flat], properties=dims
        )
        value = writer.add(collapsed).result
    if len(shape) > 1:
        wide = TensorType(element, shape)
        expanded = tensor.ExpandShapeOp(value, [], _all_dims(len(shape)), shape, wide)
        value = writer.add(expanded).result
    writer.keep(op.destinations[0], value)


def reshape_memref(writer: Writer, op: tl.ReshapeOp) -> None:
    """Writes a reshape of Expert mode."""
    source, destination = op.sources[0], op.destinations[0]
    view = _view(writer, writer.buffers[source], type_of(destination).get_shape())
    if is_view(op):
        writer.keep(destination, view)
    else:
        writer.add(CopyOp(view, writer.buffers[destination]))


def is_view(op: tl.ReshapeOp) -> bool:
    """Whether a view of the source's memory does as the destination."""
    source, destination = op.sources[0], op.destinations[0]
    alloc, block = source.owner, op.parent_block()
    if not isinstance(alloc, tl.AllocOp) or alloc.parent_block() is not block:
        return False
    after = _after(op)
    here = all(_stands_in(user, after) for user in _users(destination) if user is not op)
    return here and not any(_stands_in(user, after) for user in _users(source))


def _view(writer: Writer, buffer: SSAValue, shape: Sequence[int]) -> SSAValue:
    kind = type_of(buffer)
    strides = [prod(shape[dim + 1 :]) for dim in range(len(shape))]
    target = MemRefType(kind.element_type, shape, StridedLayoutAttr(strides), kind.memory_space)
    op = memref.ReinterpretCastOp.from_dynamic(buffer, [0], list(shape), strides, target)
    return writer.add(op).result


def _after(op: Operation) -> list[Operation]:
    found: list[Operation] = []
    following = op.next_op
    while following is not None:
        found.append(following)
        following = following.next_op
    return found


def _stands_in(op: Operation, places: Sequence[Operation]) -> bool:
    return any(place is op or place.is_ancestor(op) for place in places)


def _users(buffer: SSAValue) -> list[Operation]:
    users: list[Operation] = []
    for use in buffer.uses:
        inner = use.operation
        users += _users(inner.result) if isinstance(inner, tl.RegionOp) else [inner]
    return users


def _all_dims(rank: int) -> ArrayAttr[ArrayAttr[IntegerAttr]]:
    return ArrayAttr([ArrayAttr([IntegerAttr(dim, i64) for dim in range(rank)])])
