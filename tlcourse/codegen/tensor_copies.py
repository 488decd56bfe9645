"""T.copy in Developer mode: between GM and tensors, with a conversion where dtypes differ.

```mlir
T.copy(A[r:r + 64, :], tile)
-->
%view = memref.subview %A[%r, 0] [64, 128] [1, 1]
%buffer = memref.alloc() : memref<64x128xf16>
memref.copy %view, %buffer
%tile = bufferization.to_tensor %buffer restrict
```
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects import arith, memref, tensor
from xdsl.dialects.builtin import DYNAMIC_INDEX, AnyFloat, FloatAttr, MemRefType, TensorType
from xdsl.ir import Attribute, SSAValue

from tlcourse.codegen.regions import (
    Part,
    extract,
    insert,
    matching_dims,
    name_of,
    part_of,
    static_shape,
    subview,
    tensor_type,
    with_known_sizes,
)
from tlcourse.codegen.writer import Index, Writer
from tlcourse.dialects import tl
from tlcourse.dialects.bufferization import MaterializeInDestinationOp, ToTensorOp
from tlcourse.dialects.conversions import Step, steps
from tlcourse.dialects.hivm.choices import VCmpOp
from tlcourse.dialects.hivm.vector import VCastOp
from tlcourse.dialects.memref import CopyOp, type_of

_GLOBAL = "global"


def lower_copy(writer: Writer, op: tl.CopyOp) -> None:
    """Writes a copy.

    Raises:
        TL123: the extents differ.
        TL203: both sides lie in GM.
    """
    source, destination = part_of(writer, op.src), part_of(writer, op.dst)
    if source.scope == _GLOBAL and destination.scope == _GLOBAL:
        raise writer.error(
            "TL203",
            "T.copy cannot move a tile from GM to GM on Ascend 910B",
            op,
            why="data moves through an on-chip memory, and one statement is one move",
            fix=f"copy {name_of(op.src)} to a tile of T.alloc_shared, then the tile to "
            f"{name_of(op.dst)}",
        )
    dims = matching_dims(writer, op, source, destination)
    source = with_known_sizes(source, dims[0], destination, dims[1])
    destination = with_known_sizes(destination, dims[1], source, dims[0])
    if source.scope == _GLOBAL:
        _load(writer, source, destination, *dims)
    elif destination.scope == _GLOBAL:
        _store(writer, source, destination, *dims)
    else:
        value = extract(writer, writer.buffers[source.buffer], source, dims[0])
        _write(writer, value, destination, dims[1])


def empty(writer: Writer, sizes: Sequence[Index], element: Attribute) -> SSAValue:
    """A tensor without contents, for an op to write into."""
    kind = TensorType(element, static_shape(sizes))
    dynamic = [size for size in sizes if isinstance(size, SSAValue)]
    return writer.add(tensor.EmptyOp(dynamic, kind)).tensor


def _load(
    writer: Writer,
    source: Part,
    destination: Part,
    src_dims: tuple[int, ...],
    dst_dims: tuple[int, ...],
) -> None:
    view = subview(writer, writer.buffers[source.buffer], source, src_dims)
    room = _room(source, destination, src_dims, dst_dims)
    buffer = writer.add(memref.AllocOp([], [], room))
    buffer.memref.name_hint = destination.buffer.name_hint
    filled = _same_size(writer, buffer.memref, [source.sizes[d] for d in src_dims])
    writer.add(CopyOp(view, filled))
    if _fills_a_fresh_tile(writer, destination, room):
        value = writer.add(ToTensorOp(buffer.memref)).tensor
        writer.keep(destination.buffer, _converted(writer, value, destination.element))
        return
    _write(writer, writer.add(ToTensorOp(filled)).tensor, destination, dst_dims)


def _fills_a_fresh_tile(writer: Writer, part: Part, room: MemRefType) -> bool:
    """Whether a tail lies at the origin of a tile that nothing was written to before.

    The loaded buffer is then the tile itself: what lies beyond the tail is undefined anyway.
    """
    fresh = isinstance(writer.buffers[part.buffer].owner, tensor.EmptyOp)
    same_shape = room.get_shape() == type_of(part.buffer).get_shape()
    return fresh and same_shape and part.starts_at_origin


def _room(
    source: Part, destination: Part, src_dims: tuple[int, ...], dst_dims: tuple[int, ...]
) -> MemRefType:
    """A buffer of static shape: where an extent is not known, the tile's own bounds it."""
    bounds = type_of(destination.buffer).get_shape()
    shape = [
        bounds[there] if source.shape[here] == DYNAMIC_INDEX else source.shape[here]
        for here, there in zip(src_dims, dst_dims, strict=True)
    ]
    return MemRefType(source.element, shape)


def _same_size(writer: Writer, buffer: SSAValue, sizes: list[Index]) -> SSAValue:
    if all(isinstance(size, int) for size in sizes):
        return buffer
    zeros, ones = [0] * len(sizes), [1] * len(sizes)
    result = memref.SubviewOp.infer_result_type(type_of(buffer), zeros, sizes, ones)
    return writer.add(memref.SubviewOp.get(buffer, zeros, sizes, ones, result)).result


def _store(
    writer: Writer,
    source: Part,
    destination: Part,
    src_dims: tuple[int, ...],
    dst_dims: tuple[int, ...],
) -> None:
    # The whole tile is converted, so that the conversion has a static shape.
    whole = _converted(writer, writer.buffers[source.buffer], destination.element)
    value = extract(writer, whole, source, src_dims)
    view = subview(writer, writer.buffers[destination.buffer], destination, dst_dims)
    writer.add(MaterializeInDestinationOp(value, view))


def _write(writer: Writer, value: SSAValue, part: Part, dims: tuple[int, ...]) -> None:
    base = writer.buffers[part.buffer]
    converted = _converted(writer, value, part.element)
    writer.keep(part.buffer, insert(writer, converted, base, part, dims))


def _converted(writer: Writer, value: SSAValue, element: Attribute) -> SSAValue:
    kind = tensor_type(value)
    if kind.get_element_type() == element:
        return value
    sizes: list[Index] = [
        writer.add(tensor.DimOp(value, writer.index_value(dim))).result
        if extent == DYNAMIC_INDEX
        else extent
        for dim, extent in enumerate(kind.get_shape())
    ]
    for step in steps(kind.get_element_type(), element):
        value = _stepped(writer, value, empty(writer, sizes, step.element), step)
    return value


def _stepped(writer: Writer, value: SSAValue, room: SSAValue, step: Step) -> SSAValue:
    if step.round_mode:
        return writer.add(VCastOp(value, room, step.round_mode)).result[0]
    kind = cast("AnyFloat", tensor_type(value).get_element_type())
    zero = writer.add(arith.ConstantOp(FloatAttr(0.0, kind))).result
    return writer.add(VCmpOp([value, zero], room, "ne")).result[0]
