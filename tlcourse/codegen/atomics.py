"""T.atomic_add: a store that adds."""

from __future__ import annotations

from xdsl.dialects.builtin import TensorType

from tlcourse.codegen.regions import (
    extract,
    matching_dims,
    part_of,
    subview,
    with_known_sizes,
)
from tlcourse.codegen.writer import Writer
from tlcourse.dialects import tl
from tlcourse.dialects.hivm.attrs import AtomicKindAttr
from tlcourse.dialects.hivm.dma import StoreOp


def lower_atomic(writer: Writer, op: tl.AtomicAddOp) -> None:
    """Writes an atomic addition: from a view in Expert mode, from a tensor in Developer mode.

    Raises:
        TL123: the extents differ.
    """
    source, destination = part_of(writer, op.sources[0]), part_of(writer, op.destinations[0])
    src_dims, dst_dims = matching_dims(writer, op, source, destination)
    source = with_known_sizes(source, src_dims, destination, dst_dims)
    destination = with_known_sizes(destination, dst_dims, source, src_dims)
    base = writer.buffers[source.buffer]
    part = extract if isinstance(base.type, TensorType) else subview
    value = part(writer, base, source, src_dims)
    target = subview(writer, writer.buffers[destination.buffer], destination, dst_dims)
    store = StoreOp(value, target)
    store.atomic_kind = AtomicKindAttr("add")
    writer.add(store)
